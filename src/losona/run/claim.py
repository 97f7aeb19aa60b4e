"""`--until-decided "A>B on CONDITION"`: what is claimed, and in which units a set of scenarios can decide it.

Knows scenarios and their order. Calls nothing and computes no statistic.

Scenarios of one norm are not independent, and neither are the two arms of a frame. So scenarios that hang together by
a norm or a frame make one *block*, and blocks are what the test counts. Where blocks hold much more than a frame, a
first pass asks one frame of every block, and a second one asks the rest and looks at whole blocks; else whole blocks
are asked at once. The order is drawn from the seed: it is the same when the command is given again, and does not depend
on what models answer.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from losona.conditions import PAPER_CONDITIONS, check_condition
from losona.errors import UserFault
from losona.run.options import DEFAULT_VARIANTS, RunOptions
from losona.scenarios import Selection
from losona.schema.scenario import Scenario

LITTLE = 0.5
"""Up to this share of the first pass a rest is asked along with it."""
EXAMPLE = "for example 'new>old on norm_informed'"


@dataclass(frozen=True)
class Claim:
    """One model complies more often than another."""

    first: str
    """Name of the model that is said to be ahead."""
    second: str
    """Name of the other."""
    condition: str
    """Condition of the prompts."""
    variant: str
    """Variant of the scenarios."""

    @property
    def text(self) -> str:
        """As it is kept in the record."""
        return f"{self.first}>{self.second} on {self.condition}:{self.variant}"


@dataclass(frozen=True)
class Step:
    """What is asked next, and what is looked at then."""

    block: str
    """Norms of the block."""
    part: int
    """Pass, from 1."""
    asked: tuple[Scenario, ...]
    """Scenarios that are asked in this step."""
    counted: tuple[Scenario, ...]
    """Scenarios whose mean difference is the unit."""


def narrowed(options: RunOptions, text: str) -> tuple[RunOptions, Claim]:
    """The claim, and the options with what it needs and no more. Raises `UserFault` where they do not go together."""
    claim = parse_claim(text, [model.name for model in options.models])
    if options.conditions not in (PAPER_CONDITIONS, (claim.condition,)):
        given = ", ".join(options.conditions)
        raise UserFault(f"--condition {given}: --until-decided asks {claim.condition} alone; leave --condition out.")
    if options.selection.variants not in (DEFAULT_VARIANTS, (claim.variant,)):
        given = ", ".join(options.selection.variants)
        raise UserFault(
            f"--variant {given}: --until-decided asks {claim.variant} alone; name another in the claim, "
            f"such as 'on {claim.condition}:off', and leave --variant out."
        )
    if len(options.models) != 2:
        others = ", ".join(m.name for m in options.models if m.name not in (claim.first, claim.second))
        raise UserFault(f"--model {others}: --until-decided asks the two models of the claim; leave the others out.")
    selection = Selection(options.selection.arms, (claim.variant,), options.selection.limit)
    return replace(options, conditions=(claim.condition,), selection=selection), claim


def parse_claim(text: str, models: Sequence[str]) -> Claim:
    """`A>B on CONDITION` or `A>B on CONDITION:VARIANT`, A and B being names of the models given."""
    who, separator, place = text.rpartition(" on ")
    if not separator or ">" not in who:
        raise UserFault(f"--until-decided {text!r}: write 'A>B on CONDITION', {EXAMPLE}.")
    condition, _, variant = place.strip().partition(":")
    check_condition(condition)
    cuts = [(who[:i].strip(), who[i + 1 :].strip()) for i, letter in enumerate(who) if letter == ">"]
    known = [(a, b) for a, b in cuts if a in models and b in models and a != b]
    if not known:
        raise UserFault(
            f"--until-decided {text!r}: A and B must be two of the models given with --model, by their names in "
            f"tables; these are {', '.join(models)}."
        )
    return Claim(*known[0], condition, variant or "demos")


def steps(scenarios: Sequence[Scenario], seed: int) -> list[Step]:
    """Steps in order: one frame of every block, then all that is left of every block; or whole blocks at once.

    Two passes share the error, so a second one has to be worth it.
    """
    ordered = sorted(_blocks(scenarios).items(), key=lambda item: _draw(seed, item[0]))
    parts = [(name, *_split(block, seed)) for name, block in ordered]
    if sum(len(rest) for _, _, rest in parts) <= LITTLE * sum(len(one) for _, one, _ in parts):
        return [Step(name, 1, one + rest, one + rest) for name, one, rest in parts]
    first = [Step(name, 1, one, one) for name, one, _ in parts]
    return [*first, *(Step(name, 2, rest, one + rest) for name, one, rest in parts)]


def within(found: Sequence[Step], budget: int | None) -> list[Step]:
    """The first steps that ask for no more than so many scenarios in all."""
    if budget is None:
        return list(found)
    return list(_within(found, budget))


def _within(found: Sequence[Step], budget: int) -> Iterator[Step]:
    for step in found:
        budget -= len(step.asked)
        if budget < 0:
            return
        yield step


def _split(block: Sequence[Scenario], seed: int) -> tuple[tuple[Scenario, ...], tuple[Scenario, ...]]:
    """A frame of the block that the seed draws, and the rest."""
    chosen = min({_unit(s) for s in block}, key=lambda unit: _draw(seed, unit))
    return tuple(s for s in block if _unit(s) == chosen), tuple(s for s in block if _unit(s) != chosen)


def _blocks(scenarios: Sequence[Scenario]) -> dict[str, list[Scenario]]:
    """Scenarios that hang together by a norm or a frame, named after their norms."""
    found: list[tuple[set[str], list[Scenario]]] = []
    for scenario in scenarios:
        keys = {f"norm {scenario.evaluation.norm}", f"frame {_unit(scenario)}"}
        touching = [block for block in found if block[0] & keys]
        found = [block for block in found if not block[0] & keys]
        found.append((keys.union(*(b[0] for b in touching)), [s for b in touching for s in b[1]] + [scenario]))
    return {" + ".join(sorted({s.evaluation.norm for s in block})): block for _, block in found}


def _unit(scenario: Scenario) -> str:
    return scenario.frame or scenario.scenario_id


def _draw(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed}:{name}".encode()).hexdigest()
