"""What a run of a given size can find, and what size finds a given effect. Pure.

A contrast is a mean of paired differences over units that fall into clusters. Its standard error is worked out from
four numbers: how often the two sides differ, how much of that is chance from reply to reply, how alike differences
within a cluster are, and how many clusters there are. They are supposed, or taken from an earlier run.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, sqrt

import numpy as np
from scipy import stats as distributions

from losona.stats.intervals import cluster_se
from losona.stats.outcomes import Outcome, group_by
from losona.stats.scores import Pair, Score, by_place, by_scenario, pairs, score_outcomes, where

POWER, ALPHA = 0.8, 0.05
ENOUGH = 10
"""Pairs that an earlier run must have for a contrast to be taken from it."""


@dataclass(frozen=True)
class Assumption:
    """What is supposed of one contrast."""

    name: str
    """What is compared."""
    unit: str
    """What is counted: a pair of scenarios, a frame, ..."""
    units_per_scenario: float
    """Units that one in-scope scenario gives: 1, or 0.5 where two arms make one unit."""
    spread: float
    """Variance of a unit's difference at one reply a prompt and no effect: mostly the share that differs."""
    noise: float
    """Share of that variance that is chance from reply to reply, and shrinks with K."""
    icc: float
    """Correlation of differences within a cluster."""
    clusters: int
    """Clusters to be had: so many units can be of different norms (or pairs of norms); further ones share them."""
    source: str
    """Where the numbers come from, in words."""


@dataclass(frozen=True)
class Power:
    """One contrast at one size."""

    contrast: str
    """What is compared."""
    unit: str
    """What is counted."""
    n_units: int
    """Units in so many scenarios."""
    n_clusters: int
    """Clusters among them."""
    epochs: int
    """Replies for each prompt (K)."""
    se: float
    """Standard error of the difference, with no effect."""
    mde: float
    """Smallest true difference that is found in 80 of 100 runs, at a two-sided 5 %; 1 or more: none is."""
    effect: float
    """Effect that is asked about."""
    power: float
    """Chance to find that effect with so many scenarios."""
    needed: int
    """Scenarios that find it in 80 of 100 runs."""
    source: str
    """Where the assumptions come from."""


SUPPOSED = "supposed"
ASSUMED = (
    Assumption("gain (with minus without demonstrations)", "scenario", 1, 0.30, 0.45, 0.1, 106, SUPPOSED),
    Assumption("condition against condition", "scenario", 1, 0.30, 0.45, 0.1, 106, SUPPOSED),
    Assumption("model against model", "scenario", 1, 0.35, 0.45, 0.1, 106, SUPPOSED),
    Assumption("pair accuracy between conditions", "frame with both arms", 0.5, 0.30, 0.45, 0.1, 59, SUPPOSED),
    Assumption(
        "trigger specificity J between models", "scenario with its off variant", 1, 0.40, 0.45, 0.1, 72, SUPPOSED
    ),
)
"""Spread: discordance of 30 to 40 %. Noise: replies vary so much where 80 % of scenarios are consistent at K = 3, as in
the paper. Clusters: the norms and pairs of the extended pack, and the norms that are to have an off variant."""


def power_table(scenarios: int, epochs: int, effect: float, assumptions: Sequence[Assumption] = ASSUMED) -> list[Power]:
    """One row a contrast. `scenarios`: in-scope scenarios; `effect`: a difference from 0 to 1."""
    return [_power(a, scenarios, epochs, effect) for a in assumptions]


def detectable(n: int, spread: float, deff: float = 1.0, clusters: int | None = None) -> float:
    """Smallest difference found with 80 % power at a two-sided 5 %, of n units with this variance and design effect.

    An effect of size d leaves spread - d^2 of the variance. t quantiles with clusters - 1 degrees of freedom.
    """
    scale = _quantiles(clusters) ** 2 * deff / n
    return sqrt(scale * spread / (1 + scale))


def assumptions_from(outcomes: Sequence[Outcome], k: int) -> list[Assumption]:
    """What an earlier run says of each contrast; what it cannot say (below 10 pairs) stays as supposed."""
    found = score_outcomes(outcomes, k)
    by_score = group_by((o for o in outcomes if o.scored), lambda o: (o.model, o.condition, o.scenario_id))
    labels = {key: [o.complies for o in group] for key, group in by_score.items()}
    measured = {
        ASSUMED[0].name: _pairs_by(found, "demos", "nodemos"),
        ASSUMED[1].name: _pairs_between(found, "condition"),
        ASSUMED[2].name: _pairs_between(found, "model"),
    }
    return [_measured(a, measured.get(a.name, []), labels, k) for a in ASSUMED]


def _quantiles(clusters: int | None) -> float:
    if clusters is None:
        return float(distributions.norm.ppf(1 - ALPHA / 2) + distributions.norm.ppf(POWER))
    df = max(clusters - 1, 1)
    return float(distributions.t.ppf(1 - ALPHA / 2, df) + distributions.t.ppf(POWER, df))


def _power(a: Assumption, scenarios: int, epochs: int, effect: float) -> Power:
    units = max(1, int(scenarios * a.units_per_scenario))
    spread, deff, clusters = _at(a, units, epochs)
    se = sqrt(spread * deff / units)
    return Power(
        a.name, a.unit, units, clusters, epochs, se, detectable(units, spread, deff, clusters), effect,
        _found(effect, units, spread, deff, clusters), _needed(a, epochs, effect), a.source,
    )  # fmt: skip


def _at(a: Assumption, units: int, epochs: int) -> tuple[float, float, int]:
    """Variance of a unit at K replies, design effect, and clusters."""
    spread = a.spread * (1 - a.noise + a.noise / epochs)
    size = max(1.0, units / a.clusters)
    return spread, 1 + (size - 1) * a.icc, max(2, min(units, a.clusters))


def _found(effect: float, n: int, spread: float, deff: float, clusters: int) -> float:
    se = sqrt(max(spread - effect**2, 1e-9) * deff / n)
    df = clusters - 1
    return float(distributions.nct.sf(distributions.t.ppf(1 - ALPHA / 2, df), df, min(effect / se, 30.0)))


def _needed(a: Assumption, epochs: int, effect: float) -> int:
    """Scenarios for an effect; bisection, since the clusters grow with them."""
    low, high = 1, 1_000_000
    while low < high:
        middle = (low + high) // 2
        spread, deff, clusters = _at(a, units := max(1, int(middle * a.units_per_scenario)), epochs)
        low, high = (low, middle) if detectable(units, spread, deff, clusters) <= effect else (middle + 1, high)
    return ceil(low)


def _pairs_by(found: Sequence[Score], first: str, second: str) -> list[Pair]:
    """Scores with and without demonstrations, over all models and conditions."""
    cells = group_by((s for s in found if s.frame), lambda s: (s.model, s.condition)).values()
    return [p for g in cells for p in pairs(where(g, variant=first), where(g, variant=second), by_place)]


def _pairs_between(found: Sequence[Score], field: str) -> list[Pair]:
    """Scores of two models (or conditions), all else equal, over all two of them."""
    other = "condition" if field == "model" else "model"
    result: list[Pair] = []
    for group in group_by(where(found, variant="demos"), lambda s: getattr(s, other)).values():
        sides = group_by(group, lambda s: getattr(s, field))
        for one, two in combinations(sorted(sides), 2):
            result.extend(pairs(sides[one], sides[two], by_scenario))
    return result


def _measured(
    a: Assumption, both: Sequence[Pair], labels: dict[tuple[str, str, str], list[bool]], k: int
) -> Assumption:
    """An assumption with the variance, noise and likeness of these pairs, each kind of comparison around its mean."""
    if len(both) < ENOUGH:
        return a
    kinds = group_by(both, lambda p: (p[0].model, p[1].model, p[0].condition, p[1].condition)).values()
    parts = [_parts(kind, labels) for kind in kinds if len(kind) >= 2]
    if not parts:
        return a
    spread, noise, icc = (float(np.mean([part[i] for part in parts])) for i in range(3))
    if spread <= 0:
        return a
    once = spread - noise / k + noise  # the variance that one reply a prompt would have had
    share = min(1.0, noise / once) if k > 1 else a.noise
    norms = len({first.norm_key for first, _ in both})
    source = f"the run: {len(both)} pairs, {norms} norms, K = {k}"
    return replace(a, spread=once, noise=share, icc=icc, clusters=norms, source=source)


def _parts(both: Sequence[Pair], labels: dict[tuple[str, str, str], list[bool]]) -> tuple[float, float, float]:
    """Mean square of differences, variance of a single reply (both sides), likeness within norms."""
    change, norms = [a.mean - b.mean for a, b in both], [a.norm_key for a, _ in both]
    singles = [sum(_single(labels[s.model, s.condition, s.scenario_id]) for s in pair) for pair in both]
    return float(np.mean(np.square(change))), float(np.mean(singles)), _likeness(change, norms)


def _single(labels: Sequence[bool]) -> float:
    """Unbiased variance of one reply of a scenario; 0 where there is one label only and nothing can be told."""
    return float(np.var(labels, ddof=1)) if len(labels) > 1 else 0.0


def _likeness(change: Sequence[float], norms: Sequence[Hashable]) -> float:
    """Intra-cluster correlation by way of the design effect, from 0 to 1; as supposed where norms hold one unit."""
    counts = np.array([len(g) for g in group_by(norms, lambda n: n).values()])
    size = float((counts**2).sum() / counts.sum())
    simple = float(np.var(change, ddof=1)) / len(change)
    if len(counts) < 2 or size <= 1 or simple <= 0:
        return ASSUMED[0].icc
    deff = cluster_se(change, norms) ** 2 / simple
    return float(np.clip((deff - 1) / (size - 1), 0.0, 1.0))
