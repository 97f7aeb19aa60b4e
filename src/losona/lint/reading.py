"""From files to views: of frames, and of the lines of JSON Lines files; or to the findings that say why not.

The linter's one door to the disk. What cannot be read is a finding of F01 (frames) or P01 (lines).
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from losona.errors import ContentError
from losona.frames import REJECTED
from losona.lint.finding import Finding
from losona.lint.lines import UNNAMED, LineView
from losona.lint.view import FrameView
from losona.official import OfficialRow, to_scenario
from losona.schema.frame import Frame
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy
from losona.textfiles import Document, Place, parse_yaml, read_jsonl, read_text, tell

PARSES, LINE_PARSES = "F01", "P01"
FRAME, LINES = ".yaml", ".jsonl"
RELEASED = "CANARY"
"""File by which the folder of a release is known."""
ALLOWED = "one of the 13 columns of the release, or a key of a derived scenario, of the kind that the message names"


def content_files(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Frames and JSON Lines files among files and folders, each once, in order; rejected ones only where named.

    Raises `ContentError` where there are none, and for a path that is nothing of the kind.
    """
    found: dict[Path, None] = {}
    for path in paths:
        inside = sorted(_kept(path)) if path.is_dir() else [path]
        if not inside:
            raise ContentError(f"{path}: no frame files (*.yaml) and no rows (*.jsonl) in this folder.")
        if path.exists() and not path.is_dir() and path.suffix not in (FRAME, LINES):
            raise ContentError(
                f"{path}: lint reads frames (.yaml), rows or scenarios (.jsonl), and folders of them; name one."
            )
        found.update(dict.fromkeys(inside))
    return tuple(found)


def _kept(folder: Path) -> Iterator[Path]:
    """Files to lint inside a folder: none that was rejected, and none of a release, which holds its frames again."""
    for path in folder.rglob("*"):
        around = list(path.relative_to(folder).parents)[:-1]
        released = any((folder / part / RELEASED).is_file() for part in around)
        if path.suffix in (FRAME, LINES) and REJECTED not in path.relative_to(folder).parts and not released:
            yield path


def read_lines(path: Path, taxonomy: Taxonomy) -> Iterator[LineView | Finding]:
    """Each line of a JSON Lines file as the rules look at it, or why it cannot be read.

    Raises `ContentError` if there is no such file.
    """
    empty = True
    for place, data in read_jsonl(path):
        empty = False
        yield from _read_line(Document(path, data, {(): int(place.rsplit(":", 1)[1])}), taxonomy)
    if empty:
        yield Finding(LINE_PARSES, "error", path, 1, "the file holds no row", "one row or scenario a line")


def _read_line(document: Document, taxonomy: Taxonomy) -> Iterator[LineView | Finding]:
    data, place = document.data, f"{document.path}:{document.line(())}"
    try:
        if isinstance(data, ContentError):
            raise data
        if isinstance(data, dict) and "visible" in data:
            yield LineView(document, Scenario.model_validate(data), taxonomy)
        else:
            row = OfficialRow.model_validate(data)
            yield LineView(document, to_scenario(row, taxonomy, place, UNNAMED), taxonomy, row)
    except ValidationError as error:
        for fault in error.errors():
            yield _line_fault(document, tell(fault["loc"], fault["msg"], fault["input"]), ALLOWED)
    except ContentError as error:
        told = str(error).removeprefix(f"{place}: ").rstrip(".")
        yield _line_fault(document, told, "a JSON object whose columns agree with each other")


def _line_fault(document: Document, found: str, allowed: str) -> Finding:
    return Finding(LINE_PARSES, "error", document.path, document.line(()), found, allowed)


def read_view(path: Path, taxonomy: Taxonomy) -> FrameView | list[Finding]:
    """A frame file as the rules look at it, or why it cannot be read. Raises `ContentError` if there is no file."""
    return view_of(read_text(path), path, taxonomy)


def view_of(text: str, path: Path, taxonomy: Taxonomy) -> FrameView | list[Finding]:
    """The text of a frame file as the rules look at it, or why it cannot be read."""
    try:
        document = parse_yaml(text, path)
    except ContentError as error:
        return [_yaml_fault(path, str(error))]
    try:
        return FrameView(document, Frame.model_validate(document.data), taxonomy)
    except ValidationError as error:
        return list(_schema_faults(document, error))


def _yaml_fault(path: Path, message: str) -> Finding:
    """The line out of a reader's message, which begins with `path:line:`."""
    match = re.match(r":(\d+): (.*)", message.removeprefix(str(path)), re.DOTALL)
    line, found = (int(match.group(1)), match.group(2)) if match else (1, message)
    return Finding(PARSES, "error", path, line, found.rstrip("."), "one valid YAML document")


def _schema_faults(document: Document, error: ValidationError) -> Iterator[Finding]:
    """One finding a fault; of a chat item only the faults of what it is meant to be, a turn or a slot."""
    for fault in error.errors():
        location = fault["loc"]
        if not _meant(document.data, location):
            continue
        found = tell(location, fault["msg"], fault["input"])
        place = tuple(part for part in location if part not in ("Turn", "Slot"))
        yield Finding(PARSES, "error", document.path, document.line(place), found, _allowed(fault["type"]))


def _meant(data: Any, location: Place) -> bool:
    if len(location) < 3 or location[0] != "chat" or location[2] not in ("Turn", "Slot"):
        return True
    item = cast("dict[str, Any]", data)["chat"][location[1]]
    return location[2] == ("Slot" if isinstance(item, dict) and "slot" in item else "Turn")


def _allowed(kind: str) -> str:
    match kind:
        case "extra_forbidden":
            return "the keys of the format only; correct the spelling or remove it"
        case "missing":
            return "this key is needed; add it"
        case _:
            return "a value of the kind that the message names"
