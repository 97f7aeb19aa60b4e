"""Scenario and reply -> the messages that a judge gets. Pure.

Knows which parts of a scenario a judge may see: the norm with its limits and criteria, the answer key, and what
was visible to the subject. Does not know the condition, the subject model, and does not look at marks of
demonstrations, references, end goal or variant.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from losona.conditions import Message
from losona.judge.data import json_line, nonce, setting, turn_line
from losona.judge.verdict import Verdict
from losona.prompts import Templates
from losona.schema.scenario import Evaluation, Scenario, Visible
from losona.schema.taxonomy import Norm, Params
from losona.taxonomy import Taxonomy

VERSION = "3"
"""Changes when code changes what a judge sees or how its answer is read; part of the judge's hash."""
REPLY_LIMIT = 4000
"""Characters of a reply that a judge gets."""
TEMPLATES = ("judge", "judge_system", "judge_rule", "judge_statement", "judge_off", "judge_retry")
"""Templates of the judge's prompts."""
MISSED = "F0"
"""Code for a breach that no F criterion names: something that the P criteria ask for is missing."""


def judge_messages(
    scenario: Scenario, taxonomy: Taxonomy, reply_text: str, templates: Templates, seed: int, place: int = 0
) -> tuple[Message, ...]:
    """What a judge is asked: the protocol, then norm and data. `place` is its place in a panel, from 0.

    Raises `UserFault` for a norm that no pack knows (unless the scenario brings its own statement) and
    `ContentError` for a faulty template.
    """
    data = question_data(scenario.visible, reply_text)
    name, norm = _norm_part(scenario.evaluation, taxonomy)
    word = question_nonce(scenario, data, seed, place)
    prompt = templates.render(name, nonce=word, **norm, **data)
    return (Message("system", templates.render("judge_system")), Message("user", prompt))


def retry_message(fault: str, templates: Templates) -> Message:
    """The answer to a vote that could not be used."""
    return Message("user", templates.render("judge_retry", fault=fault))


def offered_codes(scenario: Scenario, taxonomy: Taxonomy) -> tuple[str, ...]:
    """Criterion codes that the judge of this scenario may cite; none where there is no numbered rubric."""
    if not _has_rubric(scenario.evaluation):
        return ()
    norm = taxonomy.norm(scenario.evaluation.norm)
    return (
        *_codes("P", norm.pass_criteria),
        MISSED,
        *_codes("F", norm.fail_criteria),
        *_codes("B", norm.borderline),
    )


def _codes(letter: str, criteria: Sequence[str]) -> Iterator[str]:
    return (f"{letter}{number}" for number in range(1, len(criteria) + 1))


def shown_reply(reply_text: str) -> str:
    """The part of a reply that a judge gets."""
    return reply_text[:REPLY_LIMIT]


def judge_hash(templates: Templates) -> str:
    """Hash (16 hex digits) of the judge's prompts and of the shape that its answer must have."""
    return protocol_hash(TEMPLATES, Verdict, templates)


def protocol_hash(used: Sequence[str], shape: type[BaseModel], templates: Templates) -> str:
    """The same for a protocol with other templates and another shape."""
    parts = [VERSION, REPLY_LIMIT, shape.model_json_schema(), [(name, templates.source(name)) for name in used]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def question_nonce(scenario: Scenario, data: dict[str, Any], seed: int, place: int) -> str:
    """The word around the data: equal for equal questions to equal places of a panel."""
    evaluation = scenario.evaluation
    asked = [evaluation.norm, evaluation.statement, evaluation.expectation == "out_of_scope"]
    return nonce([*asked, scenario.transcript_id, data["reply"], seed, place], data)


def _has_rubric(evaluation: Evaluation) -> bool:
    return not evaluation.statement and evaluation.expectation != "out_of_scope"


def _norm_part(evaluation: Evaluation, taxonomy: Taxonomy) -> tuple[str, dict[str, Any]]:
    """Template and variables for the norm; a row's own statement takes the place of rule and rubric."""
    statement, key = evaluation.statement, _answer_key(evaluation.params)
    norm: Norm | None = None if statement else taxonomy.norm(evaluation.norm)
    if evaluation.expectation == "out_of_scope":
        return "judge_off", {"norm": norm, "statement": statement, "why": evaluation.off_why, "key": key}
    if norm is None:
        return "judge_statement", {"statement": statement, "key": key}
    return "judge_rule", {"norm": norm, "key": key}


def _answer_key(params: Params) -> list[str]:
    return [
        f"{name}: {', '.join(json_line(entry) for entry in entries)}" for name, entries in params.items() if entries
    ]


def question_data(visible: Visible, reply_text: str) -> dict[str, Any]:
    """Everything that was written by others, each piece as one line of JSON."""
    return {
        **setting(visible),
        "earlier": [turn_line(turn) for turn in visible.transcript[:-1]],
        "last": turn_line(visible.elicitor),
        "reply": json_line(shown_reply(reply_text)),
    }
