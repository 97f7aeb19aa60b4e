"""The record beside a frame (`FRAME.record.json`), and the marks that a record leaves in the frame itself.

Knows both files. Does not know who screens, checks or decides.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from losona.errors import ContentError
from losona.schema.frame import Arm, Frame
from losona.schema.frame_record import FrameRecord
from losona.textfiles import parse_yaml, read_text, validate, write_atomically
from losona.validation import told

SUFFIX = ".record.json"
MARKS = ("status", "dropped")
"""Keys of a frame that say what became of it, not what it is."""


def record_path(frame: Path) -> Path:
    """Where the record of a frame file stands."""
    return frame.with_suffix(SUFFIX)


def frame_hash(frame: Frame) -> str:
    """Hash (16 hex digits) of what a frame is: all of it but its marks."""
    content = frame.model_dump_json(by_alias=True, exclude=set(MARKS))
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def read_frame_record(frame: Path) -> FrameRecord:
    """The record of a frame file; an empty one where there is none yet. Raises `ContentError`."""
    path = record_path(frame)
    if not path.exists():
        return FrameRecord(frame=frame.stem)
    try:
        return FrameRecord.model_validate(json.loads(read_text(path)))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ContentError(f"{path}: not valid JSON ({error}); restore the file, or move it away.") from None
    except ValidationError as error:
        raise ContentError(
            f"{path}: {told(error.errors()[0], FrameRecord)}; restore the file, or move it away."
        ) from None


def write_frame_record(frame: Path, record: FrameRecord) -> None:
    """Write the record of a frame file as a whole."""
    write_atomically(record_path(frame), record.model_dump_json(indent=1) + "\n")


def mark_dropped(path: Path, dropped: Mapping[Arm, str]) -> None:
    """Write the dropped arms into a frame file, and nothing else: layout and comments stay."""
    entries = ", ".join(f"{arm}: {json.dumps(reason, ensure_ascii=False)}" for arm, reason in sorted(dropped.items()))
    _set_mark(path, "dropped", f"{{{entries}}}" if dropped else "")


def mark_status(path: Path, status: str) -> None:
    """Write `status` (draft, accepted, known_issue) into a frame file, and nothing else."""
    _set_mark(path, "status", json.dumps(status, ensure_ascii=False))


def _set_mark(path: Path, key: str, value: str) -> None:
    text = read_text(path)
    before = validate(Frame, parse_yaml(text, path))
    without = re.sub(rf"^{key}:.*\n(?:[ \t].*\n|\n(?=[ \t]))*", "", text, flags=re.MULTILINE)
    changed = re.sub(r"^arms:", lambda found: f"{key}: {value}\n{found[0]}", without, count=1, flags=re.MULTILINE)
    new = changed if value else without
    after = validate(Frame, parse_yaml(new, path))
    if frame_hash(before) != frame_hash(after):
        raise ContentError(f"{path}: cannot be marked without a change of its content; write `{key}: {value}` by hand.")
    write_atomically(path, new)
