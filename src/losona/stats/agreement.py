"""How far two or more graders agree: counts, rates, kappa, AC1, Krippendorff's alpha, each with a 95 % interval. Pure.

A label is true (complies), false (breaches) or none (void). Replies are taken as independent; those of one writer to
one chat are not quite that, so intervals are rather too narrow.

Intervals: Wilson for shares; for kappa and AC1 the normal one with the delta method's error; for alpha a bootstrap
over items. Where labels are so even that these have no width, that says nothing: then Wilson's interval of the share
that agrees, with the agreement by chance taken as known. AC1 is no corrected kappa: with the same errors, the two move
apart as one label gets rare.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple, cast

import numpy as np
from statsmodels.stats import inter_rater  # pyright: ignore[reportMissingTypeStubs]

from losona.stats.intervals import wilson

Label = bool | None
DRAWS = 2000
"""Bootstrap samples for alpha."""
NO_WIDTH = 1e-6
"""Spread that is none."""
Z95 = NormalDist().inv_cdf(0.975)


class Share(NamedTuple):
    """A number with its 95 % interval; NaN where it cannot be computed."""

    value: float
    """The number."""
    low: float
    """Lower end."""
    high: float
    """Upper end."""
    n: int
    """Its denominator."""


class Counts(NamedTuple):
    """A grader's labels against those that count as true; positive is complies."""

    tp: int
    """Complies, and called so."""
    fp: int
    """Breaches, and called complying."""
    fn: int
    """Complies, and called a breach."""
    tn: int
    """Breaches, and called so."""
    void: int = 0
    """No label was given."""

    @property
    def n(self) -> int:
        """Replies with both labels."""
        return self.tp + self.fp + self.fn + self.tn


@dataclass(frozen=True)
class Agreement:
    """A grader against true labels, over one group of replies."""

    counts: Counts
    """Counts."""
    accuracy: Share
    """Right, of those with a label."""
    sensitivity: Share
    """Called complying, of those that comply."""
    specificity: Share
    """Called a breach, of those that breach."""
    kappa: Share
    """Cohen's kappa."""
    ac1: Share
    """Gwet's AC1."""


class AnnotatorAgreement(NamedTuple):
    """How far people agree among each other."""

    n_items: int
    """Items with at least two labels."""
    n_annotators: int
    """People."""
    agreement: Share
    """Agreeing pairs of labels, of all pairs on one item; the interval takes pairs as independent."""
    kappa: Share
    """Cohen's kappa; of more than two people the mean over pairs of people, without an interval."""
    ac1: Share
    """Gwet's AC1, likewise."""
    alpha: Share
    """Krippendorff's alpha, nominal."""


def count(pairs: Iterable[tuple[bool, Label]]) -> Counts:
    """Pairs of true and given label -> counts."""
    found = Counter(pairs)
    return Counts(
        found[True, True], found[False, True], found[True, False], found[False, False],
        found[True, None] + found[False, None],
    )  # fmt: skip


def agreement(counts: Counts) -> Agreement:
    """All measures of one table of counts."""
    tp, fp, fn, tn, _ = counts
    return Agreement(
        counts, share(tp + tn, counts.n), share(tp, tp + fn), share(tn, tn + fp), kappa(counts), ac1(counts)
    )


def share(count_: int, n: int) -> Share:
    """A share with Wilson's interval."""
    value = count_ / n if n else nan
    return Share(value, *wilson(value, n), n)


def kappa(counts: Counts) -> Share:
    """Cohen's kappa; NaN where the true labels are all equal."""
    tp, fp, fn, tn, _ = counts
    if not (tp + fn and tn + fp):
        return Share(nan, nan, nan, counts.n)
    n = counts.n
    with np.errstate(invalid="ignore"):
        found = cast(Any, inter_rater).cohens_kappa(np.array([[tp, fn], [fp, tn]]))
    chance = ((tp + fn) * (tp + fp) + (tn + fp) * (tn + fn)) / n**2
    return _normal(float(found.kappa), float(found.std_kappa), (tp + tn) / n, chance, n)


def ac1(counts: Counts) -> Share:
    """Gwet's AC1 for two graders and two labels."""
    n = counts.n
    if not n:
        return Share(nan, nan, nan, 0)
    both, one, other, neither = (cell / n for cell in counts[:4])
    agreed, prevalence = both + neither, both + (one + other) / 2
    chance = 2 * prevalence * (1 - prevalence)
    slope = (agreed - 1) / (1 - chance) ** 2 * (2 - 4 * prevalence)
    gradient = ((both, 1 / (1 - chance) + slope), (one + other, slope / 2), (neither, 1 / (1 - chance)))
    mean = sum(p * g for p, g in gradient)
    variance = max(sum(p * g**2 for p, g in gradient) - mean**2, 0.0) / n
    return _normal((agreed - chance) / (1 - chance), sqrt(variance), agreed, chance, n)


def _normal(value: float, error: float, agreed: float, chance: float, n: int) -> Share:
    """The normal interval; where it has no width, that of the share that agrees."""
    if error < NO_WIDTH:
        return _above_chance(value, agreed, chance, n)
    return Share(value, max(-1.0, value - Z95 * error), min(1.0, value + Z95 * error), n)


def _above_chance(value: float, agreed: float, chance: float, n: int) -> Share:
    """Wilson's interval of the share that agrees, as a coefficient above a known agreement by chance."""
    if chance >= 1:
        return Share(value, nan, nan, n)
    low, high = ((end - chance) / (1 - chance) for end in wilson(agreed, n))
    return Share(value, max(-1.0, low), min(1.0, high), n)


def annotators(labels: Mapping[Hashable, Mapping[str, bool]], seed: int = 0) -> AnnotatorAgreement:
    """Agreement of people. `labels`: item -> person -> label; items with one label say nothing."""
    items = [row for row in labels.values() if len(row) > 1]
    people = sorted({person for row in items for person in row})
    pairs = [pair for row in items for pair in combinations([row[p] for p in people if p in row], 2)]
    tables = [_table(items, *pair) for pair in combinations(people, 2)]
    used = [table for table in tables if table.n]
    return AnnotatorAgreement(
        n_items=len(items),
        n_annotators=len(people),
        agreement=share(sum(a == b for a, b in pairs), len(pairs)),
        kappa=_mean([kappa(table) for table in used]),
        ac1=_mean([ac1(table) for table in used]),
        alpha=_alpha_share([list(row.values()) for row in items], seed),
    )


def _table(items: Sequence[Mapping[str, bool]], one: str, other: str) -> Counts:
    return count((row[one], row[other]) for row in items if one in row and other in row)


def _mean(found: Sequence[Share]) -> Share:
    """The measure of the one pair; of several pairs their mean, weighted by items, without an interval."""
    known = [f for f in found if not isnan(f.value)]
    if len(known) == 1:
        return known[0]
    n = sum(f.n for f in known)
    return Share(sum(f.value * f.n for f in known) / n if n else nan, nan, nan, n)


def krippendorff(units: Sequence[Sequence[bool]]) -> float:
    """Krippendorff's alpha for two labels; units with fewer than two are left out. 1 where all labels are equal."""
    counts = np.array([(sum(unit), len(unit)) for unit in units if len(unit) > 1], dtype=float).reshape(-1, 2)
    return float(_alphas(counts[None, :, :])[0]) if len(counts) else nan


def _alpha_share(units: Sequence[Sequence[bool]], seed: int) -> Share:
    counts = np.array([(sum(unit), len(unit)) for unit in units if len(unit) > 1], dtype=float).reshape(-1, 2)
    if not len(counts):
        return Share(nan, nan, nan, 0)
    drawn = np.random.default_rng(seed).integers(0, len(counts), (DRAWS, len(counts)))
    value = float(_alphas(counts[None])[0])
    low, high = np.quantile(_alphas(counts[drawn]), (0.025, 0.975))
    if high - low < NO_WIDTH:
        (ones, all_), n = counts.sum(axis=0), len(counts)
        chance = 1 - 2 * ones * (all_ - ones) / (all_ * (all_ - 1))
        return _above_chance(value, value + chance * (1 - value), chance, n)
    return Share(value, float(low), float(high), len(counts))


def _alphas(counts: "np.ndarray") -> "np.ndarray":
    """Alpha of each sample; the last axis holds the number of complying labels and of all labels of a unit."""
    yes, n = counts[..., 0], counts[..., 1]
    observed = (2 * yes * (n - yes) / (n - 1)).sum(axis=-1)
    ones, all_ = yes.sum(axis=-1), n.sum(axis=-1)
    expected = 2 * ones * (all_ - ones) / (all_ - 1)
    return np.where(expected > 0, 1 - observed / np.where(expected > 0, expected, 1), 1.0)
