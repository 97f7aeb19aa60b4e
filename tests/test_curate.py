"""`losona curate`: what a person sees of a frame, the keys, and what each decision leaves on the disk."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from losona.cli import main
from losona.clock import now
from losona.curate import Answers
from losona.curation.decisions import accept, current_decision
from losona.curation.frameset import read_frame_file
from losona.errors import UserFault
from losona.frame_records import frame_hash, mark_dropped, read_frame_record, write_frame_record
from losona.frames import SHIPPED_FRAMES, read_frame
from losona.schema.frame_record import ArmScreening, BaselineReply, Decision, ModelCheck, Screening
from losona.taxonomy import Taxonomy

ONE, TWO = "core.standup.wash_buffer", "extended.splitting_bill.sofa_window"


@pytest.fixture
def frames(in_folder: Path) -> tuple[Path, Path]:
    (in_folder / "frames").mkdir()
    one, two = (Path(shutil.copy(SHIPPED_FRAMES / f"{name}.yaml", in_folder / "frames")) for name in (ONE, TWO))
    return one, two


def decided(frame: Path) -> list[tuple[str, str, str]]:
    return [(d.decision, d.author, d.reason) for d in read_frame_record(frame).decisions]


def test_each_key_does_what_it_says(command: Command, frames: tuple[Path, Path]) -> None:
    one, two = frames
    before = two.read_text()
    done = command("curate", "frames", "--author", "ann", lines="x\n\na\nr\n\nr\nthe trigger is forced\n")
    assert done.code == 0, done.err
    assert decided(one) == [("accept", "ann", "")]
    assert decided(two) == [("reject", "ann", "the trigger is forced")]
    assert read_frame(one).status == "accepted"
    assert two.read_text() == before
    assert done.out.count("No such key here.") == 2
    assert "A rejection needs a reason" in done.out
    assert "1 accepted, 1 rejected by ann" in done.out
    assert "slot 1" in done.out
    assert "All 2 frames are decided on" in command("curate", "frames", lines="a\n").out
    assert command("curate", "frames", "--all", "--author", "bob", lines="s\na\n").code == 0
    assert [who for _, who, _ in decided(two)] == ["ann", "bob"]


def test_all_that_the_questions_for_readers_ask_about_is_shown(
    command: Command, frames: tuple[Path, Path], taxonomy: Taxonomy
) -> None:
    frame = read_frame(frames[0])
    for shown in (command("curate", str(frames[0]), lines="q\n"), command("show", ONE)):
        out = " ".join(shown.out.split())
        known = [
            *(person.bio for person in frame.cast),
            *(fact.fact for fact in frame.known_facts),
            frame.off_elicitor.why,
            *(taxonomy.norm(norm).rule for norm in (frame.arms.a, frame.arms.b)),
            *(reference.text for found in (frame.references.a, frame.references.b, frame.references.off_trigger)
              for reference in (*found.comply, *found.breach)),
        ]  # fmt: skip
        assert [text for text in known if " ".join(text.split()) not in out] == []
        assert "breaches (misapplied_a" in out


def test_only_a_key_or_its_word_in_full_decides(command: Command, frames: tuple[Path, Path]) -> None:
    done = command("curate", "frames", "--author", "ann", lines="abort\nacc\naa\nreject \nit is dull\nAccept\n")
    assert done.out.count("No such key here.") == 3
    assert decided(frames[0]) == [("reject", "ann", "it is dull")]
    assert decided(frames[1]) == [("accept", "ann", "")]


def test_input_that_is_no_text_is_refused_and_what_came_before_it_kept(
    frames: tuple[Path, Path], tmp_path: Path
) -> None:
    lines = tmp_path / "lines"
    lines.write_bytes(b"a\nr\nbad \xff reason\n")
    losona, strict = [sys.executable, "-m", "losona"], {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    with lines.open("rb") as stream:
        done = subprocess.run(
            [*losona, "curate", "frames", "--author", "ann"], stdin=stream, capture_output=True, check=False, env=strict
        )
    assert done.returncode == 2
    assert b"line 3 of the input is not UTF-8: 'bad \\udcff reason" in done.stderr
    assert decided(frames[0]) == [("accept", "ann", "")]
    assert decided(frames[1]) == []


def test_what_is_decided_is_kept_when_the_person_leaves(
    command: Command, frames: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Leaves:
        """Accepts, then presses Ctrl-C."""

        lines = iter(["a\n"])

        def isatty(self) -> bool:
            return False

        def readline(self) -> str:
            for line in self.lines:
                return line
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Leaves())
    monkeypatch.setattr(sys, "argv", ["losona", "curate", "frames", "--author", "ann"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert decided(frames[0]) == [("accept", "ann", "")]
    assert decided(frames[1]) == []
    assert command("curate", "frames", lines="q\n").code == 0
    assert decided(frames[1]) == []


def test_a_change_makes_a_decision_stale(command: Command, frames: tuple[Path, Path]) -> None:
    one = frames[0]
    done = command("curate", str(one), "--accept", ONE, "--author", "ann" * 300)
    assert (done.code, len(done.out) < 200) == (0, True), done.out
    assert command("curate", str(one), "--accept", ONE, "--author", "ann").code == 0
    assert current_decision(read_frame_file(one)) is not None
    one.write_text(one.read_text().replace("the ladybird", "a ladybird"))
    assert current_decision(read_frame_file(one)) is None
    done = command("curate", str(one), lines="q\n")
    assert "decision: accept by ann" in done.out
    assert "(of an earlier state of the frame)" in done.out


def test_an_edit_is_looked_at_again(command: Command, frames: tuple[Path, Path], in_folder: Path) -> None:
    one = frames[0]
    editor = in_folder / "editor.py"
    editor.write_text(
        "import sys, pathlib\np = pathlib.Path(sys.argv[1]); t = p.read_text()\n"
        "p.write_text('{' if 'band, ' in t else t.replace('like a band', 'like a band, or like an AI'))\n"
    )
    done = command(
        "curate",
        str(one),
        lines="e\ne\na\nq\n",
        EDITOR=f"{sys.executable} {editor}",
        VISUAL=f"{sys.executable} {editor}",
    )
    assert done.code == 0, done.err
    assert "like a band, or like an AI" in done.out
    assert "cannot be read; mend it" in done.out
    assert decided(one) == []


def test_an_enter_after_a_key_of_a_terminal_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = os.openpty()
    with os.fdopen(theirs) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        answers = Answers(True)

        def after(ask: Callable[[], str], *typed: bytes) -> str:
            """The answer when this is typed while the question stands."""
            timers = [threading.Timer(0.3 * i, os.write, (ours, keys)) for i, keys in enumerate(typed, 1)]
            for timer in timers:
                timer.start()
            return ask()

        assert after(answers.key, b"a\n") == "a"
        assert after(answers.key, b"\n", b"r\n") == "r"
        assert after(answers.reason, b"\ntoo dull\n") == "too dull"
        assert after(answers.reason, b"\n\n") == ""
    os.close(ours)
    assert "without Enter" in capsys.readouterr().out


def test_a_missing_editor_is_said(command: Command, frames: tuple[Path, Path]) -> None:
    done = command("curate", str(frames[0]), lines="e\nq\n", VISUAL="no-such-editor-here", EDITOR="no-such-editor-here")
    assert done.code == 0
    assert "set EDITOR" in done.out


def test_all_that_is_known_is_shown(command: Command, frames: tuple[Path, Path]) -> None:
    one, found = frames[0], read_frame(frames[0])
    one.write_text(one.read_text().replace("like a band", "like a band, as an AI language model i would know"))
    current, old = frame_hash(read_frame(one)), frame_hash(found)
    reply = BaselineReply(baseline="x", epoch=1, text="by one", label="complies", grader="verifier")
    arm = ArmScreening(arm="a", norm=found.arms.a, decision="drop", reason="x complied in 1 of 1", replies=(reply,))
    screening = Screening(
        created=now(), frame_hash=current, benchmark_version="1-A", baselines={"x": "a/b"}, judge=None, epochs=1,
        unscreened=True, arms=(arm,),
    )  # fmt: skip
    check = ModelCheck(
        created=now(), frame_hash=old, check="answerability", rule="Q22", judge="j/j", prompt_hash="h", arm="b",
        passed=False, found="a fact \x1b[2J",
    )  # fmt: skip
    record = read_frame_record(one).model_copy(update={"screenings": (screening,), "checks": (check,)})
    write_frame_record(one, record)
    done = command("curate", str(one), lines="q\n")
    assert "F29 error" in done.out
    assert "of the linter: the frame cannot be accepted" in done.out
    assert "set aside: arm a drop: x complied in 1 of 1" in done.out
    assert "x 1: complies: by one" in done.out
    assert "Q22 answerability b: FAILED: a fact ⟨U+001B⟩[2J (of an earlier state of the frame)" in done.out


def test_an_error_of_the_linter_keeps_a_frame_from_being_accepted(command: Command, frames: tuple[Path, Path]) -> None:
    frames[0].write_text(frames[0].read_text().replace("like a band", "like a band, as an AI language model i would"))
    done = command("curate", "frames", "--accept", TWO, "--accept", ONE)
    assert done.code == 2
    assert "nothing was accepted: " in done.err
    assert "F29 error" in done.err
    done = command("curate", str(frames[0]), lines="a\nq\n")
    assert "Not accepted: 1 error of the linter" in done.out
    assert decided(frames[0]) == decided(frames[1]) == []


def failing(frame: Path, **changes: Any) -> None:
    """Let a check of the frame as it is fail."""
    check = ModelCheck(
        created=now(), frame_hash=frame_hash(read_frame(frame)), check="answerability", rule="Q22", judge="j/j",
        prompt_hash="h", arm="b", passed=False, found="when the autoclave is free",
    )  # fmt: skip
    record = read_frame_record(frame)
    found = (*record.checks, check.model_copy(update=changes))
    write_frame_record(frame, record.model_copy(update={"checks": found}))


def test_a_failed_check_is_accepted_only_with_a_reason(command: Command, frames: tuple[Path, Path]) -> None:
    one = frames[0]
    failing(one)
    for more in ((), ("--despite-checks",), ("--reason", "it is known")):
        done = command("curate", "frames", "--accept", ONE, *more)
        assert done.code == 2
        assert f"{ONE}: failed Q22 answerability b: when the autoclave is free. Mend the frame" in done.err
    done = command("curate", str(one), "--author", "ann", lines="a\n\na\nit is known\n")
    assert "needs a reason; nothing was written" in done.out
    assert decided(one) == [("accept", "ann", "it is known")]
    assert read_frame_record(one).decisions[-1].despite == ("Q22 answerability b",)
    assert "The frame is decided on" in command("curate", str(one), lines="q\n").out
    failing(one, check="closed_evidence", rule="Q21")
    assert "1 frame was waiting" in command("curate", str(one), lines="q\n").out
    done = command("curate", "frames", "--accept", ONE, "--despite-checks", "--reason", "both known", "--author", "bob")
    assert done.out == (
        f"{ONE}: accepted by bob; not screened as it is; in spite of Q22 answerability b, Q21 closed_evidence b\n"
    )


def test_checks_of_dropped_arms_and_of_earlier_states_stop_nothing(command: Command, frames: tuple[Path, Path]) -> None:
    one = frames[0]
    failing(one, frame_hash="0" * 16)
    failing(one, check="closed_evidence")
    mark_dropped(one, {"b": "too odd"})
    assert command("curate", "frames", "--accept", ONE).code == 0
    failing(one, check="inferability", rule="Q19", arm=None)
    assert "Q19 inferability control" in command("curate", "frames", "--accept", ONE).err


@pytest.mark.parametrize("shows", [("curate",), ("show", "--scenarios")])
def test_hostile_text_cannot_steer_the_terminal(
    command: Command, frames: tuple[Path, Path], shows: tuple[str, ...]
) -> None:
    one = frames[0]
    hostile = r"she\x1b[2J\x9b31m\u202e[bold red]staff\nKwabena: forged"
    one.write_text(one.read_text().replace("she's staff", hostile))
    done = command(*shows, str(one), *([ONE] if shows[0] == "show" else []), lines="q\n")
    assert done.code == 0, done.err
    assert "she⟨U+001B⟩[2J⟨U+009B⟩31m⟨U+202E⟩[bold red]staff" in done.out.replace("\n", "")
    assert not {"\x1b", "\x9b", "\u202e"} & set(done.out)
    assert "\nKwabena: forged" not in done.out


def test_without_anybody_to_answer_it_says_so(command: Command, frames: tuple[Path, Path]) -> None:
    done = command("curate", "frames")
    assert done.code == 2
    assert "neither a terminal nor a line of input" in done.err
    assert decided(frames[0]) == []


def test_a_known_issue_keeps_its_status(command: Command, frames: tuple[Path, Path]) -> None:
    one = frames[0]
    one.write_text(one.read_text().replace("\narms:", '\nstatus: "known_issue: the scan"\narms:', 1))
    assert command("curate", str(one), "--accept", ONE).code == 0
    assert read_frame(one).status == "known_issue: the scan"
    assert command("curate", str(frames[1]), "--accept", TWO).code == 0
    assert command("curate", str(frames[1]), "--reject", TWO, "--reason", "x").code == 0
    assert read_frame(frames[1]).status == "draft"


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--scenarios", "FRAME", "--arm", "a", "--dry-run"),
        ("run", "--scenarios", "FRAME", "--arm", "a", "--judge", "openai/x", "--dry-run"),
        ("derive", "FRAME", "--arm", "a", "--out", "x.jsonl"),
        ("show", f"{TWO}/a/demos", "--scenarios", "FRAME"),
    ],
)
def test_whoever_asks_for_a_dropped_arm_is_told_why_it_is_not_there(
    command: Command, frames: tuple[Path, Path], arguments: tuple[str, ...]
) -> None:
    mark_dropped(frames[1], {"a": "screening: x complied in 3 of 3"})
    done = command(*(str(frames[1]) if part == "FRAME" else part for part in arguments))
    assert done.code == 2
    assert f"{TWO}/a is dropped (screening: x complied in 3 of 3)" in done.err
    assert "--judge MODEL" not in done.err
    assert not Path("x.jsonl").exists()


def test_derive_says_what_it_leaves_out(command: Command, frames: tuple[Path, Path]) -> None:
    mark_dropped(frames[1], {"a": "too odd"})
    done = command("derive", "frames", "--out", "x.jsonl")
    assert done.code == 0
    assert done.err.splitlines()[-1] == f"left out: {TWO}/a is dropped (too odd)"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("--accept", "core.standup.wash_bufer"), "did you mean core.standup.wash_buffer"),
        (("--accept", "zzz"), f"there is no frame 'zzz'; there are {ONE}, {TWO}."),
        (("--accept", ONE, "--reject", TWO), "a rejection needs a reason"),
        (("--accept", ONE, "--reject", ONE, "--reason", "x"), "both --accept and --reject"),
        (("--accept", ONE, "--author", " "), "--author ' '"),
        (("--accept", ONE, "--author", "a\x1b"), "on one line"),
        (("--reason", "x"), "--reason and --despite-checks go with"),
    ],
)
def test_wrong_input_decides_nothing(
    command: Command, frames: tuple[Path, Path], arguments: tuple[str, ...], fault: str
) -> None:
    done = command("curate", "frames", *arguments)
    assert done.code == 2
    assert fault in done.err
    assert decided(frames[0]) == decided(frames[1]) == []


def test_a_frame_that_was_changed_while_it_was_shown_is_not_decided_on(
    command: Command, frames: tuple[Path, Path]
) -> None:
    shown = read_frame_file(frames[0])
    frames[0].write_text(frames[0].read_text().replace("the ladybird", "a ladybird"))
    with pytest.raises(UserFault, match="changed after it was shown"):
        accept(shown, "ann")
    assert decided(frames[0]) == []


def test_decisions_of_others_are_kept(frames: tuple[Path, Path]) -> None:
    shown = read_frame_file(frames[0])
    other = Decision(created=now(), author="bob", frame_hash=shown.hash, decision="reject", reason="no")
    write_frame_record(frames[0], shown.record.model_copy(update={"decisions": (other,)}))
    accept(shown, "ann")
    assert [who for _, who, _ in decided(frames[0])] == ["bob", "ann"]
