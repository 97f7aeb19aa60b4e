"""The record beside a frame, and marks in it."""

import shutil
from pathlib import Path

import pytest

from losona.clock import now
from losona.errors import ContentError
from losona.frame_records import (
    frame_hash,
    mark_dropped,
    mark_status,
    read_frame_record,
    record_path,
    write_frame_record,
)
from losona.frames import SHIPPED_FRAMES, read_frame
from losona.schema.frame_record import Decision

FRAME = "core.standup.wash_buffer"


@pytest.fixture
def frame(tmp_path: Path) -> Path:
    return Path(shutil.copy(SHIPPED_FRAMES / f"{FRAME}.yaml", tmp_path))


def test_a_frame_without_a_record_has_an_empty_one(frame: Path) -> None:
    assert read_frame_record(frame).frame == FRAME
    assert not record_path(frame).exists()


def test_a_decision_survives_writing_and_counts_until_the_frame_changes(frame: Path) -> None:
    content = read_frame(frame)
    decision = Decision(created=now(), author="ann", frame_hash=frame_hash(content), decision="accept")
    write_frame_record(frame, read_frame_record(frame).model_copy(update={"decisions": (decision,)}))
    record = read_frame_record(frame)
    assert record.accepted(frame_hash(content))
    changed = content.model_copy(update={"end_goal": "another"})
    assert not record.accepted(frame_hash(changed))


@pytest.mark.parametrize("path", sorted(SHIPPED_FRAMES.glob("*.yaml")), ids=lambda p: p.stem)
def test_marks_change_one_line_of_a_frame(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path))
    mark_dropped(copy, {})
    before = copy.read_text().splitlines()
    mark_dropped(copy, {"a": 'met by default: 3 of 3 ("yes")'})
    mark_dropped(copy, {"a": 'met by default: 2 of 3: "yes"', "b": "too"})
    assert read_frame(copy).dropped == {"a": 'met by default: 2 of 3: "yes"', "b": "too"}
    mark_dropped(copy, {})
    assert copy.read_text().splitlines() == before
    mark_status(copy, "accepted")
    assert read_frame(copy).status == "accepted"
    assert [line for line in before if not line.startswith("status:")] == [
        line for line in copy.read_text().splitlines() if not line.startswith("status:")
    ]


def test_a_broken_record_is_named(frame: Path) -> None:
    record_path(frame).write_text('{"frame": 3}')
    with pytest.raises(ContentError, match=r"record\.json: .*frame"):
        read_frame_record(frame)
    record_path(frame).write_text("{")
    with pytest.raises(ContentError, match="not valid JSON"):
        read_frame_record(frame)
