"""Rows of the tables that the statistics give, and the typed edge to pandas. Computes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import nan
from typing import Any, NamedTuple, TypeVar

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

Row = TypeVar("Row")


@dataclass(frozen=True)
class Cell:
    """One model under one condition in one variant. Rates are shares from 0 to 1; NaN where nothing was scored."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    variant: str
    """Variant of the scenarios."""
    k: int
    """Epochs."""
    n_scenarios: int
    """Scenarios with at least one outcome, scored or not."""
    n_decided: int
    """Scenarios with a majority: the denominator of `acc_at_k`."""
    n_undecided: int
    """Scenarios without one, because outcomes are unscored or missing."""
    acc_at_k: float
    """Share of decided scenarios that comply."""
    acc_low: float
    """Lower end of its 95 % interval, clustered by norm."""
    acc_high: float
    """Upper end."""
    compliance: float
    """Mean label over scored outcomes."""
    n_scored: int
    """Outcomes with a label: the denominator of `compliance`."""
    n_unscored: int
    """Outcomes without one, errors among them."""
    n_invalid: int
    """Outcomes of invalid replies; they are among the scored."""
    n_errors: int
    """Outcomes of calls that failed; they are among the unscored."""
    n_missing: int
    """Outcomes that are wanted (scenarios x K) and not in the tables."""
    consistency: float
    """Share of scenarios with all K outcomes scored in which all agree; NaN for K = 1, where nothing can differ."""
    n_consistency: int
    """Its denominator."""
    fits: float
    """Share that complies, is in character and responsive, of the outcomes where a judge looked."""
    n_fits: int
    """Its denominator."""
    n_norms: int = 0
    """Norms among the decided scenarios: the primary clusters."""
    n_frames: int = 0
    """Frames (or rows of a release) among them: the other clusters."""
    acc_frame_low: float = nan
    """Lower end of the interval of `acc_at_k` clustered by frame."""
    acc_frame_high: float = nan
    """Upper end."""
    acc_boot_low: float = nan
    """Lower end of the percentile bootstrap over scenarios, as in the paper: scenarios taken as independent."""
    acc_boot_high: float = nan
    """Upper end."""


@dataclass(frozen=True)
class Gain:
    """With demonstrations minus without, over (frame, arm) pairs with scored outcomes on both sides."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    n_pairs: int
    """Pairs: the denominator of all that follows."""
    with_demos: float
    """Mean over pairs of the scenario's mean label, with demonstrations."""
    without_demos: float
    """The same without."""
    gain: float
    """The difference."""
    gain_low: float
    """Lower end of its 95 % interval, clustered by norm (by frame where there is one norm only); NaN for one frame."""
    gain_high: float
    """Upper end."""
    n_norms: int = 0
    """Norms among the pairs: the primary clusters."""
    n_frames: int = 0
    """Frames among the pairs."""
    gain_frame_low: float = nan
    """Lower end of the interval clustered by frame."""
    gain_frame_high: float = nan
    """Upper end."""
    normalised: float = nan
    """Gain as a share of what was left to gain, gain / (1 - without); for reading only."""
    p: float = nan
    """p value that there is no gain: sign-flip of norms below 30 norms, else the clustered t test."""
    p_holm: float = nan
    """The same, adjusted by Holm over the models under this condition."""


@dataclass(frozen=True)
class NormRate:
    """One norm in a cell."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    variant: str
    """Variant of the scenarios."""
    pack: str
    """Pack of the norm."""
    norm: str
    """Norm id."""
    n_scenarios: int
    """Scenarios with at least one outcome."""
    n_scored: int
    """Outcomes with a label: the denominator."""
    compliance: float
    """Mean label over scored outcomes."""
    compliance_low: float = nan
    """Lower end of its 95 % interval: Clopper and Pearson over scenarios, since repeats are not independent."""
    compliance_high: float = nan
    """Upper end."""


@dataclass(frozen=True)
class Usage:
    """What one subject used, over all its calls."""

    model: str
    """Subject."""
    n_calls: int
    """Rows of the replies."""
    n_errors: int
    """Calls that failed."""
    n_invalid: int
    """Replies that the gate found invalid."""
    n_cut: int
    """Replies that ended at the token limit."""
    n_ungraded: int
    """Calls that no grading row refers to."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""
    cost: float
    """US dollars over the calls where it is known; NaN where it never is."""
    n_cost: int
    """Calls with a known cost."""
    latency: float
    """Median seconds a call; NaN where unknown."""
    n_latency: int
    """Calls with a known latency."""


@dataclass(frozen=True)
class GraderUsage:
    """What one grader did and used."""

    grader: str
    """`verifier`, or the judge's model name."""
    n_gradings: int
    """Its rows of the gradings."""
    n_advisory: int
    """Those that set no label."""
    n_unscored: int
    """Those without a label."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""


@dataclass(frozen=True)
class Reason:
    """Why replies of a model are failed, invalid or unscored."""

    model: str
    """Subject."""
    kind: str
    """error (no reply), invalid (a scored breach) or unscored (errors among them)."""
    reason: str
    """As it was recorded; an invalid reply can have several."""
    n: int
    """Replies (error, invalid) or outcomes (unscored)."""


class TrackCounts(NamedTuple):
    """Scenarios by who can decide."""

    n_scenarios: int
    """All scenarios in the gradings."""
    n_verifiable: int
    """Those in the verifiable track: code alone decides, and the norm is not out of scope."""
    n_left_out: int
    """The rest."""


def as_rows(kind: type[Row], table: pd.DataFrame) -> list[Row]:
    """Rows of a table as typed objects: `as_rows(Cell, cells(...))`. Further columns are ignored."""
    names = [field.name for field in fields(kind)]  # pyright: ignore[reportArgumentType]
    return [kind(**row) for row in records(table, *names)]


def records(table: pd.DataFrame, *columns: str) -> list[dict[str, Any]]:
    """Rows of any table as dictionaries of Python values: of all columns, or of the named ones, which is faster."""
    if table.empty:
        return []
    names = columns or tuple(map(str, table.columns))
    values: list[list[Any]] = [table[name].tolist() for name in names]  # pyright: ignore[reportUnknownMemberType]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def as_table(kind: type, rows: Sequence[Any]) -> pd.DataFrame:
    """Typed rows as a table that has its columns also when it is empty."""
    values: list[dict[str, Any]] = [vars(row) for row in rows]
    return pd.DataFrame(values, columns=[field.name for field in fields(kind)])


def known(value: Any) -> Any:
    """The value, or none for whatever pandas holds for none."""
    return None if value is None or value is pd.NA or value != value else value
