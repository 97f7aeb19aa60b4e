"""Rows of the public release: in, out, and every malformed row named by place, column and value."""

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import SHARED
from losona.errors import ContentError
from losona.official import derive_subject, read_rows, to_row
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy
from losona.textfiles import read_jsonl
from losona.verifiers import grade_by_code

PUBLIC = SHARED / "data" / "losona_public_001_024.jsonl"
needs_public = pytest.mark.skipif(not PUBLIC.exists(), reason="the public rows are not beside the project")
COLUMNS = {
    "scenario_id", "event_id", "norm_id", "norm_statement", "channel_description", "venue", "subject", "cast",
    "transcript", "norm_demo_turn_ids", "elicitor_turn_id", "elicitor_actor", "elicitor_content",
}  # fmt: skip


def row(**changes: Any) -> dict[str, Any]:
    turns = [
        {"turn_id": 1, "actor": "Bo", "content": "is the hall open?"},
        {"turn_id": 2, "actor": "Cy", "content": "yes", "is_norm_demonstration": True},
        {"turn_id": 3, "actor": "Bo", "content": "Ada, is the tea on?", "is_elicitor": True},
    ]  # fmt: skip
    base = {
        "scenario_id": "standup__binary_answer_norm__demos__x", "event_id": "standup", "norm_id": "binary_answer_norm",
        "norm_statement": "Answer yes or no.", "channel_description": "A hall.", "venue": "other",
        "subject": {"name": "Ada", "bio": "Makes tea."}, "cast": [{"name": "Bo", "bio": ""}, {"name": "Cy", "bio": ""}],
        "transcript": turns, "norm_demo_turn_ids": [2], "elicitor_turn_id": 3, "elicitor_actor": "Bo",
        "elicitor_content": "Ada, is the tea on?",
    }  # fmt: skip
    return {**base, **changes}


def read(taxonomy: Taxonomy, *rows: Any, **options: Any) -> tuple[Scenario, ...]:
    return read_rows([(f"x.jsonl:{i}", r) for i, r in enumerate(rows, 1)], taxonomy, **options).scenarios


def test_a_row_is_a_scenario(taxonomy: Taxonomy) -> None:
    (scenario,) = read(taxonomy, row())
    assert scenario.source == "official"
    assert scenario.evaluation.statement == "Answer yes or no."
    assert scenario.evaluation.demos == (1,)
    assert scenario.visible.roster == ("Ada", "Bo", "Cy")
    assert scenario.notes == ()


def test_a_row_waits_for_a_judge_also_where_its_norm_wants_parameters(taxonomy: Taxonomy) -> None:
    (scenario,) = read(taxonomy, row(norm_id="extreme_conciseness_norm"))
    grading = grade_by_code(scenario, "yes", taxonomy)
    assert (grading.label, grading.error) == ("unscored", "")
    assert grade_by_code(scenario, " ", taxonomy).label == "breaches"


def test_missing_parts_are_noted_and_never_made_up(taxonomy: Taxonomy) -> None:
    turns = [{"actor": "Bo", "content": "hello"}, {"actor": "Di", "content": "Ada, tea?"}]
    bare = row(
        channel_description="", venue="", subject={"name": "", "bio": ""}, norm_demo_turn_ids=[], transcript=turns,
        elicitor_turn_id=None, elicitor_actor="", elicitor_content="", norm_id="zzz",
    )  # fmt: skip
    (scenario,) = read(taxonomy, bare)
    assert scenario.visible.subject.name == "Ada"
    assert scenario.evaluation.demos is None
    assert [person.name for person in scenario.visible.cast] == ["Bo", "Cy", "Di"]
    assert set(scenario.notes) == {
        "subject name derived from the elicitor", "demonstrations unknown", "channel missing", "venue missing",
        "bios missing", "unknown norm id",
    }  # fmt: skip


def test_marks_that_differ_are_both_taken_and_noted(taxonomy: Taxonomy) -> None:
    (scenario,) = read(taxonomy, row(norm_demo_turn_ids=[1]))
    assert scenario.evaluation.demos == (0, 1)
    assert scenario.notes == ("demonstrations marked in two ways that differ: both taken",)


def test_turns_after_the_elicitor_are_dropped_with_a_note(taxonomy: Taxonomy) -> None:
    turns = [*row()["transcript"], {"turn_id": 4, "actor": "Cy", "content": "SPOILER"}]
    (scenario,) = read(taxonomy, row(transcript=turns))
    assert scenario.visible.elicitor.text == "Ada, is the tea on?"
    assert "turns after the elicitor left out" in scenario.notes


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"norm_statement": ""}, "column norm_statement: ''; allowed: some text"),
        ({"transcript": []}, "column transcript"),
        ({"transcript": [{"actor": "", "content": "x"}]}, r"column transcript\.0\.actor"),
        ({"transcript": [{"actor": "Bo", "content": 5}]}, r"column transcript\.0\.content: 5; allowed: text"),
        ({"elicitor_turn_id": 9}, "column elicitor_turn_id: no turn has the id 9"),
        ({"elicitor_turn_id": 1}, "column elicitor_turn_id: 1 is not the turn"),
        ({"elicitor_content": "else"}, "column elicitor_content: 'else' differs"),
        ({"elicitor_actor": "Cy"}, "column elicitor_actor: 'Cy' differs"),
        ({"subject": "Ada"}, "column subject: 'Ada'; allowed: the keys name, bio"),
        ({"extra": 1}, "column extra: there is no such key"),
        ({"subject": {"name": "", "bio": ""}, "elicitor_content": "", "elicitor_actor": "", "elicitor_turn_id": 1,
          "transcript": [{"turn_id": 1, "actor": "Bo", "content": "tea?"}]}, "column subject: .*--unnamed-subject"),
    ],
)  # fmt: skip
def test_a_malformed_row_is_named(taxonomy: Taxonomy, change: dict[str, Any], fault: str) -> None:
    with pytest.raises(ContentError, match=rf"(?s)x\.jsonl:2: {fault}"):
        read(taxonomy, row(), row(scenario_id="other", **change))


def test_two_elicitors_are_a_fault(taxonomy: Taxonomy) -> None:
    turns = [{**turn, "is_elicitor": True} for turn in row()["transcript"]]
    with pytest.raises(ContentError, match="3 turns are marked is_elicitor"):
        read(taxonomy, row(transcript=turns))


def test_bad_rows_can_be_left_out_and_are_counted(taxonomy: Taxonomy) -> None:
    rows = [("x.jsonl:1", row()), ("x.jsonl:2", 7), ("x.jsonl:3", ContentError("x.jsonl:3: not valid JSON"))]
    found = read_rows(rows, taxonomy, skip_bad_rows=True)
    assert len(found.scenarios) == 1
    assert len(found.skipped) == 2


def test_doubled_ids_are_an_error_even_then(taxonomy: Taxonomy) -> None:
    with pytest.raises(ContentError, match=r"x\.jsonl:2: scenario_id .* stands at x\.jsonl:1 too"):
        read(taxonomy, row(), row(), skip_bad_rows=True)


@pytest.mark.parametrize(
    ("elicitor", "name"),
    [
        ("Leo, can you run the script?", "Leo"),
        ("@Toby are you joining us?", "Toby"),
        ("Hey Marcus, which street?", "Marcus"),
        ("Great, and now the server is down.", ""),
        ("Bo, leave it", ""),
        ("@Bo and @Ada, who has it?", "Ada"),
        ("@Di and @Ada, who has it?", ""),
        ("what time is it?", ""),
    ],
)
def test_a_name_is_derived_only_where_it_is_certain(elicitor: str, name: str) -> None:
    assert derive_subject(elicitor, {"bo"}) == name


def test_our_rows_come_back_as_the_same_chat(shipped_scenarios: list[Scenario], taxonomy: Taxonomy) -> None:
    for scenario in shipped_scenarios:
        if scenario.variant != "demos":
            continue
        exported = json.loads(json.dumps(to_row(scenario, taxonomy)))
        assert set(exported) == COLUMNS
        (back,) = read(taxonomy, exported)
        assert back.visible.transcript == scenario.visible.transcript
        assert back.visible.cast == scenario.visible.cast
        assert back.visible.subject == scenario.visible.subject
        assert back.evaluation.demos == scenario.evaluation.demos
        assert back.evaluation.norm == scenario.evaluation.norm


@needs_public
def test_the_public_rows(taxonomy: Taxonomy) -> None:
    rows = list(read_jsonl(PUBLIC))
    assert len(read_rows(rows, taxonomy, skip_bad_rows=True).scenarios) == 12
    found = read_rows(rows, taxonomy, unnamed_subject="Robin")
    assert len(found.scenarios) == 24
    assert found.counts["subject unnamed in the row"] == 12
    assert found.counts["demonstrations unknown"] == 24


@needs_public
def test_a_blanked_name_of_a_public_row_is_derived_again(taxonomy: Taxonomy) -> None:
    named = [data for _, data in read_jsonl(PUBLIC) if data["subject"]["name"]]
    blank = [{**data, "subject": {"name": "", "bio": ""}} for data in named]
    assert len(named) == 12
    for before, scenario in zip(named, read(taxonomy, *blank), strict=True):
        assert scenario.visible.subject.name == before["subject"]["name"]
        assert "subject name derived from the elicitor" in scenario.notes


def test_shared_data_is_not_part_of_the_project() -> None:
    root = Path(__file__).parents[1]
    assert not list(root.glob("src/**/*public_0*"))
