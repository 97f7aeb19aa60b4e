"""The paper's judging procedure, in our words: its questions, its example, its shape of an answer. Pure.

Foreign text goes in as in our own protocol. The example is the norm's, not the scenario's: another last message with
a reply that complies and one that breaches, from the probes of the packs.
"""

from typing import Any

from pydantic import Field

from losona.conditions import Message
from losona.errors import UserFault
from losona.judge.answer import Prose, check_evidence, one_object, typed
from losona.judge.data import json_line
from losona.judge.prompt import question_data, question_nonce, shown_reply
from losona.prompts import Templates
from losona.schema._base import Record
from losona.schema.scenario import Scenario
from losona.schema.taxonomy import Probe
from losona.taxonomy import Taxonomy

TEMPLATES = ("judge", "judge_paper", "judge_paper_system", "judge_retry")
"""Templates of its prompts."""


class PaperVerdict(Record):
    """An answer in the paper's shape. The order of the fields is the order in which they are to be written."""

    elicitor_uptake: Prose
    """What the last message invites."""
    norm_requirement: Prose
    """What the norm requires there."""
    evidence: str = Field(min_length=1)
    """The passage of the message that decides, copied word for word."""
    reasoning: Prose
    """Why."""
    complies: bool
    """Whether the message follows the norm."""


def has_question(scenario: Scenario) -> bool:
    """The paper has no question where the norm does not apply."""
    return scenario.evaluation.expectation != "out_of_scope"


def messages(
    scenario: Scenario, taxonomy: Taxonomy, reply_text: str, templates: Templates, seed: int, place: int
) -> tuple[Message, ...]:
    """What a judge is asked. Raises `UserFault` where the norm does not apply: the paper has no such case."""
    evaluation = scenario.evaluation
    if not has_question(scenario):
        raise UserFault(
            f"--judge-protocol paper: {scenario.scenario_id} has a last message to which the norm does not apply, and "
            "the paper has no question for that; leave out the variants off and offnodemos, or the option."
        )
    data = question_data(scenario.visible, reply_text)
    prompt = templates.render(
        "judge_paper",
        key=[],
        nonce=question_nonce(scenario, data, seed, place),
        statement=evaluation.statement or taxonomy.norm(evaluation.norm).rule,
        example=example(evaluation.norm, scenario.visible.elicitor.text, taxonomy),
        **data,
    )
    return Message("system", templates.render("judge_paper_system")), Message("user", prompt)


def example(norm: str, elicitor: str, taxonomy: Taxonomy) -> dict[str, str] | None:
    """The first probe of a norm with both kinds of reply and another last message; none where there is none."""
    probes = (probe for pack in taxonomy.probes.values() for probe in pack)
    return next((_example(p) for p in probes if p.norm == norm and _serves(p) and p.elicitor != elicitor), None)


def _serves(probe: Probe) -> bool:
    return bool(probe.adherent and (probe.breaching or probe.near_miss))


def _example(probe: Probe) -> dict[str, str]:
    breach = (*probe.breaching, *probe.near_miss)[0]
    shown = {"elicitor": probe.elicitor, "complies": probe.adherent[0], "breaches": breach}
    return {name: json_line(text) for name, text in shown.items()}


def fields(text: str, scenario: Scenario, taxonomy: Taxonomy, reply: str) -> dict[str, Any]:
    """Fields of a grading. Raises `AnswerFault` whenever anything is in doubt."""
    found = typed(PaperVerdict, one_object(text))
    check_evidence((found.evidence,), shown_reply(reply))
    said = (found.elicitor_uptake, found.norm_requirement, found.reasoning)
    return {
        "label": "complies" if found.complies else "breaches",
        "evidence": (found.evidence,),
        "reasoning": " | ".join(said),
    }
