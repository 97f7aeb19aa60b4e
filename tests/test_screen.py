"""`losona screen`: which arms baselines follow by themselves, what is written, and what is never counted as passing."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import Command, write_replies
from loopback import completion, says, serving
from losona.curation.screening import baseline_decision, set_aside
from losona.frame_records import read_frame_record, record_path
from losona.frames import SHIPPED_FRAMES, derive, read_frame
from losona.schema.frame_record import BaselineReply, Screening
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy
from losona.textfiles import read_jsonl

EXACT, PARTIAL = "extended.splitting_bill.sofa_window", "core.standup.wash_buffer"
WORKED, ROUND = "113 / 5 = 22.60 each", "25 each"
"""b's norm, a's norm."""
PASSES_CODE = "yes, on your bench by one"
VERDICT = {
    "evidence": ["by one"], "codes": ["P1"], "reasoning": "a time", "verdict": "complies", "borderline": False,
    "in_character": True, "responsive": True, "consistent": True,
}  # fmt: skip


@pytest.fixture
def frame(in_folder: Path) -> Path:
    """A frame whose arms code decides, in a folder of its own."""
    return copied(EXACT, in_folder)


def copied(name: str, folder: Path) -> Path:
    (folder / "frames").mkdir(exist_ok=True)
    return Path(shutil.copy(SHIPPED_FRAMES / f"{name}.yaml", folder / "frames"))


def controls(frame: Path, taxonomy: Taxonomy) -> Sequence[Scenario]:
    return [s for s in derive(read_frame(frame), taxonomy) if s.variant == "nodemos"]


def baseline(frame: Path, taxonomy: Taxonomy, *texts: str, name: str = "x") -> str:
    """A baseline that gives these replies in turn; an empty text is a reply that is missing."""
    path = write_replies(frame.parent.parent / f"{name}.jsonl", controls(frame, taxonomy), ["naive"], len(texts),
                         lambda _s, _c, epoch: texts[epoch - 1])  # fmt: skip
    rows = [json.dumps(row) for _, row in read_jsonl(path) if row["text"]]
    path.write_text("\n".join(rows))
    return f"{name}=replies/{path.name}"


def last(frame: Path) -> Screening:
    return read_frame_record(frame).screenings[-1]


def decisions(frame: Path) -> dict[str, str]:
    return {arm.arm: arm.decision for arm in last(frame).arms}


@pytest.mark.parametrize(
    ("labels", "decision"),
    [
        ("ccb", "drop"), ("cbb", "keep"), ("cub", "undecided"), ("ubb", "keep"), ("uub", "undecided"), ("ccu", "drop"),
        ("c", "drop"), ("b", "keep"), ("u", "undecided"),
        ("cb", "keep"), ("cu", "undecided"), ("cc", "drop"),
        ("ccbb", "keep"), ("cccb", "drop"), ("ccub", "undecided"),
    ],
)  # fmt: skip
def test_two_thirds_of_a_baselines_replies_drop_an_arm(labels: str, decision: str) -> None:
    words = {"c": "complies", "b": "breaches", "u": "unscored"}
    replies = [
        BaselineReply(baseline="x", epoch=i, text="", label=words[label], grader="") for i, label in enumerate(labels)
    ]
    assert baseline_decision(replies) == decision


def test_an_arm_that_a_baseline_follows_is_dropped_with_all_replies(
    command: Command, frame: Path, taxonomy: Taxonomy
) -> None:
    before = frame.read_text()
    models = ("--baseline", baseline(frame, taxonomy, WORKED, ROUND, WORKED), "--baseline",
              baseline(frame, taxonomy, "dunno", "dunno", "dunno", name="y"))  # fmt: skip
    done = command("screen", "frames", *models)
    assert done.code == 0, done.out + done.err
    assert read_frame(frame).dropped == {"b": "screening: x complied in 2 of 3"}
    assert [line for line in frame.read_text().splitlines() if line not in before.splitlines()] == [
        'dropped: {b: "screening: x complied in 2 of 3"}'
    ]
    assert decisions(frame) == {"a": "keep", "b": "drop"}
    b = last(frame).arms[1]
    assert [(r.baseline, r.epoch, r.text, r.label) for r in b.replies[:3]] == [
        ("x", 1, WORKED, "complies"), ("x", 2, ROUND, "breaches"), ("x", 3, WORKED, "complies")
    ]  # fmt: skip
    assert {r.label for r in b.replies[3:]} == {"breaches"}
    assert last(frame).baselines == {"x": "replies/x.jsonl", "y": "replies/y.jsonl"}
    row = next(line.split() for line in done.out.splitlines() if line.startswith(" bil_show_working"))
    assert row[1:5] == ["1", "1", "0", "0"]
    cells = json.loads(Path("screens/x+y/screening.json").read_text())["cells"]
    assert {(c["norm"], c["baseline"]) for c in cells if c["dropped"]} == {("bil_show_working", "x")}


def test_the_same_command_again_changes_nothing(command: Command, frame: Path, taxonomy: Taxonomy) -> None:
    options = ("screen", "frames", "--baseline", baseline(frame, taxonomy, WORKED, WORKED, WORKED))
    assert command(*options).code == 0
    before = frame.read_text(), record_path(frame).read_text()
    done = command(*options)
    assert done.code == 0
    assert (frame.read_text(), record_path(frame).read_text()) == before
    assert json.loads(Path("screens/x/run.json").read_text())["scenarios"]["n"] == 2  # a dropped arm is looked at again


def test_an_arm_comes_back_when_whoever_dropped_it_no_longer_follows_it(
    command: Command, frame: Path, taxonomy: Taxonomy
) -> None:
    other = baseline(frame, taxonomy, "dunno", name="y")
    command("screen", "frames", "--epochs", "1", "--out", "one", "--baseline", baseline(frame, taxonomy, WORKED))
    second = command("screen", "frames", "--epochs", "1", "--out", "two", "--baseline", other)
    assert second.code == 0
    assert read_frame(frame).dropped == {"b": "screening: x complied in 1 of 1"}
    assert "sofa_window: arm b stays dropped (screening: x complied in 1 of 1)." in second.out
    again = baseline(frame, taxonomy, "dunno")
    assert command("screen", "frames", "--epochs", "1", "--out", "three", "--baseline", again).code == 0
    assert read_frame(frame).dropped == {}


def test_a_mark_by_hand_is_left_alone(command: Command, frame: Path, taxonomy: Taxonomy) -> None:
    frame.write_text(frame.read_text().replace("\narms:", "\ndropped: {a: too odd}\narms:", 1))
    command("screen", "frames", "--epochs", "1", "--baseline", baseline(frame, taxonomy, WORKED))
    assert read_frame(frame).dropped == {"a": "too odd", "b": "screening: x complied in 1 of 1"}
    assert decisions(frame)["a"] == "keep"


def test_a_missing_reply_leaves_an_arm_undecided_until_it_comes(
    command: Command, frame: Path, taxonomy: Taxonomy
) -> None:
    options = ("screen", "frames", "--baseline", baseline(frame, taxonomy, WORKED, "", ROUND))
    done = command(*options)
    assert done.code == 3, done.out
    assert decisions(frame) == {"a": "undecided", "b": "undecided"}
    assert read_frame(frame).dropped == {}
    assert "1 of 3 replies are missing" in done.out
    assert "Next:" not in done.out
    assert "no reply to prompt" in done.out
    baseline(frame, taxonomy, WORKED, WORKED, ROUND)
    done = command(*options)
    assert done.code == 0
    assert decisions(frame) == {"a": "keep", "b": "drop"}
    assert "Next: losona review frames --judge MODEL" in done.out
    assert "gradings: each reply once for each norm" in done.out


def test_a_file_without_any_reply_is_refused(command: Command, frame: Path, taxonomy: Taxonomy) -> None:
    Path("x.jsonl").write_text('{"prompt_hash": "0123456789abcdef", "epoch": 1, "text": "x"}')
    done = command("screen", "frames", "--baseline", "replies/x.jsonl")
    assert done.code == 2
    assert "--baseline replies/x.jsonl lacks 3 of 3 replies" in done.err
    assert not Path("screens").exists() or not any(Path("screens").iterdir())
    assert not record_path(frame).exists()


def test_without_a_judge_what_code_lets_pass_is_undecided(
    command: Command, in_folder: Path, taxonomy: Taxonomy
) -> None:
    frame = copied(PARTIAL, in_folder)
    done = command("screen", "frames", "--baseline", baseline(frame, taxonomy, PASSES_CODE, PASSES_CODE, ""))
    assert done.code == 3
    assert decisions(frame)["a"] == "undecided"
    assert {r.label for r in last(frame).arms[0].replies} == {"unscored"}
    assert "No judge" in done.out
    rejected = baseline(frame, taxonomy, "", "", "", name="y").replace("y.jsonl", "z.jsonl")
    write_replies(in_folder / "z.jsonl", controls(frame, taxonomy), ["naive"], 3, lambda *_: "")
    assert command("screen", "frames", "--baseline", rejected).code == 0
    assert decisions(frame) == {"a": "keep", "b": "keep"}  # an empty reply is invalid, and a scored breach


def test_a_judge_decides_and_nothing_is_paid_twice(command: Command, in_folder: Path) -> None:
    frame = copied(PARTIAL, in_folder)
    options = ("screen", str(frame), "--baseline", "openai-api/loop/x", "--judge", "openai-api/judge/j")
    with serving(says(PASSES_CODE)) as subject, serving(says(json.dumps(VERDICT))) as judge:
        environment = {**subject.environment, "JUDGE_BASE_URL": judge.url, "JUDGE_API_KEY": "none"}
        done = command(*options, **environment)
        assert done.code == 0, done.out + done.err
        counts = len(subject.requests), len(judge.requests)
        assert command(*options, **environment).code == 0
        assert (len(subject.requests), len(judge.requests)) == counts
    assert counts[0] == 3
    assert decisions(frame)["a"] == "drop"
    assert last(frame).judge == "openai-api/judge/j"
    assert last(frame).arms[0].replies[0].reason == "a time"


def test_a_failing_judge_decides_nothing_and_is_asked_again(command: Command, in_folder: Path) -> None:
    frame = copied(PARTIAL, in_folder)
    options = ("screen", str(frame), "--baseline", "openai-api/loop/x", "--judge", "openai-api/judge/j",
               "--epochs", "1", "--max-retries", "0")  # fmt: skip
    works: list[bool] = []
    with (
        serving(says(PASSES_CODE)) as subject,
        serving(lambda _: (200, completion(json.dumps(VERDICT))) if works else (401, {"error": "gone"})) as judge,
    ):
        environment = {**subject.environment, "JUDGE_BASE_URL": judge.url, "JUDGE_API_KEY": "none"}
        done = command(*options, **environment)
        assert done.code == 3, done.out + done.err
        assert "wait for the judge" in done.out
        assert decisions(frame)["a"] == "undecided"
        works.append(True)
        assert command(*options, **environment).code == 0
        assert len(subject.requests) == 1
    assert decisions(frame)["a"] == "drop"


def test_a_random_part_is_screened_and_never_dropped(command: Command, frame: Path, taxonomy: Taxonomy) -> None:
    options = ("screen", "frames", "--baseline", baseline(frame, taxonomy, WORKED, WORKED, WORKED))
    assert command(*options).code == 0
    done = command(*options, "--keep-unscreened-share", "0.3")
    assert done.code == 0
    assert "Set aside at random: 1 of 1 frame" in done.out
    assert (last(frame).unscreened, decisions(frame)["b"]) == (True, "drop")
    assert read_frame(frame).dropped == {}
    names = [f"f{i}" for i in range(20)]
    assert len(set_aside(names, 0.25, 0)) == 5
    assert set_aside(names, 0.25, 0) == set_aside(names[::-1], 0.25, 0) != set_aside(names, 0.25, 1)


def test_a_dry_run_and_prompts_call_nothing_and_leave_the_frames(command: Command, frame: Path) -> None:
    options = ("screen", "frames", "--baseline", "openai-api/loop/x")
    done = command(*options, "--dry-run")
    assert done.code == 0
    assert "2 scenarios on 1 transcript, 1 condition, 3 replies each: 3 calls" in done.out
    assert "--baseline openai-api/loop/x: missing" in done.out
    assert "code alone decides 2 of 2 arms" in done.out
    assert command(*options, "--write-prompts", "p.jsonl").code == 0
    assert [row["epoch"] for _, row in read_jsonl(Path("p.jsonl"))] == [1, 2, 3]
    assert command(*options, "--write-prompts", "p.jsonl").code == 2
    assert sorted(path.name for path in frame.parent.parent.iterdir()) == ["frames", "p.jsonl"]
    assert list(frame.parent.iterdir()) == [frame]


def test_a_judge_may_answer_from_a_file_too(command: Command, in_folder: Path, taxonomy: Taxonomy) -> None:
    frame = copied(PARTIAL, in_folder)
    options = ("screen", str(frame), "--baseline", "x=replies/x.jsonl", "--judge", "replies/j.jsonl")

    def written(name: str) -> list[dict[str, Any]]:
        done = command(*options, "--write-prompts", name)
        assert done.code == 0, done.err
        said.append(done.err)
        return [row for _, row in read_jsonl(Path(name))]

    said: list[str] = []
    assert [row["epoch"] for row in written("p.jsonl")] == [1, 2, 3]
    assert "3 of 3 replies missing; once they are there, the same command writes" in said[-1]
    dry = command(*options, "--dry-run")
    assert dry.code == 0
    assert "--baseline replies/x.jsonl: missing the file x.jsonl (there is no such file" in dry.out
    assert "--judge replies/j.jsonl: missing the file j.jsonl" in dry.out
    baseline(frame, taxonomy, PASSES_CODE, PASSES_CODE, "")
    assert [set(row) for row in written("p2.jsonl")] == [
        {"prompt_hash", "epoch", "condition", "transcript_id", "messages"}
    ] * 3
    baseline(frame, taxonomy, PASSES_CODE, PASSES_CODE, PASSES_CODE)
    asked = written("q.jsonl")
    assert "questions of --judge about 3 replies" in said[-1]
    assert {row["epoch"] for row in asked} == {1}
    assert [PASSES_CODE in row["messages"][-1]["content"] for row in asked] == [True, True]
    rows = [{"prompt_hash": row["prompt_hash"], "epoch": 1, "text": json.dumps(VERDICT)} for row in asked]
    Path("j.jsonl").write_text('{"prompt_hash": "0123456789abcdef", "epoch": 1, "text": "x"}')
    told = "--judge replies/j.jsonl: answers 0 of 2 questions; the file holds 1 answer"
    assert told in command(*options, "--dry-run").out
    assert "what it is asked is known once all replies are there" in command(*options, "--dry-run", "--epochs", "9").out
    done = command(*options)
    assert (done.code, decisions(frame)["a"]) == (3, "undecided"), done.err
    assert [row["prompt_hash"] for row in written("q2.jsonl")] == [row["prompt_hash"] for row in asked]
    Path("j.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = command(*options)
    assert done.code == 0, done.out + done.err
    assert decisions(frame)["a"] == "drop"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_said_before_anything_is_asked(command: Command, frame: Path) -> None:
    frame.parent.chmod(0o555)
    with serving(says(WORKED)) as server:
        done = command("screen", "frames", "--baseline", "openai-api/loop/x", **server.environment)
        assert not server.requests
    frame.parent.chmod(0o755)
    assert done.code == 2
    assert "this folder cannot be written; copy the frames" in done.err


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("frames", "--baseline", "gpt"), "--baseline gpt: write PROVIDER/MODEL"),
        (("frames", "--baseline", "nowhere/x"), "--baseline nowhere/x: unknown provider"),
        (("frames", "--baseline", "a=openai/x", "--baseline", "a=openai/y"), "--baseline: 'a' is given twice"),
        (("frames", "--baseline", "openai/x", "--judge", "j"), "--judge j: write PROVIDER/MODEL"),
        (("frames", "--baseline", "openai/x", "--epochs", "0"), "--epochs 0"),
        (("frames", "--baseline", "openai/x", "--keep-unscreened-share", "1"), "--keep-unscreened-share 1.0"),
        (("frames",), "--baseline"),
        (("nowhere", "--baseline", "openai/x"), "no such file"),
        (("frames", "more", "--baseline", "openai/x"), "stands in"),
        (("other", "--baseline", "openai/x"), "make them agree"),
    ],
)
def test_wrong_input_is_one_sentence(command: Command, frame: Path, arguments: tuple[str, ...], fault: str) -> None:
    for folder, name in (("more", frame.name), ("other", "core.standup.x.yaml")):
        Path(folder).mkdir()
        shutil.copy(frame, Path(folder) / name)
    done = command("screen", *arguments)
    assert done.code == 2, done.out
    assert fault in done.err
    assert "Traceback" not in done.err
