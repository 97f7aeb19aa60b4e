"""Files that grow by a line: JSON Lines that are appended to while calls are paid, and read when work goes on.

A line is on the disk before the next one is written. What a crash has cut is no line: it is left out, and cut off
before anything is appended, so that it cannot swallow the line after it. Does not know what lines mean.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from losona.errors import ContentError
from losona.textfiles import first_fault

Model = TypeVar("Model", bound=BaseModel)


def read_journal(path: Path, model: type[Model]) -> Iterator[Model]:
    """Each line as a record, none where there is no file. A `ContentError` names the line that is no such record."""
    if not path.exists():
        return
    data = path.read_bytes()
    for number, line in enumerate(data[: _whole(data)].split(b"\n"), 1):
        if line.strip():
            yield _record(line, model, f"{path}:{number}")


def _record(line: bytes, model: type[Model], place: str) -> Model:
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        raise ContentError(
            f"{place}: {first_fault(error, model)}; remove this line (what it held is asked for again)."
        ) from None


class Journal:
    """A file that is open for further lines."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab+", buffering=0)
        self._end_last_line()

    def _end_last_line(self) -> None:
        self._file.seek(0)
        data = self._file.read()
        whole = _whole(data)
        self._file.truncate(whole)
        if whole and data[whole - 1 : whole] != b"\n":
            self._file.write(b"\n")

    def add(self, record: BaseModel) -> None:
        """Write a line; when this returns, it outlives a crash. A line that cannot be written leaves nothing behind."""
        line, end = record.model_dump_json().encode() + b"\n", self._file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[self._file.write(line) :]
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(end)
            raise

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()


def _whole(data: bytes) -> int:
    """Bytes of whole lines; a last line without its end counts if it is whole all the same."""
    end = data.rfind(b"\n") + 1
    try:
        return len(data) if isinstance(json.loads(data[end:]), dict) else end
    except (ValueError, RecursionError):
        return end
