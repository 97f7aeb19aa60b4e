"""Compliance by event. Exploratory: many events and few replies each; no test is made of it. Pure."""

from dataclasses import dataclass
from math import nan
from statistics import fmean

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.stats.outcomes import counted, group_by
from losona.stats.rows import as_table, records


@dataclass(frozen=True)
class EventRate:
    """One event in a cell."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    variant: str
    """Variant of the scenarios."""
    pack: str
    """Pack of the norm."""
    event: str
    """Event id."""
    n_scenarios: int
    """Scenarios with at least one outcome."""
    n_scored: int
    """Outcomes with a label: the denominator."""
    compliance: float
    """Mean label over scored outcomes."""


def event_rates(replies: pd.DataFrame, gradings: pd.DataFrame, epochs_wanted: int | None = None) -> pd.DataFrame:
    """One row (`EventRate`) a model x condition x variant x event."""
    joined, _ = counted(replies, gradings, epochs_wanted)
    event = {row["scenario_id"]: str(row["event"]) for row in records(gradings, "scenario_id", "event")}
    groups = group_by(joined, lambda o: (o.model, o.condition, o.variant, o.pack, event[o.scenario_id]))
    rates: list[EventRate] = []
    for key in sorted(groups):
        labels = [o.complies for o in groups[key] if o.scored]
        scenarios = {o.scenario_id for o in groups[key]}
        rates.append(EventRate(*key, len(scenarios), len(labels), fmean(labels) if labels else nan))
    return as_table(EventRate, rates)
