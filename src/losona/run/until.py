"""Runs until a claim is decided: asks both models block by block, and looks after every batch.

Knows the order of asking, testing and recording. The test is in `losona.stats.sequential`, the calls in `execute`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import pandas as pd
from rich.console import Console

from losona import stats
from losona.errors import UserFault
from losona.numbers import some
from losona.run.claim import Claim, Step, steps, within
from losona.run.execute import carry_out
from losona.run.outcome import Outcome
from losona.run.plan import Plan
from losona.run.record import Decision, Unit, read_record, record_decision
from losona.stats.sequential import Verdict, bound_for, decide, least_units

BATCH = 4
"""Blocks that are asked together, after a first batch with as many as a decision takes at least."""


@dataclass(frozen=True)
class Course:
    """The claim and the steps towards its decision."""

    claim: Claim
    """What is to be decided."""
    steps: tuple[Step, ...]
    """Steps that the budget allows."""
    n_steps: int
    """All steps that the scenarios give."""
    parts: int
    """Passes that the scenarios give: 1 or 2; they share the error."""

    @property
    def bound(self) -> float:
        """What an e-value must reach."""
        return bound_for(passes=self.parts)

    def plan(self, plan: Plan, n: int) -> Plan:
        """The plan with the scenarios of the first n steps."""
        wanted = {s.scenario_id for step in self.steps[:n] for s in step.asked}
        return replace(plan, selected=tuple(s for s in plan.selected if s.scenario_id in wanted))


def make_course(plan: Plan, claim: Claim, budget: int | None) -> Course:
    """Work out the steps. Raises `UserFault` where they cannot decide anything, whatever the models answer."""
    every = steps(plan.scenarios, plan.options.seed)
    allowed = within(every, budget)
    course = Course(claim, tuple(allowed), len(every), max(step.part for step in every))
    blocks, least = len({s.block for s in allowed}), least_units(course.bound)
    if blocks < least:
        why = f"--max {budget} allows" if len(allowed) < len(every) else "the scenarios hold"
        raise UserFault(
            f"--until-decided: {why} {blocks} independent blocks of norms, and even a model that is ahead in all of "
            f"them needs {least}; give more scenarios, a judge, or a larger --max."
        )
    return course


def carry_out_until(plan: Plan, course: Course, console: Console) -> tuple[Outcome, Decision]:
    """Run batch by batch. The outcome is that of everything asked; the decision is recorded after every batch."""
    for n in _looks(plan, course):
        part = course.plan(plan, n)
        outcome = carry_out(part, console)
        decision = _decision(course, n, part, outcome)
        outcome = replace(outcome, record=record_decision(outcome.folder, decision))
        console.print(_progress(decision), highlight=False, markup=False, soft_wrap=True)
        if decision.said != "undecided" or outcome.interrupted:
            break
    return outcome, decision  # pyright: ignore[reportPossiblyUnboundVariable]  # there is at least one look


def tell(decision: Decision) -> list[str]:
    """The decision in words."""
    a, b, place = decision.first, decision.second, f"{decision.condition}, {decision.variant}"
    scenarios = f"{decision.scenarios} of {some(decision.available, 'scenario')}"
    size = f"{some(decision.units, 'block')}, {scenarios}, {some(decision.calls, 'reply', 'replies')}"
    effect = (
        f"difference {100 * decision.mean:+.0f} points, {100 * decision.low:+.0f} to {100 * decision.high:+.0f} "
        "(an interval that holds whenever one stops)"
    )
    said = {
        "first": f"decided: {a} complies more often than {b} ({place})",
        "second": f"decided, the other way: {b} complies more often than {a} ({place})",
        "undecided": f"undecided: {a} and {b} cannot be told apart so far ({place})",
    }[decision.said]
    evidence = f"e-value {decision.e_first:.3g} for {a}, {decision.e_second:.3g} for {b}; {decision.bound:g} decides"
    return [f"{said}.", f"{evidence}. {size}.", f"{effect}."]


def describe(course: Course) -> str:
    """What the course may take, for a dry run."""
    n = sum(len(step.asked) for step in course.steps)
    return (
        f"until decided: {course.claim.text}; at least {least_units(course.bound)} blocks of norms, at most "
        f"{some(len({s.block for s in course.steps}), 'block')} and {some(n, 'scenario')}"
    )


def _looks(plan: Plan, course: Course) -> Iterator[int]:
    """Numbers of steps after which is looked: those of an earlier command at once, then batch by batch."""
    old = read_record(plan.options.folder())
    known = old.decisions[course.claim.text].steps if old and course.claim.text in old.decisions else 0
    n = min(max(known, least_units(course.bound)), len(course.steps))
    yield n
    while n < len(course.steps):
        n = min(n + BATCH, len(course.steps))
        yield n


def _decision(course: Course, n: int, plan: Plan, outcome: Outcome) -> Decision:
    claim, done = course.claim, course.steps[:n]
    gaps = _gaps(claim, outcome.gradings, outcome.replies, outcome.k)
    units = [(step, value) for step in done if (value := _mean(step, gaps)) is not None]
    verdict, part = _verdict(course, units)
    values = [value for step, value in units if step.part == part]
    one, two = (stats.e_values(values, sign).tolist() for sign in (1, -1))
    return Decision(
        claim=claim.text,
        first=claim.first,
        second=claim.second,
        condition=claim.condition,
        variant=claim.variant,
        said=verdict.said,
        e_first=verdict.e_first,
        e_second=verdict.e_second,
        bound=verdict.bound,
        mean=verdict.mean,
        low=verdict.low,
        high=verdict.high,
        part=part,
        steps=n,
        units=verdict.n_units,
        scenarios=len(plan.selected),
        available=sum(len(step.asked) for step in course.steps),
        calls=outcome.wanted - outcome.missing,
        seed=plan.options.seed,
        path=tuple(
            Unit(block=step.block, difference=value, e_first=e1, e_second=e2)
            for (step, value), e1, e2 in zip((u for u in units if u[0].part == part), one, two, strict=True)
        ),
    )


def _verdict(course: Course, units: Sequence[tuple[Step, float]]) -> tuple[Verdict, int]:
    """The first pass that decides, else the one that has looked at most blocks; and its number."""
    found = [(decide([v for s, v in units if s.part == part], course.bound), part) for part in (1, 2)]
    most = max(found, key=lambda entry: (entry[0].n_units, entry[1]))
    return next((entry for entry in found if entry[0].said != "undecided"), most)


def _gaps(claim: Claim, gradings: pd.DataFrame, replies: pd.DataFrame, k: int) -> dict[str, float]:
    """Scenario -> mean label of the first less that of the second, where both have one."""
    found = [s for s in stats.scores(replies, gradings, k) if s.condition == claim.condition and s.n_scored]
    first, second = ({s.scenario_id: s.mean for s in found if s.model == name} for name in (claim.first, claim.second))
    return {name: first[name] - second[name] for name in first.keys() & second.keys()}


def _mean(step: Step, gaps: dict[str, float]) -> float | None:
    """The unit of a step; none where nothing in it could be compared."""
    values = [gaps[s.scenario_id] for s in step.counted if s.scenario_id in gaps]
    return fmean(values) if values else None


def _progress(decision: Decision) -> str:
    return (
        f"after {some(decision.scenarios, 'scenario')}: difference {100 * decision.mean:+.0f} points, e-value "
        f"{decision.e_first:.3g} for {decision.first}, {decision.e_second:.3g} for {decision.second}; "
        f"{decision.bound:g} decides"
    )
