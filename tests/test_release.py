"""`losona release build`: what a release holds, that it can be run, and what keeps it from being built."""

import hashlib
import json
import resource
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import Command
from losona.clock import now
from losona.curation.decisions import accept
from losona.curation.frameset import read_frame_file, read_frames
from losona.curation.release import build_release, read_imprint, release_files, render_card
from losona.errors import UserFault
from losona.frame_records import frame_hash, mark_dropped, mark_status, read_frame_record, write_frame_record
from losona.frames import SHIPPED_FRAMES, read_frame
from losona.lint import lint_paths, lint_texts
from losona.scenarios import load_scenarios
from losona.schema.frame_record import FrameRecord, ModelCheck
from losona.taxonomy import Taxonomy
from losona.textfiles import read_jsonl

ONE, TWO = "core.standup.wash_buffer", "extended.splitting_bill.sofa_window"
CANARY = "losona canary 5b0a8f6e-2d0b-4f0e-9b1c-6a7f3c1de010"


@pytest.fixture
def frames(command: Command, in_folder: Path) -> tuple[Path, Path]:
    """Two accepted frames; the second has lost an arm to screening."""
    (in_folder / "frames").mkdir()
    one, two = (Path(shutil.copy(SHIPPED_FRAMES / f"{name}.yaml", in_folder / "frames")) for name in (ONE, TWO))
    prompts = command("screen", "frames", "--baseline", "replies/x.jsonl", "--write-prompts", "p.jsonl")
    assert prompts.code == 0
    rows = [row for _, row in read_jsonl(Path("p.jsonl"))]
    answers = [{"prompt_hash": r["prompt_hash"], "epoch": r["epoch"], "text": "25 each"} for r in rows]
    Path("x.jsonl").write_text("\n".join(map(json.dumps, answers)))
    assert command("screen", "frames", "--baseline", "x=replies/x.jsonl").code == 0
    assert command("curate", "frames", "--accept", ONE, "--accept", TWO, "--author", "ann").code == 0
    return one, two


def build(command: Command, *arguments: str) -> dict[str, bytes]:
    done = command("release", "build", "--accepted", "frames", *arguments)
    assert done.code == 0, done.err
    folder = Path(done.out.partition(":")[0])
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_release_among_its_frames_is_no_second_set_of_them(command: Command, frames: tuple[Path, Path]) -> None:
    before = command("lint", "frames")
    build(command, "--name", "first", "--out", "frames/first")
    assert command("lint", "frames") == before
    assert command("lint", "frames/first").out.count("S03") == 0
    assert command("lint", "frames/first/frames").err == before.err


def test_a_release_holds_all_that_was_decided_on(
    command: Command, frames: tuple[Path, Path], taxonomy: Taxonomy
) -> None:
    files = build(command, "--name", "first")
    assert set(files) == {
        "scenarios.jsonl", "official.jsonl", "card.json", "card.md", "LICENSE", "CANARY", "manifest.json",
        *(f"frames/{name}{end}" for name in (ONE, TWO) for end in (".yaml", ".record.json")),
    }  # fmt: skip
    hashes = json.loads(files.pop("manifest.json"))["sha256"]
    assert hashes == {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    from_rows = load_scenarios("releases/first/scenarios.jsonl", taxonomy).scenarios
    assert from_rows == load_scenarios("releases/first/frames", taxonomy).scenarios
    assert {(s.frame, s.arm) for s in from_rows} == {(ONE, "a"), (ONE, "b"), (TWO, "b")}
    official = load_scenarios("releases/first/official.jsonl", taxonomy).scenarios
    assert [s.variant for s in official] == ["demos"] * 3


def test_everything_in_a_release_carries_the_canary(
    command: Command, frames: tuple[Path, Path], taxonomy: Taxonomy
) -> None:
    own = "\ufeff" + frames[0].read_text().replace(CANARY, "by ann")
    frames[0].write_text(own)
    assert CANARY not in own
    files = build(command, "--name", "first")
    assert {name for name, data in files.items() if CANARY.encode() not in data} == set()
    for name in ("scenarios.jsonl", "official.jsonl"):
        assert all(json.loads(line)["canary"] == CANARY for line in files[name].decode().splitlines())
        assert load_scenarios(f"releases/first/{name}", taxonomy).scenarios
    assert files[f"frames/{ONE}.yaml"].decode() == f"# {CANARY}\n{own[1:]}"
    assert files[f"frames/{TWO}.yaml"] == frames[1].read_bytes()
    again = command("release", "build", "--accepted", "releases/first/frames", "--name", "second")
    assert again.code == 0, again.err
    done = command("lint", "releases/first")
    assert "P01" not in done.out
    assert "F01" not in done.out


def test_the_card_counts(command: Command, frames: tuple[Path, Path]) -> None:
    card = json.loads(build(command, "--name", "first")["card.json"])
    assert card["n"] == {
        "frames": 2, "arms": 3, "dropped_arms": 1, "scenarios": 24, "transcripts": 22, "official_rows": 3
    }  # fmt: skip
    assert card["counts"]["norm"] == dict.fromkeys(
        ("bil_show_working", "mandatory_pushback_on_adhoc_requests", "mandatory_timeline_commitment"), 1
    )
    assert card["counts"]["event"] == {"splitting_bill": 1, "standup": 2}
    assert card["counts"]["venue"] == {"teams_wet_lab": 2, "whatsapp_flatshare": 1}
    assert card["counts"]["arm"] == {"a": 1, "b": 2}
    assert card["counts"]["check_mode"] == {"exact": 1, "partial": 2}
    assert sum(card["counts"]["level"].values()) == 3
    assert card["demonstrations"] == {"3": 3}
    assert card["lengths"]["turns"]["least"] >= 20
    assert card["screening"]["baselines"] == [{"name": "x", "model": "replies/x.jsonl"}]
    assert card["screening"]["yields"]["norm"]["bil_round_number"]["dropped"] == 1
    assert card["screening"]["yields"]["total"]["screened"] == 4
    assert card["licence"] == "CC BY 4.0"
    assert card["decisions"] == {"ann": 2}
    assert card["dropped"] == [{"frame": TWO, "arm": "a", "reason": "screening: x complied in 3 of 3"}]
    text = render_card(card)
    assert text.splitlines()[2].startswith(
        "2 frames with 3 arms give 24 scenarios on 22 transcripts; 1 arm was dropped."
    )
    assert "| bil_round_number | 1 | 1 | 0 | 0 | 0 | 3 | 0 |" in text
    assert "| exact | 1 |" in text
    assert "| Event | arms |\n| --- | ---: |" in text
    assert "| Variant | scenarios |" in text
    assert "| Frame | hash |\n| --- | --- |" in text


def test_the_card_counts_the_screenings_of_all_baselines(command: Command, frames: tuple[Path, Path]) -> None:
    rows = [row for _, row in read_jsonl(Path("x.jsonl"))]
    Path("y.jsonl").write_text("\n".join(json.dumps(row | {"text": "dunno"}) for row in rows))
    assert command("screen", "frames", "--baseline", "y=replies/y.jsonl").code == 0
    card = json.loads(build(command, "--name", "first")["card.json"])
    assert card["n"]["dropped_arms"] == card["screening"]["yields"]["total"]["dropped"] == 1
    assert [baseline["name"] for baseline in card["screening"]["baselines"]] == ["x", "y"]
    assert {name: row["dropped"] for name, row in card["screening"]["yields"]["baseline"].items()} == {"x": 1, "y": 0}
    assert "x complied in 3 of 3" in render_card(card)
    shown = command("curate", "frames", "--all", lines="s\ns\n").out
    assert "arm a drop: x complied in 3 of 3" in shown


def test_what_was_not_screened_or_failed_a_check_is_named(command: Command, frames: tuple[Path, Path]) -> None:
    one = frames[0]
    check = ModelCheck(
        created=now(), frame_hash=frame_hash(read_frame(one)), check="answerability", rule="Q22", judge="j/j",
        prompt_hash="h", arm="b", passed=False, found="when | it is free",
    )  # fmt: skip
    known = FrameRecord(frame=ONE, decisions=read_frame_record(one).decisions, checks=(check,))
    write_frame_record(one, known)
    done = command("release", "build", "--accepted", "frames", "--name", "first")
    assert done.code == 2
    assert f"{ONE} was accepted before it failed Q22 answerability b; decide again" in done.err
    assert command("curate", "frames", "--accept", ONE, "--despite-checks", "--reason", "it is known").code == 0
    done = command("release", "build", "--accepted", "frames", "--name", "first")
    assert done.code == 0, done.err
    assert f"{ONE} is not screened as it is." in done.err
    assert f"{ONE} failed Q22 answerability b, and was accepted all the same." in done.err
    assert f"{TWO} was not checked by models as it is." in done.err
    card = json.loads(Path("releases/first/card.json").read_text())
    assert card["failed_checks"] == [
        {"frame": ONE, "check": "Q22 answerability b", "found": "when | it is free", "judge": "j/j",
         "accepted": "it is known"}
    ]  # fmt: skip
    text = Path("releases/first/card.md").read_text()
    assert f"| {ONE} | Q22 answerability b | when &#124; it is free | it is known |" in text
    not_screened, not_checked = text.split("Not screened as they are")[1], text.split("Not checked by models")[1]
    assert ONE in not_screened.split("##")[0].split("Dropped arms")[0]
    assert TWO in not_checked.split("##")[0]


def test_a_release_can_be_run(command: Command, frames: tuple[Path, Path]) -> None:
    build(command, "--name", "first")
    for number, source in enumerate(("", "scenarios.jsonl", "frames")):
        options = ("--scenarios", f"releases/first/{source}", "--condition", "naive", "--variant", "nodemos")
        done = command("run", *options, "--model", "replies/x.jsonl", "--out", f"r{number}")
        assert done.code == 0, done.out + done.err
        assert "1 scenario;" in done.out  # b of the second; the others need a judge


def test_a_folder_of_a_release_is_read_as_it_was_released(command: Command, frames: tuple[Path, Path]) -> None:
    build(command, "--name", "first")
    folder = Path("releases/first")
    (folder / "scenarios.jsonl").write_text((folder / "scenarios.jsonl").read_text().replace("litre", "liter"))
    done = command("run", "--scenarios", str(folder), "--dry-run")
    assert done.code == 2
    assert "scenarios.jsonl: changed since the release, as manifest.json says" in done.err
    done = command("derive", str(folder))
    assert done.code == 2
    assert f"this folder holds no frame; did you mean {folder / 'frames'}?" in done.err


def test_equal_input_makes_equal_bytes(command: Command, frames: tuple[Path, Path]) -> None:
    one = build(command, "--name", "same", "--out", "one")
    assert one == build(command, "--name", "same", "--out", "two")
    done = command(
        "release", "build", "--accepted", *(str(f) for f in reversed(frames)), "--name", "same", "--out", "3"
    )
    assert done.code == 0
    assert {name: (Path("3") / name).read_bytes() for name in one} == one


def test_another_licence_can_be_given(command: Command, frames: tuple[Path, Path]) -> None:
    Path("mine.txt").write_text("\nOpen <b>Licence</b> | 2\n\nDo what you like.\n")
    files = build(command, "--name", "first", "--licence", "mine.txt")
    assert files["LICENSE"].decode().endswith(f"Do what you like.\n\n{CANARY}\n")
    assert json.loads(files["card.json"])["licence"] == "Open <b>Licence</b> | 2"
    assert "<b>" not in files["card.md"].decode()


def test_what_keeps_a_release_from_being_built(command: Command, frames: tuple[Path, Path]) -> None:
    one, two = frames
    build(command, "--name", "first")

    def refused(*more: str) -> str:
        done = command("release", "build", "--accepted", "frames", "--name", "second", *more)
        assert done.code == 2, done.out
        assert "Traceback" not in done.err
        assert not Path("releases/second").exists()
        return done.err

    accepted = one.read_text()
    assert "the folder exists" in refused("--out", "releases/first")
    assert "--name" in refused("--name", "a/b")
    assert "no such file" in refused("--licence", "nowhere")
    one.write_text(accepted.replace("the ladybird", "a ladybird"))
    assert f"{ONE} is not accepted as it is: its decision is on an earlier state" in refused()
    one.write_text(accepted.replace("like a band", "like a band, as an AI language model i would know"))
    accept(read_frame_file(one), "ann")
    assert "F29 error" in refused()
    one.write_text(accepted)
    assert command("curate", "frames", "--accept", ONE).code == 0
    mark_dropped(two, {"a": "x", "b": "y"})
    assert f"{TWO} is not accepted as it is" in refused()
    assert command("curate", "frames", "--accept", TWO).code == 0
    assert f"{TWO} has no arm left" in refused()
    assert command("curate", "frames", "--reject", TWO, "--reason", "dull").code == 0
    assert f"{TWO} was rejected by" in refused()
    two.with_suffix(".record.json").unlink()
    assert "nobody has decided on it" in refused()
    assert command("release", "build", "--name", "second").code == 2


def test_marks_by_hand_are_decided_on_too(command: Command, frames: tuple[Path, Path]) -> None:
    def refused() -> str:
        done = command("release", "build", "--accepted", "frames", "--name", "second")
        assert done.code == 2, done.out
        return done.err

    one = frames[0]
    mark_dropped(one, {"b": "by hand"})
    mark_status(one, "known_issue: <broken>")
    assert f"{ONE} is not accepted as it is: its decision is on an earlier state" in refused()
    shown = command("curate", "frames", lines="a\n").out
    assert "status: known_issue: <broken>" in shown
    assert "accept by ann" in shown
    assert "(of an earlier state of the frame)" in shown
    files = build(command, "--name", "second")
    assert json.loads(files["card.json"])["known_issues"] == {ONE: "known_issue: <broken>"}
    assert "<broken>" not in files["card.md"].decode()
    assert "broken" in files["card.md"].decode()


def test_what_screening_has_dropped_must_be_marked(command: Command, frames: tuple[Path, Path]) -> None:
    mark_dropped(frames[1], {})
    done = command("release", "build", "--accepted", "frames", "--name", "second")
    assert done.code == 2
    assert f"{TWO}: its screening drops arm a (x complied in 3 of 3), but the frame has no mark" in done.err
    assert command("screen", "frames", "--baseline", "x=replies/x.jsonl").code == 0
    build(command, "--name", "second")


def test_a_release_holds_what_was_looked_at(frames: tuple[Path, Path], taxonomy: Taxonomy) -> None:
    files, before = read_frames([Path("frames")]), frames[0].read_bytes()
    findings = lint_paths([Path("frames")], taxonomy)
    frames[0].write_text("changed meanwhile")
    released = release_files("first", files, taxonomy, read_imprint(None, "1-A", "0"))
    assert released[f"frames/{ONE}.yaml"] == before
    assert lint_texts({file.path: file.text for file in files}, taxonomy) == findings


def test_of_two_builds_at_once_one_is_whole_and_one_is_refused(frames: tuple[Path, Path], taxonomy: Taxonomy) -> None:
    def built(number: int) -> str:
        try:
            build_release([Path("frames")], "x", None, taxonomy, read_imprint(None, "1-A", str(number)))
            return "built"
        except UserFault as fault:
            return str(fault)

    with ThreadPoolExecutor(4) as pool:
        told = sorted(pool.map(built, range(4)))
    assert told.count("built") == 1
    assert [path.name for path in Path("releases").iterdir()] == ["x"]
    hashes = json.loads(Path("releases/x/manifest.json").read_text())["sha256"]
    assert {name: hashlib.sha256(Path("releases/x", name).read_bytes()).hexdigest() for name in hashes} == hashes


def test_a_release_that_cannot_be_written_leaves_nothing(command: Command, frames: tuple[Path, Path]) -> None:
    mine = Path("releases/.x.partial/mine")
    mine.mkdir(parents=True)
    Path("link").symlink_to("nowhere")
    for out, fault in (
        ("link", "this is a link"),
        ("nope/..", "name the new folder itself"),
        ("x.jsonl/y", "cannot be"),
    ):
        done = command("release", "build", "--accepted", "frames", "--name", "x", "--out", out)
        assert done.code == 2
        assert fault in done.err
    assert command("release", "build", "--accepted", "frames", "--name", "x").code == 0
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        done = command("release", "build", "--accepted", "frames", "--name", "y")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.code == 2
    assert "releases/y: the release cannot be written (File too large)" in done.err
    assert {path.name for path in Path("releases").iterdir()} == {"x", ".x.partial"}
    assert mine.is_dir()
