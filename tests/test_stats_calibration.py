"""Agreement and calibration against known figures, and in simulations with known truth."""

import numpy as np
import pytest

from losona.stats.agreement import Counts, agreement, annotators, count, krippendorff
from losona.stats.calibration import Cells, Draws, Errors, Labelled, Rate, dependence, errors, refusal
from losona.stats.intervals import wilson


def test_the_papers_audit() -> None:
    found = agreement(Counts(tp=26, fp=3, fn=12, tn=59))
    assert found.sensitivity.value == pytest.approx(0.684, abs=5e-4)
    assert found.specificity.value == pytest.approx(0.952, abs=5e-4)
    assert found.kappa.value == pytest.approx(0.67, abs=5e-3)
    assert found.accuracy[:1] + found.accuracy[3:] == (0.85, 100)
    counted = [(True, True, 26), (False, True, 3), (True, False, 12), (False, False, 59)]
    labels = [Labelled(c, j, "s", "c") for c, j, n in counted for _ in range(n)]
    measured = errors(labels)
    assert (measured.sensitivity.value, measured.specificity.value) == pytest.approx((26 / 38, 59 / 62))
    cells = Cells.of([("x", i, i < 29) for i in range(100)])
    assert Draws.make(measured, 100).corrected(cells, "x").corrected.value == pytest.approx(0.38)


@pytest.mark.parametrize(("prevalence", "kappa", "ac1"), [(0.2, 0.80, 0.89), (0.5, 0.86, 0.86), (0.85, 0.76, 0.90)])
def test_kappa_and_ac1_part_with_prevalence(prevalence: float, kappa: float, ac1: float) -> None:
    n = 100_000
    yes, no = round(n * prevalence), round(n * (1 - prevalence))
    found = agreement(Counts(round(0.93 * yes), round(0.07 * no), round(0.07 * yes), round(0.93 * no)))
    assert (found.kappa.value, found.ac1.value) == pytest.approx((kappa, ac1), abs=0.011)


def test_intervals_cover_in_simulation() -> None:
    rng, hits, runs = np.random.default_rng(1), np.zeros(2), 800
    cells = np.array([0.35, 0.05, 0.10, 0.50])
    p = Counts(*(round(10**6 * c) for c in cells))
    truth = agreement(p).kappa.value, agreement(p).ac1.value
    for drawn in rng.multinomial(150, cells, runs):
        found = agreement(Counts(*map(int, drawn)))
        hits += [s.low <= t <= s.high for s, t in zip((found.kappa, found.ac1), truth, strict=True)]
    assert (hits / runs >= 0.93).all()
    assert (hits / runs <= 0.97).all()


def test_groups_without_both_labels_have_no_kappa_and_empty_ones_no_rate() -> None:
    assert np.isnan(agreement(Counts(5, 0, 1, 0)).kappa.value)
    assert np.isnan(agreement(Counts(0, 0, 0, 0, 3)).accuracy.value)
    assert count([(True, None), (False, True), (True, True)]) == (1, 1, 0, 0, 1)


def test_alpha_is_krippendorffs() -> None:
    units = [[False, False], [True, True], [True, False], [False, False, True], [True], [True, True, True]]
    from inspect_ai.scorer import SampleScore, Score, krippendorff_alpha

    scores = [SampleScore(score=Score(value=[int(x) for x in unit])) for unit in units if len(unit) > 1]
    assert krippendorff(units) == pytest.approx(krippendorff_alpha()(scores))
    labels = {i: {f"p{j}": x for j, x in enumerate(unit)} for i, unit in enumerate(units)}
    found = annotators(labels)
    assert found.alpha.value == pytest.approx(krippendorff(units))
    assert found.alpha.low <= found.alpha.value <= found.alpha.high
    assert (found.n_items, found.n_annotators, found.agreement.n) == (5, 3, 9)


def judged(rng: np.random.Generator, truth: np.ndarray, se: float, sp: float) -> np.ndarray:
    return rng.random(len(truth)) < np.where(truth, se, 1 - sp)


def labels_of(rng: np.random.Generator, n: int, se: float, sp: float, subject: str = "s") -> list[Labelled]:
    truth = rng.random(n) < 0.5
    return [Labelled(bool(t), bool(j), subject, "c") for t, j in zip(truth, judged(rng, truth, se, sp), strict=True)]


@pytest.mark.parametrize(("n", "n_labels"), [(300, 300), pytest.param(480, 600, marks=pytest.mark.slow)])
def test_corrected_rates_and_differences_cover_the_truth(n: int, n_labels: int) -> None:
    """n scenarios a cell in clusters of 3 (n / 3 clusters), two cells over the same clusters."""
    rng, runs, hits, raw_hits = np.random.default_rng(2), 500, np.zeros(3), 0
    se, sp, thetas = 0.85, 0.93, (0.45, 0.60)
    for run in range(runs):
        measured = errors(labels_of(rng, n_labels, se, sp))
        outcomes = [
            (cell, i // 3, bool(label))
            for cell, theta in enumerate(thetas)
            for i, label in enumerate(judged(rng, rng.random(n) < theta, se, sp))
        ]
        cells = Cells.of(outcomes)
        draws = Draws.make(measured, n // 3, seed=run, size=800)
        found = [draws.corrected(cells, cell) for cell in (0, 1)]
        shares = [s for s in (*(f.corrected for f in found), draws.difference(cells, 1, 0).corrected) if s]
        truth = (*thetas, thetas[1] - thetas[0])
        hits += [s.low <= t <= s.high for s, t in zip(shares, truth, strict=True)]
        raw_hits += abs(found[1].raw - thetas[1]) < 1.96 * np.sqrt(found[1].raw * (1 - found[1].raw) / n)
    assert (hits / runs >= 0.93).all(), hits / runs
    assert (hits / runs <= 0.97).all(), hits / runs
    assert raw_hits / runs < 0.8


def test_where_a_pooled_correction_would_turn_a_sign_there_is_none() -> None:
    """A truly complies more than B, but the judge hardly sees it in A: pooled, B is ahead and its interval says so."""
    rng, refused, turned = np.random.default_rng(3), 0, 0
    for run in range(60):
        labels = [*labels_of(rng, 150, 0.55, 0.95, "A"), *labels_of(rng, 150, 0.95, 0.95, "B")]
        outcomes = [
            (cell, i, bool(x))
            for cell, theta, se in (("A", 0.6, 0.55), ("B", 0.5, 0.95))
            for i, x in enumerate(judged(rng, rng.random(400) < theta, se, 0.95))
        ]
        cells = Cells.of(outcomes)
        turned += Draws.make(errors(labels), 400, run, 500).difference(cells, "A", "B").corrected.high < 0
        found = refusal(labels)
        refused += found is not None and "sensitivity depends on the subject" in found.reason
    assert turned > 50
    assert refused >= 59


def test_equal_errors_are_seldom_refused() -> None:
    rng = np.random.default_rng(4)
    refused = sum(
        refusal([*labels_of(rng, 150, 0.85, 0.9, "A"), *labels_of(rng, 150, 0.85, 0.9, "B")], seed=run) is not None
        for run in range(200)
    )
    assert refused / 200 <= 0.05


def test_a_refusal_says_what_to_label_next() -> None:
    rng = np.random.default_rng(5)
    few = refusal(labels_of(rng, 20, 0.9, 0.9))
    assert few is not None
    assert "are needed" in few.reason
    blind = refusal(labels_of(rng, 400, 0.5, 0.5))
    assert blind is not None
    assert "hardly tells right from wrong" in blind.reason
    uneven = [*labels_of(rng, 200, 0.95, 0.9, "A"), *labels_of(rng, 60, 0.3, 0.9, "B")]
    told = refusal(uneven)
    assert told is not None
    assert told.label_next[0].startswith("subject B: ")
    assert {part.factor for part in dependence(uneven)} == {"subject", "condition"}


def test_errors_that_were_drawn_more_often_are_no_dependence() -> None:
    """Both subjects' replies are judged rightly nine times in ten, but of B the wrong verdicts were oversampled."""
    drawn = [*[("A", True, 1.0)] * 180, *[("A", False, 1.0)] * 20, *[("B", True, 3.0)] * 60, *[("B", False, 1.0)] * 20]
    weighted = [Labelled(True, right, subject, "c", weight) for subject, right, weight in drawn]
    assert min(part.p for part in dependence(weighted)) > 0.2
    assert min(part.p for part in dependence([x._replace(weight=1.0) for x in weighted])) < 0.01


def test_weights_undo_an_unequal_draw() -> None:
    rows = [Labelled(True, True, "s", "c", 10.0)] * 9 + [Labelled(True, False, "s", "c", 1.0)] * 10
    found = errors(rows).sensitivity
    assert found.value == pytest.approx(0.9)
    assert found.n_effective < 19 == found.n


def test_no_error_in_few_labels_is_no_certainty() -> None:
    found = Errors(Rate(1.0, 20, 20), Rate(1.0, 20, 20))
    assert found.sensitivity.share().low < 0.95
    cells = Cells.of([("x", i, True) for i in range(30)])
    assert Draws.make(found, 30).corrected(cells, "x").corrected.low < 0.97


def test_prediction_powered_estimates_cover() -> None:
    pytest.importorskip("ppi_py", reason="the extra `calibration` is not installed", exc_type=ImportError)
    from losona.stats.calibration import prediction_powered

    rng, hits, runs = np.random.default_rng(7), 0, 600
    for _ in range(runs):
        truth = rng.random(600) < 0.6
        j = judged(rng, truth, 0.7, 0.9)
        share = prediction_powered(list(truth[:200]), list(j[:200]), list(j[200:]))
        hits += share.low <= 0.6 <= share.high
    assert 0.93 <= hits / runs <= 0.97


def test_even_labels_have_an_interval_with_width() -> None:
    for counts in (
        Counts(2, 0, 0, 1),
        Counts(1, 0, 0, 0),
        Counts(0, 0, 0, 5),
        Counts(20, 0, 0, 20),
        Counts(1, 0, 1, 0),
    ):
        found = agreement(counts)
        for share in (found.ac1, found.kappa):
            assert np.isnan(share.value) or share.low < share.high, (counts, share)
    assert agreement(Counts(20, 0, 0, 20)).kappa.low == pytest.approx(2 * wilson(1.0, 40)[0] - 1)
    alpha = annotators({i: {"p": i % 2 == 0, "q": i % 2 == 0} for i in range(6)}).alpha
    assert alpha.value == 1
    assert 0 < alpha.low < alpha.high == 1
    split = annotators({i: {"p": True, "q": False} for i in range(3)}).alpha
    assert split.low < split.value < split.high


def test_even_cells_are_no_certain_difference() -> None:
    cells = Cells.of([(cell, i, True) for cell in ("A", "B") for i in range(8)])
    sound = Errors(Rate(0.95, 100, 100), Rate(0.95, 100, 100))
    gap = Draws.make(sound, 8).difference(cells, "A", "B").corrected
    assert gap is not None
    assert gap.low < -0.05 < gap.value == 0 < 0.05 < gap.high


def test_corrected_rates_stay_possible_or_are_none() -> None:
    cells = Cells.of([(cell, i, cell == "A") for cell in ("A", "B") for i in range(200)])
    good, weak = (Errors(Rate(x, 4000, 4000), Rate(x, 4000, 4000)) for x in (0.99, 0.6))
    gap = Draws.make(good, 200).difference(cells, "A", "B").corrected
    assert gap is not None
    assert gap.low < gap.value == gap.high == 1
    assert Draws.make(weak, 200).corrected(cells, "A").corrected is None
    assert Draws.make(weak, 200).difference(cells, "A", "B").corrected is None
    with pytest.raises(ValueError, match="right from wrong"):
        Draws.make(Errors(Rate(0.5, 40, 40), Rate(0.5, 40, 40)), 200)
