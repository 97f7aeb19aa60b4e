"""Intervals and tests: closed forms, edges, and seeded simulations of what they promise (all of it: benchmarks)."""

import sys
from math import isnan, nan
from pathlib import Path

import numpy as np
import pytest

from losona.stats import benjamini_hochberg, clustered_mean, clustered_share, exact, holm, p_value, wilson
from losona.stats.intervals import clustered_ratio, sign_flip

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import simulation

FAST = 250
"""Repeats: a rate of 5 % then has a Monte Carlo error of 1.4 %."""


def test_without_clusters_the_interval_of_a_share_is_wilsons() -> None:
    found = clustered_share([1] * 81 + [0] * 182, range(263))
    assert (found.low, found.high) == pytest.approx(wilson(81 / 263, 263))


def test_alike_scenarios_of_one_norm_count_as_few() -> None:
    values, norms = [1] * 20 + [0] * 20, [i // 5 for i in range(40)]
    found = clustered_share(values, norms)
    low, high = wilson(0.5, 8)
    assert found.low < low
    assert found.high > high


def test_ends_stay_where_they_can_be() -> None:
    assert clustered_share([0, 0, 0], "abc").low == 0
    assert clustered_mean([1, 1, 1, 0], "abcd").high == 1
    assert isnan(clustered_mean([1, 0], "aa").low)
    assert isnan(clustered_share([], "").mean)


def test_equal_differences_do_not_make_an_interval_of_no_width() -> None:
    found = clustered_mean([0.0] * 19, range(19))
    assert (found.low, found.high) == pytest.approx((-0.147, 0.147), abs=0.01)


def test_sign_flip_counts_patterns_of_whole_clusters() -> None:
    assert sign_flip([1, 1, 1, 1, 1], "abcde") == 2 / 32
    assert sign_flip([1, 1, 1, 1, 1, 1], "aabbcc") == 2 / 8
    assert sign_flip([1] * 20, range(20)) == pytest.approx(1 / 10_000, abs=2e-4)
    assert isnan(sign_flip([], ""))


def test_the_test_is_sign_flip_for_few_clusters_and_t_for_many() -> None:
    values = [1, 1, 0, 0, 0, -1] * 5
    assert p_value(values, range(30)) == pytest.approx(0.2018, abs=1e-4)  # t = 1.306
    assert p_value(values[:29], range(29)) == sign_flip(values[:29], range(29))
    assert p_value([0.5] * 40, range(40)) == 0
    assert p_value([0.0] * 40, range(40)) == 1


def test_a_ratio_has_the_interval_of_its_linear_part() -> None:
    found = clustered_ratio([1, 2, 3, 4], [2, 4, 6, 8], "abcd")
    assert found[:3] == (0.5, 0.5, 0.5)
    assert isnan(clustered_ratio([1, 1], [1, -1], "ab").mean)


def test_exact() -> None:
    assert exact(0, 10) == pytest.approx((0, 0.3085), abs=1e-4)
    assert all(isnan(end) for end in exact(nan, 0))


def test_adjusted_p_values_leave_out_what_was_not_tested() -> None:
    assert holm([0.01, nan, 0.04, 0.03])[::2] == pytest.approx([0.03, 0.06])
    assert benjamini_hochberg([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.04, 0.04])
    assert isnan(holm([nan])[0])


def test_false_rejections_are_bounded_also_where_scenarios_of_a_norm_are_alike() -> None:
    for n, norms, icc, plain, _, _, ours in simulation.type_one(FAST):
        assert ours <= 0.1, (n, norms, icc)
        assert plain > 0.1 or icc < 0.3 or n < 100


def test_intervals_of_differences_hold_the_truth() -> None:
    for n, norms, icc, _, ours in simulation.coverage_of_difference(FAST):
        assert ours >= 0.9, (n, norms, icc)


@pytest.mark.parametrize("share", [0.35, 0.85])
def test_intervals_of_shares_hold_the_truth(share: float) -> None:
    for n, norms, icc, boot, _, ours in simulation.coverage_of_share(FAST, share):
        assert ours >= 0.91, (n, norms, icc)
        assert boot < 0.92 or icc < 0.3 or n < 100


def test_optional_stopping_does_not_make_false_decisions() -> None:
    for null, size, icc, peeking, ours in simulation.optional_stopping(FAST, units=150):
        assert float(ours) <= 0.08, (null, size, icc)
        assert float(peeking) > 0.2


def test_the_sequential_test_saves_calls() -> None:
    for row in simulation.savings(FAST):
        power, fewer, fewer_same, wald = row[4], row[8], row[10], row[12]
        assert power >= 0.95
        assert fewer >= 2.5
        assert fewer_same >= 1.5
        assert wald >= 1


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_rates_over_many_repeats() -> None:
    for *place, ours in simulation.type_one(2_000):
        assert ours <= 0.068, place
    for *place, ours in simulation.coverage_of_difference(2_000):
        assert ours >= 0.92, place
    for *place, ours in simulation.optional_stopping(2_000):
        assert float(ours) <= 0.065, place


def test_values_of_one_norm_correlate_as_wanted() -> None:
    rng = np.random.default_rng(0)
    pairs = np.array([simulation.draw(simulation.EQUAL, 2, 1, 0.3, rng)[0] for _ in range(20_000)])
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(0.3, abs=0.02)
    assert pairs.mean() == pytest.approx(0, abs=0.01)
