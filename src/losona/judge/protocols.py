"""How a judge is asked and how its answer is read: the protocols, by name. Pure.

`losona` is ours and the default. `paper` follows the paper's procedure and shape of an answer, for comparability.
`validity` asks only whether a member could have sent a reply, where code has decided the norm already.
Does not know models or panels.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from losona.conditions import Message, prompt_hash
from losona.judge import paper, sendable
from losona.judge.prompt import TEMPLATES, judge_messages, offered_codes, protocol_hash, shown_reply
from losona.judge.verdict import Verdict, parse_verdict
from losona.prompts import Templates
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy


@dataclass(frozen=True)
class Protocol:
    """One way to ask and to read."""

    name: str
    """As in `--judge-protocol`."""
    templates: tuple[str, ...]
    """Templates that it uses."""
    shape: type[BaseModel]
    """Shape of an answer."""
    messages: Callable[[Scenario, Taxonomy, str, Templates, int, int], tuple[Message, ...]]
    """Scenario, packs, reply, templates, seed and place in the panel -> what a judge is asked."""
    fields: Callable[[str, Scenario, Taxonomy, str], dict[str, Any]]
    """Answer, scenario, packs and reply -> fields of a grading; raises `AnswerFault`."""

    has_question: Callable[[Scenario], bool] = lambda _: True
    """Whether there is a question about replies to a scenario."""

    def hash(self, templates: Templates) -> str:
        """Hash (16 hex digits) of the prompts and of the shape that an answer must have."""
        return protocol_hash(self.templates, self.shape, templates)


def _verdict_fields(text: str, scenario: Scenario, taxonomy: Taxonomy, reply: str) -> dict[str, Any]:
    off = scenario.evaluation.expectation == "out_of_scope"
    found = parse_verdict(text, shown_reply(reply), offered_codes(scenario, taxonomy), must_respond=off)
    return {"label": found.verdict, **found.model_dump(exclude={"verdict"})}


LOSONA = Protocol("losona", TEMPLATES, Verdict, judge_messages, _verdict_fields)
PAPER = Protocol("paper", paper.TEMPLATES, paper.PaperVerdict, paper.messages, paper.fields, paper.has_question)
VALIDITY = Protocol("validity", sendable.TEMPLATES, sendable.Sendable, sendable.messages, sendable.fields)
PROTOCOLS = {protocol.name: protocol for protocol in (LOSONA, PAPER)}
"""What a run can be graded by."""


@dataclass(frozen=True)
class Procedure:
    """What all questions of a run share."""

    taxonomy: Taxonomy
    """Packs."""
    templates: Templates
    """Shipped templates or a user's."""
    protocol: Protocol = LOSONA
    """How it is asked."""
    seed: int = 0
    """Decides the words around the data."""

    @property
    def hash(self) -> str:
        """Hash of prompts and shape."""
        return self.protocol.hash(self.templates)

    def question(self, scenario: Scenario, reply: str, place: int = 0) -> "Question":
        """The question about one reply, as the judge at one place of a panel gets it."""
        return Question(self, scenario, reply, place)


@dataclass(frozen=True)
class Question:
    """One reply to one scenario, as a question to one judge."""

    procedure: Procedure
    """How it is asked."""
    scenario: Scenario
    """What the reply is graded by."""
    reply: str
    """A valid reply as it is graded."""
    place: int = 0
    """Place of the judge in its panel, from 0; each place has a word of its own around the data."""

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """What the judge gets. Raises `UserFault` for an unknown norm, `ContentError` for a faulty template."""
        p = self.procedure
        return p.protocol.messages(self.scenario, p.taxonomy, self.reply, p.templates, p.seed, self.place)

    @property
    def key(self) -> str:
        """Hash of the messages: equal questions have equal keys."""
        return prompt_hash(self.messages)

    def fields(self, answer: str) -> dict[str, Any]:
        """Fields of the grading that an answer gives; raises `AnswerFault`."""
        return self.procedure.protocol.fields(answer, self.scenario, self.procedure.taxonomy, self.reply)
