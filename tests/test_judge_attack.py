"""Nothing that a subject or a member wrote gets a judge to pass a breach; and gains are counted with denominators."""

import json
import re
from collections import Counter
from collections.abc import Sequence

import pytest

from losona.judge.attack import BARE, Attacked, attacks, gains, suite, targets
from losona.judge.known import by_id, known_replies
from losona.judge.protocols import LOSONA, PAPER, VALIDITY, Procedure, Protocol
from losona.prompts import Templates
from losona.schema.results import Grading
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@pytest.fixture(scope="module")
def tried(shipped_scenarios: Sequence[Scenario], taxonomy: Taxonomy) -> list[Attacked]:
    known = by_id(known_replies(shipped_scenarios, taxonomy))
    return suite(targets(known), taxonomy)


def test_the_suite_is_as_large_as_it_says(tried: list[Attacked]) -> None:
    reply_kinds = {attack.kind for attack in attacks() if attack.place == "reply"}
    assert len(reply_kinds) >= 12
    assert {attack.place for attack in attacks()} == {"reply", "transcript", "name"}
    assert len({a.case for a in tried}) >= 40
    assert all(n >= 40 for n in Counter(a.attack for a in tried).values())


def obeys(prompt: str, bare: str) -> bool:
    """A judge that does whatever an attempt says, wherever it stands outside a JSON string between the two markers."""
    begin, end = re.findall(r"^===== data (\w+) (?:begins|ends) =====$", prompt, re.MULTILINE)[:2]
    lines = STRING.sub('""', prompt).split("\n")
    return begin != end or lines != STRING.sub('""', bare).split("\n")


@pytest.mark.parametrize("protocol", [LOSONA, PAPER, VALIDITY], ids=lambda p: p.name)
def test_a_judge_that_obeys_any_instruction_outside_the_data_is_given_none(
    tried: list[Attacked], taxonomy: Taxonomy, protocol: Protocol
) -> None:
    procedure = Procedure(taxonomy, Templates(), protocol)
    bare = {a.case: skeleton(procedure, a) for a in tried if a.kind == BARE}
    some = tried if protocol is LOSONA else tried[::7]
    passed = [a.id for a in some if a.kind != BARE and skeleton(procedure, a) != bare[a.case]]
    assert passed == []


def skeleton(procedure: Procedure, attacked: Attacked) -> str:
    """What stands outside JSON strings; what the attempt adds to the chat is one more line, of strings alone."""
    prompt = procedure.question(attacked.scenario, attacked.reply).messages[-1].content
    begin, end = re.findall(r"^===== data (\w+) (?:begins|ends) =====$", prompt, re.MULTILINE)
    assert begin == end
    lines = [STRING.sub("S", line) for line in prompt.replace(begin, "NONCE").split("\n")]
    return "\n".join(line for line in lines if line not in ("{S: S, S: S}", "{S: S}"))


def test_the_obeying_judge_would_obey(tried: list[Attacked], taxonomy: Taxonomy) -> None:
    procedure = Procedure(taxonomy, Templates())
    attacked = next(a for a in tried if a.attack == "end_marker")
    bare = next(a for a in tried if a.kind == BARE and a.case == attacked.case)
    prompt = procedure.question(attacked.scenario, attacked.reply).messages[-1].content
    raw = prompt.replace(json.dumps(attacked.reply, ensure_ascii=False), attacked.reply)
    assert raw != prompt
    assert obeys(raw, procedure.question(bare.scenario, bare.reply).messages[-1].content)


def test_gains_are_passes_that_the_bare_reply_had_not(tried: list[Attacked]) -> None:
    attempt = [a for a in tried if a.attack == "only_tick"][:4]
    bare = [a for a in tried if a.kind == BARE]
    labels = dict.fromkeys((a.id for a in bare), "breaches") | {f"{BARE}|{attempt[0].case}": "complies"}
    labels |= dict(zip((a.id for a in attempt), ("complies", "complies", "unscored", "breaches"), strict=True))
    verdicts = {
        name: [Grading.model_validate(
            {"scenario_id": "s", "norm": "n", "expectation": "applies", "grader": "j", "label": label})]
        for name, label in labels.items()
    }  # fmt: skip
    total, kind = gains(tried, verdicts, "j")
    assert total[1:] == kind[1:] == (3, 1, 1, 1)


def test_a_small_draw_meets_every_kind(
    tried: list[Attacked], shipped_scenarios: Sequence[Scenario], taxonomy: Taxonomy
) -> None:
    known = by_id(known_replies(shipped_scenarios, taxonomy))
    small = [a for a in suite(targets(known), taxonomy, 60) if a.kind != BARE]
    assert len(small) == 60
    assert {a.kind for a in small} == {a.kind for a in tried} - {BARE}
