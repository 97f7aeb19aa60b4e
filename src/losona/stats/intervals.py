"""Intervals and p values of shares, means and differences whose units fall into clusters. Pure.

Knows numbers and cluster names only: nothing of models, norms or tables.

Standard errors are cluster-robust with the factor G/(G-1) and t(G-1), G being the number of clusters (Cameron and
Miller 2015). Shares are intervals of Wilson's form on the effective sample size (Korn and Graubard 1998; Dean and
Pagano 2015). Below 30 clusters the cluster sign-flip test decides (Cameron, Gelbach and Miller 2008; Canay, Romano and
Shaikh 2017).
"""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import product
from math import inf, nan, sqrt
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats as distributions
from statsmodels.stats.proportion import (  # pyright: ignore[reportMissingTypeStubs]
    proportion_confint,  # pyright: ignore[reportUnknownVariableType]
)

Numbers = NDArray[np.float64]
FEW_CLUSTERS = 30
"""Below so many clusters the sign-flip test decides."""
EXACT_CLUSTERS = 12
"""Up to so many clusters all sign patterns are tried; beyond, `DRAWS` random ones."""
DRAWS = 9_999
UNEQUAL = 1e-9
"""Statistics closer than this are ties."""


class Estimate(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    """The mean; NaN without units."""
    low: float
    """Lower end; NaN where it cannot be had."""
    high: float
    """Upper end."""
    se: float
    """Cluster-robust standard error."""
    n: int
    """Units."""
    n_clusters: int
    """Clusters."""


def wilson(share: float, n: float) -> tuple[float, float]:
    """95 % interval of a share of n independent units (Wilson 1927); NaN for n = 0."""
    return _proportion(share, n, "wilson")


def exact(share: float, n: int) -> tuple[float, float]:
    """95 % interval of a share of n independent units (Clopper and Pearson 1934); NaN for n = 0."""
    return _proportion(share, n, "beta")


@lru_cache(maxsize=10_000)
def _proportion(share: float, n: float, method: str) -> tuple[float, float]:
    if n == 0:
        return nan, nan
    low, high = cast("tuple[float, float]", proportion_confint(share * n, n, method=method))
    return max(0.0, float(low)), min(1.0, float(high))


def clustered_share(values: ArrayLike, clusters: Sequence[Hashable]) -> Estimate:
    """Mean of values from 0 to 1 (mostly 0 or 1), with Wilson's interval on the effective number of units.

    With one cluster only nothing is known of differences between clusters: then units count as independent. Where every
    unit is a cluster of its own this is Wilson's interval.
    """
    y = np.asarray(values, float)
    n, codes = len(y), _codes(clusters)
    if n == 0:
        return Estimate(nan, nan, nan, nan, 0, 0)
    share, g = float(y.mean()), int(codes.max()) + 1
    if g < 2:
        return Estimate(share, *wilson(share, n), sqrt(share * (1 - share) / n), n, g)
    se, simple = _se(y, codes), sqrt(share * (1 - share) / max(n - 1, 1))
    deff = max(1.0, (se / simple) ** 2) if simple > 0 else 1.0
    effective = n / deff * (_t(n - 1) / _t(g - 1)) ** 2
    return Estimate(share, *wilson(share, effective), max(se, simple), n, g)


def clustered_mean(values: ArrayLike, clusters: Sequence[Hashable], bound: float = 1.0) -> Estimate:
    """Mean of values from -bound to bound, such as paired differences, with a t(G-1) interval cut off at the bound.

    Where all values are equal the spread says nothing: then the interval is that of the same data with two further
    clusters, one at either bound (after Bonett and Price 2012). NaN ends for fewer than two clusters.
    """
    y, codes = np.asarray(values, float), _codes(clusters)
    if len(y) == 0:
        return Estimate(nan, nan, nan, nan, 0, 0)
    mean, g = float(y.mean()), int(codes.max()) + 1
    if g < 2:
        return Estimate(mean, nan, nan, nan, len(y), g)
    centre, se, df = mean, _se(y, codes), g - 1
    if se < UNEQUAL and bound < inf:
        size = max(1, round(len(y) / g))
        y, codes = np.r_[y, [bound] * size, [-bound] * size], np.r_[codes, [g] * size, [g + 1] * size]
        centre, se, df = float(y.mean()), _se(y, codes), g + 1
    half = _t(df) * se
    low, high = min(mean, centre - half), max(mean, centre + half)
    return Estimate(mean, max(-bound, low), min(bound, high), se, len(clusters), g)


def clustered_ratio(top: ArrayLike, bottom: ArrayLike, clusters: Sequence[Hashable]) -> Estimate:
    """Ratio of two means over the same units, linearised (Taylor), with a t(G-1) interval; NaN for a bottom of 0."""
    over, under = np.asarray(top, float), np.asarray(bottom, float)
    if len(under) == 0 or abs(under.mean()) < UNEQUAL:
        return Estimate(nan, nan, nan, nan, len(under), len(set(clusters)))
    ratio = float(over.mean() / under.mean())
    rest = clustered_mean((over - ratio * under) / under.mean(), clusters, bound=inf)
    return Estimate(ratio, ratio + rest.low, ratio + rest.high, rest.se, rest.n, rest.n_clusters)


def sign_flip(values: ArrayLike, clusters: Sequence[Hashable], seed: int = 0) -> float:
    """Two-sided p value: how often random signs of whole clusters give a sum at least as far from zero.

    Exact up to 12 clusters, else by 9,999 seeded draws. It supposes that under the null hypothesis the sum of a cluster
    is symmetric about zero. NaN without units.
    """
    y = np.asarray(values, float)
    if len(y) == 0:
        return nan
    sums = np.bincount(_codes(clusters), weights=y)
    g, found = len(sums), abs(float(sums.sum())) - UNEQUAL
    if g <= EXACT_CLUSTERS:
        signs = np.array(list(product((-1.0, 1.0), repeat=g)))
        return float(np.mean(np.abs(signs @ sums) >= found))
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(DRAWS, g))
    return float((1 + np.sum(np.abs(signs @ sums) >= found)) / (DRAWS + 1))


def p_value(values: ArrayLike, clusters: Sequence[Hashable]) -> float:
    """p value that the mean is zero: sign-flip below 30 clusters, else the clustered t test; NaN without units."""
    if len(set(clusters)) < FEW_CLUSTERS:
        return sign_flip(values, clusters)
    y, codes = np.asarray(values, float), _codes(clusters)
    se, mean = _se(y, codes), float(y.mean())
    if se < UNEQUAL:
        return 1.0 if abs(mean) < UNEQUAL else 0.0
    return float(2 * distributions.t.sf(abs(mean) / se, int(codes.max())))


def holm(p_values: Sequence[float]) -> list[float]:
    """p values adjusted for their number (Holm 1979); NaN stays NaN and does not count."""
    # Not by statsmodels: its multipletests collects garbage at every call, a second each beside a large table.
    found = np.asarray(p_values, float)
    order = np.argsort(found)[: int((~np.isnan(found)).sum())]
    steps = found[order] * np.arange(len(order), 0, -1)
    found[order] = np.minimum(1, np.maximum.accumulate(steps)) if len(order) else []
    return [float(p) for p in found]


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """p values adjusted for the false discovery rate (Benjamini and Hochberg 1995); NaN stays NaN."""
    found = np.asarray(p_values, float)
    known = ~np.isnan(found)
    if known.any():
        found[known] = distributions.false_discovery_control(found[known])
    return [float(p) for p in found]


def cluster_se(values: ArrayLike, clusters: Sequence[Hashable]) -> float:
    """Cluster-robust standard error of a mean, with the factor G/(G-1); two or more clusters."""
    return _se(np.asarray(values, float), _codes(clusters))


def _codes(clusters: Sequence[Hashable]) -> NDArray[np.int64]:
    """Clusters as whole numbers from 0."""
    known: dict[Hashable, int] = {}
    return np.fromiter((known.setdefault(c, len(known)) for c in clusters), np.int64, len(clusters))


def _se(y: Numbers, codes: NDArray[np.int64]) -> float:
    sums = np.bincount(codes, weights=y - y.mean())
    return float(np.sqrt(len(sums) / (len(sums) - 1) * np.sum(sums**2)) / len(y))


def _t(df: int) -> float:
    return float(distributions.t.ppf(0.975, max(df, 1)))
