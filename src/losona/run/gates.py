"""Gates of `--fail-under METRIC=X`: checked before a run, tested after it. The numbers come from `losona.stats`."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona import stats
from losona.errors import UserFault
from losona.run.plan import Plan


@dataclass(frozen=True)
class Gate:
    """A metric and the least value it may have."""

    metric: str
    """METRIC, METRIC:CONDITION or METRIC:CONDITION:VARIANT."""
    least: float
    """Passes at this value and above."""

    def test(self, cells: pd.DataFrame, plan: Plan) -> tuple[bool, str]:
        """Whether it passes, and a line that says so. What was not scored does not pass.

        Only models, conditions and variants of this command count, whatever else the run holds.
        """
        names = [model.name for model in plan.options.models]
        asked = cells["model"].isin(names) & cells["condition"].isin(plan.options.conditions)
        asked &= cells["variant"].isin({s.variant for s in plan.selected})
        value = stats.metric(cells[asked], self.metric)
        passed = stats.passes(value, self.least)
        found = "not scored" if isnan(value) else f"{value:.3f}"
        return passed, f"gate {self.metric} >= {self.least:g}: {found}, {'passed' if passed else 'FAILED'}"


def parse_gates(texts: Sequence[str], plan: Plan) -> list[Gate]:
    """Gates that this run can answer; a `UserFault` before anything is paid for one that it cannot."""
    return [_gate(text, plan) for text in texts]


def _gate(text: str, plan: Plan) -> Gate:
    name, least = stats.parse_gate(text)
    _, _, place = name.partition(":")
    condition, _, variant = place.partition(":")
    metric = name.partition(":")[0]
    if metric not in stats.METRICS:
        raise UserFault(f"--fail-under {text}: unknown metric {metric!r}; known are {', '.join(stats.METRICS)}.")
    if metric == "consistency" and plan.options.epochs == 1:
        raise UserFault(f"--fail-under {text}: one reply has no consistency; give --epochs 2 or more.")
    variants = {s.variant for s in plan.selected}
    if condition and condition not in plan.options.conditions:
        raise UserFault(
            f"--fail-under {text}: the run has no condition {condition!r}; it has {', '.join(plan.options.conditions)}."
        )
    if variant and variant not in variants:
        raise UserFault(
            f"--fail-under {text}: the run has no variant {variant!r}; it has {', '.join(sorted(variants))}."
        )
    return Gate(name, least)
