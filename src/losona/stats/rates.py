"""Rates, intervals and paired differences over outcomes. Pure."""

from collections.abc import Iterable, Sequence
from math import ceil, nan, sqrt
from statistics import fmean

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.stats.outcomes import Outcome, counted, group_by
from losona.stats.rows import Cell, Gain, NormRate, as_table

Z95 = 1.959963984540054


def cells(replies: pd.DataFrame, gradings: pd.DataFrame, epochs_wanted: int | None = None) -> pd.DataFrame:
    """One row (`Cell`) a model x condition x variant, sorted by these; also where not one outcome is scored."""
    joined, k = counted(replies, gradings, epochs_wanted)
    groups = group_by(joined, lambda o: (o.model, o.condition, o.variant))
    return as_table(Cell, [_cell(key, groups[key], k) for key in sorted(groups)])


def gains(replies: pd.DataFrame, gradings: pd.DataFrame, epochs_wanted: int | None = None) -> pd.DataFrame:
    """One row (`Gain`) a model x condition; also where there is no pair."""
    joined, _ = counted(replies, gradings, epochs_wanted)
    groups = group_by(joined, lambda o: (o.model, o.condition))
    return as_table(Gain, [_gain(key, groups[key]) for key in sorted(groups)])


def norm_rates(replies: pd.DataFrame, gradings: pd.DataFrame, epochs_wanted: int | None = None) -> pd.DataFrame:
    """One row (`NormRate`) a model x condition x variant x norm."""
    joined, _ = counted(replies, gradings, epochs_wanted)
    groups = group_by(joined, lambda o: (o.model, o.condition, o.variant, o.pack, o.norm))
    rates = [NormRate(*key, _scenarios(groups[key]), *_compliance(groups[key])) for key in sorted(groups)]
    return as_table(NormRate, rates)


def wilson(share: float, n: int) -> tuple[float, float]:
    """95 % interval of a share of n independent units (Wilson 1927); NaN for n = 0."""
    if n == 0:
        return nan, nan
    centre = (share + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 / (1 + Z95**2 / n) * sqrt(share * (1 - share) / n + Z95**2 / (4 * n**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def _scenarios(group: list[Outcome]) -> int:
    return len({o.scenario_id for o in group})


def _compliance(group: Iterable[Outcome]) -> tuple[int, float]:
    labels = [o.complies for o in group if o.scored]
    return len(labels), fmean(labels) if labels else nan


def _majority(group: Sequence[Outcome], k: int) -> bool | None:
    """Whether a scenario complies; none where it is undecided."""
    complying = sum(o.complies for o in group)
    breaching = sum(o.scored for o in group) - complying
    if complying >= ceil(k / 2):
        return True
    return False if breaching > k - ceil(k / 2) else None


def _share(values: Sequence[bool]) -> float:
    return fmean(values) if values else nan


def _cell(key: tuple[str, str, str], group: list[Outcome], k: int) -> Cell:
    scenarios = list(group_by(group, lambda o: o.scenario_id).values())
    decided = [d for d in (_majority(s, k) for s in scenarios) if d is not None]
    whole = [s for s in scenarios if k > 1 and sum(o.scored for o in s) == k]
    fits = [o.fits for o in group if o.fits is not None]
    acc = _share(decided)
    low, high = wilson(acc, len(decided))
    n_scored, compliance = _compliance(group)
    return Cell(
        *key,
        k=k,
        n_scenarios=len(scenarios),
        n_decided=len(decided),
        n_undecided=len(scenarios) - len(decided),
        acc_at_k=acc,
        acc_low=low,
        acc_high=high,
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
    )


def _gain(key: tuple[str, str], group: list[Outcome]) -> Gain:
    scored = [o for o in group if o.scored and o.frame]
    sides = [group_by((o for o in scored if o.variant == v), lambda o: (o.frame, o.arm)) for v in ("demos", "nodemos")]
    both = [pair for pair in sides[0] if pair in sides[1]]
    if not both:
        return Gain(*key, 0, nan, nan, nan, nan, nan)
    shown, bare = (fmean(_compliance(side[pair])[1] for pair in both) for side in sides)
    return Gain(*key, len(both), shown, bare, shown - bare, *_difference(shown, bare, len(both)))


def _difference(first: float, second: float, n: int) -> tuple[float, float]:
    """95 % interval of first - second, each a mean over n units (Newcombe 1998, method 10)."""
    (low1, high1), (low2, high2) = wilson(first, n), wilson(second, n)
    gap = first - second
    return gap - sqrt((first - low1) ** 2 + (high2 - second) ** 2), gap + sqrt(
        (high1 - first) ** 2 + (second - low2) ** 2
    )
