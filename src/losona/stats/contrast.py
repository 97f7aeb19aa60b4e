"""What a fixed style cannot win: contrast pairs, frame score and trigger specificity. Pure.

A pair is a frame with both arms. Which arm is a and which is b is arbitrary, so sides are oriented by the pack.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from statistics import fmean

from losona.schema.taxonomy import Norm
from losona.stats.intervals import Estimate, clustered_mean, clustered_share, p_value
from losona.stats.outcomes import group_by
from losona.stats.scores import Pair, Score, by_place, groups, n_norms, norm_clusters, pairs, scored, where

Sides = tuple[Score, Score]
LEAN = ("high", "medium", "low")
"""How readily an assistant meets a norm that nobody showed it, as the pack guesses."""


@dataclass(frozen=True)
class PairAccuracy:
    """Both arms of a frame right, in one cell. A fixed style scores 0 wherever no reply can satisfy both norms."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    n_pairs: int
    """Frames with a majority in both arms: the denominator."""
    n_norm_pairs: int
    """Pairs of norms among them: the clusters."""
    both: float
    """Pair accuracy: share that complies in both arms."""
    both_low: float
    """Lower end of its 95 % interval, clustered by pair of norms."""
    both_high: float
    """Upper end."""
    neither: float
    """Share that breaches in both arms."""
    first: float
    """Share that complies on the first side: the norm that a default assistant is nearer to, says the pack."""
    second: float
    """Share that complies on the second side."""
    product: float
    """first x second: the pair accuracy of two independent sides."""
    bias: float
    """Style bias, first - second: above 0 it leans to the default side, below 0 to the other."""
    bias_low: float
    """Lower end of its 95 % interval, clustered by pair of norms."""
    bias_high: float
    """Upper end."""
    bias_size: float
    """Mean over pairs of norms of |first - second|; grows by chance alone where a pair has few frames."""


@dataclass(frozen=True)
class NormPair:
    """One pair of norms in one cell: a point of the contrast plane. Exploratory."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    first_norm: str
    """Norm of the first side."""
    second_norm: str
    """Norm of the second side."""
    n_frames: int
    """Frames with scored replies in both arms."""
    first: float
    """Mean compliance on the first side."""
    second: float
    """Mean compliance on the second side."""


@dataclass(frozen=True)
class FrameScore:
    """Everything right in a frame: a and b with demonstrations, and both off variants."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    n_frames: int
    """Frames with a majority in all four: the denominator."""
    n_norm_pairs: int
    """Pairs of norms among them: the clusters."""
    score: float
    """Share of frames with all four right."""
    low: float
    """Lower end of its 95 % interval, clustered by pair of norms."""
    high: float
    """Upper end."""


@dataclass(frozen=True)
class Specificity:
    """Does it know when the norm applies? Paired by frame and arm."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    n_pairs: int
    """Pairs with scored replies in `demos` and in `off`: the denominator."""
    n_norms: int
    """Norms among them."""
    applied: float
    """Mean compliance in `demos`."""
    misapplied: float
    """Over-application: 1 - mean label in `off`, where the label complies means an ordinary answer."""
    j: float
    """applied - misapplied (Youden): always applying and never applying both give 0."""
    j_low: float
    """Lower end of its 95 % interval, clustered by norm."""
    j_high: float
    """Upper end."""
    p: float
    """p value of J = 0: sign-flip of norms below 30 norms, else the clustered t test."""
    misapplied_floor: float
    """The same as `misapplied` in `offnodemos`, where nothing was shown; over the pairs that have it."""
    excess: float
    """misapplied - misapplied_floor over these pairs: what the demonstrations add."""
    excess_low: float
    """Lower end of its 95 % interval, clustered by norm."""
    excess_high: float
    """Upper end."""
    n_floor: int
    """Their number."""


def orientation(norms: Iterable[Norm]) -> dict[str, int]:
    """Norm id -> place, by what the pack guesses of a default assistant, then by the order of the pack."""
    listed = list(norms)
    keys = [(LEAN.index(n.default_assistant.expected_pass_without_demos), i) for i, n in enumerate(listed)]
    return {listed[i].id: place for place, (_, i) in enumerate(sorted(keys))}


def contrast(found: Sequence[Score], order: Mapping[str, int] | None = None) -> list[PairAccuracy]:
    """One row a model x condition with at least one frame that has both arms. `order` comes from `orientation`."""
    return [_pair_accuracy(key, s) for key, group in _cells(found) if (s := _sides(group, order or {}))]


def norm_pairs(found: Sequence[Score], order: Mapping[str, int] | None = None) -> list[NormPair]:
    """One row a model x condition x pair of norms."""
    return [
        NormPair(*key, *norms, len(sides), fmean(a.mean for a, _ in sides), fmean(b.mean for _, b in sides))
        for key, group in _cells(found)
        for norms, sides in sorted(group_by(_sides(group, order or {}), _norms).items())
    ]


def frame_scores(found: Sequence[Score]) -> list[FrameScore]:
    """One row a model x condition with at least one frame that has a, b and both off variants decided."""
    rows: list[FrameScore] = []
    for key, group in _cells(found):
        wanted = [s for s in group if s.variant in ("demos", "off") and s.passes is not None]
        whole = [g for g in group_by(wanted, lambda s: s.frame).values() if len({(s.arm, s.variant) for s in g}) == 4]
        if whole:
            e = clustered_share([all(s.passes for s in g) for g in whole], [_norm_set(g) for g in whole])
            rows.append(FrameScore(*key, e.n, e.n_clusters, e.mean, e.low, e.high))
    return rows


def specificity(found: Sequence[Score]) -> list[Specificity]:
    """One row a model x condition with at least one pair of `demos` and `off`."""
    return [row for key, group in _cells(found) if (row := _specificity(key, group))]


def _cells(found: Sequence[Score]) -> list[tuple[tuple[str, str], list[Score]]]:
    return groups((s for s in found if s.frame), lambda s: (s.model, s.condition))


def _sides(group: Sequence[Score], order: Mapping[str, int]) -> list[Sides]:
    """Both arms of each frame with demonstrations, the default assistant's side first."""
    arms = group_by(scored(where(group, variant="demos")), lambda s: s.frame).values()
    both = [sorted(g, key=lambda s: (order.get(s.norm, len(order)), s.norm)) for g in arms if len(g) == 2]
    return [(g[0], g[1]) for g in both]


def _norms(sides: Sides) -> tuple[str, str]:
    return sides[0].norm, sides[1].norm


def _norm_set(group: Iterable[Score]) -> tuple[str, ...]:
    return tuple(sorted({s.norm for s in group}))


def _pair_accuracy(key: tuple[str, str], sides: Sequence[Sides]) -> PairAccuracy:
    decided = [(a, b) for a, b in sides if a.passes is not None and b.passes is not None]
    clusters = [_norms(s) for s in decided]
    both = clustered_share([bool(a.passes and b.passes) for a, b in decided], clusters)
    bias = clustered_mean([bool(a.passes) - bool(b.passes) for a, b in decided], clusters)
    first, second = (fmean(bool(s[i].passes) for s in decided) if decided else nan for i in (0, 1))
    sizes = [abs(fmean(bool(a.passes) - bool(b.passes) for a, b in g)) for g in group_by(decided, _norms).values()]
    return PairAccuracy(
        *key, both.n, both.n_clusters, both.mean, both.low, both.high,
        fmean(not (a.passes or b.passes) for a, b in decided) if decided else nan,
        first, second, first * second, *bias[:3], fmean(sizes) if sizes else nan,
    )  # fmt: skip


def _specificity(key: tuple[str, str], group: Sequence[Score]) -> Specificity | None:
    off = where(group, variant="off")
    both = pairs(where(group, variant="demos"), off, by_place)
    if not both:
        return None
    values, norms = [a.mean + b.mean - 1 for a, b in both], norm_clusters(a for a, _ in both)
    j = clustered_mean(values, norms)
    floor = pairs([b for _, b in both], where(group, variant="offnodemos"), by_place)
    excess = _change(floor, -1)
    applied, misapplied = fmean(a.mean for a, _ in both), 1 - fmean(b.mean for _, b in both)
    bare = 1 - fmean(b.mean for _, b in floor) if floor else nan
    return Specificity(
        *key, j.n, n_norms(a for a, _ in both), applied, misapplied, *j[:3], p_value(values, norms), bare, *excess[:3],
        len(floor),
    )  # fmt: skip


def _change(both: Sequence[Pair], sign: int) -> Estimate:
    """Mean of sign x (first - second)."""
    return clustered_mean([sign * (a.mean - b.mean) for a, b in both], norm_clusters(a for a, _ in both))
