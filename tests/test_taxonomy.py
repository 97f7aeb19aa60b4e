"""Packs: what is shipped, and every way in which a user's pack can be wrong, named with file, id and remedy."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from losona.errors import ContentError, UserFault
from losona.probing import keeps_promise, misread, probe_rates
from losona.taxonomy import Taxonomy, load_taxonomy

NORM = {
    "id": "reply_with_tea", "family": "tea", "name": "Tea first", "level": 1, "subject_position": "responder",
    "rule": "Every answer mentions tea.",
    "trigger": {"applies_when": "A member asks something.", "out_of_scope": ["no question", "an emergency"]},
    "default_assistant": {"behaviour": "Answers.", "why_violates": "No tea.", "expected_pass_without_demos": "low"},
    "counter_norm": "reply_without_tea", "contrast": {"type": "strict", "note": "tea or none"},
    "pass_criteria": ["mentions tea"], "fail_criteria": ["no tea"], "borderline": [],
    "check": {
        "mode": "exact", "code_role": "decides", "code": {"op": "has_param", "key": "drinks"}, "params": ["drinks"],
        "describe": "tea", "judge_focus": "tea?",
    },
    "demonstration": {"guidance": "Ask.", "count": [2, 4]}, "leakage_words": ["always tea"],
    "applicable_events": ["tea_break"],
}  # fmt: skip
COUNTER = {**NORM, "id": "reply_without_tea", "counter_norm": "reply_with_tea"}
EVENT = {
    "id": "tea_break", "name": "Tea", "definition": "Tea.", "subject_positions": ["responder"],
    "hidden_end_goals": ["find the pot"], "elicitor_shapes": ["'{subject}?'"], "near": ["factual_question"],
}  # fmt: skip
Files = dict[str, object]


class Plain(yaml.SafeDumper):
    """Without anchors and aliases."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def files() -> Files:
    return {
        "pack.yaml": {
            "id": "mine", "schema_version": "1", "version": "1", "title": "Mine", "licence": "CC0", "canary": "x",
            "lexicons_from": ["core"], "families": [{"id": "tea", "name": "Tea"}],
        },
        "events.yaml": [EVENT],
        "norms/tea.yaml": [NORM, COUNTER],
    }  # fmt: skip


def write(folder: Path, content: Files) -> Path:
    for name, data in content.items():
        path = folder / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.dump(data, Dumper=Plain, sort_keys=False))
    return folder / "mine"


def test_the_shipped_packs_hold_what_they_promise(taxonomy: Taxonomy) -> None:
    core, extended = taxonomy.packs["core"], taxonomy.packs["extended"]
    assert (len(core.events), len(core.norms)) == (17, 22)
    assert (len(extended.events), len(extended.norms), len(taxonomy.venues)) == (33, 106, 22)
    assert sum(len(norm.applicable_events) for norm in core.norms.values()) == 353
    assert sum(len(norm.applicable_events) for norm in extended.norms.values()) == 480


def test_content_speaks_of_nothing_that_is_not_shipped(taxonomy: Taxonomy) -> None:
    for pack in taxonomy.packs.values():
        for norm in pack.norms.values():
            text = " ".join([norm.rule, norm.elicitor_hint, norm.check.describe, norm.demonstration.guidance])
            assert not re.search(r"\b(profile card|the card|member cards|appendix [A-C]|\w+\.ya?ml)\b", text), norm.id


def test_a_pack_of_ones_own_loads_beside_the_shipped_ones(tmp_path: Path) -> None:
    loaded = load_taxonomy([write(tmp_path, files())])
    assert loaded.norm("reply_with_tea").counter == "reply_without_tea"
    assert set(loaded.packs) == {"core", "extended", "mine"}
    assert "apology" in loaded.lexicons("mine")


def norm(**changes: object) -> Callable[[Files], None]:
    def apply(content: Files) -> None:
        content["norms/tea.yaml"] = [{**NORM, **changes}, COUNTER]

    return apply


def check(**changes: object) -> Callable[[Files], None]:
    return norm(check={**NORM["check"], **changes})  # type: ignore[dict-item]


def event(**changes: object) -> Callable[[Files], None]:
    def apply(content: Files) -> None:
        content["events.yaml"] = [EVENT, {**EVENT, **changes}]

    return apply


def pack(**changes: object) -> Callable[[Files], None]:
    def apply(content: Files) -> None:
        content["pack.yaml"] = {**content["pack.yaml"], **changes}  # type: ignore[dict-item]

    return apply


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            norm(counter_norm="reply_with_te"),
            r"tea\.yaml:1: norm 'reply_with_tea': counter_norm 'reply_with_te' does not",
        ),
        (norm(counter_norm=None), "contrast type 'strict' needs counter_norm or cross_pack_counter"),
        (norm(counter_norm=None, cross_pack_counter="nobody"), "cross_pack_counter 'nobody' does not exist"),
        (norm(counter_norm=None, cross_pack_counter="bil_round_number"), "shares no event with it; add a common event"),
        (norm(applicable_events=["tea_brake"]), "unknown event 'tea_brake'; did you mean tea_break"),
        (norm(applicable_events=[]), "norm 'reply_with_tea' applies to no event; give it"),
        (norm(family="coffee"), "unknown family 'coffee'"),
        (norm(level=4), r"tea\.yaml:\d+: level: 4; allowed: 1, 2 or 3"),
        (norm(extra=1), r"tea\.yaml:\d+: extra: there is no such key"),
        (norm(ineligible=[{"events": ["tea_break"], "reason": "x"}]), "'tea_break' is both applicable and ineligible"),
        (norm(id="binary_answer_norm"), "norm 'binary_answer_norm' exists in the pack 'core' too"),
        (check(code={"op": "has_parm", "key": "x"}), "unknown operation 'has_parm'; did you mean one of: has_param"),
        (check(code={"op": "word_max", "m": 3}), r"operation 'word_max': .*the keys op, n"),
        (check(code={"op": "lex", "name": "apolog"}), "unknown lexicon 'apolog'; did you mean apology"),
        (check(code={"op": "rx", "p": "(a"}), r"regular expression '\(a' does not compile"),
        (check(params=[]), "uses the parameter 'drinks', which check.params does not list"),
        (check(mode="partial"), "mode 'partial' goes with code_role 'necessary'"),
        (check(code=None), "mode 'exact' needs code"),
        (event(id="lunch"), "event 'lunch' is used by no norm; add it to"),
        (event(), r"events\.yaml:\d+: the id 'tea_break' stands twice"),
        (pack(id="other"), "id 'other' must be the folder's name 'mine'"),
        (pack(lexicons_from=["cor"]), "lexicons_from names the pack 'cor'"),
    ],
)
def test_a_wrong_pack_is_named_with_file_id_and_remedy(
    tmp_path: Path, change: Callable[[Files], None], fault: str
) -> None:
    content = files()
    change(content)
    with pytest.raises(ContentError, match=fault) as caught:
        load_taxonomy([write(tmp_path, content)])
    assert str(tmp_path) in str(caught.value)


def test_a_probe_for_nobody_is_named(tmp_path: Path) -> None:
    probe = {"norm": "tee", "round": "1", "elicitor": "x", "subject": "A", "roster": ["A"], "adherent": ["tea"]}
    with pytest.raises(ContentError, match="a probe is for the unknown norm 'tee'"):
        _ = load_taxonomy([write(tmp_path, {**files(), "probes/unit.yaml": [probe]})]).probes


def test_a_folder_without_a_pack_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"no pack\.yaml here"):
        load_taxonomy([tmp_path])


def test_unknown_ids_offer_near_ones(taxonomy: Taxonomy) -> None:
    for ask, hint in (
        (lambda: taxonomy.norm("binary_norm"), "binary_answer_norm"),
        (lambda: taxonomy.venue("teams_lab"), "teams_wet_lab"),
        (lambda: taxonomy.event("core", "stand"), "standup"),
        (lambda: taxonomy.event("cor", "standup"), "core"),
    ):
        with pytest.raises(UserFault, match=hint):
            ask()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"round": "secnd"}, "unknown round 'secnd'; did you mean second"),
        ({"first_run": {"mode": "exact", "wrong": ["coffee"]}}, "holds 'coffee', which is none of its replies"),
    ],
)
def test_a_probe_of_no_known_round_or_with_a_foreign_first_run_is_named(
    tmp_path: Path, change: Files, fault: str
) -> None:
    with pytest.raises(ContentError, match=re.escape(fault)):
        _ = load_taxonomy([write(tmp_path, with_probe(**change))]).probes


def with_probe(**changes: object) -> Files:
    probe = {
        "norm": "reply_with_tea", "round": "second", "elicitor": "coming?", "subject": "Jo", "roster": ["Jo", "Mina"],
        "params": {"drinks": ["tea"]}, "adherent": ["tea first", "a cuppa"], "breaching": ["no tea for me", "yes"],
        "first_run": {"mode": "exact", "wrong": ["a cuppa"]}, **changes,
    }  # fmt: skip
    info = {**files()["pack.yaml"], "probe_rounds": {"second": {"blind": True, "note": "by Jo"}}}  # type: ignore[dict-item]
    return {**files(), "pack.yaml": info, "probes/second.yaml": [probe]}


def test_probes_are_counted_for_their_first_run_and_for_now(tmp_path: Path) -> None:
    loaded = load_taxonomy([write(tmp_path, with_probe())])
    then, now = (rate for rate in probe_rates(loaded) if rate.round == "second")
    assert (then.when, then.blind, then.mode, now.when) == ("first run", True, "exact", "now")
    assert (then.n_adherent, then.rejected, then.n_breaching, then.passed) == (2, 1, 2, 0)
    assert (now.n_adherent, now.rejected, now.n_breaching, now.passed) == (2, 1, 2, 1)
    wrong = [(item.reply, item.label) for item in misread(loaded) if item.round == "second"]
    assert wrong == [("a cuppa", "complies"), ("no tea for me", "breaches")]
    assert keeps_promise(rate for rate in probe_rates(loaded) if rate.round != "second")
    assert not keeps_promise([now])
