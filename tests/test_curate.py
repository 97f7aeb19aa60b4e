"""`losona curate`: what a person sees of a frame, the keys, and what each decision leaves on the disk."""

import shutil
import sys
from pathlib import Path

import pytest

from conftest import Command
from losona.cli import main
from losona.clock import now
from losona.curation.decisions import accept, current_decision
from losona.curation.frameset import read_frame_file
from losona.errors import UserFault
from losona.frame_records import frame_hash, read_frame_record, write_frame_record
from losona.frames import SHIPPED_FRAMES, read_frame
from losona.schema.frame_record import ArmScreening, BaselineReply, Decision, ModelCheck, Screening

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
    assert "of the linter: no release is built" in done.out
    assert "set aside: arm a drop: x complied in 1 of 1" in done.out
    assert "x 1: complies: by one" in done.out
    assert "Q22 answerability b: FAILED: a fact ⟨U+001B⟩[2J (of an earlier state of the frame)" in done.out


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
    ("arguments", "fault"),
    [
        (("--accept", "core.standup.wash_bufer"), "did you mean core.standup.wash_buffer"),
        (("--accept", ONE, "--reject", TWO), "a rejection needs a reason"),
        (("--accept", ONE, "--reject", ONE, "--reason", "x"), "both --accept and --reject"),
        (("--accept", ONE, "--author", " "), "--author ' '"),
        (("--accept", ONE, "--author", "a\x1b"), "on one line"),
        (("--reason", "x"), "--reason goes with"),
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
