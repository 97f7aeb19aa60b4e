"""All that a report shows, gathered once: the statistics of one or several runs as typed rows. Computes no number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from losona import stats
from losona.report import wording
from losona.report.examples import Case, Examples
from losona.schema.scenario import Scenario
from losona.stats import Cell, EventRate, Gain, GraderUsage, NormRate, Reason, TrackCounts, Usage, as_rows
from losona.stored import StoredRun, side_by_side
from losona.taxonomy import Taxonomy


@dataclass(frozen=True)
class Material:
    """What a report is made of. Every sequence is in the order of reading."""

    title: str
    """Name of the run or runs."""
    runs: tuple[StoredRun, ...]
    """Where the rows come from."""
    k: int
    """Replies for each prompt that count."""
    counts: TrackCounts
    """Scenarios by who can decide."""
    cells: Sequence[Cell]
    """Rates by variant, model and condition."""
    gains: Sequence[Gain]
    """With demonstrations minus without."""
    norms: Sequence[NormRate]
    """Exploratory."""
    events: Sequence[EventRate]
    """Exploratory."""
    reasons: Sequence[Reason]
    """Why replies are missing, invalid or unscored."""
    usage: Sequence[Usage]
    """Tokens, cost and time of subjects."""
    graders: Sequence[GraderUsage]
    """What graders did."""
    cases: Mapping[str, Sequence[Case]]
    """Examples of each model."""
    tables: Mapping[str, pd.DataFrame]
    """The statistics as they were given, by name of their file."""

    @property
    def variant(self) -> str:
        """The variant that headline and figures are about."""
        return wording.main_variant(self.cells)

    @property
    def main(self) -> list[Cell]:
        """Cells of that variant."""
        return [cell for cell in self.cells if cell.variant == self.variant]

    @property
    def models(self) -> list[str]:
        """Subjects, in order."""
        return list(dict.fromkeys(cell.model for cell in self.cells))

    @property
    def conditions(self) -> list[str]:
        """Conditions, in order."""
        return sorted({cell.condition for cell in self.cells}, key=wording.condition_key)


def rules(taxonomy: Taxonomy) -> dict[str, str]:
    """Norms in words, by id."""
    return {norm.id: norm.rule for norm in taxonomy.norms.values()}


def gather(runs: Sequence[StoredRun], in_words: Mapping[str, str] | None = None, epochs: int | None = None) -> Material:
    """Ask the statistics for everything. `in_words` has norms in words; `epochs` is K, else the least of the runs."""
    replies, gradings = side_by_side(runs)
    k = epochs or min((run.epochs for run in runs if run.epochs), default=None)
    tables = {
        "conditions": stats.cells(replies, gradings, k),
        "gains": stats.gains(replies, gradings, k),
        "norms": stats.norm_rates(replies, gradings, k),
        "events": stats.event_rates(replies, gradings, k),
        "reasons": stats.reasons(replies, gradings),
        "usage": stats.usage(replies, gradings),
        "graders": stats.grader_usage(gradings),
    }
    cells = wording.in_order(as_rows(Cell, tables["conditions"]))
    scenarios: dict[str, Scenario] = {name: s for run in runs for name, s in run.scenarios.items()}
    return Material(
        title=" and ".join(run.name for run in runs),
        runs=tuple(runs),
        k=max((cell.k for cell in cells), default=0),
        counts=stats.track_counts(gradings),
        cells=cells,
        gains=wording.gains_in_order(as_rows(Gain, tables["gains"])),
        norms=as_rows(NormRate, tables["norms"]),
        events=as_rows(EventRate, tables["events"]),
        reasons=as_rows(Reason, tables["reasons"]),
        usage=as_rows(Usage, tables["usage"]),
        graders=as_rows(GraderUsage, tables["graders"]),
        cases=Examples(replies, gradings, scenarios, in_words or {}).cases(cells),
        tables=tables,
    )
