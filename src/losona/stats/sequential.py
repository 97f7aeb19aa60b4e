"""An anytime-valid test: which of two models complies more often, looked at after every unit. Pure.

Knows differences from -1 to 1 in the order in which they came in. Does not know how they came in.

The null hypothesis is that the mean difference is at most zero. Against it capital is put at stake: a bet of the share
l multiplies it by 1 + l x difference. As long as the null hypothesis holds, no bet makes it grow on average, so by
Ville's inequality the chance that it ever reaches c is at most 1/c, however often one looks and whenever one stops. The
capital is spread over several bets l fixed beforehand, and their mean is the e-value. The same against the reverse.

Sources: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B 86 (2024), for the
bets, the two-sided test and the confidence sequence; Ramdas, Gruenwald, Vovk and Shafer, Game-theoretic statistics and
safe anytime-valid inference, Statistical Science 38 (2023).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

ALPHA = 0.05
BETS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
"""Shares of the capital that are put at stake. The best bet is about mean / variance: 0.3 for 10 points, 0.7 for 20."""
WEIGHTS = np.array([0.1, 0.3, 0.3, 0.2, 0.1])
"""How the capital is spread over them."""
MEANS = np.linspace(-0.995, 0.995, 399)
"""Means that the confidence sequence tries; an end that is kept stands for the bound beyond it."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Verdict:
    """What the test says after some units."""

    said: str
    """first: the first is ahead; second: the second is; undecided."""
    n_units: int
    """Units looked at until it was said, or all."""
    e_first: float
    """e-value against "the first is not ahead", at that point."""
    e_second: float
    """e-value against "the second is not ahead"."""
    bound: float
    """What an e-value has to reach."""
    mean: float
    """Mean difference over all units given."""
    low: float
    """Lower end of its anytime-valid interval."""
    high: float
    """Upper end."""


def bound_for(alpha: float = ALPHA, passes: int = 1) -> float:
    """What an e-value must reach: two directions and each pass through the units share alpha equally."""
    return 2 * passes / alpha


def e_values(differences: Sequence[float] | Numbers, sign: int = 1) -> Numbers:
    """e-values after each unit against "the mean of sign x difference is at most 0". Differences from -1 to 1."""
    return np.exp(_log_capital(sign * np.asarray(differences, float)))


def decide(differences: Sequence[float], bound: float = 2 / ALPHA) -> Verdict:
    """The verdict after these units; once said it stays, whatever comes after."""
    one, two = e_values(differences), e_values(differences, -1)
    reached = np.flatnonzero((one >= bound) | (two >= bound))
    n = int(reached[0]) + 1 if len(reached) else len(one)
    said = "undecided" if not len(reached) else "first" if one[n - 1] >= bound else "second"
    ends = (float(one[n - 1]), float(two[n - 1])) if n else (1.0, 1.0)
    mean = float(np.mean(differences)) if len(one) else nan
    return Verdict(said, n, *ends, bound, mean, *confidence_sequence(differences, bound))


def confidence_sequence(differences: Sequence[float], bound: float = 2 / ALPHA) -> tuple[float, float]:
    """Means that no bet has ruled out so far: an interval that holds at all times at once (chance 1 - 2 / bound)."""
    x = np.asarray(differences, float)
    if not len(x):
        return -1.0, 1.0
    kept = [m for m in MEANS if max(_against(x, m), _against(-x, -m)) < np.log(bound)]
    low, high = (kept[0], kept[-1]) if kept else (x.mean(), x.mean())
    return -1.0 if low == MEANS[0] else float(low), 1.0 if high == MEANS[-1] else float(high)


def least_units(bound: float = 2 / ALPHA) -> int:
    """Units that are needed at the very least, when the first is ahead by 1 in all of them."""
    return int(np.argmax(e_values(np.ones(1000)) >= bound)) + 1


def _against(x: Numbers, mean: float) -> float:
    """Greatest log capital so far against "the mean is at most `mean`"; the bets keep it above zero."""
    return float(_log_capital((x - mean) / (1 + mean)).max())


def _log_capital(x: Numbers) -> Numbers:
    paths = np.cumsum(np.log1p(np.outer(BETS, x)), axis=1) + np.log(WEIGHTS)[:, None]
    return np.logaddexp.reduce(paths, axis=0)
