"""The Inspect task: one sample a planned frame, its stages as calls of one solver.

Knows Inspect. Does not know the terminal, or how a command is carried out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import Model, ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from losona import __version__
from losona.generate.ask import Line
from losona.generate.author import Author, Setup
from losona.generate.budget import Budget
from losona.generate.plan import Planned
from losona.generate.store import Store
from losona.generate.work import Finished

SHOWN = 300
"""Characters of a reason in the log."""


@dataclass(frozen=True)
class Workshop:
    """What the samples of a task share."""

    setup: Setup
    """Content, prompts, repairs."""
    store: Store
    """The folder."""
    budget: Budget
    """Bounds of the command."""
    settings: Mapping[str, Any]
    """temperature, max_tokens, attempt_timeout, max_retries, seed."""
    watch: Callable[[Finished], None]
    """Told of every frame that has an outcome."""


def build_task(orders: Mapping[str, Planned], workshop: Workshop, model: Model) -> Task:
    """The task for some planned frames, by the keys of what was asked for."""
    samples = [Sample(id=key, input=planned.tuple_id) for key, planned in orders.items()]
    return Task(
        dataset=MemoryDataset(samples, name="losona-generate"),
        solver=write_frame(orders, workshop, model),
        scorer=accepted_frame(),
        model=model,
        name="losona_generate",
        display_name="losona generate",
        metadata={"losona": __version__, "language": workshop.setup.language, "repairs": workshop.setup.repairs},
    )


@solver
def write_frame(orders: Mapping[str, Planned], workshop: Workshop, model: Model) -> Solver:
    """All stages of one frame; its files are written as soon as it is finished."""
    store, setup = workshop.store, workshop.setup

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        key = str(state.sample_id)
        planned = orders[key]
        work = store.work(key, planned.tuple_id)
        line = Line(
            model,
            dict(workshop.settings),
            workshop.budget,
            first_seed(setup.seed, key, work.calls),
            names=planned.names,
        )
        author = Author(planned, setup, line, work, store.keep, lambda title: store.claim(title, key))
        finished = await author.make()
        if store.taken(finished):
            finished = await author.make_renamed()
        path = store.deliver(finished)
        workshop.watch(finished)
        state.metadata["outcome"] = {"status": finished.status, "file": str(path), "reason": finished.reason[:SHOWN]}
        state.output = ModelOutput.from_content(str(model), f"{finished.status} {finished.reason[:SHOWN]}".strip())
        return state

    return solve


def first_seed(base: int, key: str, calls: Mapping[str, int]) -> int:
    """Where the seeds of a frame's calls begin: other frames have others, and a resumed frame goes on."""
    return base + int(key[:7], 16) + sum(calls.values())


@metric
def accepted() -> Metric:
    """Frames without a finding that blocks."""
    return _count("accepted")


@metric
def rejected() -> Metric:
    """Frames that were kept with what is wrong with them."""
    return _count("rejected")


@metric
def unfinished() -> Metric:
    """Frames that a failed call or a bound stopped."""
    return _count("failed", "stopped")


def _count(*statuses: str) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        return float(sum((score.score.metadata or {}).get("status") in statuses for score in scores))

    return compute


@scorer(metrics=[accepted(), rejected(), unfinished()])
def accepted_frame() -> Scorer:
    """Whether a planned frame came out without a finding that blocks."""

    async def score(state: TaskState, target: Target) -> Score:
        outcome = state.metadata["outcome"]
        return Score(value=float(outcome["status"] == "accepted"), explanation=outcome["reason"], metadata=outcome)

    return score


def keyed(planned: Sequence[Planned], model: str, seed: int, language: str) -> dict[str, Planned]:
    """Planned frames by the key of what was asked for."""
    return {one.key(model, seed, language): one for one in planned}
