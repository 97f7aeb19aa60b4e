"""The folder that frames are generated into. Knows files; does not know stages or models.

OUT/FRAME.yaml  FRAME.record.json                        accepted
OUT/rejected/FRAME.yaml  .record.json  .findings.json    not accepted, with what was found
OUT/work/KEY.json                                        in the making; goes when the frame is finished
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from losona.errors import ContentError
from losona.frame_records import SUFFIX, read_frame_record, record_path, write_frame_record
from losona.frames import REJECTED, SHIPPED_FRAMES
from losona.generate.assemble import free_slug
from losona.generate.work import Finished, Status, Work
from losona.schema.frame_record import FrameRecord
from losona.textfiles import json_text, read_text, write_atomically
from losona.validation import told

FINDINGS = ".findings.json"
WORK = "work"


@dataclass
class Store:
    """One folder."""

    folder: Path
    """Where it lies."""
    _claimed: set[str] = field(default_factory=set[str])

    def done(self) -> dict[str, Status]:
        """Key of what was asked for -> what became of it, for every finished frame of the folder."""
        return {key: status for path, status in self._records() if (key := _plan_of(path))}

    def _records(self) -> Iterator[tuple[Path, Status]]:
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            yield path, "accepted"
        for path in sorted((self.folder / REJECTED).glob(f"*{SUFFIX}")):
            yield path, "rejected"

    def claim(self, title: str, key: str) -> str:
        """A slug that no frame of the folder, no shipped one and none in the making has."""
        frames = (folder.glob("*.yaml") for folder in (SHIPPED_FRAMES, self.folder, self.folder / REJECTED))
        files = (*chain.from_iterable(frames), *(path for path, _ in self._records()))
        names = {path.name.removesuffix(SUFFIX).removesuffix(".yaml").rpartition(".")[2] for path in files}
        slug = free_slug(title, key, names | self._claimed | set(self._slugs_in_work(key)))
        self._claimed.add(slug)
        return slug

    def _slugs_in_work(self, key: str) -> Iterator[str]:
        """Slugs that other frames in the making have settled on; a file that cannot be read has none."""
        for path in (self.folder / WORK).glob("*.json"):
            try:
                yield "" if path.stem == key else Work.model_validate_json(read_text(path)).slug
            except (ContentError, ValidationError):
                continue

    def taken(self, finished: Finished) -> bool:
        """Something else has been put where this frame was to be written."""
        if finished.status in ("failed", "stopped"):
            return False
        places = (folder / f"{finished.name}.yaml" for folder in (self.folder, self.folder / REJECTED))
        return any(_is_other(path, finished) for path in places)

    def work(self, key: str, tuple_id: str) -> Work:
        """The frame in the making, or a new one. Raises `ContentError` for a file that cannot be read."""
        path = self._work_path(key)
        if not path.is_file():
            return Work(plan=key, tuple_id=tuple_id)
        try:
            work = Work.model_validate_json(read_text(path))
            _ = work.draft
        except ValidationError as error:
            wrong = told(error.errors()[0], Work)
            raise ContentError(f"{path}: {wrong}; mend it, or remove the file to begin that frame anew.") from None
        self._claimed.add(work.slug)
        return work

    def keep(self, work: Work) -> None:
        """Write a frame in the making."""
        write_atomically(self._work_path(work.plan), work.model_dump_json(indent=1) + "\n")

    def _work_path(self, key: str) -> Path:
        return self.folder / WORK / f"{key}.json"

    def deliver(self, finished: Finished) -> Path:
        """Write what has become of a frame, and return its main file. What may go on later stays in `work`."""
        if finished.status in ("failed", "stopped"):
            return self._work_path(finished.work.plan)
        folder = self.folder if finished.status == "accepted" else self.folder / REJECTED
        path = folder / f"{finished.name}.yaml"
        if finished.frame is not None:
            write_atomically(path, finished.text)
        if finished.status == "rejected":
            write_atomically(path.with_suffix(FINDINGS), _json(_findings(finished)))
        write_frame_record(path, FrameRecord(frame=finished.name, generation=finished.generation))
        self._work_path(finished.work.plan).unlink(missing_ok=True)
        return path if finished.frame is not None else path.with_suffix(FINDINGS)


def _is_other(path: Path, finished: Finished) -> bool:
    """A frame or a record stands there that is not of this plan. Without a record, equal text is what a crash left."""
    if record_path(path).exists():
        return _plan_of(record_path(path)) != finished.work.plan
    return path.exists() and path.read_bytes() != finished.text.encode()


def _findings(finished: Finished) -> dict[str, Any]:
    """Why a frame was rejected: everything that is not in the frame itself."""
    work = finished.work
    return {
        "frame": finished.name,
        "tuple": work.tuple_id,
        "reason": finished.reason,
        "findings": list(finished.findings),
        "failures": [failure.model_dump() for failure in work.failures],
        "repairs": work.repairs,
        "answers": {} if finished.frame is not None else work.answers,
    }


def _json(data: dict[str, Any]) -> str:
    return json_text(data, 1) + "\n"


def _plan_of(path: Path) -> str:
    """The plan's key in a record; empty for a frame that was not generated."""
    record = read_frame_record(path.with_name(path.name.removesuffix(SUFFIX) + ".yaml"))
    return record.generation.plan if record.generation else ""
