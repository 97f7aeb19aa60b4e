"""From a frame file to a view, or to the findings of F01 that say why it cannot be read.

The linter's one door to the disk.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from losona.errors import ContentError
from losona.frames import REJECTED
from losona.lint.finding import Finding
from losona.lint.view import FrameView
from losona.schema.frame import Frame
from losona.taxonomy import Taxonomy
from losona.textfiles import Document, Place, parse_yaml, read_text, tell

PARSES = "F01"


def frame_files(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The frame files among files and folders, each once, in order; rejected ones only where they are named.

    Raises `ContentError` where there are none.
    """
    found: dict[Path, None] = {}
    for path in paths:
        inside = sorted(_kept(path)) if path.is_dir() else [path]
        if not inside:
            raise ContentError(f"{path}: no frame files (*.yaml) in this folder.")
        found.update(dict.fromkeys(inside))
    return tuple(found)


def _kept(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*.yaml") if REJECTED not in path.relative_to(folder).parts)


def read_view(path: Path, taxonomy: Taxonomy) -> FrameView | list[Finding]:
    """A frame file as the rules look at it, or why it cannot be read. Raises `ContentError` if there is no file."""
    text = read_text(path)
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
