"""Golden numbers, computed by hand. A letter is one epoch: c complies, b breaches, u unscored, e error, i invalid."""

from math import isnan, nan
from typing import Any

import pandas as pd
import pytest

from losona.errors import UserFault
from losona.schema.tables import GradingRow, ReplyRow
from losona.stats import (
    Cell,
    Gain,
    GraderUsage,
    NormRate,
    Reason,
    Usage,
    as_rows,
    cells,
    gains,
    grader_usage,
    metric,
    norm_rates,
    parse_gate,
    passes,
    reasons,
    track_counts,
    usage,
    wilson,
)

LABELS = {"c": "complies", "b": "breaches", "u": "unscored", "e": "unscored", "i": "breaches"}
Tables = tuple[pd.DataFrame, pd.DataFrame]


def tables(results: dict[str, str], **changes: Any) -> Tables:
    """`{"model condition frame/arm/variant": "cbu"}` -> replies and gradings; nodemos arms share their replies."""
    replies: dict[str, ReplyRow] = {}
    gradings: list[GradingRow] = []
    for key, letters in results.items():
        model, condition, scenario_id = key.split()
        frame, arm, variant = scenario_id.split("/")
        transcript = f"{frame}/{'' if variant == 'nodemos' else arm}/{variant}"
        for epoch, letter in enumerate(letters, 1):
            reply_id = f"{model} {condition} {transcript} {epoch}"
            replies[reply_id] = ReplyRow(
                reply_id=reply_id,
                transcript_id=transcript,
                prompt_hash="p",
                condition=condition,
                model=model,
                model_id=model,
                epoch=epoch,
                text="" if letter == "e" else "hm",
                finish_reason="stop",
                error="timeout" if letter == "e" else "",
                valid=None if letter == "e" else letter != "i",
            )
            gradings.append(
                GradingRow(
                    reply_id=reply_id,
                    scenario_id=scenario_id,
                    frame=frame,
                    arm=arm,
                    variant=variant,
                    pack="core",
                    event="standup",
                    norm=f"norm_{arm}",
                    mode="exact",
                    expectation="none" if variant == "nodemos" else "applies",
                    grader="verifier",
                    label=LABELS[letter],
                ).model_copy(update=changes)
            )
    return (
        pd.DataFrame([reply.model_dump() for reply in replies.values()]),
        pd.DataFrame([grading.model_dump() for grading in gradings]),
    )


def cell(letters: list[str], epochs: int | None = None, **changes: Any) -> Cell:
    """The one cell of scenarios with these letters."""
    found = {f"m naive f{i}/a/demos": one for i, one in enumerate(letters)}
    (row,) = as_rows(Cell, cells(*tables(found, **changes), epochs_wanted=epochs))
    return row


@pytest.mark.parametrize(
    ("letters", "decision"),
    [
        ("ccc", 1), ("ccb", 1), ("cbb", 0), ("bbb", 0), ("ccu", 1), ("bbu", 0), ("cuu", None), ("buu", None),
        ("cbu", None), ("uuu", None), ("cce", 1), ("iib", 0), ("cii", 0),
        ("c", 1), ("b", 0), ("u", None),
        ("cb", 1), ("cu", 1), ("bb", 0), ("bu", None), ("uu", None),
        ("ccbb", 1), ("ccuu", 1), ("cbbb", 0), ("bbbu", 0), ("bbuu", None), ("cbbu", None),
    ],
)  # fmt: skip
def test_majority(letters: str, decision: int | None) -> None:
    row = cell([letters])
    assert (row.k, row.n_scenarios) == (len(letters), 1)
    assert (row.n_decided, row.n_undecided) == ((0, 1) if decision is None else (1, 0))
    assert isnan(row.acc_at_k) if decision is None else row.acc_at_k == decision


def test_a_cell_counts_everything() -> None:
    row = cell(["ccc", "ccb", "bbi", "cuu", "ceb"])
    assert row == Cell(
        model="m",
        condition="naive",
        variant="demos",
        k=3,
        n_scenarios=5,
        n_decided=3,
        n_undecided=2,
        acc_at_k=pytest.approx(2 / 3),
        acc_low=pytest.approx(0.20766, abs=1e-5),
        acc_high=pytest.approx(0.93851, abs=1e-5),
        compliance=pytest.approx(7 / 12),
        n_scored=12,
        n_unscored=3,
        n_invalid=1,
        n_errors=1,
        n_missing=0,
        consistency=pytest.approx(2 / 3),
        n_consistency=3,
        fits=pytest.approx(nan, nan_ok=True),
        n_fits=0,
        n_norms=1,
        n_frames=3,
        acc_frame_low=pytest.approx(0.20766, abs=1e-5),
        acc_frame_high=pytest.approx(0.93851, abs=1e-5),
        acc_boot_low=0,
        acc_boot_high=1,
    )


def test_a_cell_without_a_scored_outcome_keeps_its_row() -> None:
    table = cells(*tables({"m naive f/a/demos": "uue", "m oracle f/a/demos": "ccc"}))
    row, other = as_rows(Cell, table)
    assert (row.condition, row.n_scenarios, row.n_undecided) == ("naive", 1, 1)
    assert (row.n_scored, row.n_unscored, row.n_errors) == (0, 3, 1)
    assert all(isnan(v) for v in (row.acc_at_k, row.acc_low, row.acc_high, row.compliance, row.consistency))
    assert (other.acc_at_k, other.consistency, other.n_consistency) == (1, 1, 1)


def test_wanted_epochs_that_did_not_run_leave_scenarios_undecided() -> None:
    row = cell(["c", "cc"], epochs=3)
    assert (row.k, row.n_decided, row.n_undecided, row.n_missing) == (3, 1, 1, 3)
    assert (row.compliance, row.n_scored, row.n_consistency) == (1, 3, 0)


def test_epochs_beyond_the_wanted_are_left_out() -> None:
    row = cell(["cbbbb"], epochs=1)
    assert (row.k, row.acc_at_k, row.n_scored, row.n_missing) == (1, 1, 1, 0)


def test_k_is_the_same_for_all_cells() -> None:
    rows = as_rows(Cell, cells(*tables({"m naive f/a/demos": "ccc", "n naive f/a/demos": "c"})))
    assert [(row.k, row.n_decided, row.n_missing) for row in rows] == [(3, 1, 0), (3, 0, 2)]


def test_one_epoch_has_no_consistency() -> None:
    row = cell(["c", "b"])
    assert isnan(row.consistency)
    assert row.n_consistency == 0


def test_fits_only_where_a_judge_looked() -> None:
    replies, gradings = tables({f"m naive f{i}/a/demos": "c" for i in range(5)})
    gradings["mode"] = ["exact", "exact", "judge", "judge", "exact"]
    gradings["fits"] = [None, False, True, False, True]
    gradings["in_character"] = [None, None, True, False, True]
    (row,) = as_rows(Cell, cells(replies, gradings))
    assert (row.fits, row.n_fits) == (pytest.approx(2 / 3), 3)


def test_a_shared_reply_counts_once_for_each_scenario() -> None:
    replies, gradings = tables({"m naive f/a/nodemos": "cb", "m naive f/b/nodemos": "bb"})
    assert (len(replies), len(gradings)) == (2, 4)
    (row,) = as_rows(Cell, cells(replies, gradings))
    assert (row.n_scenarios, row.n_scored, row.compliance, row.acc_at_k) == (2, 4, 0.25, 0.5)


def test_an_advisory_grading_sets_no_label() -> None:
    replies, gradings = tables({"m naive f/a/demos": "b", "m naive g/a/demos": "c"})
    advice = gradings.assign(advisory=True, label="complies", grader="j")
    both = pd.concat([advice, gradings.iloc[:1]], ignore_index=True)
    (row,) = as_rows(Cell, cells(replies, both))
    assert (row.n_scenarios, row.n_scored, row.n_unscored, row.compliance) == (2, 1, 1, 0)


def test_tables_that_do_not_fit_together_are_refused() -> None:
    replies, gradings = tables({"m naive f/a/demos": "b"})
    with pytest.raises(UserFault, match="two deciding gradings"):
        cells(replies, pd.concat([gradings, gradings]))
    with pytest.raises(UserFault, match="which the replies do not hold"):
        cells(replies.iloc[:0], gradings)
    again = (replies.assign(reply_id="other"), gradings.assign(reply_id="other"))
    with pytest.raises(UserFault, match="2 replies of m to f/a/demos under naive in epoch 1"):
        cells(pd.concat([replies, again[0]]), pd.concat([gradings, again[1]]))


def test_empty_tables_give_empty_tables() -> None:
    none = pd.DataFrame()
    assert list(cells(none, none).columns)[:3] == ["model", "condition", "variant"]
    assert [len(f(none, none)) for f in (cells, gains, norm_rates, usage)] == [0] * 4


def test_tables_survive_parquet(tmp_path: Any) -> None:
    written = tables({"m naive f/a/demos": "cue", "m naive f/a/nodemos": "bib"})
    read: list[pd.DataFrame] = []
    for i, table in enumerate(written):
        table.to_parquet(tmp_path / f"{i}.parquet")
        read.append(pd.read_parquet(tmp_path / f"{i}.parquet"))
    for function in (cells, gains, usage):
        pd.testing.assert_frame_equal(function(*read), function(*written))


def test_gain_pairs_scenarios_with_both_sides_scored() -> None:
    results = {
        "m naive f/a/demos": "ccb", "m naive f/a/nodemos": "bbb",  # 2/3 - 0
        "m naive f/b/demos": "ccu", "m naive f/b/nodemos": "cbu",  # 1 - 1/2; the reply is shared with arm a
        "m naive g/a/demos": "ccc", "m naive g/a/nodemos": "uue",  # no pair
        "m naive h/a/demos": "bbb",  # no pair
        "m oracle h/a/demos": "ccc",
    }  # fmt: skip
    first, second = as_rows(Gain, gains(*tables(results)))
    assert (first.condition, first.n_pairs) == ("naive", 2)
    assert (first.with_demos, first.without_demos) == (pytest.approx(5 / 6), pytest.approx(1 / 4))
    assert first.gain == pytest.approx(7 / 12)
    assert first.gain_low < 0 < first.gain < first.gain_high <= 1
    assert (second.condition, second.n_pairs) == ("oracle", 0)
    assert isnan(second.gain)


def test_rows_of_no_frame_make_no_pairs() -> None:
    replies, gradings = tables({"m naive f/a/demos": "c", "m naive f/a/nodemos": "b"})
    (row,) = as_rows(Gain, gains(replies, gradings.assign(frame="", arm="")))
    assert row.n_pairs == 0


def test_interval_of_a_gain_clusters_by_norm_and_by_frame() -> None:
    # Norm means 1 and 0 of two pairs each: se = sqrt(2/1 (1 + 1)) / 4 = 1/2 by norm, and sqrt(4/3) / 4 by frame.
    results = {f"m naive f{i}/{arm}/demos": "c" if arm == "a" else "b" for i in range(2) for arm in "ab"}
    results |= {f"m naive f{i}/{arm}/nodemos": "b" for i in range(2) for arm in "ab"}
    replies, gradings = tables(results)
    (row,) = as_rows(Gain, gains(replies, gradings.assign(frame=gradings["scenario_id"].str[:4])))
    assert (row.gain, row.n_norms, row.n_frames) == (0.5, 2, 4)
    assert (row.gain_low, row.gain_high) == (-1, 1)  # 12.7 standard errors on either side
    assert row.gain_frame_low == pytest.approx(0.5 - 3.18245 * 0.288675, abs=1e-4)
    assert (row.normalised, row.p, row.p_holm) == (0.5, 1, 1)


def test_wilson() -> None:
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)  # Newcombe 1998
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=1e-4)
    assert wilson(1, 20) == pytest.approx((0.8389, 1), abs=1e-4)
    assert all(isnan(end) for end in wilson(nan, 0))


def test_norm_rates() -> None:
    results = {"m naive f/a/demos": "cc", "m naive g/a/demos": "bu", "m naive f/b/demos": "uu"}
    a, b = as_rows(NormRate, norm_rates(*tables(results)))
    assert (a.norm, a.n_scenarios, a.n_scored, a.compliance) == ("norm_a", 2, 3, pytest.approx(2 / 3))
    assert (b.norm, b.n_scenarios, b.n_scored) == ("norm_b", 1, 0)
    assert isnan(b.compliance)


def test_usage() -> None:
    replies, gradings = tables({"m naive f/a/demos": "cei"})
    replies = replies.assign(cost=[0.5, None, 0.25], latency=[1.0, None, 4.0], input_tokens=[10, 0, 30])
    (row,) = as_rows(Usage, usage(replies, gradings.iloc[:2]))
    assert (row.n_calls, row.n_errors, row.n_invalid, row.n_ungraded) == (3, 1, 1, 1)
    assert (row.input_tokens, row.cost, row.n_cost, row.latency, row.n_latency) == (40, 0.75, 2, 2.5, 2)


def test_reasons_and_graders() -> None:
    replies, gradings = tables({"m naive f/a/demos": "ceu", "m naive f/a/nodemos": "u", "m naive f/b/nodemos": "u"})
    replies["invalid_reasons"] = ["", "", "", "too_long,only_others"]
    gradings["error"] = ["", "no reply", "judge refused", "judge refused", "judge refused"]
    found = [(r.kind, r.reason, r.n) for r in as_rows(Reason, reasons(replies, gradings))]
    assert found == [
        ("error", "timeout", 1), ("invalid", "only_others", 1), ("invalid", "too_long", 1),
        ("unscored", "judge refused", 3), ("unscored", "no reply", 1),
    ]  # fmt: skip
    advice = gradings.iloc[:2].assign(advisory=True, grader="j", input_tokens=7)
    first, second = as_rows(GraderUsage, grader_usage(pd.concat([gradings, advice])))
    assert first == GraderUsage("j", 2, 2, 1, 14, 0)
    assert second == GraderUsage("verifier", 5, 0, 4, 0, 0)


def test_track_counts() -> None:
    _, gradings = tables({"m naive f/a/demos": "c", "m naive f/a/off": "c", "m naive g/a/demos": "c"})
    gradings["mode"] = ["exact", "exact", "partial"]
    gradings["expectation"] = ["applies", "out_of_scope", "applies"]
    assert track_counts(gradings) == (3, 1, 2)


GATED = {
    "m naive f/a/demos": "ccc", "m naive g/a/demos": "bbb", "m naive f/a/nodemos": "bbb",
    "n naive f/a/demos": "ccb", "m oracle f/a/demos": "cbb", "n oracle f/a/demos": "uuu",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("acc:naive", 0.5), ("compliance:naive", 0.5), ("consistency:naive", 0), ("acc:naive:demos", 0.5),
        ("acc:naive:nodemos", 0), ("acc:oracle", nan), ("acc", nan),
    ],
)  # fmt: skip
def test_metric_is_the_smallest_of_the_models(name: str, value: float) -> None:
    assert metric(cells(*tables(GATED)), name) == pytest.approx(value, nan_ok=True)


def test_metric_without_demos_takes_all_variants() -> None:
    assert metric(cells(*tables({"m naive f/a/release": "c", "m naive f/a/other": "b"})), "acc") == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("accuracy", "unknown metric 'accuracy'; known are acc, compliance, consistency."),
        ("acc:nave", "unknown condition 'nave'; known are naive, oracle."),
        ("acc:oracle:off", "unknown variant 'off'; known are demos."),
    ],
)
def test_unknown_metric(name: str, message: str) -> None:
    with pytest.raises(UserFault) as fault:
        metric(cells(*tables(GATED)), name)
    assert str(fault.value) == message


def test_gate() -> None:
    assert parse_gate("acc:naive=0.5") == ("acc:naive", 0.5)
    assert passes(0.5, 0.5)
    assert not passes(nan, 0)
    for wrong in ("acc", "acc=", "=0.5", "acc=50", "acc=-1", "acc=nan"):
        with pytest.raises(UserFault, match="METRIC=X"):
            parse_gate(wrong)
