"""Compliance by event. Exploratory: many events and few replies each; no test is made of it. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan
from statistics import fmean

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.stats.outcomes import Outcome, group_by
from losona.stats.rows import records


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


def event_rows(joined: Iterable[Outcome], gradings: pd.DataFrame) -> list[EventRate]:
    """One row a model x condition x variant x event, from outcomes and the table that says which event each is of."""
    event = {row["scenario_id"]: str(row["event"]) for row in records(gradings, "scenario_id", "event")}
    groups = group_by(joined, lambda o: (o.model, o.condition, o.variant, o.pack, event[o.scenario_id]))
    return [_rate(key, groups[key]) for key in sorted(groups)]


def _rate(key: tuple[str, str, str, str, str], group: Sequence[Outcome]) -> EventRate:
    labels = [o.complies for o in group if o.scored]
    return EventRate(*key, len({o.scenario_id for o in group}), len(labels), fmean(labels) if labels else nan)
