"""Gates of `--fail-under METRIC=X`: parse and test. The numbers come from `losona.stats`."""

import math
from dataclasses import dataclass

import pandas as pd
from rich.console import Console

from losona import stats
from losona.errors import UserFault


@dataclass(frozen=True)
class Gate:
    """A metric and the least value it may have."""

    metric: str
    """As typed: METRIC, METRIC:CONDITION or METRIC:CONDITION:VARIANT."""
    least: float
    """Passes at this value and above."""

    def passes(self, cells: pd.DataFrame, console: Console) -> bool:
        """Test the gate and say what came out. A value that is not there fails."""
        value = stats.metric(cells, self.metric)
        passed = not math.isnan(value) and value >= self.least
        found = "not scored" if math.isnan(value) else f"{value:.3f}"
        console.print(f"gate {self.metric} >= {self.least:g}: {found}, {'passed' if passed else 'FAILED'}", highlight=False)
        return passed


def parse_gate(text: str) -> Gate:
    """`METRIC=X`, X from 0 to 1."""
    metric, separator, value = text.rpartition("=")
    try:
        least = float(value)
    except ValueError:
        least = math.nan
    if not separator or not metric or not 0 <= least <= 1:
        raise UserFault(f"--fail-under {text}: write METRIC=X with X from 0 to 1, for example acc=0.6 or acc:naive=0.6.")
    stats.check_metric(metric)
    return Gate(metric, least)
