"""Rates corrected for the errors of a judge, with an interval that carries them. Pure.

From labels of people: sensitivity (called complying, of those that comply) and specificity (called a breach, of those
that breach), each as a Beta distribution (Jeffreys) over its effective number of labels: replies that were drawn with
unequal chances weigh by the inverse of the chance, and the number shrinks by Kish's formula.

Rogan-Gladen: theta = (p + sp - 1) / (se + sp - 1). It takes the errors to be the same in all cells. Whether they are is
tested first (`dependence`): where they differ, there is no pooled correction (`Refusal`). The interval draws
sensitivity, specificity and the cells' rates together; a difference between two cells uses one draw for both.
Rates are drawn by resampling clusters, with the small-sample factor G / (G - 1).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import nan
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from losona.stats.agreement import Share

DRAWS = 4000
"""Draws of an interval."""
ALPHA = 0.05
"""Level of the test of dependence, by Holm over its parts."""
PERMUTATIONS = 1999
"""Permutations of a test of dependence."""
LEAST_SKILL = 0.1
"""Least sensitivity + specificity - 1 that is corrected by; the lower end of its interval must be above 0 as well."""
LEAST_DRAWN = 0.01
"""Least sensitivity + specificity - 1 of a draw."""
LEAST_LABELS = 30
"""Labels of either kind that a pooled correction needs."""
CELL_LABELS = 50
"""Labels that a cell needs for an estimate of its own (PPI++)."""
Floats = NDArray[np.float64]


class Labelled(NamedTuple):
    """A judged reply that people have labelled."""

    complies: bool
    """What people say."""
    judged: bool
    """What the judge says: complies."""
    subject: str
    """Model that wrote it."""
    condition: str
    """Condition it was written under."""
    weight: float = 1.0
    """Inverse of the chance with which it was drawn."""


class Rate(NamedTuple):
    """A probability that was measured on labels."""

    value: float
    """Weighted share."""
    n_effective: float
    """Effective number of labels."""
    n: int
    """Labels."""

    def draws(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws of the probability."""
        hits = self.value * self.n_effective
        return rng.beta(hits + 0.5, self.n_effective - hits + 0.5, size)

    def share(self) -> Share:
        """With its 95 % interval."""
        hits = self.value * self.n_effective
        low, high = cast(Any, scipy_stats).beta.ppf((0.025, 0.975), hits + 0.5, self.n_effective - hits + 0.5)
        return Share(self.value, float(low), float(high), self.n)


class Errors(NamedTuple):
    """What a judge gets wrong."""

    sensitivity: Rate
    """Called complying, of those that comply."""
    specificity: Rate
    """Called a breach, of those that breach."""


class Refusal(NamedTuple):
    """Why there is no pooled correction, and what helps."""

    reason: str
    """In words."""
    label_next: tuple[str, ...]
    """What to label next."""


class Corrected(NamedTuple):
    """A cell's rate as the judge has it, and corrected."""

    raw: float
    """Share that the judge calls complying."""
    corrected: Share | None
    """Share that complies, with a 95 % interval; none where the raw share cannot come about with these errors."""


class Difference(NamedTuple):
    """One cell minus another, as the judge has them, and corrected."""

    first: Hashable
    """Key of the one cell."""
    second: Hashable
    """Key of the other."""
    raw: float
    """Difference of raw rates."""
    corrected: Share | None
    """Corrected, with the same draw of the errors for both; n: clusters. None where one of the rates has none."""


class Part(NamedTuple):
    """One test: does one error differ between the values of one factor?"""

    error: str
    """sensitivity or specificity."""
    factor: str
    """subject or condition."""
    p: float
    """By permutation, labels weighted; 1 where there is nothing to compare."""
    rates: tuple[tuple[str, int, int], ...]
    """Value of the factor, right labels, labels."""


def errors(labels: Sequence[Labelled]) -> Errors:
    """Sensitivity and specificity from labels."""
    positive = [(x.judged, x.weight) for x in labels if x.complies]
    negative = [(not x.judged, x.weight) for x in labels if not x.complies]
    return Errors(_rate(positive), _rate(negative))


def _rate(hits: Sequence[tuple[bool, float]]) -> Rate:
    if not hits:
        return Rate(nan, 0.0, 0)
    right, weight = np.array([h for h, _ in hits], dtype=float), np.array([w for _, w in hits])
    return Rate(float(right @ weight / weight.sum()), float(weight.sum() ** 2 / (weight @ weight)), len(hits))


def dependence(labels: Sequence[Labelled], seed: int = 0) -> list[Part]:
    """Whether either error depends on subject or condition: four tests by permutation."""
    return [
        _part(error, factor, [x for x in labels if x.complies is (error == "sensitivity")], seed)
        for error in ("sensitivity", "specificity")
        for factor in ("subject", "condition")
    ]


def _part(error: str, factor: str, labels: Sequence[Labelled], seed: int) -> Part:
    held = sorted(labels, key=lambda x: str(getattr(x, factor)))
    groups = [(str(name), list(group)) for name, group in groupby(held, lambda x: getattr(x, factor))]
    rates = tuple((name, sum(x.judged is x.complies for x in group), len(group)) for name, group in groups)
    right = np.array([x.judged is x.complies for x in held], dtype=float)
    if len(groups) < 2 or len(set(right)) < 2:
        return Part(error, factor, 1.0, rates)
    starts = np.cumsum([0, *(n for _, _, n in rates[:-1])])
    return Part(error, factor, _permuted(right, np.array([x.weight for x in held]), starts, seed), rates)


def _permuted(right: Floats, weight: Floats, starts: NDArray[np.int64], seed: int) -> float:
    """P of how far the groups' weighted rates lie apart, by permutation of labels (with their weights) among groups.

    With equal weights the spread is Pearson's chi-squared but for a constant.
    """
    orders = np.tile(np.arange(len(right)), (PERMUTATIONS + 1, 1))
    orders[1:] = np.random.default_rng(seed).permuted(orders[1:], axis=1)  # the first order is the one that was found
    total, hits, squares = (np.add.reduceat(x[orders], starts, axis=1) for x in (weight, weight * right, weight**2))
    overall = float(weight @ right / weight.sum())
    spread = (total**2 / squares * (hits / total - overall) ** 2).sum(axis=1)
    return float((spread >= spread[0] - 1e-9).mean())


def refusal(labels: Sequence[Labelled], seed: int = 0) -> Refusal | None:
    """Why these labels do not allow a pooled correction; none where they do."""
    found = errors(labels)
    for rate, name in ((found.sensitivity, "comply"), (found.specificity, "breach")):
        if rate.n < LEAST_LABELS:
            need = f"{LEAST_LABELS - rate.n} more replies that {name}"
            return Refusal(f"only {rate.n} labelled replies {name}; {LEAST_LABELS} are needed", (need,))
    parts = sorted(dependence(labels, seed), key=lambda part: part.p)
    worst = parts[0]
    if worst.p * len(parts) < ALPHA:
        return Refusal(_differs(worst), _label_next(worst))
    return _too_weak(found, seed)


def _differs(part: Part) -> str:
    rates = ", ".join(f"{name} {right}/{n}" for name, right, n in part.rates)
    return f"the judge's {part.error} depends on the {part.factor} ({rates}; p = {part.p:.2g})"


def _label_next(part: Part) -> tuple[str, ...]:
    """Labels until each value has enough for an estimate of its own."""
    kind = "comply" if part.error == "sensitivity" else "breach"
    return tuple(
        f"{part.factor} {name}: {CELL_LABELS - n} more replies that {kind}"
        for name, _, n in part.rates
        if n < CELL_LABELS
    ) or (f"every cell to {CELL_LABELS} labels, for an estimate of its own",)


def _too_weak(found: Errors, seed: int) -> Refusal | None:
    rng = np.random.default_rng(seed)
    skill = found.sensitivity.draws(rng, DRAWS) + found.specificity.draws(rng, DRAWS) - 1
    if skill.mean() > LEAST_SKILL and np.quantile(skill, 0.025) > 0:
        return None
    return Refusal(
        f"the judge hardly tells right from wrong (sensitivity + specificity - 1 = {skill.mean():.2f})",
        ("nothing: use another judge, or labels of people alone",),
    )


@dataclass(frozen=True)
class Cells:
    """Judged labels of cells over common clusters: sums that can be resampled."""

    complying: Mapping[Hashable, Floats]
    """Cell -> number of complying labels in each cluster."""
    n: Mapping[Hashable, Floats]
    """Cell -> number of labels in each cluster."""

    @classmethod
    def of(cls, outcomes: Sequence[tuple[Hashable, Hashable, bool]]) -> "Cells":
        """From cell, cluster and judged label of each reply."""
        clusters = {name: i for i, name in enumerate(dict.fromkeys(cluster for _, cluster, _ in outcomes))}
        keys = dict.fromkeys(cell for cell, _, _ in outcomes)
        complying, n = ({key: np.zeros(len(clusters)) for key in keys} for _ in range(2))
        for cell, cluster, judged in outcomes:
            complying[cell][clusters[cluster]] += judged
            n[cell][clusters[cluster]] += 1
        return cls(complying, n)

    def raw(self, cell: Hashable) -> float:
        """Share that the judge calls complying."""
        return float(self.complying[cell].sum() / self.n[cell].sum())

    def draws(self, cell: Hashable, weights: Floats) -> Floats:
        """The share in resampled clusters, spread by the small-sample factor. A draw without a label has the share."""
        held = self.n[cell] > 0
        g, raw = int(held.sum()), self.raw(cell)
        n = weights @ self.n[cell]
        drawn = np.where(n > 0, (weights @ self.complying[cell]) / np.where(n > 0, n, 1), raw)
        if raw in (0.0, 1.0):  # no spread to resample: as many draws as clusters, Jeffreys, for each cell its own
            own = np.random.default_rng([len(weights), list(self.n).index(cell)])
            return own.beta(raw * g + 0.5, (1 - raw) * g + 0.5, len(weights))
        return raw + (drawn - raw) * np.sqrt(g / max(g - 1, 1))


@dataclass(frozen=True)
class Draws:
    """One set of draws for all cells: errors of the judge, and weights of clusters."""

    skill: Floats
    """Sensitivity + specificity - 1."""
    specificity: Floats
    """Specificity."""
    weights: Floats
    """Draw x cluster: how often it was drawn."""
    found: Errors
    """The errors as measured."""

    @classmethod
    def make(cls, found: Errors, n_clusters: int, seed: int = 0, size: int = DRAWS) -> "Draws":
        """Draw. Where the judge is drawn to know nothing, which cannot be corrected by, the draw is made anew.

        Raises `ValueError` where that is most draws: `refusal` says so beforehand.
        """
        rng = np.random.default_rng(seed)
        drawn = np.stack([found.sensitivity.draws(rng, 2 * size), found.specificity.draws(rng, 2 * size)])
        useful = drawn[:, drawn.sum(axis=0) - 1 > LEAST_DRAWN][:, :size]
        if useful.shape[1] < size:
            raise ValueError("the judge hardly tells right from wrong: nothing can be corrected by its errors")
        sensitivity, specificity = useful
        weights = rng.multinomial(n_clusters, [1 / n_clusters] * n_clusters, size).astype(float)
        return cls(sensitivity + specificity - 1, specificity, weights, found)

    def corrected(self, cells: Cells, cell: Hashable) -> Corrected:
        """A cell's rate by Rogan-Gladen, held between 0 and 1."""
        raw, thetas = cells.raw(cell), self._thetas(cells, cell)
        low, high = np.quantile(thetas, (0.025, 0.975))
        if low > 1 or high < 0:
            return Corrected(raw, None)
        return Corrected(raw, Share(self._value(raw), _held(low), _held(high), int(cells.n[cell].sum())))

    def difference(self, cells: Cells, first: Hashable, second: Hashable) -> Difference:
        """One cell minus another, each draw of the errors used for both."""
        raw = cells.raw(first) - cells.raw(second)
        if any(self.corrected(cells, cell).corrected is None for cell in (first, second)):
            return Difference(first, second, raw, None)
        value = self._value(cells.raw(first)) - self._value(cells.raw(second))
        one, other = (self._thetas(cells, cell).clip(0, 1) for cell in (first, second))
        low, high = np.quantile(one - other, (0.025, 0.975))
        clusters = int(((cells.n[first] > 0) & (cells.n[second] > 0)).sum())
        return Difference(first, second, raw, Share(value, float(low), float(high), clusters))

    def _value(self, raw: float) -> float:
        sensitivity, specificity = self.found.sensitivity.value, self.found.specificity.value
        return _held((raw + specificity - 1) / (sensitivity + specificity - 1))

    def _thetas(self, cells: Cells, cell: Hashable) -> Floats:
        return (cells.draws(cell, self.weights) + self.specificity - 1) / self.skill


def _held(share: float) -> float:
    return float(min(max(share, 0.0), 1.0))


def prediction_powered(people: Sequence[bool], judged: Sequence[bool], unlabelled: Sequence[bool]) -> Share:
    """PPI++ of one cell: labels of people where there are some, the judge elsewhere. Needs the package ppi-python.

    `judged` goes with `people`; labels must have been drawn with equal chances. Raises `ImportError` without it.
    """
    import ppi_py  # pyright: ignore[reportMissingTypeStubs]

    arrays = [np.array(values, dtype=float) for values in (people, judged, unlabelled)]
    ppi = cast(Any, ppi_py)
    value = float(np.ravel(ppi.ppi_mean_pointestimate(*arrays))[0])
    low, high = (float(np.ravel(end)[0]) for end in ppi.ppi_mean_ci(*arrays, alpha=ALPHA))
    return Share(value, max(low, 0.0), min(high, 1.0), len(people))
