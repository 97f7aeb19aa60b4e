"""Do the intervals and tests keep what they promise? Seeded simulations, printed as tables.

    python benchmarks/simulation.py [REPEATS]        # 2,000 by default: three to four minutes

Values within a norm are alike to the degree of an intra-cluster correlation (ICC): a scenario copies a value that its
norm has drawn with the chance sqrt(ICC), and else draws its own. So every value keeps the same distribution, and two of
one norm correlate by exactly the ICC.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy import stats as distributions

from losona.stats.intervals import Estimate, clustered_mean, clustered_share, p_value, wilson
from losona.stats.paired import bootstrap_share, mcnemar
from losona.stats.sequential import bound_for, decide, e_values

Numbers = NDArray[np.float64]
Sample = tuple[Numbers, NDArray[np.int64]]
SIZES = {38: 19, 120: 40, 400: 100}
"""Scenarios -> norms."""
ICCS = (0.0, 0.1, 0.3)
EQUAL = {-1.0: 0.15, 0.0: 0.70, 1.0: 0.15}
BETTER = {-1.0: 0.05, 0.0: 0.80, 1.0: 0.15}
"""The change that the paper's sample size was looked at for: 15 % up, 5 % down."""


def draw(values: dict[float, float], n: int, norms: int, icc: float, rng: np.random.Generator) -> Sample:
    """n values with these chances, and the norm of each; norms hold unequally many, and at least one each."""
    chances, choices = list(values.values()), np.array(list(values))
    codes = np.r_[np.arange(norms), rng.integers(0, norms, n - norms)]
    shared = rng.choice(choices, norms, p=chances)[codes]
    return np.where(rng.random(n) < icc**0.5, shared, rng.choice(choices, n, p=chances)), codes


def rate(test: Callable[[Numbers, NDArray[np.int64]], bool], samples: Sequence[Sample]) -> float:
    """Share of samples for which the test says yes."""
    return float(np.mean([test(*sample) for sample in samples]))


def plain_t(values: Numbers, codes: NDArray[np.int64]) -> bool:
    """The t test that takes scenarios as independent rejects."""
    return bool(np.any(values != values[0])) and bool(distributions.ttest_1samp(values, 0).pvalue <= 0.05)


def by_mcnemar(values: Numbers, codes: NDArray[np.int64]) -> bool:
    """Exact McNemar rejects."""
    return mcnemar(int((values > 0).sum()), int((values < 0).sum())) <= 0.05


def ours(values: Numbers, codes: NDArray[np.int64]) -> bool:
    """The test of the tables rejects."""
    return p_value(values, codes.tolist()) <= 0.05


def clustered_t(values: Numbers, codes: NDArray[np.int64]) -> bool:
    """The clustered t interval leaves zero out."""
    found = clustered_mean(values, codes.tolist())
    return not found.low <= 0 <= found.high


def within(estimate: Estimate | tuple[float, float], truth: float) -> bool:
    """The interval holds the truth."""
    low, high = (estimate.low, estimate.high) if isinstance(estimate, Estimate) else estimate
    return low <= truth <= high


def type_one(repeats: int, sizes: dict[int, int] = SIZES, iccs: Sequence[float] = ICCS) -> Iterator[list[float]]:
    """n, norms, ICC; share of false rejections: plain t, exact McNemar, clustered t, the test of the tables."""
    for n, norms in sizes.items():
        for icc in iccs:
            rng = np.random.default_rng(1)
            samples = [draw(EQUAL, n, norms, icc, rng) for _ in range(repeats)]
            yield [n, norms, icc, *(rate(test, samples) for test in (plain_t, by_mcnemar, clustered_t, ours))]


def coverage_of_difference(
    repeats: int, sizes: dict[int, int] = SIZES, iccs: Sequence[float] = ICCS
) -> Iterator[list[float]]:
    """n, norms, ICC; share of intervals that hold a true +10 points: plain t, clustered t as in the tables."""
    truth = 0.1
    for n, norms in sizes.items():
        for icc in iccs:
            rng = np.random.default_rng(2)
            samples = [draw(BETTER, n, norms, icc, rng) for _ in range(repeats)]
            plain = rate(lambda v, _: within(clustered_mean(v, range(len(v))), truth), samples)
            yield [n, norms, icc, plain, rate(lambda v, c: within(clustered_mean(v, c.tolist()), truth), samples)]


def coverage_of_share(
    repeats: int, share: float, sizes: dict[int, int] = SIZES, iccs: Sequence[float] = ICCS
) -> Iterator[list[float]]:
    """n, norms, ICC; share of intervals that hold a true share: the paper's bootstrap, Wilson, clustered Wilson."""
    for n, norms in sizes.items():
        for icc in iccs:
            rng = np.random.default_rng(3)
            samples = [draw({0.0: 1 - share, 1.0: share}, n, norms, icc, rng) for _ in range(repeats)]
            boot = rate(lambda v, _: within(bootstrap_share((v > 0).tolist()), share), samples)
            simple = rate(lambda v, _: within(wilson(float(v.mean()), len(v)), share), samples)
            yield [
                n,
                norms,
                icc,
                boot,
                simple,
                rate(lambda v, c: within(clustered_share(v, c.tolist()), share), samples),
            ]


def unit_means(values: dict[float, float], units: int, size: int, icc: float, rng: np.random.Generator) -> Numbers:
    """Mean differences of so many units, each of `size` scenarios of one norm."""
    chances, choices = list(values.values()), np.array(list(values))
    shared = rng.choice(choices, (units, 1), p=chances)
    own = rng.choice(choices, (units, size), p=chances)
    return np.where(rng.random((units, size)) < icc**0.5, shared, own).mean(axis=1)


def peeking(x: Numbers) -> bool:
    """A t test after every unit from the tenth on: what the e-value is there to avoid."""
    n = np.arange(1, len(x) + 1)
    mean = np.cumsum(x) / n
    spread = np.sqrt(np.maximum(np.cumsum(x**2) - n * mean**2, 1e-12) / np.maximum(n - 1, 1) / n)
    return bool(np.any(np.abs(mean / spread)[9:] > distributions.t.ppf(0.975, n[9:] - 1)))


NULLS = {
    "equal, 30 % differ": EQUAL,
    "equal, all differ": {-1.0: 0.5, 1.0: 0.5},
    "skewed: often a little better, at times much worse": {-1.0: 0.1, 1 / 9: 0.9},
}


def optional_stopping(repeats: int, units: int = 300) -> Iterator[list[str | float]]:
    """Null, scenarios a unit, ICC; share of false decisions with a look after every unit: t test, e-value."""
    for name, values in NULLS.items():
        for size, icc in ((1, 0.0), (2, 0.0), (2, 0.1), (2, 0.3), (4, 0.3)):
            rng = np.random.default_rng(4)
            paths = [unit_means(values, units, size, icc, rng) for _ in range(repeats)]
            false = np.mean([max(e_values(x).max(), e_values(x, -1).max()) >= bound_for() for x in paths])
            yield [name, size, icc, float(np.mean([peeking(x) for x in paths])), float(false)]


def fixed_size(effect: float, differ: float, deff: float, power: float) -> float:
    """Scenarios of a fixed paired design, two-sided 5 %."""
    z = distributions.norm.ppf(0.975) + distributions.norm.ppf(power)
    return float(z**2 * (differ - effect**2) * deff / effect**2)


def wald(effect: float, differ: float, power: float) -> float:
    """Least mean number of independent pairs for any test with these errors, each side at 2.5 % (Wald 1945)."""
    a, b = 0.025, 1 - power
    up, half = (differ + effect) / 2, differ / 2
    information = up * log(up / half) + (differ - up) * log((differ - up) / half)
    return ((1 - b) * log((1 - b) / a) + b * log(b / (1 - a))) / information


def savings(repeats: int) -> Iterator[list[float]]:
    """Differ, scenarios a unit, ICC; then scenarios needed by the designs, when the truth is +20 points.

    Fixed for +10 at 80 %; the sequential test with that budget: power, mean, median and 90th percentile; how many times
    fewer than fixed for +10; fixed for +20 at the same power, how many times fewer; Wald's bound, times the bound.
    """
    for differ in (0.30, 0.35, 0.45):
        for size, icc in ((1, 0.0), (2, 0.1)):
            deff = 1 + (size - 1) * icc
            budget = fixed_size(0.1, differ, deff, 0.8)
            values = {-1.0: (differ - 0.2) / 2, 0.0: 1 - differ, 1.0: (differ + 0.2) / 2}
            rng = np.random.default_rng(5)
            ends = [_end(unit_means(values, round(budget / size), size, icc, rng)) for _ in range(repeats)]
            right, asked = np.array([e[0] for e in ends]), np.array([e[1] for e in ends]) * size
            power, mean = float(right.mean()), float(asked.mean())
            same = fixed_size(0.2, differ, deff, min(power, 0.999))
            bound = wald(0.2, differ, min(power, 0.999)) * deff
            yield [
                differ, size, icc, budget, power, mean, float(np.median(asked)), float(np.percentile(asked, 90)),
                budget / mean, same, same / mean, bound, mean / bound,
            ]  # fmt: skip


def _end(x: Numbers) -> tuple[bool, int]:
    one, two = e_values(x), e_values(x, -1)
    reached = np.flatnonzero((one >= bound_for()) | (two >= bound_for()))
    return (
        bool(len(reached)) and bool(one[reached[0]] >= bound_for()),
        int(reached[0]) + 1 if len(reached) else len(x),
    )


def show(title: str, heads: str, rows: Iterator[Sequence[str | float]]) -> None:
    """Print a table in Markdown."""
    names = heads.split("|")
    print(f"\n{title}\n\n| {' | '.join(names)} |\n|{' --- |' * len(names)}", flush=True)
    for row in rows:
        print("| " + " | ".join(x if isinstance(x, str) else f"{x:.3g}" for x in row) + " |", flush=True)


def main() -> None:
    """Print all tables."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    print(f"{repeats} repeats each; a rate of 5 % then has a Monte Carlo error of {(0.05 * 0.95 / repeats) ** 0.5:.2%}")
    show("False rejections at a nominal 5 %", "n|norms|ICC|plain t|exact McNemar|clustered t|ours", type_one(repeats))
    show("Coverage of a difference, nominal 95 %", "n|norms|ICC|plain t|ours", coverage_of_difference(repeats))
    for share in (0.35, 0.85):
        title = f"Coverage of a share of {share:.0%}, nominal 95 %"
        show(title, "n|norms|ICC|bootstrap over scenarios|Wilson|ours", coverage_of_share(repeats, share))
    heads = "null|scenarios a unit|ICC|t test at every look|ours"
    show("False decisions with a look after every unit, up to 300 units", heads, optional_stopping(repeats))
    heads = "differ|scenarios a unit|ICC|fixed for +10|power|mean|median|90 %|times fewer|fixed for +20, same power|" \
        "times fewer|Wald|times Wald"  # fmt: skip
    show("Scenarios until a decision, true +20 points", heads, savings(repeats))
    said = decide([1.0] * 8).said
    print(f"\neight units, all for the first: {said}")


if __name__ == "__main__":
    main()
