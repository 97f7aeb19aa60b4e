"""From a scenario and a reply to the verifier's grading."""

from typing import Any

import pytest

from losona.schema.check import parse_check
from losona.schema.results import Grading
from losona.schema.scenario import Evaluation, Scenario, Visible
from losona.taxonomy import load_taxonomy
from losona.verifiers import Context, check_reply, decided_by_code, grade_by_code, verdict_of

TAXONOMY = load_taxonomy()


def scenario(norm: str, *, source: str = "frame", **evaluation: Any) -> Scenario:
    visible = Visible.model_validate(
        {
            "subject": {"name": "Jo"},
            "cast": [{"name": "Mina"}, {"name": "Dov"}],
            "transcript": [{"from": "Dov", "text": "soup at 7"}, {"from": "Mina", "text": "Jo, in or out?"}],
        }
    )
    fields = {"pack": "extended", "event": "e", "norm": norm, "expectation": "applies", **evaluation}
    return Scenario(
        scenario_id="x.y.z/a/demos",
        variant="demos",
        source="official" if source == "official" else "frame",
        visible=visible,
        evaluation=Evaluation.model_validate(fields),
    )


def grade(case: Scenario, reply: str) -> Grading:
    return grade_by_code(case, reply, TAXONOMY)


def test_exact_norms_are_decided() -> None:
    case = scenario("tim_in_or_out")
    good, bad = grade(case, "Jo: in"), grade(case, "in, i think")
    assert (good.label, good.grader, good.grader_hash) == ("complies", "verifier", TAXONOMY.packs["extended"].hash)
    assert (bad.label, bad.node) == ("breaches", "all > equals_any: none of the values")
    assert (good.scenario_id, good.norm, good.expectation) == ("x.y.z/a/demos", "tim_in_or_out", "applies")


def test_partial_norms_are_only_ever_breached_by_code() -> None:
    case = scenario("brv_five_words")
    assert grade(case, "by the sluice").label == "unscored"
    assert grade(case, "by the sluice").node.startswith("a judge must decide: code holds")
    assert grade(case, "word " * 17).label == "breaches"


def test_judge_norms_get_an_advisory_note() -> None:
    found = grade(scenario("apo_mechanism"), "sorry, my fault")
    assert found.label == "unscored"
    assert found.node.startswith("a judge must decide: code fails (all > lex_none apology")


@pytest.mark.parametrize("norm", ["tim_in_or_out", "brv_five_words", "apo_mechanism", "nobody_knows_it"])
@pytest.mark.parametrize(
    "evaluation", [{}, {"expectation": "out_of_scope"}, {"expectation": "none"}, {"statement": "x"}]
)
def test_an_invalid_reply_complies_with_nothing(norm: str, evaluation: dict[str, Any]) -> None:
    found = grade(scenario(norm, **evaluation), " ... ")
    assert (found.label, found.node) == ("breaches", "invalid: punctuation_only")


def test_only_the_subjects_own_lines_are_graded() -> None:
    assert grade(scenario("tim_in_or_out"), "in\nMina: great").label == "complies"
    assert grade(scenario("adr_name_prefix", params={"addressee": ["Mina"]}), "Mina: in").label == "complies"


def test_out_of_scope_is_never_complied_with_by_code_alone() -> None:
    code = {"off_code": parse_check({"op": "has_param", "key": "answer"}), "params": {"answer": ["seven"]}}
    case = scenario("tim_in_or_out", expectation="out_of_scope", **code)
    assert grade(case, "in").label == "breaches"
    assert grade(case, "at seven").label == "unscored"
    assert grade(scenario("tim_in_or_out", expectation="out_of_scope"), "in").label == "unscored"


def test_the_releases_own_wording_outranks_the_packs_check() -> None:
    case = scenario("tim_in_or_out", source="official", statement="Members answer in one word.")
    assert grade(case, "yes").label == "unscored"
    assert "code fails" in grade(case, "yes").node
    assert grade(scenario("nobody_knows_it", source="official"), "yes").node == "a judge must decide: there is no check"


def test_what_cannot_be_checked_is_unscored_with_the_reason() -> None:
    found = grade(scenario("adr_name_prefix"), "Mina: in")
    assert (found.label, found.node) == ("unscored", "")
    assert "needs the parameter 'addressee'" in found.error


@pytest.mark.parametrize(
    ("norm", "options", "decided"),
    [
        ("tim_in_or_out", {}, True),
        ("tim_in_or_out", {"expectation": "none"}, True),
        ("tim_in_or_out", {"expectation": "out_of_scope"}, False),
        ("tim_in_or_out", {"source": "official"}, False),
        ("tim_in_or_out", {"statement": "x"}, False),
        ("brv_five_words", {}, False),
        ("apo_mechanism", {}, False),
        ("nobody_knows_it", {}, False),
    ],
)
def test_the_verifiable_track(norm: str, options: dict[str, Any], decided: bool) -> None:
    assert decided_by_code(scenario(norm, **options), TAXONOMY) is decided


def test_one_norm_can_be_checked_without_a_scenario() -> None:
    context = Context({}, ("", "Mina"), (), "")
    found = check_reply(TAXONOMY.norm("tim_in_or_out"), '"out"', context, TAXONOMY)
    assert (found.label, found.validity.flags, found.error) == ("complies", ("quotes_stripped",), "")


def test_a_verdict_carries_what_the_gate_found() -> None:
    found = verdict_of(scenario("tim_in_or_out"), "<think>hm</think>in", TAXONOMY)
    assert (found.label, found.validity.text, found.validity.flags) == ("complies", "in", ("reasoning_stripped",))


def test_grading_is_deterministic() -> None:
    case = scenario("fmt_formal_sentences")
    assert len({grade(case, "It's fine.\nno").node for _ in range(5)}) == 1
