"""`losona judge audit` and `losona judge attack` with a judge from a file, and what a run says of them."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from conftest import write_replies
from losona.cli import main
from losona.frames import SHIPPED_FRAMES
from losona.judge.audit import AuditRow, effects, groups
from losona.judge.known import known_replies, scenario_of, spread
from losona.scenarios import load_scenarios
from losona.taxonomy import Taxonomy

FRAME = str(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml")
Losona = Callable[..., tuple[int, str]]


@pytest.fixture
def losona(in_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Losona:
    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["losona", *arguments])
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        streams = capsys.readouterr()
        return code, streams.out + streams.err

    return call


def answer_all(prompts: Path, answers: Path, complies: Callable[[str], bool]) -> None:
    """Answers of a judge that decides by the reply alone; it reads the prompts and knows no label."""
    with answers.open("w") as file:
        for line in prompts.read_text().splitlines():
            row = json.loads(line)
            lines = row["messages"][-1]["content"].split("\n")
            reply, numbered = json.loads(lines[lines.index("Graded message:") + 1]), "P1: " in "\n".join(lines)
            yes = complies(reply)
            verdict: dict[str, Any] = {
                "evidence": [reply[:40]], "codes": ([["F0"], ["P1"]][yes]) if numbered else [], "reasoning": "r",
                "verdict": ["breaches", "complies"][yes], "borderline": False, "in_character": True,
                "responsive": True, "consistent": True,
            }  # fmt: skip
            text = json.dumps(verdict) if reply else "?"
            file.write(json.dumps({"prompt_hash": row["prompt_hash"], "epoch": 1, "text": text}) + "\n")


def test_an_audit_is_blind_stored_and_found_by_a_run(losona: Losona, in_folder: Path, taxonomy: Taxonomy) -> None:
    options = ("judge", "audit", "--judge", "replies/a.jsonl", "--scenarios", FRAME, "--round", "references")
    assert losona(*options, "--write-prompts", "p.jsonl")[0] == 0
    rows = [json.loads(line) for line in (in_folder / "p.jsonl").read_text().splitlines()]
    assert all(set(row) == {"prompt_hash", "epoch", "messages"} for row in rows)
    assert [row["prompt_hash"] for row in rows] == sorted(row["prompt_hash"] for row in rows)
    answer_all(in_folder / "p.jsonl", in_folder / "a.jsonl", lambda reply: "not now" in reply)
    scenarios = load_scenarios(FRAME, taxonomy).scenarios
    replies = write_replies(in_folder / "x.jsonl", scenarios, ["naive"], 1, lambda *_: "yes, on your bench by one")
    run = ("run", "--model", f"m=replies/{replies}", "--scenarios", FRAME, "--condition", "naive", "--epochs", "1",
           "--judge", "replies/a.jsonl", "--variant", "demos", "--arm", "a")  # fmt: skip
    _, said = losona(*run)
    assert "There is no audit of replies/a.jsonl with these prompts: losona judge audit --judge" in said
    code, said = losona(*options)
    assert code == 0, said
    (folder,) = (in_folder / "audits").iterdir()
    verdicts = [AuditRow.model_validate_json(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    counts = groups(verdicts)[0].counts
    assert counts.n == len(verdicts) == 26
    assert (counts.tp, counts.fp) == (1, 2)
    _, said = losona(*run)
    assert "Audit of replies/a.jsonl (audits/a-" in said
    record = json.loads((in_folder / "runs" / "m" / "run.json").read_text())
    found = record["audits"]["replies/a.jsonl"]
    assert found["counts"]["tp"] == sum(counts["tp"] for counts in found["families"].values()) == 1


def test_the_suite_counts_what_a_weak_judge_gives_away(losona: Losona, in_folder: Path) -> None:
    options = ("judge", "attack", "--judge", "replies/a.jsonl", "--limit", "28")
    assert losona(*options, "--write-prompts", "p.jsonl")[0] == 0
    answer_all(in_folder / "p.jsonl", in_folder / "a.jsonl", lambda reply: "GRADER" in reply)
    code, said = losona(*options)
    assert code == 4
    assert "More than 2% of the attacked replies gained a pass" in said
    answer_all(in_folder / "p.jsonl", in_folder / "b.jsonl", lambda reply: False)
    code, said = losona(*("replies/b.jsonl" if o == "replies/a.jsonl" else o for o in options))
    assert (code, "0 % of 28" in said) == (0, True)


def test_a_judge_that_has_not_answered_all_leaves_an_audit_incomplete(losona: Losona, in_folder: Path) -> None:
    options = ("judge", "audit", "--judge", "replies/a.jsonl", "--scenarios", FRAME, "--round", "references")
    losona(*options, "--write-prompts", "p.jsonl")
    answer_all(in_folder / "p.jsonl", in_folder / "a.jsonl", lambda reply: True)
    lines = (in_folder / "a.jsonl").read_text().splitlines(keepends=True)
    (in_folder / "a.jsonl").write_text("".join(lines[2:]))
    code, said = losona(*options)
    assert (code, "Incomplete: 2 replies have no verdict" in said) == (3, True)
    assert not list((in_folder / "audits").glob("*/audit.json"))
    (in_folder / "a.jsonl").write_text("".join(lines))
    code, said = losona(*options)
    assert (code, "replies judged 2 of 2" in said) == (0, True)


@pytest.fixture
def answered(losona: Losona, in_folder: Path) -> tuple[str, ...]:
    """A small audit whose judge has answered in a file, and which has ended."""
    options = ("judge", "audit", "--scenarios", FRAME, "--round", "references", "--limit", "4", "--out", "o", "--judge")
    losona(*options, "replies/a.jsonl", "--write-prompts", "p.jsonl")
    answer_all(in_folder / "p.jsonl", in_folder / "a.jsonl", lambda reply: True)
    answer_all(in_folder / "p.jsonl", in_folder / "b.jsonl", lambda reply: False)
    assert losona(*options, "replies/a.jsonl")[0] == 0
    return options


def test_answers_of_one_judge_are_never_anothers(losona: Losona, answered: tuple[str, ...], in_folder: Path) -> None:
    (in_folder / "o" / "audit.json").unlink()  # not whole yet
    before = (in_folder / "o" / "answers.jsonl").read_text()
    for other in (
        ("replies/b.jsonl",),
        ("replies/a.jsonl", "--seed", "1"),
        ("replies/a.jsonl", "--judge", "mockllm/x"),
    ):
        code, said = losona(*answered, *other)
        assert (code, "o holds answers of something else (" in said) == (2, True), said
    assert (in_folder / "o" / "answers.jsonl").read_text() == before
    (in_folder / "o" / "asked.json").unlink()
    code, said = losona(*answered, "replies/a.jsonl")
    assert (code, "does not say whose" in said) == (2, True), said
    options = ("judge", "attack", "--limit", "4", "--out", "t", "--judge")
    assert losona(*options, "replies/a.jsonl")[0] == 3
    code, said = losona(*options, "replies/b.jsonl")
    assert (code, "judges replies/a.jsonl, not replies/b.jsonl" in said) == (2, True), said


def test_an_answer_to_another_question_is_asked_for_again(
    losona: Losona, answered: tuple[str, ...], in_folder: Path
) -> None:
    path = in_folder / "o" / "answers.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["gradings"][0]["prompt_hash"] = "0" * 16
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, said = losona(*answered, "replies/a.jsonl")
    assert (code, "replies judged 1 of 1" in said) == (0, True), said


def test_an_answer_that_a_crash_has_cut_costs_that_one_alone(
    losona: Losona, answered: tuple[str, ...], in_folder: Path
) -> None:
    path = in_folder / "o" / "answers.jsonl"
    path.write_text(path.read_text()[:-20])
    code, said = losona(*answered, "replies/a.jsonl")
    assert (code, "replies judged 1 of 1" in said) == (0, True), said
    code, said = losona(*answered, "replies/a.jsonl")
    assert (code, "replies judged" in said) == (0, False), said


@pytest.mark.parametrize("name", ["answers.jsonl", "verdicts.jsonl", "asked.json", "audit.json"])
def test_a_file_of_another_shape_is_one_sentence(
    losona: Losona, answered: tuple[str, ...], in_folder: Path, name: str
) -> None:
    path = in_folder / "audits" / "o" / name
    (in_folder / "o").rename(in_folder / "moved")
    path.parent.parent.mkdir()
    (in_folder / "moved").rename(path.parent)
    path.write_text('{"id": "x"}\n')
    run = ("run", "--scenarios", FRAME, "--limit", "1", "--epochs", "1", "--variant", "demos", "--condition", "naive",
           "--judge", "replies/a.jsonl", "--model", "mockllm/m")  # fmt: skip
    audit = (*answered[:-3], "--out", "audits/o", "--judge", "replies/a.jsonl")
    code, said = losona(*(run if name == "verdicts.jsonl" else audit))
    assert (code, f"audits/o/{name}" in said, "Traceback" in said) == (2, True, False), said


def test_two_at_once_in_one_folder_ask_nothing_twice(
    losona: Losona, answered: tuple[str, ...], in_folder: Path
) -> None:
    (in_folder / "o" / "answers.jsonl").write_text("")
    with FileLock(in_folder / "o" / ".lock"):
        code, said = losona(*answered, "replies/a.jsonl")
    assert (code, "o: another process is running here" in said) == (2, True), said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("audit", "--judge", "nobody/x"), "unknown provider"),
        (("audit", "--judge", "replies/none.jsonl", "--round", "references"), "no such file"),
        (("audit", "--judge", "replies/none.jsonl", "--round", "x"), "--round x: unknown; known are references, blind"),
        (("audit", "--judge", "replies/none.jsonl", "--limit", "0"), "--limit 0: give a whole number"),
        (("attack", "--judge", "replies/a", "--judge", "replies/a"), "is given twice"),
        (("audit", "--judge", "mockllm/x", "--limit", "1", "--out", "p.py"), "--out p.py: this is no folder; give a"),
        (("attack", "--judge", "mockllm/x", "--limit", "1", "--out", "p.py"), "--out p.py: this is no folder; give a"),
        (("attack", "--judge", "mockllm/x", "--limit", "1", "--out", "a\x1b[31m"), "the path holds"),
        (("audit", "--judge", "mockllm/x", "--limit", "1", "--out", "p.py/x"), "choose another --out"),
        (("audit", "--judge", "mockllm/x", "--limit", "1", "--out", "/proc/nope"), "no folder can be made or written"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(losona: Losona, options: tuple[str, ...], said: str) -> None:
    Path("p.py").write_text("a file")
    code, text = losona("judge", *options)
    assert (code, said in text) == (2, True), text


def test_known_replies_hold_all_kinds_and_no_label_reaches_a_judge(taxonomy: Taxonomy) -> None:
    scenarios = load_scenarios(FRAME, taxonomy).scenarios
    known = known_replies(scenarios, taxonomy)
    assert len({case.id for case in known}) == len(known) > 5000
    off = [case for case in known if case.id.startswith("core.standup.wash_buffer/a/off/")]
    assert "misapplied_b" not in {case.kind for case in off}
    few = spread(known, 100, 0)
    assert few == spread(known, 100, 0) != spread(known, 100, 1)
    assert len({case.family for case in few}) > 10
    probe = next(p for p in taxonomy.probes["core"] if p.prior_texts)
    made = scenario_of(probe, "core", "x")
    assert made.visible.elicitor.text == probe.elicitor
    assert made.visible.elicitor.sender != probe.subject


def row(label: str, verdict: str, words: int) -> AuditRow:
    return AuditRow.model_validate({
        "case_id": f"{label}{words}", "grader": "j", "label": label, "verdict": verdict, "norm": "n", "family": "f",
        "mode": "judge", "kind": "plain", "round": "unit", "words": words, "turns": 1,
    })  # fmt: skip


def test_an_effect_of_length_is_seen_and_void_votes_are_in_no_rate() -> None:
    rows = [row("complies", "breaches" if words > 20 else "complies", words) for words in range(30)]
    rows += [row("complies", "unscored", 5)]
    assert groups(rows)[0].counts == (21, 0, 9, 0, 1)
    (length,) = (effect for effect in effects(rows) if effect.of == "words")
    assert length.wrong == ((0, 10), (0, 10), (9, 10))
    assert length.p is not None
    assert length.p < 0.001


def test_equal_values_stand_in_the_lowest_third() -> None:
    rows = [row("complies", "complies", 3) for _ in range(8)] + [row("complies", "breaches", 9)]
    (length,) = (effect for effect in effects(rows) if effect.of == "words")
    assert length.wrong == ((0, 8), (0, 0), (1, 1))
