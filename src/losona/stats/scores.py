"""One score a scenario and cell: the mean over its repeats, and its majority. The unit of every comparison.

K repeats of a scenario are not K scenarios; from here on they are one number. Knows no interval.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, nan
from statistics import fmean
from typing import TypeVar

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.stats.outcomes import Outcome, counted, group_by

Found = TypeVar("Found", bound=Hashable)


@dataclass(frozen=True)
class Score:
    """One scenario of one model under one condition."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    variant: str
    """Variant of the scenario."""
    scenario_id: str
    """The scenario."""
    frame: str
    """Frame id; empty for a row of the public release."""
    arm: str
    """a, b or empty."""
    pack: str
    """Pack of the norm."""
    norm: str
    """Norm id: the primary cluster."""
    n_scored: int
    """Outcomes with a label."""
    mean: float
    """Share of them that comply; NaN where there is none."""
    passes: bool | None
    """Majority of K; none where it is undecided."""

    @property
    def unit(self) -> str:
        """The frame, or the row where there is no frame: the other cluster."""
        return self.frame or self.scenario_id

    @property
    def place(self) -> tuple[str, str]:
        """What a scenario shares with its other variants: frame and arm, or the row."""
        return (self.unit, self.arm)

    @property
    def norm_key(self) -> tuple[str, str]:
        """Pack and norm."""
        return (self.pack, self.norm)


Pair = tuple[Score, Score]


def scores(replies: pd.DataFrame, gradings: pd.DataFrame, epochs_wanted: int | None = None) -> list[Score]:
    """Scores from the two result tables, sorted by model, condition, variant and scenario."""
    return score_outcomes(*counted(replies, gradings, epochs_wanted))


def score_outcomes(outcomes: Iterable[Outcome], k: int) -> list[Score]:
    """Scores from outcomes of epochs 1 to K."""
    groups = group_by(outcomes, lambda o: (o.model, o.condition, o.variant, o.scenario_id))
    return [_score(groups[key], k) for key in sorted(groups)]


def _score(group: Sequence[Outcome], k: int) -> Score:
    first, labels = group[0], [o.complies for o in group if o.scored]
    return Score(
        model=first.model,
        condition=first.condition,
        variant=first.variant,
        scenario_id=first.scenario_id,
        frame=first.frame,
        arm=first.arm,
        pack=first.pack,
        norm=first.norm,
        n_scored=len(labels),
        mean=fmean(labels) if labels else nan,
        passes=majority(labels, k),
    )


def majority(labels: Sequence[bool], k: int) -> bool | None:
    """Whether a scenario complies, from its scored labels and K; none where it is undecided."""
    complying, need = sum(labels), ceil(k / 2)
    if complying >= need:
        return True
    return False if len(labels) - complying > k - need else None


def scored(found: Iterable[Score]) -> list[Score]:
    """Those with at least one label."""
    return [s for s in found if s.n_scored]


def pairs(first: Iterable[Score], second: Iterable[Score], key: Callable[[Score], Hashable]) -> list[Pair]:
    """Scores of both sides with an equal key and a label on both, in the order of the first."""
    other = {key(s): s for s in scored(second)}
    return [(s, other[key(s)]) for s in scored(first) if key(s) in other]


def by_place(score: Score) -> Hashable:
    """Key of a pair over variants: frame and arm."""
    return score.place


def by_scenario(score: Score) -> Hashable:
    """Key of a pair over models or conditions: the scenario."""
    return score.scenario_id


def norm_clusters(found: Iterable[Score]) -> list[Hashable]:
    """The primary cluster of each score: its norm; its frame where all are of one norm."""
    listed = list(found)
    norms = [s.norm_key for s in listed]
    return list(norms) if len(set(norms)) > 1 else [s.unit for s in listed]


def n_norms(found: Iterable[Score]) -> int:
    """How many norms."""
    return len({s.norm_key for s in found})


def where(found: Iterable[Score], **wanted: str) -> list[Score]:
    """Scores whose named fields have the given values."""
    return [s for s in found if all(getattr(s, name) == value for name, value in wanted.items())]


def groups(found: Iterable[Score], key: Callable[[Score], Found]) -> list[tuple[Found, list[Score]]]:
    """Scores by key, the keys sorted as text."""
    return sorted(group_by(found, key).items(), key=lambda item: str(item[0]))


def main_variant(found: Iterable[Score]) -> str:
    """`demos`, or the first variant where a source names it otherwise."""
    names = {s.variant for s in found}
    return "demos" if "demos" in names or not names else min(names)
