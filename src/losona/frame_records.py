"""The record beside a frame (`FRAME.record.json`), and the marks that a record leaves in the frame itself.

Knows both files. Does not know who screens, checks or decides.
"""

import hashlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic_core import PydanticSerializationError

from losona.errors import ContentError, RunRefused
from losona.schema.frame import Arm, Frame
from losona.schema.frame_record import FrameRecord
from losona.textfiles import decoded, parse_yaml, read_bytes, read_json, validate, write_atomically
from losona.yaml_keys import quoted, with_key

SUFFIX = ".record.json"
MARKS = ("status", "dropped")
"""Keys of a frame that say what became of it, not what it is."""
LOCK = ".records.lock"
PATIENCE = 60
"""Seconds for which one waits for another process that writes records in the same folder."""


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
    return read_json(path, FrameRecord, "restore the file, or move it away")


def write_frame_record(frame: Path, record: FrameRecord) -> None:
    """Write the record of a frame file as a whole. Raises `ContentError` where it holds what no file can hold."""
    try:
        content = record.model_dump_json(indent=1) + "\n"
    except PydanticSerializationError as error:
        raise ContentError(f"{record_path(frame)}: nothing was written, since a text is not UTF-8 ({error}).") from None
    write_atomically(record_path(frame), content)


@contextmanager
def sole_writer(frame: Path) -> Generator[None]:
    """Hold the records of a frame's folder; whoever changes a record reads and writes it inside.

    Raises `RunRefused` where another process holds them for too long.
    """
    try:
        with FileLock(frame.parent / LOCK, timeout=PATIENCE):
            yield
    except Timeout:
        raise RunRefused(
            f"{frame.parent}: another process has been writing records here for {PATIENCE} seconds; wait for it, "
            "and give the command again."
        ) from None


def mark_dropped(path: Path, dropped: Mapping[Arm, str]) -> None:
    """Write the dropped arms into a frame file, and nothing else: layout and comments stay."""
    _mark(path, {"dropped": dict(dropped)})


def mark_status(path: Path, status: str) -> None:
    """Write `status` (draft, accepted, known_issue) into a frame file, and nothing else."""
    _mark(path, {"status": status})


def _mark(path: Path, marks: Mapping[str, Any]) -> None:
    raw = read_bytes(path)
    write_atomically(path, marked(raw, path, marks), was=raw)


def marked(raw: bytes, path: Path, marks: Mapping[str, Any]) -> bytes:
    """The bytes of a frame file with these marks; all else stays, line ends and byte order mark too.

    Raises `ContentError` where a mark cannot be put in without a change of something else.
    """
    text = decoded(raw, path)
    before = validate(Frame, parse_yaml(text, path))
    new = text
    for key, value in marks.items():
        new = with_key(new, key, value, before="arms")
    if not _as_wanted(new, path, before.model_copy(update=dict(marks))):
        wanted = ", ".join(f"`{key}: {quoted(value)}`" for key, value in marks.items())
        raise ContentError(f"{path}: cannot be marked without a change of its content; write {wanted} by hand.")
    return raw[: len(raw) - len(text.encode())] + new.encode()


def _as_wanted(text: str, path: Path, wanted: Frame) -> bool:
    try:
        return validate(Frame, parse_yaml(text, path)) == wanted
    except ContentError:
        return False
