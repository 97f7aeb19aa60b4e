"""Rates and gains over outcomes, with intervals by norm and by frame. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import nan
from statistics import fmean

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.stats.intervals import clustered_mean, clustered_share, exact, holm, p_value
from losona.stats.outcomes import Outcome, counted, group_by
from losona.stats.paired import bootstrap_share
from losona.stats.rows import Cell, Gain, NormRate, as_table
from losona.stats.scores import (
    Pair,
    Score,
    by_place,
    groups,
    n_norms,
    norm_clusters,
    pairs,
    score_outcomes,
    scores,
    where,
)


def cells(replies: pd.DataFrame, gradings: pd.DataFrame, epochs_wanted: int | None = None) -> pd.DataFrame:
    """One row (`Cell`) a model x condition x variant, sorted by these; also where not one outcome is scored."""
    return as_table(Cell, cell_rows(*counted(replies, gradings, epochs_wanted)))


def cell_rows(joined: Iterable[Outcome], k: int) -> list[Cell]:
    """The cells of outcomes of epochs 1 to K."""
    found = group_by(joined, lambda o: (o.model, o.condition, o.variant))
    return [_cell(key, found[key], k) for key in sorted(found)]


def gains(replies: pd.DataFrame, gradings: pd.DataFrame, epochs_wanted: int | None = None) -> pd.DataFrame:
    """One row (`Gain`) a model x condition; also where there is no pair."""
    return as_table(Gain, gain_rows(scores(replies, gradings, epochs_wanted)))


def gain_rows(found: Iterable[Score]) -> list[Gain]:
    """The gains of scores, Holm-adjusted over the models under each condition."""
    rows = [_gain(key, group) for key, group in groups(found, lambda s: (s.model, s.condition))]
    adjusted: dict[tuple[str, str], float] = {}
    for _, family in group_by(rows, lambda row: row.condition).items():
        adjusted |= zip([(r.model, r.condition) for r in family], holm([r.p for r in family]), strict=True)
    return [replace(row, p_holm=adjusted[row.model, row.condition]) for row in rows]


def norm_rates(replies: pd.DataFrame, gradings: pd.DataFrame, epochs_wanted: int | None = None) -> pd.DataFrame:
    """One row (`NormRate`) a model x condition x variant x norm."""
    return as_table(NormRate, norm_rows(counted(replies, gradings, epochs_wanted)[0]))


def norm_rows(joined: Iterable[Outcome]) -> list[NormRate]:
    """The rates by norm of outcomes."""
    found = group_by(joined, lambda o: (o.model, o.condition, o.variant, o.pack, o.norm))
    return [_norm_rate(key, found[key]) for key in sorted(found)]


def gain_pairs(found: Sequence[Score]) -> list[Pair]:
    """With and without demonstrations: scores of the same frame and arm."""
    framed = [s for s in found if s.frame]
    return pairs(where(framed, variant="demos"), where(framed, variant="nodemos"), by_place)


def _norm_rate(key: tuple[str, str, str, str, str], group: list[Outcome]) -> NormRate:
    n_scored, compliance = _compliance(group)
    low, high = exact(compliance, len({o.scenario_id for o in group if o.scored}))
    return NormRate(*key, len({o.scenario_id for o in group}), n_scored, compliance, low, high)


def _compliance(group: Iterable[Outcome]) -> tuple[int, float]:
    labels = [o.complies for o in group if o.scored]
    return len(labels), _share(labels)


def _share(values: Sequence[bool]) -> float:
    return fmean(values) if values else nan


def _cell(key: tuple[str, str, str], group: list[Outcome], k: int) -> Cell:
    scenarios = list(group_by(group, lambda o: o.scenario_id).values())
    decided = [s for s in score_outcomes(group, k) if s.passes is not None]
    passed = [bool(s.passes) for s in decided]
    acc = clustered_share(passed, norm_clusters(decided))
    frame = clustered_share(passed, [s.unit for s in decided])
    boot = bootstrap_share(passed)
    whole = [s for s in scenarios if k > 1 and sum(o.scored for o in s) == k]
    fits = [o.fits for o in group if o.fits is not None]
    n_scored, compliance = _compliance(group)
    return Cell(
        *key,
        k=k,
        n_scenarios=len(scenarios),
        n_decided=len(decided),
        n_undecided=len(scenarios) - len(decided),
        acc_at_k=acc.mean,
        acc_low=acc.low,
        acc_high=acc.high,
        compliance=compliance,
        n_scored=n_scored,
        n_unscored=len(group) - n_scored,
        n_invalid=sum(o.invalid for o in group),
        n_errors=sum(o.failed for o in group),
        n_missing=len(scenarios) * k - len(group),
        consistency=_share([len({o.label for o in s}) == 1 for s in whole]),
        n_consistency=len(whole),
        fits=_share(fits),
        n_fits=len(fits),
        n_norms=n_norms(decided),
        n_frames=frame.n_clusters,
        acc_frame_low=frame.low,
        acc_frame_high=frame.high,
        acc_boot_low=boot[0],
        acc_boot_high=boot[1],
    )


def _gain(key: tuple[str, str], group: Sequence[Score]) -> Gain:
    found = gain_pairs(group)
    if not found:
        return Gain(*key, 0, nan, nan, nan, nan, nan)
    shown, bare = fmean(a.mean for a, _ in found), fmean(b.mean for _, b in found)
    change, norms = [a.mean - b.mean for a, b in found], norm_clusters(a for a, _ in found)
    norm, frame = clustered_mean(change, norms), clustered_mean(change, [a.unit for a, _ in found])
    return Gain(
        *key,
        n_pairs=len(found),
        with_demos=shown,
        without_demos=bare,
        gain=shown - bare,
        gain_low=norm.low,
        gain_high=norm.high,
        n_norms=n_norms(a for a, _ in found),
        n_frames=frame.n_clusters,
        gain_frame_low=frame.low,
        gain_frame_high=frame.high,
        normalised=(shown - bare) / (1 - bare) if bare < 1 else nan,
        p=p_value(change, norms),
    )
