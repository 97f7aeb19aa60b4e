"""The task that puts questions about frames to a judge: one sample a question, every vote told as it comes.

Knows Inspect. Does not know what is asked, nor what becomes of a vote.
"""

import json
from collections.abc import Callable, Mapping, Sequence

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import Model, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from losona import BENCHMARK_VERSION
from losona.curation.question import Question
from losona.judge.line import Line, answer_schema, chat_message
from losona.judge.prompt import retry_message
from losona.prompts import Templates
from losona.providers.epoch import EPOCH
from losona.schema.frame_record import CheckVote

Told = Callable[[Question, CheckVote, int], None]
"""Told of each vote, with the tokens that it took."""


def build_review_task(judge: str, model: Model, asked: Sequence[Question], templates: Templates, told: Told) -> Task:
    """The task of one check for one judge; `judge` is how votes name it."""
    questions = {f"{q.frame}|{q.arm or 'control'}|{q.unit}|{q.epoch}": q for q in asked}
    samples = [
        Sample(
            id=name,
            input=[chat_message(message) for message in question.messages],
            metadata={"check": question.check, "prompt_hash": question.prompt},
        )
        for name, question in questions.items()
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"losona-{asked[0].check}"),
        solver=vote(judge, model, questions, templates, told),
        model=model,
        name=f"losona_{asked[0].check}",
        display_name=f"losona {asked[0].check}",
        version=BENCHMARK_VERSION,
    )


@solver
def vote(judge: str, model: Model, questions: Mapping[str, Question], templates: Templates, told: Told) -> Solver:
    """One question, one retry, one vote."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = questions[str(state.sample_id)]
        EPOCH.set(question.epoch)
        line = Line(model, answer_schema(question.check, question.shape))
        answer = await line.ask(question.messages, question.read, lambda fault: retry_message(fault, templates))
        cast = CheckVote(
            judge=judge, epoch=question.epoch, unit=question.unit, prompt=question.prompt, right=None
        )  # fmt: skip
        said = {"error": answer} if isinstance(answer, str) else answer.model_dump()
        cast = cast.model_copy(update=said)
        told(question, cast, line.input_tokens + line.output_tokens)
        state.output = ModelOutput.from_content(str(model), cast.error or json.dumps(cast.answer, ensure_ascii=False))
        return state

    return solve
