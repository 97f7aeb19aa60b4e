"""The record beside a frame, and marks in it."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from losona.clock import now
from losona.curation.decisions import accept
from losona.curation.frameset import read_frame_file
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
from losona.textfiles import parse_yaml

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


def as_json(text: str) -> str:
    return json.dumps(parse_yaml(text, Path("x")).data, indent=1)


STYLES = {
    "quoted": lambda text: text.replace("\narms:", '\n"arms":'),
    "spaced": lambda text: text.replace("\narms:", "\narms :"),
    "indented": lambda text: "".join(f"  {line}" for line in text.splitlines(keepends=True)),
    "json": as_json,
    "json on one line": lambda text: json.dumps(json.loads(as_json(text))),
    "windows": lambda text: "\ufeff# kept\r\n" + text.replace("\n", "\r\n"),
    "status last": lambda text: text + 'status: draft',
    "status quoted": lambda text: text + '"status": "draft" # so far\n',
    "status folded": lambda text: text.replace("\narms:", "\nstatus: >-\n  draft\narms:"),
    "dropped in lines": lambda text: text.replace("\narms:", "\ndropped:\n  b: by hand\n\n# arms\narms:"),
}  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_a_mark_is_written_in_any_style_and_nothing_else_is_changed(frame: Path, style: str) -> None:
    mark_dropped(frame, {})
    frame.write_bytes(STYLES[style](frame.read_text().rstrip("\n") + "\n").encode())
    before, raw = read_frame(frame), frame.read_bytes()
    reason = 'of 3: "yes", \u2028 \x7f \u2615 \U0001f600'
    mark_dropped(frame, {"a": reason, "b": "too"})
    mark_status(frame, "accepted")
    after, written = read_frame(frame), frame.read_bytes()
    assert after == before.model_copy(update={"dropped": {"a": reason, "b": "too"}, "status": "accepted"})
    assert written.count(b"\r\n") in (0, written.count(b"\n"))
    assert len(set(written.splitlines()) - set(raw.splitlines())) <= 2
    mark_dropped(frame, {})
    assert read_frame(frame).dropped == {}
    if style.startswith("json"):
        json.loads(frame.read_text())


def test_a_mark_that_cannot_be_put_in_is_refused_and_no_record_is_written(frame: Path) -> None:
    frame.write_text(frame.read_text().replace("\narms:", "\n? arms\n:"))
    before, file = frame.read_bytes(), read_frame_file(frame)
    with pytest.raises(ContentError, match='write `status: "accepted"` by hand'):
        accept(file, "ann")
    assert frame.read_bytes() == before
    assert not record_path(frame).exists()


def test_decisions_that_are_made_at_once_are_all_kept(frame: Path) -> None:
    file = read_frame_file(frame)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: accept(file, f"person {number}"), range(16)))
    assert {decision.author for decision in read_frame_record(frame).decisions} == {f"person {n}" for n in range(16)}


def test_a_record_that_no_file_can_hold_is_refused(frame: Path) -> None:
    with pytest.raises(ContentError, match="not UTF-8"):
        accept(read_frame_file(frame), "ann", "bad \udcff reason")
    assert not record_path(frame).exists()


def test_a_broken_record_is_named(frame: Path) -> None:
    record_path(frame).write_text('{"frame": 3}')
    with pytest.raises(ContentError, match=r"record\.json: .*frame"):
        read_frame_record(frame)
    record_path(frame).write_text("{")
    with pytest.raises(ContentError, match="not valid JSON"):
        read_frame_record(frame)
