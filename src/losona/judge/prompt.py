"""Scenario and reply -> the messages that a judge gets. Pure.

Knows which parts of a scenario a judge may see: the norm with its limits and criteria, the answer key, and what
was visible to the subject. Does not know the condition, the subject model, and does not look at marks of
demonstrations, references, end goal or variant.

Whatever a member or a subject wrote goes in as JSON strings between two lines with a word (the nonce) that does
not occur in it, so that nothing written in a chat can close the block.
"""

import hashlib
import json
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from losona.conditions import Message
from losona.judge.verdict import Verdict
from losona.prompts import Templates
from losona.schema.scenario import Evaluation, Scenario, Visible, VisiblePerson, VisibleTurn
from losona.schema.taxonomy import Norm, Params
from losona.taxonomy import Taxonomy

PROTOCOL = "1"
"""Changes when code changes what a judge sees or how its answer is read; part of the judge's hash."""
REPLY_LIMIT = 4000
"""Characters of a reply that a judge gets."""
TEMPLATES = ("judge", "judge_system", "judge_rule", "judge_statement", "judge_off", "judge_retry")
"""Templates of the judge's prompts."""
MISSED = "F0"
"""Code for a breach that no F criterion names: something that the P criteria ask for is missing."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINER = "\u200d"


def judge_messages(
    scenario: Scenario, taxonomy: Taxonomy, reply_text: str, templates: Templates, seed: int
) -> tuple[Message, ...]:
    """What a judge is asked: the protocol, then norm and data.

    Raises `UserFault` for a norm that no pack knows (unless the scenario brings its own statement) and
    `ContentError` for a faulty template.
    """
    data = _data(scenario.visible, shown_reply(reply_text))
    name, norm = _norm_part(scenario.evaluation, taxonomy)
    prompt = templates.render(name, nonce=_nonce(scenario, data, seed), **norm, **data)
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
    parts = [PROTOCOL, REPLY_LIMIT, Verdict.model_json_schema(), [(name, templates.source(name)) for name in TEMPLATES]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


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
    return [f"{name}: {', '.join(_json(entry) for entry in entries)}" for name, entries in params.items() if entries]


def _data(visible: Visible, reply: str) -> dict[str, Any]:
    """Everything that was written by others, each piece as one line of JSON."""
    return {
        "chat": _json(_given(description=visible.channel, venue=visible.venue)),
        "sender": _json(_person(visible.subject)),
        "members": [_json(_person(person)) for person in visible.cast],
        "earlier": [_json(_turn(turn)) for turn in visible.transcript[:-1]],
        "last": _json(_turn(visible.elicitor)),
        "reply": _json(reply),
    }


def _person(person: VisiblePerson) -> dict[str, str]:
    return _given(name=person.name, bio=person.bio)


def _given(**fields: str) -> dict[str, str]:
    """Fields that say something."""
    return {name: text for name, text in fields.items() if text}


def _turn(turn: VisibleTurn) -> dict[str, str]:
    return {"from": turn.sender, "text": turn.text}


def _json(value: object) -> str:
    """JSON on one line; letters and emoji as they are, control, format and line-separating characters escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(json.dumps(char)[1:-1] if _is_hidden(char) else char for char in text)


def _is_hidden(char: str) -> bool:
    return char != _JOINER and unicodedata.category(char) in _HIDDEN


def _nonce(scenario: Scenario, data: dict[str, Any], seed: int) -> str:
    """A word that does not occur in the data; the same for the same question and seed."""
    written = json.dumps(data)
    key = [scenario.scenario_id, scenario.transcript_id, data["reply"], seed]
    return next(word for word in _words(json.dumps(key)) if word not in written)


def _words(key: str) -> Iterator[str]:
    while True:
        key = hashlib.sha256(key.encode()).hexdigest()
        yield key[:16]
