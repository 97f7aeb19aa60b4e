"""The anytime-valid test and the planning of sizes, as numbers."""

from dataclasses import replace

import numpy as np
import pytest

from losona.stats import assumptions_from, decide, e_values, outcomes, power_table
from losona.stats.power import ASSUMED, detectable
from losona.stats.sequential import bound_for, confidence_sequence, least_units
from test_stats import tables


def test_an_e_value_is_the_mean_capital_of_the_bets() -> None:
    bets, weights = np.array([0.1, 0.3, 0.5, 0.7, 0.9]), np.array([0.1, 0.3, 0.3, 0.2, 0.1])
    assert e_values([1, -0.5]) == pytest.approx([weights @ (1 + bets), weights @ ((1 + bets) * (1 - bets / 2))])


def test_capital_does_not_grow_on_average_when_nothing_is_there() -> None:
    for up, value in ((0.5, -1.0), (0.9, -9.0)):
        steps = up * e_values([1 / 9 if value < -1 else 1])[0] + (1 - up) * e_values([-1])[0]
        assert steps == pytest.approx(1)


def test_what_was_said_stays_said() -> None:
    said = decide([1.0] * 8 + [-1.0] * 100)
    assert (said.said, said.n_units) == ("first", 8)
    assert said.e_first >= said.bound == 40
    assert decide([-1.0] * 8).said == "second"
    assert decide([1.0, -1.0] * 50).said == "undecided"
    assert decide([]).e_first == 1


def test_the_decision_and_the_interval_agree() -> None:
    path = ([1.0, 1.0, 0.0, 0.5, -0.5] * 20)[:60]
    low, high = confidence_sequence(path)
    assert 0 < low < np.mean(path) < high < 1
    assert decide(path).said == "first"
    assert confidence_sequence([]) == (-1, 1)
    assert confidence_sequence([1.0] * 50)[1] == 1


def test_two_passes_share_the_error() -> None:
    assert (bound_for(), bound_for(passes=2)) == (40, 80)
    assert (least_units(40), least_units(80)) == (8, 10)


@pytest.mark.parametrize(
    ("n", "spread", "clusters", "points"), [(480, 0.30, 106, 8.0), (320, 0.30, 106, 9.3), (480, 0.35, 106, 8.7),
     (190, 0.30, 59, 12.0)],
)  # fmt: skip
def test_detectable_effects_of_the_design(n: int, spread: float, clusters: int, points: float) -> None:
    deff = 1 + (n / clusters - 1) * 0.1
    assert 100 * detectable(n, spread, deff) == pytest.approx(points, abs=0.15)
    assert detectable(n, spread, deff, clusters) > detectable(n, spread, deff)


def test_power_and_needed_size_agree() -> None:
    for row in power_table(400, 3, 0.1):
        needed = power_table(row.needed, 3, 0.1)[[r.contrast for r in power_table(400, 3, 0.1)].index(row.contrast)]
        assert needed.power == pytest.approx(0.8, abs=0.02)
        assert needed.mde <= 0.1
        assert power_table(400, 1, 0.1)[0].mde > power_table(400, 3, 0.1)[0].mde


def test_an_effect_that_no_number_of_scenarios_shows() -> None:
    stuck = replace(ASSUMED[0], icc=0.5, clusters=5)
    (row,) = power_table(50, 1, 0.05, [stuck])
    assert row.needed == 1_000_000
    assert row.power < 0.2


def test_assumptions_come_from_an_earlier_run() -> None:
    results: dict[str, str] = {}
    for i in range(20):
        results |= {f"m naive f{i}/a/demos": "ccb" if i < 10 else "bbb", f"m naive f{i}/a/nodemos": "bbb"}
    replies, gradings = tables(results)
    joined = outcomes(replies, gradings.assign(norm=gradings["frame"]))
    gain, condition, *_ = assumptions_from(joined, 3)
    assert gain.source == "the run: 20 pairs, 20 norms, K = 3"
    assert gain.spread == pytest.approx(0.5 * 4 / 9 + 2 / 3 * 0.5 / 3)
    assert gain.noise == pytest.approx(0.5 / 3 / gain.spread)
    assert condition == ASSUMED[1]
