"""Questions to judges: one call with one retry each, and the gradings of a panel. Equal questions are asked once.

Knows Inspect. Does not know runs, nor whether code has decided already.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
from inspect_ai.model import Model
from pydantic import RootModel

from losona.judge.line import Line, answer_schema
from losona.judge.panel import majority, verdicts
from losona.judge.prompt import retry_message
from losona.judge.protocols import VALIDITY, Procedure, Question
from losona.judge.verdict import may_answer
from losona.schema.results import Grading
from losona.schema.scenario import Scenario

Asked = tuple[str, str]
"""Judge and key of the question."""
OPEN = {"input_tokens": 0, "output_tokens": 0, "cost": None, "shared": True}
"""What an answer costs that was there already."""


class _Fields(RootModel[dict[str, Any]]):
    """Fields of a grading, as a line hands them through."""


async def judge_reply(model: Model, question: Question) -> Grading:
    """Ask a judge one question.

    A vote that cannot be used is asked for once more and then void. A void vote and a provider's failure give the
    label `unscored` with the reason in `error`; cancellation and Inspect's limits go through.
    """
    blank = _blank(model, question)
    if not question.reply.strip():
        return blank.model_copy(update={"error": "nothing to judge: the reply is empty"})
    protocol, templates = question.procedure.protocol, question.procedure.templates
    line = Line(model, answer_schema("verdict", protocol.shape))
    answer = await line.ask(
        question.messages,
        lambda text: _Fields(question.fields(text)),
        lambda fault: retry_message(fault, templates),
    )
    spent = {"input_tokens": line.input_tokens, "output_tokens": line.output_tokens, "cost": line.cost}
    return blank.model_copy(update=({"error": answer} if isinstance(answer, str) else answer.root) | spent)


def _blank(model: Model, question: Question) -> Grading:
    scenario = question.scenario
    return Grading(
        scenario_id=scenario.scenario_id,
        norm=scenario.evaluation.norm,
        expectation=scenario.evaluation.expectation,
        grader=str(model),
        grader_hash=question.procedure.hash,
        prompt_hash=question.key if question.reply.strip() else "",
        label="unscored",
    )


@dataclass
class Panel:
    """The judges of a run, and all that they have answered."""

    judges: Sequence[Model]
    """One or more, in order."""
    procedure: Procedure
    """How they are asked."""
    validity: bool = False
    """Ask about replies that code has decided whether a member could have sent them."""
    known: dict[Asked, Grading] = field(default_factory=dict[Asked, Grading])
    """Answers that are there already."""
    _locks: dict[Asked, anyio.Lock] = field(default_factory=dict[Asked, anyio.Lock], repr=False)

    async def grade(self, scenario: Scenario, reply: str) -> list[Grading]:
        """The votes, advisory, and the verdict; of one judge its vote alone."""
        return verdicts(await self._votes(scenario, reply, self.procedure), self.procedure.hash)

    async def look(self, by_code: Grading, scenario: Scenario, reply: str) -> list[Grading]:
        """A reply that code has decided: the judges' advisory answers, and code's grading with what most say."""
        votes = await self._votes(scenario, reply, replace(self.procedure, protocol=VALIDITY))
        asked = ("in_character", "responsive", "consistent")
        said = {name: majority([getattr(vote, name) for vote in votes]) for name in asked}
        return [*(vote.model_copy(update={"advisory": True}) for vote in votes), by_code.model_copy(update=said)]

    async def _votes(self, scenario: Scenario, reply: str, procedure: Procedure) -> list[Grading]:
        return [
            await self._vote(judge, procedure.question(scenario, reply, place))
            for place, judge in enumerate(self.judges)
        ]

    async def _vote(self, judge: Model, question: Question) -> Grading:
        if not question.reply.strip():
            return await judge_reply(judge, question)
        asked = (str(judge), question.key)
        async with self._locks.setdefault(asked, anyio.Lock()):
            if asked in self.known:
                names = {"scenario_id": question.scenario.scenario_id, "advisory": False}
                return self.known[asked].model_copy(update=OPEN | names)
            vote = await judge_reply(judge, question)
            if not may_answer(vote.grader, vote.error):
                self.known[asked] = vote
            return vote
