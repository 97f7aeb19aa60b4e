"""The question whether a member could have sent a reply, for replies whose norm code has decided. Pure.

Knows what was visible and the reply. Is told no norm, so that the answer cannot lean on one.
"""

from typing import Any

from pydantic import Field

from losona.conditions import Message
from losona.judge.answer import Prose, check_evidence, one_object, typed
from losona.judge.prompt import question_data, question_nonce, shown_reply
from losona.prompts import Templates
from losona.schema._base import Record
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy

TEMPLATES = ("judge", "judge_validity", "judge_validity_system", "judge_retry")
"""Templates of its prompts."""


class Sendable(Record):
    """An answer to it. The order of the fields is the order in which they are to be written."""

    evidence: tuple[str, ...] = Field(min_length=1)
    """The passages of the message that decide, copied word for word."""
    reasoning: Prose
    """One to three short sentences."""
    in_character: bool
    """A member of this chat could have sent the message as it stands."""
    responsive: bool
    """The message answers the last message."""
    consistent: bool
    """The message agrees with what bios and chat say."""


def messages(
    scenario: Scenario, taxonomy: Taxonomy, reply_text: str, templates: Templates, seed: int, place: int
) -> tuple[Message, ...]:
    """What a judge is asked."""
    data = question_data(scenario.visible, reply_text)
    prompt = templates.render("judge_validity", key=[], nonce=question_nonce(scenario, data, seed, place), **data)
    return Message("system", templates.render("judge_validity_system")), Message("user", prompt)


def fields(text: str, scenario: Scenario, taxonomy: Taxonomy, reply: str) -> dict[str, Any]:
    """Fields of a grading without a label. Raises `AnswerFault` whenever anything is in doubt."""
    found = typed(Sendable, one_object(text))
    check_evidence(found.evidence, shown_reply(reply))
    return found.model_dump()
