"""Comparisons of conditions, models, arms, variants and doses: golden numbers by hand."""

from math import inf, isnan
from typing import Any

import pandas as pd
import pytest

from losona.stats import (
    Score,
    adaptation,
    ceilings,
    cells,
    contrast,
    crossed_outcomes,
    deltas,
    dose_curve,
    evidence,
    followed,
    frame_scores,
    model_pairs,
    norm_gains,
    norm_pairs,
    orientation,
    outcomes,
    ranking,
    scores,
    specificity,
    track_counts,
    wilson,
)
from losona.stats.adaptation import half_dose
from losona.taxonomy import Taxonomy
from test_stats import tables


def found(results: dict[str, str], **changes: Any) -> list[Score]:
    """Scores of `{"model condition frame/arm/variant": "cbu"}`; each frame has norms of its own."""
    replies, gradings = tables(results, **changes)
    return scores(
        replies, gradings.assign(norm=[f"{f}_{a}" for f, a in zip(gradings.frame, gradings.arm, strict=True)])
    )


def each(n: int, letters: str, model: str = "m", condition: str = "naive", variant: str = "demos") -> dict[str, str]:
    """Frames f0, f1, ...: letters are given out in turn, one reply each."""
    return {f"{model} {condition} f{i}/a/{variant}": letters[i % len(letters)] for i in range(n)}


def test_repeats_of_a_scenario_are_one_score() -> None:
    (score,) = found({"m naive f/a/demos": "ccb"})
    assert (score.n_scored, score.mean, score.passes) == (3, pytest.approx(2 / 3), True)


def test_deltas_are_against_both_controls() -> None:
    results = each(20, "b") | each(20, "cb", condition="elicitor_only") | each(20, "cccb", condition="norm_informed")
    rows = {(r.condition, r.against): r for r in deltas(found(results))}
    assert set(rows) == {("elicitor_only", "naive"), ("norm_informed", "naive"), ("norm_informed", "elicitor_only")}
    first, second = rows["norm_informed", "naive"], rows["norm_informed", "elicitor_only"]
    assert (first.acc_delta, first.recovered, first.regressed, first.n_decided) == (0.75, 15, 0, 20)
    assert first.p_mcnemar == pytest.approx(2 * 0.5**15)
    assert first.p < 0.001 < second.p < 0.1
    assert (second.compliance_delta, second.recovered, second.regressed) == (0.25, 5, 0)
    assert second.delta_low < second.delta_boot_low < 0.25 < second.delta_boot_high < second.delta_high


def test_deltas_use_scenarios_of_both_sides_and_adjust_over_models() -> None:
    results = {"m naive f/a/demos": "b", "m naive g/a/demos": "u", "m norm_informed f/a/demos": "c"}
    for i in range(8):
        results |= {f"{m} naive x{i}/a/demos": "b" for m in "mn"} | {
            f"{m} norm_informed x{i}/a/demos": "c" for m in "mn"
        }
    one, two = deltas(found(results))
    assert (one.model, one.n_pairs, two.n_pairs) == ("m", 9, 8)
    assert (one.p, two.p) == (2 / 2**9, 2 / 2**8)
    assert (one.p_holm, two.p_holm) == (2 * one.p, two.p)


def test_models_that_cannot_be_told_apart_share_a_letter_and_places() -> None:
    results = each(40, "c", "best") | each(40, "cccb", "middle") | each(40, "ccb", "near") | each(40, "b", "last")
    rows = {r.model: r for r in ranking(found(results))}
    assert [(m, r.rank_best, r.rank_worst, r.group) for m, r in rows.items()] == [
        ("best", 1, 1, "a"), ("middle", 2, 3, "b"), ("near", 2, 3, "b"), ("last", 4, 4, "c"),
    ]  # fmt: skip


def test_a_model_between_two_groups_has_both_letters() -> None:
    results = each(30, "c", "x") | each(30, "cccccccccb", "y") | each(30, "ccccb", "z")
    assert [r.group for r in ranking(found(results))] == ["a", "ab", "b"]


def test_superiority_counts_ties_half() -> None:
    results = each(20, "ccbb", "x") | each(20, "cbbb", "y")
    (row,) = model_pairs(found(results))
    assert (row.difference, row.ties, row.superiority) == (0.25, 0.75, pytest.approx(0.625))
    assert row.superiority_low < 0.625 < row.superiority_high
    assert row.p == row.p_holm


def test_norm_gains_are_adjusted_for_many_norms() -> None:
    results: dict[str, str] = {}
    for arm, letter in (("a", "c"), ("b", "b")):
        for i in range(8):
            results |= {f"m naive f{i}/{arm}/demos": letter, f"m naive f{i}/{arm}/nodemos": "b"}
    replies, gradings = tables(results)
    a, b = norm_gains(scores(replies, gradings))
    assert (a.norm, a.n_pairs, a.gain, a.p, a.p_bh) == ("norm_a", 8, 1, 2 / 2**8, 4 / 2**8)
    assert (b.gain, b.p_bh) == (0, 1)


STYLE = {f"m naive f{i}/{arm}/demos": "c" if arm == "a" else "b" for i in range(6) for arm in "ab"}


def test_a_fixed_style_wins_no_pair_and_shows_as_bias() -> None:
    (row,) = contrast(found(STYLE), {f"f{i}_{arm}": i + 10 * (arm == "a") for i in range(6) for arm in "ab"})
    assert (row.n_pairs, row.n_norm_pairs, row.both, row.neither) == (6, 6, 0, 0)
    assert (row.first, row.second, row.product, row.bias, row.bias_size) == (0, 1, 0, -1, 1)
    assert row.bias_high < 0


def test_pairs_are_oriented_by_the_pack_and_not_by_arms() -> None:
    swapped = {k: v for k, v in STYLE.items() if "f0" not in k} | {"m naive f0/a/demos": "b", "m naive f0/b/demos": "c"}
    order = {f"f{i}_{arm}": (arm == "b") != (i == 0) for i in range(6) for arm in "ab"}
    (row,) = contrast(found(swapped), order)
    assert (row.first, row.second, row.bias) == (1, 0, 1)
    assert [(p.first, p.second) for p in norm_pairs(found(swapped), order)] == [(1, 0)] * 6


def test_the_pack_says_which_norm_a_default_assistant_is_nearer_to(taxonomy: Taxonomy) -> None:
    norms = taxonomy.packs["core"].norms
    order = orientation(norms.values() if isinstance(norms, dict) else norms)
    leans = {n.id: n.default_assistant.expected_pass_without_demos for n in taxonomy.norms.values()}
    assert len(order) == 22
    assert [leans[n] for n in sorted(order, key=order.__getitem__)] == sorted(
        (leans[n] for n in order), key=("high", "medium", "low").index
    )


def test_a_frame_counts_only_when_all_four_are_right() -> None:
    four = {f"m naive {f}/{arm}/{v}": "c" for f in "fgh" for arm in "ab" for v in ("demos", "off")}
    (row,) = frame_scores(found(four | {"m naive g/b/off": "b", "m naive h/a/off": "u"}))
    assert (row.n_frames, row.score) == (2, 0.5)


def test_always_and_never_applying_have_no_specificity() -> None:
    always, never = (each(10, one) | each(10, other, variant="off") for one, other in ("cb", "bc"))
    assert [specificity(found(results))[0].j for results in (always, never)] == [0, 0]
    knows = each(10, "c") | each(10, "cccccccccb", variant="off") | each(10, "c", variant="offnodemos")
    (row,) = specificity(found(knows))
    assert (row.applied, row.misapplied, row.j) == (1, pytest.approx(0.1), pytest.approx(0.9))
    assert (row.misapplied_floor, row.excess, row.n_floor) == (0, pytest.approx(0.1), 10)
    assert row.p == 2 / 2**9


def test_conflicting_evidence_is_a_share_of_its_own() -> None:
    (row,) = evidence(found(each(8, "c") | each(8, "cb", variant="shift")))
    assert (row.variant, row.n_scenarios, row.share, row.n_pairs, row.change) == ("shift", 8, 0.5, 8, -0.5)


def both_ways(own: str, other: str | None, frame: str = "f", variant: str = "mixed") -> tuple[Any, Any]:
    """Replies to arm a's chat, graded by a's norm and, where there are letters, by b's."""
    replies, gradings = tables({f"m naive {frame}/a/{variant}": own})
    if other is None:
        return replies, gradings
    _, again = tables({f"m naive {frame}/a/{variant}": other})
    crossed = {"scenario_id": f"{frame}/b/{variant}_other", "arm": "b", "norm": "norm_b", "expectation": "crossed"}
    return replies, pd.concat([gradings, again.assign(**crossed, variant=f"{variant}_other")])


def test_replies_that_saw_both_norms_follow_one_the_other_both_or_neither() -> None:
    replies, gradings = both_ways("cbcbuc", "bccbcu")
    (row,) = followed(outcomes(replies, gradings), crossed_outcomes(replies, gradings))
    assert (row.n_replies, row.n_unknown, row.n_scenarios, row.n_norm_pairs) == (6, 2, 1, 1)
    assert (row.counted, row.other, row.both, row.neither, row.lean) == (0.25, 0.25, 0.25, 0.25, 0)
    parts = [both_ways("c" if i else "b", "b", f"f{i}") for i in range(4)]
    replies, gradings = (pd.concat(tables) for tables in zip(*parts, strict=True))
    (row,) = followed(outcomes(replies, gradings), crossed_outcomes(replies, gradings))
    assert (row.n_scenarios, row.n_norm_pairs, row.counted, row.neither, row.lean) == (4, 1, 0.75, 0.25, 0.75)
    assert (row.counted_low, row.counted_high) == pytest.approx(wilson(0.75, 4))


def test_a_grading_by_the_other_norm_is_no_compliance() -> None:
    replies, gradings = both_ways("cc", "bb")
    (cell,) = cells(replies, gradings).itertuples()
    assert (cell.variant, cell.n_scored, cell.compliance) == ("mixed", 2, 1)
    assert track_counts(gradings).n_scenarios == 1


def test_replies_that_one_norm_has_graded_are_counted_as_not_known() -> None:
    replies, gradings = both_ways("cb", None)
    (row,) = followed(outcomes(replies, gradings), crossed_outcomes(replies, gradings))
    assert (row.n_replies, row.n_unknown, row.n_scenarios) == (2, 2, 0)
    assert isnan(row.counted)
    assert isnan(row.lean_low)


def doses(n: int, *letters: str) -> dict[str, str]:
    names = ("nodemos", "dose1", "dose2", "demos")
    return {k: v for name, one in zip(names, letters, strict=True) for k, v in each(n, one, variant=name).items()}


def test_the_adaptation_curve() -> None:
    results = doses(8, "b", "cbbb", "cccb", "c") | {"m naive two/a/demos": "c", "m naive two/a/nodemos": "b"}
    points = dose_curve(found(results))
    assert [(p.dose, p.share, p.n, p.n_frames) for p in points] == [
        (0, 0, 8, 8),
        (1, 0.25, 8, 8),
        (2, 0.75, 8, 8),
        (3, 1, 8, 8),
    ]
    (row,) = adaptation(found(results))
    assert (row.n, row.n_left_out, row.area, row.half_dose) == (8, 1, pytest.approx(0.5), 1.5)
    assert row.area_low < 0.5 < row.area_high
    assert 1 <= row.half_low < 1.5 < row.half_high <= 2


def test_a_curve_that_does_not_reach_half() -> None:
    (row,) = adaptation(found(doses(8, "b", "b", "cbbb", "cbbb")))
    assert (row.half_dose, row.half_high) == (inf, inf)
    assert half_dose([0.6, 0.7]) == 0
    assert half_dose([0.0, 0.8, 0.2]) == 1  # made monotone, it stays at one half


def test_the_share_of_the_gap_that_is_closed() -> None:
    bare = each(12, "b", variant="nodemos")
    results = each(12, "cccbbb") | bare | each(12, "cccccb", condition="oracle")
    (row,) = ceilings(found(results))
    assert (row.floor, row.compliance, row.ceiling, row.n) == (0, 0.5, pytest.approx(5 / 6), 12)
    assert (row.gap, row.closed) == (pytest.approx(5 / 6), pytest.approx(0.6))
    assert 0 < row.closed_low < 0.6 < row.closed_high
    (none,) = ceilings(
        found(each(12, "c") | bare | each(12, "cb", condition="oracle") | each(12, "cb", variant="nodemos"))
    )
    assert isnan(none.closed)


def test_nothing_gives_no_rows() -> None:
    for rows in (
        deltas,
        model_pairs,
        ranking,
        norm_gains,
        contrast,
        frame_scores,
        specificity,
        evidence,
        dose_curve,
        adaptation,
        ceilings,
    ):
        assert rows([]) == []
