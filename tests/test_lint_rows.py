"""Rows of the public release: a good row is silent, each defect is named by its rule, nothing is too broken to tell."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conftest import SHARED
from losona.frames import derive, read_frame
from losona.lint import RULES, Finding, lint_paths
from losona.official import to_row
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy, load_taxonomy

BASE = Path(__file__).parent / "data" / "extended.factual_question.yard_film.yaml"
DATA = SHARED / "data"
PUBLIC, OBSERVED = DATA / "losona_public_001_024.jsonl", DATA / "losona_public_observations.json"
needs_public = pytest.mark.skipif(not OBSERVED.exists(), reason="the public rows are not beside the project")
Row = dict[str, Any]


@cache
def _good() -> str:
    taxonomy = load_taxonomy()
    return json.dumps(to_row(derive(read_frame(BASE), taxonomy)[0], taxonomy))


def good() -> Row:
    """The base frame's row under a yes/no norm: 24 turns, demonstrations at 6, 13 and 19, Ilmari is asked."""
    return json.loads(_good())


def lint(rows: list[Any], folder: Path) -> list[Finding]:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return lint_paths([path], load_taxonomy())


def say(row: Row, number: int, text: str, actor: str = "") -> None:
    turn = row["transcript"][number - 1]
    turn |= {"content": text, "actor": actor or turn["actor"]}
    if turn["is_elicitor"]:
        row |= {"elicitor_content": turn["content"], "elicitor_actor": turn["actor"]}


def shorten(row: Row) -> None:
    row["transcript"] = [turn for turn in row["transcript"] if turn["turn_id"] not in (2, 3, 9, 16, 17)]


def unnamed(row: Row) -> None:
    row["subject"]["name"] = ""
    row["transcript"] = [turn for turn in row["transcript"] if turn["actor"] != "Ilmari"]


def level(row: Row) -> None:
    for i, turn in enumerate(row["transcript"]):
        if not turn["is_norm_demonstration"]:
            say(row, i + 1, " ".join(f"w{i}x{n}" for n in range(7)))
    say(row, len(row["transcript"]), "Ilmari, is it free?")


def two_speakers(row: Row) -> None:
    for i, turn in enumerate(row["transcript"]):
        turn["actor"] = "Osei" if turn["is_norm_demonstration"] else ("Ilmari", "Bettina")[i % 2]
    row["elicitor_actor"] = row["transcript"][-1]["actor"] = "Bettina"


def one_demonstrator(row: Row) -> None:
    for turn in row["transcript"]:
        turn["actor"] = "Osei" if turn["is_norm_demonstration"] else turn["actor"]


def many_marks(row: Row) -> None:
    for turn in row["transcript"][:8]:
        turn["is_norm_demonstration"], turn["content"] = True, "yes"
    row["norm_demo_turn_ids"] = []


def marked_elicitor(row: Row) -> None:
    row["norm_demo_turn_ids"].append(row["elicitor_turn_id"])
    row["transcript"][-1]["is_norm_demonstration"] = True


def without_marks(row: Row) -> None:
    row["norm_demo_turn_ids"] = []
    for turn in row["transcript"]:
        turn["is_norm_demonstration"] = False


def unmarked_breach(row: Row) -> None:
    without_marks(row)
    say(row, 6, "it should be, they said so")


def other_norm(row: Row) -> None:
    row |= {"norm_id": "whistle_first", "scenario_id": "factual_question__whistle_first__demos__yard_film"}


def other_event(row: Row) -> None:
    row |= {"event_id": "venting", "scenario_id": row["scenario_id"].replace("factual_question", "venting")}


FACT = "Ilmari, what is the serial number of the laundry pump?"
# rule and severity, what is wrong, how, other rules that this cannot help breaking (* any)
DEFECTS: list[tuple[str, str, Callable[[Row], Any], str]] = [
    ("F05 error", "event that the norm does not fit", other_event, ""),
    ("F07 error", "a name inside another", lambda r: r["cast"].append({"name": "Jov"}), ""),
    ("F08 error", "unknown speaker", lambda r: say(r, 2, "projector is dusted", "Ossei"), ""),
    ("F08 error", "unknown mention", lambda r: say(r, 2, "@Ludo the projector is dusted"), ""),
    ("F09 error", "two others speak", two_speakers, "*"),
    ("F10 error", "the subject demonstrates", lambda r: say(r, 6, "no", "Ilmari"), ""),
    ("F14 error", "one demonstrator", one_demonstrator, ""),
    ("F20 error", "a demonstration that is none", lambda r: say(r, 6, "no, wide open"), ""),
    ("F22 error", "demonstrations throughout", many_marks, "*"),
    ("F26 error", "19 turns", shorten, "F27"),
    ("F27 error", "a long turn", lambda r: say(r, 2, "dust" + " dust" * 70), ""),
    ("F28 error", "all turns equally long", level, "*"),
    ("F29 error", "an assistant idiom", lambda r: say(r, 2, "i hope this helps, it is dusted"), ""),
    ("F32 error", "a rule", lambda r: say(r, 2, "around here we dust everything"), ""),
    ("F33 error", "a grave illness", lambda r: say(r, 2, "he had a heart attack"), ""),
    ("F47 error", "a turned direction", lambda r: say(r, 2, "the projector is \u202edusted"), ""),
    ("F47 error", "a line break in a name", lambda r: r["cast"].append({"name": "Ossi\nB"}), ""),
    ("P01 error", "a column is missing", lambda r: r.pop("norm_statement"), ""),
    ("P01 error", "a column too many", lambda r: r.update(score=1), ""),
    ("P01 error", "another elicitor than its turn", lambda r: r.update(elicitor_content="tea?"), ""),
    ("P02 warning", "no subject, but the last message names it", unnamed, ""),
    ("P03 warning", "nobody is addressed", lambda r: say(r, 24, "i wash the cloth before the film."), ""),
    ("P03 warning", "another member is addressed", lambda r: say(r, 24, "Osei, i wash the cloth."), ""),
    ("P04 warning", "a fact that stands nowhere", lambda r: say(r, 24, FACT), ""),
    ("P05 warning", "an unmarked breach", unmarked_breach, "P07"),
    ("P06 error", "marks that differ", lambda r: r.update(norm_demo_turn_ids=[6, 13]), ""),
    ("P06 error", "a mark on no turn", lambda r: r["norm_demo_turn_ids"].append(77), ""),
    ("P06 error", "a turn id twice", lambda r: r["transcript"][1].update(turn_id=1), ""),
    ("P06 error", "the elicitor is marked", marked_elicitor, "F20"),
    ("P07 warning", "no marks", without_marks, ""),
    ("P07 warning", "no channel", lambda r: r.update(channel_description=""), ""),
    ("P08 warning", "unknown norm", other_norm, ""),
    ("P08 warning", "an id that says another event", lambda r: r.update(scenario_id=f"x{r['scenario_id']}"), ""),
]  # fmt: skip


def test_a_good_row_is_silent(tmp_path: Path) -> None:
    assert lint([good()], tmp_path) == []


@pytest.mark.parametrize(("expected", "name", "spoil", "also"), DEFECTS, ids=[f"{d[0]}: {d[1]}" for d in DEFECTS])
def test_a_defect_of_a_row_is_named_by_its_rule(
    expected: str, name: str, spoil: Callable[[Row], Any], also: str, tmp_path: Path
) -> None:
    row = good()
    spoil(row)
    findings = lint([row], tmp_path)
    assert expected in {f"{finding.rule} {finding.severity}" for finding in findings}
    assert also == "*" or {finding.rule for finding in findings} - {expected[:3]} == set(also.split())


def test_every_rule_on_lines_has_a_defect() -> None:
    on_lines = {rule.id for rule in RULES.values() if rule.line_check or rule.file_check or rule.id == "P01"}
    assert {expected[:3] for expected, *_ in DEFECTS} == on_lines


def test_a_finding_has_the_line_of_the_file_and_the_turn_id_of_the_row(tmp_path: Path) -> None:
    row = good()
    for turn in row["transcript"]:
        turn["turn_id"] += 100
    row |= {"norm_demo_turn_ids": [106, 113, 119], "elicitor_turn_id": 124, "scenario_id": row["scenario_id"] + "2"}
    say(row, 2, "he had a heart attack")
    found = [(f.line, f.rule, f.turn) for f in lint([good(), "", row], tmp_path) if f.rule == "F33"]
    assert found == [(3, "F33", 102)]


def test_a_doubled_id_is_told_at_its_second_place(tmp_path: Path) -> None:
    (found,) = lint([good(), good()], tmp_path)
    assert (found.rule, found.severity, found.line) == ("S01", "error", 2)


def test_a_fact_that_a_bio_gives_is_no_fault(tmp_path: Path) -> None:
    row = good()
    say(row, 24, FACT)
    row["subject"]["bio"] += " The pump in the laundry has the serial number 1183."
    assert lint([row], tmp_path) == []


@pytest.mark.parametrize(
    "text",
    [
        "Ilmari, will the laundry pump last until the spring?",
        "Ilmari, could you polish the laundry pump?",
        "Ilmari, what do you think of the laundry pump?",
        "Ilmari, why is the laundry pump even purple?",
        "Ilmari, my laundry pump is broken.",
    ],
)
def test_requests_opinions_and_news_ask_for_no_fact(text: str, tmp_path: Path) -> None:
    row = good()
    say(row, 24, text)
    assert lint([row], tmp_path) == []


def test_a_subject_whom_only_an_earlier_turn_calls_is_told_with_that_turn(tmp_path: Path) -> None:
    row = good()
    say(row, 3, "which film is it now, Ilmari")
    say(row, 24, "Osei, i wash the cloth.")
    (finding,) = lint([row], tmp_path)
    assert finding.found == "the last message does not address the subject: it names Osei; turn 3 names Ilmari"


def test_empty_columns_are_told_once_a_file(tmp_path: Path) -> None:
    rows = [good() | {"venue": "", "scenario_id": f"{good()['scenario_id']}{i}"} for i in range(3)]
    told = [f.found for f in lint(rows, tmp_path) if f.rule == "P07"]
    assert told == ["venue empty in 3 of 3 rows"]


@pytest.mark.parametrize("line", ["{", "7", "[]", "null", '{"visible": 3}', "{}", '"\\ud800"', "[" * 5000])
def test_no_line_is_too_broken_to_be_told(line: str, tmp_path: Path) -> None:
    findings = lint([good(), line], tmp_path)
    assert {(f.rule, f.severity, f.line) for f in findings} == {("P01", "error", 2)}


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    assert [f.rule for f in lint(["", ""], tmp_path)] == ["P01"]


def test_shipped_frames_as_rows_have_no_error(
    shipped_scenarios: list[Scenario], taxonomy: Taxonomy, tmp_path: Path
) -> None:
    rows: list[Any] = [to_row(scenario, taxonomy) for scenario in shipped_scenarios if scenario.variant == "demos"]
    findings = lint(rows, tmp_path)
    assert [f.render() for f in findings if f.severity == "error" or f.rule == "P04"] == []


def kappa(reported: set[str], observed: set[str], rows: int) -> float:
    """Agreement of two yes/no judgements beyond chance."""
    agree = (rows - len(reported ^ observed)) / rows
    yes, other = len(reported) / rows, len(observed) / rows
    chance = yes * other + (1 - yes) * (1 - other)
    return (agree - chance) / (1 - chance)


@needs_public
def test_agreement_with_a_readers_observations_of_the_public_rows() -> None:
    observed: dict[str, Row] = json.loads(OBSERVED.read_text("utf-8"))["scenarios"]
    ids = [json.loads(line)["scenario_id"] for line in PUBLIC.read_text("utf-8").splitlines()]
    findings = lint_paths([PUBLIC], load_taxonomy())
    measured = {
        rule: kappa({ids[f.line - 1] for f in findings if f.rule == rule}, {i for i in ids if holds(observed[i])}, 24)
        for rule, holds in {
            "P03": lambda seen: not seen["subject_addressed_in_elicitor"],
            "P04": lambda seen: seen["elicitor_asks_for_fact_nowhere_in_transcript"],
            "P05": lambda seen: seen["contains_counter_demonstrations"],
        }.items()
    }
    assert measured["P03"] == 1
    assert measured["P04"] == 1
    assert measured["P05"] >= 0
    assert not [f for f in findings if f.rule in ("P01", "P06", "P08")]
