"""What `--fail-under METRIC=X` means. Computes no metric, looks it up."""

from collections.abc import Iterable
from math import isnan, nan

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.errors import UserFault
from losona.stats.rows import Cell, as_rows

METRICS = {"acc": "acc_at_k", "compliance": "compliance", "consistency": "consistency"}
"""Metrics that a gate may name, and their columns in `cells`."""


def metric(table: pd.DataFrame, name: str) -> float:
    """Value of a gate's metric: the smallest over the matching cells, and NaN if one of them has none.

    `name` is METRIC, METRIC:CONDITION or METRIC:CONDITION:VARIANT, where METRIC is acc, compliance or consistency,
    such as `acc:naive:demos`. Without a condition all count. Without a variant `demos` counts where the table has
    it, else all. Raises `UserFault` for a name that the table does not know.
    """
    kind, _, rest = name.partition(":")
    condition, _, variant = rest.partition(":")
    column = METRICS[_choice("metric", kind, METRICS)]
    found = as_rows(Cell, table)
    if condition:
        _choice("condition", condition, {cell.condition for cell in found})
        found = [cell for cell in found if cell.condition == condition]
    known = {cell.variant for cell in found}
    if variant or "demos" in known:
        _choice("variant", variant or "demos", known)
        found = [cell for cell in found if cell.variant == (variant or "demos")]
    values = [float(getattr(cell, column)) for cell in found]
    return nan if not values or any(isnan(value) for value in values) else min(values)


def parse_gate(text: str) -> tuple[str, float]:
    """`METRIC=X` -> the metric's name and the smallest share that passes. Raises `UserFault` for anything else."""
    name, _, number = text.partition("=")
    try:
        minimum = float(number)
    except ValueError:
        minimum = nan
    if not name or not 0 <= minimum <= 1:
        raise UserFault(f"gate {text!r} is not METRIC=X with a share X from 0 to 1; write for example acc:naive=0.5.")
    return name, minimum


def passes(value: float, minimum: float) -> bool:
    """Whether a gate holds; NaN (nothing was scored) does not."""
    return value >= minimum


def _choice(what: str, name: str, known: Iterable[str]) -> str:
    if name not in (choices := sorted(known)):
        raise UserFault(f"unknown {what} {name!r}; known are {', '.join(choices) or 'none'}.")
    return name
