"""Puts replies to judges and writes down what they say; goes on where it stopped. Does not know what it is for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from rich.console import Console

from losona.clock import now_exactly
from losona.errors import RunRefused, UserFault
from losona.journal import Journal
from losona.judge.ask import Panel
from losona.judge.protocols import PROTOCOLS, Procedure
from losona.judge.verdict import may_answer
from losona.prompts import Templates
from losona.run.alone import alone
from losona.run.answers import ANSWERS, Answered, AskedOf, Verdicts, answers_to, claim, refuse_others
from losona.run.judges import open_judges
from losona.run.preflight import check_model, missing_for_model
from losona.run.progress import RunProgress
from losona.schema.results import Grading
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy

AT_ONCE = 20
"""Replies that are put to judges at once, where the user gives no bound."""


@dataclass(frozen=True)
class Asked:
    """One reply that judges are asked about."""

    id: str
    """Unique among what is asked."""
    scenario: Scenario
    """What it is graded by."""
    reply: str
    """The reply as it is graded."""


Keep = Callable[[Asked, Sequence[Grading]], None]


@dataclass(frozen=True)
class JudgeOptions:
    """Judges as asked for on the command line."""

    judges: tuple[str, ...]
    """One, or several as a panel."""
    protocol: str = "losona"
    """losona or paper."""
    prompts: Path | None = None
    """Templates that replace shipped ones."""
    seed: int = 0
    """Decides the words around the data, and what is drawn."""
    max_tokens: int = 8192
    """Bound on a verdict."""
    max_connections: int | None = None
    """Calls at once for each judge."""
    max_retries: int = 3
    """How often a failed provider call is tried again."""

    def checked(self) -> "JudgeOptions":
        """The same, if there is such a provider for each judge; else a `UserFault`."""
        if not self.judges:
            raise UserFault("no judge is given; give --judge MODEL.")
        for judge in self.judges:
            check_model("--judge", judge)
        if doubled := [judge for judge in self.judges if self.judges.count(judge) > 1]:
            raise UserFault(f"--judge {doubled[0]} is given twice; the votes of a panel must be independent.")
        return self

    def procedure(self, taxonomy: Taxonomy) -> Procedure:
        """How they are asked."""
        return Procedure(taxonomy, Templates(self.prompts), PROTOCOLS[self.protocol], self.seed)


def put_to_judges(
    asked: Sequence[Asked], options: JudgeOptions, procedure: Procedure, folder: Path, console: Console
) -> tuple[Verdicts, bool]:
    """Gradings by id, and whether the user interrupted. What stands in `folder` already is not asked for again.

    All questions are made, and all that can be refused is, before a judge is asked.
    """
    keys = question_keys(asked, procedure, len(options.judges))
    whose = AskedOf(begun=now_exactly(), judges=options.judges, protocol=options.protocol, grader_hash=procedure.hash,
                    seed=options.seed)  # fmt: skip
    refuse_others(folder, whose)
    path, interrupted = folder / ANSWERS, False
    if len(answers_to(keys, path)) < len(asked):
        _refuse_missing(options)
        with alone(folder):
            claim(folder, whose)
            done = answers_to(keys, path)
            todo = [item for item in asked if item.id not in done]
            interrupted = _ask(todo, options, _panel(options, procedure, done), path, console)
    return answers_to(keys, path), interrupted


def question_keys(asked: Sequence[Asked], procedure: Procedure, n_judges: int) -> dict[str, list[str]]:
    """Id -> keys of the questions about it, one a judge; empty for an empty reply, about which nobody is asked.

    Raises `UserFault` for what the protocol has no question for.
    """
    return {
        item.id: [_key(procedure, item, place) if item.reply.strip() else "" for place in range(n_judges)]
        for item in asked
    }


def _key(procedure: Procedure, item: Asked, place: int) -> str:
    return procedure.question(item.scenario, item.reply, place).key


def _panel(options: JudgeOptions, procedure: Procedure, done: Verdicts) -> Panel:
    judges = open_judges(options.judges, options.max_retries, options.max_tokens)
    return Panel(judges, procedure, known={
        (g.grader, g.prompt_hash): g for gradings in done.values() for g in gradings if g.prompt_hash
    })  # fmt: skip


def _ask(todo: Sequence[Asked], options: JudgeOptions, panel: Panel, path: Path, console: Console) -> bool:
    """Ask, and write each answer down when it comes; true when the user interrupted."""
    with RunProgress("replies judged", len(todo), console) as progress, Journal(path) as journal:

        def keep(item: Asked, gradings: Sequence[Grading]) -> None:
            journal.add(Answered(id=item.id, gradings=tuple(gradings)))
            failed = next((g.error for g in gradings if may_answer(g.grader, g.error)), "")
            tokens = sum(g.input_tokens + g.output_tokens for g in gradings)
            progress.count(tokens, sum(g.cost or 0.0 for g in gradings), failed)

        try:
            anyio.run(_ask_all, todo, panel, options.max_connections or AT_ONCE, keep)
        except KeyboardInterrupt:
            return True
    return False


async def _ask_all(todo: Sequence[Asked], panel: Panel, at_once: int, keep: Keep) -> None:
    limiter = anyio.CapacityLimiter(at_once)

    async def ask(item: Asked) -> None:
        async with limiter:
            keep(item, await panel.grade(item.scenario, item.reply))

    async with anyio.create_task_group() as group:
        for item in todo:
            group.start_soon(ask, item)


def _refuse_missing(options: JudgeOptions) -> None:
    for judge in options.judges:
        faults = [fault for fault in missing_for_model(judge) if not fault.startswith("the weights")]
        if faults:
            raise RunRefused(f"--judge {judge} lacks {'; '.join(faults)}.")


def prompt_rows(asked: Sequence[Asked], procedure: Procedure, n_judges: int = 1) -> list[dict[str, Any]]:
    """Every question with its key, for answers from elsewhere, in an order that tells nothing. Holds no label."""
    questions = [procedure.question(a.scenario, a.reply, place) for a in asked for place in range(n_judges)]
    rows = {
        question.key: {
            "prompt_hash": question.key,
            "epoch": 1,
            "messages": [{"role": m.role, "content": m.content} for m in question.messages],
        }
        for question in questions
    }
    return [rows[key] for key in sorted(rows)]
