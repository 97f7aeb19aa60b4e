"""Tests and intervals of the paper: exact McNemar, bootstrap over scenarios, and the power of a paired comparison."""

from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, binomtest

RESAMPLES = 1_999


def mcnemar(recovered: int, regressed: int) -> float:
    """Exact two-sided p value of a paired change, from its discordant pairs (McNemar 1947); 1 without any."""
    discordant = recovered + regressed
    return float(binomtest(recovered, discordant).pvalue) if discordant else 1.0


def bootstrap_share(passed: Sequence[bool]) -> tuple[float, float]:
    """95 % percentile bootstrap over scenarios, as in the paper; NaN without scenarios.

    To draw such scenarios anew is to draw from a binomial, so its quantiles are what endless resampling gives.
    """
    n = len(passed)
    if n == 0:
        return nan, nan
    share = sum(passed) / n
    return float(binom.ppf(0.025, n, share)) / n, float(binom.ppf(0.975, n, share)) / n


def bootstrap_mean(values: Sequence[float], seed: int = 0, resamples: int = RESAMPLES) -> tuple[float, float]:
    """95 % percentile bootstrap of a mean over independent units; seeded. NaN for fewer than two."""
    if len(values) < 2:
        return nan, nan
    drawn = np.random.default_rng(seed).choice(np.asarray(values, float), (resamples, len(values)))
    low, high = np.percentile(drawn.mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def mcnemar_power(n: int, up: float, down: float, alpha: float = 0.05) -> float:
    """Chance that exact McNemar finds p <= alpha over n scenarios of which shares `up` and `down` change.

    Sums over every possible number of discordant pairs, so it is exact.
    """
    total = 0.0
    for discordant in range(n + 1):
        weight = float(binom.pmf(discordant, n, up + down))
        if discordant and weight > 0:
            total += weight * float(binom.pmf(_rejected(discordant, alpha), discordant, up / (up + down)).sum())
    return total


def _rejected(discordant: int, alpha: float) -> NDArray[np.int64]:
    """Numbers of recovered pairs at which exact McNemar rejects."""
    k = np.arange(discordant + 1)
    p = np.minimum(1, 2 * binom.cdf(np.minimum(k, discordant - k), discordant, 0.5))
    return k[p <= alpha]
