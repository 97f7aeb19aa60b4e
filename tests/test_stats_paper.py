"""The paper's figures from its own counts: intervals, McNemar and power."""

import csv
from collections.abc import Sequence

import pytest
from scipy.stats import binom

from conftest import SHARED
from losona.stats import bootstrap_share, mcnemar, mcnemar_power

RESULTS = SHARED / "data" / "paper_results.csv"
N = 38
PAIRS = {
    "Gemini": (18, 0, 8e-6), "Fable": (13, 0, 2e-4), "Opus": (5, 1, 0.219), "Gemma": (5, 1, 0.219),
    "Llama": (4, 1, 0.375), "GPT-5.5": (3, 2, 1), "Qwen": (1, 1, 1), "Mistral": (2, 6, 0.289),
}  # fmt: skip
"""Recovered, regressed, exact McNemar."""


def rows() -> list[dict[str, str]]:
    if not RESULTS.is_file():
        pytest.skip(f"{RESULTS} is absent")
    with RESULTS.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def passed(row: dict[str, str]) -> list[bool]:
    k = round(float(row["acc_at_3"]) / 100 * N)
    assert f"{100 * k / N:.1f}" == row["acc_at_3"]
    return [True] * k + [False] * (N - k)


def ends(row: dict[str, str]) -> tuple[str, str]:
    return row["ci_low"], row["ci_high"]


def short_of(bound: str, level: float, found: Sequence[bool]) -> float:
    """How far the chance of the quantile that gives this bound lies from the level: 0 where it is the quantile."""
    k, p = round(float(bound) / 100 * N), sum(found) / N
    below, upto = binom.cdf(k - 1, N, p), binom.cdf(k, N, p)
    return 0.0 if below < level <= upto else float(min(abs(below - level), abs(upto - level)))


def test_intervals_of_the_paper_are_those_of_a_bootstrap_over_scenarios() -> None:
    found = [tuple(f"{100 * end:.1f}" for end in bootstrap_share(passed(row))) == ends(row) for row in rows()]
    assert (sum(found), len(found)) == (31, 32)


def test_the_row_that_differs_does_so_within_monte_carlo_error() -> None:
    error_of_10_000_resamples = (0.025 * 0.975 / 10_000) ** 0.5
    for row in rows():
        for bound, level in zip(ends(row), (0.025, 0.975), strict=True):
            assert short_of(bound, level, passed(row)) <= error_of_10_000_resamples / 10, row


@pytest.mark.parametrize("name", PAIRS)
def test_exact_mcnemar_of_recovered_and_regressed(name: str) -> None:
    recovered, regressed, p = PAIRS[name]
    assert mcnemar(recovered, regressed) == pytest.approx(p, rel=0.25 if p < 0.01 else 0.01)
    assert (mcnemar(recovered, regressed) < 0.05) == (name in ("Gemini", "Fable"))


@pytest.mark.parametrize(("n", "power"), [(38, 0.16), (200, 0.87)])
def test_power_for_ten_points(n: int, power: float) -> None:
    assert mcnemar_power(n, up=0.15, down=0.05) == pytest.approx(power, abs=0.01)
