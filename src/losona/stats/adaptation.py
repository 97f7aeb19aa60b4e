"""How much evidence a model needs, and how far it gets: dose curve, floor, ceiling. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from losona.stats.intervals import Estimate, clustered_mean, clustered_ratio, clustered_share
from losona.stats.outcomes import group_by
from losona.stats.scores import Pair, Score, by_place, groups, n_norms, norm_clusters, pairs, scored, where

FULL_DOSE = 3
"""Doses of the curve: 0 to 3 demonstrations."""
HALF = 0.5
RESAMPLES = 1_999
CEILING = "oracle"


@dataclass(frozen=True)
class DosePoint:
    """Compliance at one number of demonstrations, over frames and arms that have every dose from 0 to 3."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    dose: int
    """Demonstrations: 0 is `nodemos`, the frame's number of slots is `demos`."""
    n: int
    """Pairs of frame and arm: the same at every dose."""
    n_frames: int
    """Frames among them: the clusters."""
    share: float
    """Mean of the scenarios' mean labels."""
    low: float
    """Lower end of its 95 % interval, clustered by frame."""
    high: float
    """Upper end."""


@dataclass(frozen=True)
class Adaptation:
    """The curve in numbers."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    n: int
    """Pairs of frame and arm with every dose from 0 to 3: the denominator."""
    n_frames: int
    """Frames among them: the clusters."""
    n_left_out: int
    """Pairs with demonstrations that lack a dose (another number of slots, not run, or not scored)."""
    area: float
    """Area between curve and floor (dose 0), by trapezes, divided by 3: the mean gain over the doses."""
    area_low: float
    """Lower end of its 95 % interval, clustered by frame."""
    area_high: float
    """Upper end."""
    half_dose: float
    """Dose at which half comply, on the curve made monotone, between doses linear; inf: not reached by dose 3."""
    half_low: float
    """Lower end of its 95 % interval: percentile bootstrap over frames, seeded."""
    half_high: float
    """Upper end; inf where that many resamples do not reach half."""


@dataclass(frozen=True)
class Ceiling:
    """Floor, compliance and ceiling of one condition, over frames and arms that have all three."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    n: int
    """Pairs of frame and arm: the denominator."""
    n_norms: int
    """Norms among them: the clusters."""
    floor: float
    """Mean compliance without demonstrations."""
    compliance: float
    """Mean compliance with demonstrations."""
    ceiling: float
    """Mean compliance with demonstrations under `oracle`."""
    gap: float
    """ceiling - floor."""
    gap_low: float
    """Lower end of its 95 % interval, clustered by norm."""
    gap_high: float
    """Upper end."""
    closed: float
    """(compliance - floor) / gap; NaN unless the interval of the gap lies above zero."""
    closed_low: float
    """Lower end of its 95 % interval, linearised, clustered by norm."""
    closed_high: float
    """Upper end."""


def dose_curve(found: Sequence[Score]) -> list[DosePoint]:
    """One row a model x condition x dose, where doses were run."""
    return [
        DosePoint(*key, dose, e.n, e.n_clusters, e.mean, e.low, e.high)
        for key, group in _cells(found)
        for frames, curves in [_curves(group)]
        if len(curves)
        for dose in range(FULL_DOSE + 1)
        for e in [clustered_share(curves[:, dose], frames)]
    ]


def adaptation(found: Sequence[Score]) -> list[Adaptation]:
    """One row a model x condition, where doses were run."""
    rows: list[Adaptation] = []
    for key, group in _cells(found):
        frames, curves = _curves(group)
        if len(curves):
            left_out = len(scored(where(group, variant="demos"))) - len(curves)
            area = clustered_mean(_areas(curves), frames)
            half = half_dose(curves.mean(axis=0))
            rows.append(
                Adaptation(*key, area.n, area.n_clusters, left_out, *area[:3], half, *_half_ends(frames, curves))
            )
    return rows


def ceilings(found: Sequence[Score]) -> list[Ceiling]:
    """One row a model x condition other than `oracle`, where `oracle` was run."""
    rows: list[Ceiling] = []
    for model, group in groups((s for s in found if s.frame), lambda s: s.model):
        top = where(group, condition=CEILING, variant="demos")
        for condition, own in groups(group, lambda s: s.condition):
            both = pairs(where(own, variant="demos"), where(own, variant="nodemos"), by_place)
            if condition != CEILING and (known := _with_ceiling(both, top)):
                rows.append(_ceiling((model, condition), known))
    return rows


def half_dose(curve: Sequence[float] | NDArray[np.float64]) -> float:
    """Dose at which a curve over doses 0, 1, 2, ... reaches one half; inf where it does not."""
    return float(_half_doses(np.asarray(curve, float)[None])[0])


def _half_doses(curves: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for many curves, a row each."""
    rising = _rising(curves)
    at, rows = np.argmax(rising >= HALF, axis=1), np.arange(len(curves))
    below, above = rising[rows, np.maximum(at - 1, 0)], rising[rows, at]
    step = np.divide(HALF - below, above - below, out=np.ones(len(curves)), where=above > below)
    found = np.where(at == 0, 0.0, at - 1 + step)
    return np.where(rising[:, -1] < HALF, inf, found)


def _rising(curves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least-squares fit that does not fall (isotonic regression), by its max-min formula (Robertson et al. 1988).

    scipy fits one curve at a time, which for every resample of every model takes seconds.
    """
    n = curves.shape[1]
    mean = {(j, k): curves[:, j : k + 1].mean(axis=1) for j in range(n) for k in range(j, n)}
    columns = [
        np.max([np.min([mean[j, k] for k in range(i, n)], axis=0) for j in range(i + 1)], axis=0) for i in range(n)
    ]
    return np.column_stack(columns)


def _cells(found: Sequence[Score]) -> list[tuple[tuple[str, str], list[Score]]]:
    return groups((s for s in found if s.frame), lambda s: (s.model, s.condition))


def _curves(group: Sequence[Score]) -> tuple[list[str], NDArray[np.float64]]:
    """Frames, and compliance at dose 0 to 3, of pairs of frame and arm that have them all."""
    frames: list[str] = []
    curves: list[list[float]] = []
    top = {frame: 1 + max(_doses(own), default=0) for frame, own in group_by(group, lambda s: s.frame).items()}
    for (frame, _), own in groups(scored(group), lambda s: s.place):
        at = {_dose(s.variant, top[frame]): s.mean for s in own}
        if all(dose in at for dose in range(FULL_DOSE + 1)):
            frames.append(frame)
            curves.append([at[dose] for dose in range(FULL_DOSE + 1)])
    return frames, np.array(curves)


def _doses(own: Sequence[Score]) -> list[int]:
    return [int(s.variant.removeprefix("dose")) for s in own if s.variant.startswith("dose")]


def _dose(variant: str, slots: int) -> int:
    """Demonstrations in a variant of a frame with so many slots; -1 where that is no dose."""
    if variant.startswith("dose"):
        return int(variant.removeprefix("dose"))
    return {"nodemos": 0, "demos": slots if slots > 1 else -1}.get(variant, -1)


def _areas(curves: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.trapezoid(curves - curves[:, :1], axis=1)) / FULL_DOSE


def _half_ends(frames: Sequence[str], curves: NDArray[np.float64]) -> tuple[float, float]:
    names = {frame: i for i, frame in enumerate(dict.fromkeys(frames))}
    codes = np.array([names[frame] for frame in frames])
    sums = np.array([curves[codes == i].sum(axis=0) for i in range(len(names))])
    counts = np.bincount(codes)
    if len(names) < 2:
        return nan, nan
    drawn = np.random.default_rng(0).integers(0, len(names), (RESAMPLES, len(names)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1, keepdims=True)
    halves = np.sort(_half_doses(means))
    return float(halves[int(0.025 * RESAMPLES)]), float(halves[int(0.975 * RESAMPLES)])


def _with_ceiling(both: Sequence[Pair], top: Sequence[Score]) -> list[tuple[Score, Score, Score]]:
    at = {s.place: s for s in scored(top)}
    return [(shown, bare, at[shown.place]) for shown, bare in both if shown.place in at]


def _ceiling(key: tuple[str, str], known: Sequence[tuple[Score, Score, Score]]) -> Ceiling:
    norms = norm_clusters(shown for shown, _, _ in known)
    gaps, steps = [t.mean - b.mean for _, b, t in known], [s.mean - b.mean for s, b, _ in known]
    gap = clustered_mean(gaps, norms)
    closed = clustered_ratio(steps, gaps, norms) if gap.low > 0 else Estimate(nan, nan, nan, nan, gap.n, gap.n_clusters)
    shown, bare, top = (fmean(row[i].mean for row in known) for i in range(3))
    return Ceiling(*key, gap.n, n_norms(shown for shown, _, _ in known), bare, shown, top, *gap[:3], *closed[:3])
