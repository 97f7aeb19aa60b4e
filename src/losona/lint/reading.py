"""From files to views: of frames, and of the lines of JSON Lines files; or to the findings that say why not.

The linter's one door to the disk. What cannot be read is a finding of F01 (frames) or P01 (lines), and hides no other
file: only a path that is not there, or holds nothing to lint, ends the command.
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
from losona.textfiles import YAML_LIMIT, Document, Place, parse_yaml, read_jsonl, read_text
from losona.validation import told

PARSES, LINE_PARSES = "F01", "P01"
FRAME, LINES = ".yaml", ".jsonl"
AS_SAID = "a value of the kind that the message names"
RELEASED = "CANARY"
"""File by which the folder of a release is known."""
ALLOWED = "one of the 13 columns of the release, or a key of a derived scenario, of the kind that the message names"


def content_files(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Frames and JSON Lines files among files and folders, each once, in order; rejected ones only where named.

    Raises `ContentError` where there are none, and for a path that is nothing of the kind.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise ContentError(f"{path}: there is no such file or folder; check the path.")
        inside = sorted(_kept(path)) if path.is_dir() else [path]
        if not inside:
            raise ContentError(f"{path}: no frame files (*.yaml) and no rows (*.jsonl) in this folder.")
        if not path.is_dir() and path.suffix not in (FRAME, LINES):
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
    """Each line of a JSON Lines file as the rules look at it, or why it cannot be read."""
    try:
        rows = list(read_jsonl(path))
    except ContentError as error:
        yield _file_fault(LINE_PARSES, path, str(error), "a text file of one row or scenario a line")
        return
    for place, data in rows:
        yield from _read_line(Document(path, data, {(): int(place.rsplit(":", 1)[1])}), taxonomy)
    if not rows:
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
        model = Scenario if isinstance(data, dict) and "visible" in data else OfficialRow
        for wrong in (told(fault, model) for fault in error.errors()):
            yield _line_fault(document, wrong.found, wrong.allowed or ALLOWED)
    except ContentError as error:
        found = str(error).removeprefix(f"{place}: ").rstrip(".")
        yield _line_fault(document, found, "a JSON object whose columns agree with each other")


def _line_fault(document: Document, found: str, allowed: str) -> Finding:
    return Finding(LINE_PARSES, "error", document.path, document.line(()), found, allowed)


def read_view(path: Path, taxonomy: Taxonomy) -> FrameView | list[Finding]:
    """A frame file as the rules look at it, or why it cannot be read."""
    try:
        return view_of(read_text(path, YAML_LIMIT), path, taxonomy)
    except ContentError as error:
        return [_file_fault(PARSES, path, str(error), "one valid YAML document")]


def view_of(text: str, path: Path, taxonomy: Taxonomy) -> FrameView | list[Finding]:
    """The text of a frame file as the rules look at it, or why it cannot be read."""
    try:
        document = parse_yaml(text, path)
    except ContentError as error:
        return [_file_fault(PARSES, path, str(error), "one valid YAML document")]
    try:
        return FrameView(document, Frame.model_validate(document.data), taxonomy)
    except ValidationError as error:
        return list(_schema_faults(document, error))


def _file_fault(rule: str, path: Path, message: str, allowed: str) -> Finding:
    """The line out of a reader's message, which begins with `path:line:`, or with `path:` where the whole is meant."""
    match = re.match(r"(?::(\d+))?: (.*)", message.removeprefix(str(path)), re.DOTALL)
    line, found = (int(match.group(1) or 1), match.group(2)) if match else (1, message)
    return Finding(rule, "error", path, line, found.rstrip("."), allowed)


def _schema_faults(document: Document, error: ValidationError) -> Iterator[Finding]:
    """One finding a fault; of a chat item only the faults of what it is meant to be, a turn or a slot."""
    for fault in error.errors():
        if _meant(document.data, fault["loc"]):
            wrong = told(fault, Frame)
            line = document.line(wrong.place)
            yield Finding(PARSES, "error", document.path, line, wrong.found, wrong.allowed or AS_SAID)


def _meant(data: Any, location: Place) -> bool:
    if len(location) < 3 or location[0] != "chat" or location[2] not in ("Turn", "Slot"):
        return True
    item = cast("dict[str, Any]", data)["chat"][location[1]]
    return location[2] == ("Slot" if isinstance(item, dict) and "slot" in item else "Turn")
