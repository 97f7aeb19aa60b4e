"""Frame files with their records: read together, and fit to be written.

Knows what must hold before anything is decided of a frame. Does not know what is decided.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from losona.errors import ContentError, UserFault
from losona.frame_records import (
    MARKS,
    frame_hash,
    marked,
    read_frame_record,
    sole_writer,
    write_frame_record,
)
from losona.scenarios import frame_paths
from losona.schema.frame import Frame
from losona.schema.frame_record import FrameRecord
from losona.textfiles import YAML_LIMIT, decoded, parse_yaml, read_bytes, validate, write_atomically


@dataclass(frozen=True)
class FrameFile:
    """A frame with its record."""

    path: Path
    """Where the frame was read; the record stands beside it."""
    frame: Frame
    """Its content."""
    record: FrameRecord
    """What is known of it."""
    raw: bytes
    """The file as it was read."""

    @property
    def text(self) -> str:
        """The text that was read."""
        return decoded(self.raw, self.path)

    @property
    def hash(self) -> str:
        """Hash of what the frame is, without its marks."""
        return frame_hash(self.frame)


def read_frames(paths: Sequence[Path]) -> tuple[FrameFile, ...]:
    """Frames of files and folders with their records.

    Raises `ContentError` where one is wrong or an id stands twice.
    """
    found: dict[str, FrameFile] = {}
    for path in frame_paths(paths):
        file = read_frame_file(path)
        if file.frame.frame in found:
            first = found[file.frame.frame].path
            raise ContentError(f"{path}: the frame {file.frame.frame!r} stands in {first} too; give one of them.")
        found[file.frame.frame] = file
    return tuple(found.values())


def read_frame_file(path: Path) -> FrameFile:
    """One frame with its record."""
    raw = read_bytes(path, YAML_LIMIT)
    frame, record = validate(Frame, parse_yaml(decoded(raw, path), path)), read_frame_record(path)
    for what, name in ((path, frame.frame), (path.with_suffix(".record.json"), record.frame)):
        if name != path.stem:
            raise ContentError(f"{what}: says frame {name!r}, but the file is named {path.stem!r}; make them agree.")
    return FrameFile(path, frame, record, raw)


def changed(path: Path, change: Callable[[FrameFile], FrameFile]) -> FrameFile:
    """Change record and marks of a frame as they now are, while nobody else does; the frame as it is afterwards.

    The one way in which a stage writes beside a frame. Raises `UserFault` before anything is written where a mark
    cannot be put in.
    """
    with sole_writer(path):
        found = read_frame_file(path)
        wanted = change(found)
        marks = {key: getattr(wanted.frame, key) for key in MARKS}
        new = {key: value for key, value in marks.items() if value != getattr(found.frame, key)}
        raw = marked(found.raw, path, new)
        if wanted.record != found.record:
            write_frame_record(path, wanted.record)
        if new:
            write_atomically(path, raw, was=found.raw)
        return read_frame_file(path)


def check_writable(files: Sequence[FrameFile]) -> None:
    """Raise `UserFault` naming the first folder into which no record can be written."""
    folders = [folder for file in files for folder in (file.path.parent, file.path.resolve().parent)]
    for folder in dict.fromkeys(folders):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UserFault(
                f"{folder}: records are written beside the frames, but this folder cannot be written; "
                "copy the frames to a folder of your own."
            )
