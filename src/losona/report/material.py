"""All that a report shows, gathered once: the statistics of one or several runs as typed rows. Computes no number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from losona import stats
from losona.report import wording
from losona.report.examples import Case, Examples
from losona.report.judging import CorrectedRate, JudgeError, corrected_rates, judge_errors
from losona.schema.scenario import Scenario
from losona.stats import TrackCounts, as_rows
from losona.stored import StoredRun, side_by_side
from losona.taxonomy import Taxonomy


@dataclass(frozen=True)
class Material:
    """What a report is made of. Rows are in the order of reading."""

    title: str
    """Name of the run or runs."""
    runs: Sequence[StoredRun]
    """Where the rows come from."""
    k: int
    """Replies for each prompt that count."""
    counts: TrackCounts
    """Scenarios by who can decide."""
    cases: Mapping[str, Sequence[Case]]
    """Examples of each model."""
    cells: Sequence[stats.Cell]
    """Rates by variant, model and condition."""
    gains: Sequence[stats.Gain]
    """With demonstrations minus without."""
    ceilings: Sequence[stats.Ceiling]
    """Floor, reached, ceiling; where the oracle was run."""
    deltas: Sequence[stats.Delta]
    """Conditions minus a control."""
    model_pairs: Sequence[stats.ModelPair]
    """Models against each other."""
    ranks: Sequence[stats.Rank]
    """Places of models, with the groups that cannot be told apart."""
    contrasts: Sequence[stats.PairAccuracy]
    """Both arms of a frame."""
    norm_pairs: Sequence[stats.NormPair]
    """Points of the contrast plane."""
    frame_scores: Sequence[stats.FrameScore]
    """Everything right in a frame."""
    specificity: Sequence[stats.Specificity]
    """Whether a model knows when the norm applies."""
    evidence: Sequence[stats.Evidence]
    """Conflicting evidence."""
    followed: Sequence[stats.Followed]
    """Which of two norms replies follow that saw both."""
    doses: Sequence[stats.DosePoint]
    """Points of the adaptation curve."""
    adaptation: Sequence[stats.Adaptation]
    """The curve in numbers."""
    judge_errors: Sequence[JudgeError]
    """How often the judges of the runs are right, as measured."""
    corrected: Sequence[CorrectedRate]
    """Rates corrected for their errors."""
    norms: Sequence[stats.NormRate]
    """Exploratory."""
    norm_gains: Sequence[stats.NormGain]
    """Exploratory."""
    events: Sequence[stats.EventRate]
    """Exploratory."""
    reasons: Sequence[stats.Reason]
    """Why replies are missing, invalid or unscored."""
    usage: Sequence[stats.Usage]
    """Tokens, cost and time of subjects."""
    graders: Sequence[stats.GraderUsage]
    """What graders did."""

    @property
    def variant(self) -> str:
        """The variant that headline and figures are about."""
        return wording.main_variant(self.cells)

    @property
    def main(self) -> list[stats.Cell]:
        """Cells of that variant."""
        return [cell for cell in self.cells if cell.variant == self.variant]

    @property
    def main_deltas(self) -> list[stats.Delta]:
        """Deltas of that variant that rest on a pair."""
        return [delta for delta in self.deltas if delta.variant == self.variant and delta.n_pairs]

    @property
    def models(self) -> list[str]:
        """Subjects, in order."""
        return list(dict.fromkeys(cell.model for cell in self.cells))

    @property
    def conditions(self) -> list[str]:
        """Conditions, in order."""
        return sorted({cell.condition for cell in self.cells}, key=wording.condition_key)

    def tables(self) -> dict[str, pd.DataFrame]:
        """The statistics with all their columns, by name of their file."""
        return {name: stats.as_table(kind, getattr(self, field)) for name, (field, kind) in _TABLES.items()}


_TABLES: dict[str, tuple[str, type]] = {
    "conditions": ("cells", stats.Cell),
    "gains": ("gains", stats.Gain),
    "ceilings": ("ceilings", stats.Ceiling),
    "deltas": ("deltas", stats.Delta),
    "model_pairs": ("model_pairs", stats.ModelPair),
    "ranking": ("ranks", stats.Rank),
    "contrast": ("contrasts", stats.PairAccuracy),
    "norm_pairs": ("norm_pairs", stats.NormPair),
    "frame_scores": ("frame_scores", stats.FrameScore),
    "specificity": ("specificity", stats.Specificity),
    "evidence": ("evidence", stats.Evidence),
    "followed": ("followed", stats.Followed),
    "doses": ("doses", stats.DosePoint),
    "adaptation": ("adaptation", stats.Adaptation),
    "judge_errors": ("judge_errors", JudgeError),
    "corrected": ("corrected", CorrectedRate),
    "norms": ("norms", stats.NormRate),
    "norm_gains": ("norm_gains", stats.NormGain),
    "events": ("events", stats.EventRate),
    "reasons": ("reasons", stats.Reason),
    "usage": ("usage", stats.Usage),
    "graders": ("graders", stats.GraderUsage),
}
"""Name of a table -> its field here, and the type of its rows."""


def gather(runs: Sequence[StoredRun], taxonomy: Taxonomy | None = None, epochs: int | None = None) -> Material:
    """Ask the statistics for everything.

    `taxonomy` gives norms in words and says which side of a pair a default assistant is nearer to; `epochs` is K, else
    the least that a run wanted.
    """
    replies, gradings = side_by_side(runs)
    k = epochs or min((run.epochs for run in runs if run.epochs), default=None)
    outcomes, k = stats.counted(replies, gradings, k)
    cells = wording.in_order(stats.cell_rows(outcomes, k))
    scores = stats.score_outcomes(outcomes, k)
    norms = list(taxonomy.norms.values()) if taxonomy else []
    order = stats.orientation(norms)
    rules = {norm.id: norm.rule for norm in norms}
    ordered = wording.by_place
    return Material(
        title=" and ".join(run.name for run in runs),
        runs=tuple(runs),
        k=max((cell.k for cell in cells), default=0),
        counts=stats.track_counts(gradings),
        cases=Examples(replies, gradings, outcomes, _scenarios(runs), rules).cases(cells),
        cells=cells,
        gains=ordered(stats.gain_rows(scores)),
        ceilings=ordered(stats.ceilings(scores)),
        deltas=ordered(stats.deltas(scores)),
        model_pairs=ordered(stats.model_pairs(scores)),
        ranks=wording.by_condition(stats.ranking(scores)),
        contrasts=ordered(stats.contrast(scores, order)),
        norm_pairs=ordered(stats.norm_pairs(scores, order)),
        frame_scores=ordered(stats.frame_scores(scores)),
        specificity=ordered(stats.specificity(scores)),
        evidence=ordered(stats.evidence(scores)),
        followed=ordered(stats.followed(outcomes, stats.crossed_outcomes(replies, gradings))),
        doses=ordered(stats.dose_curve(scores)),
        adaptation=ordered(stats.adaptation(scores)),
        judge_errors=judge_errors(runs),
        corrected=ordered(corrected_rates(runs)),
        norms=stats.norm_rows(outcomes),
        norm_gains=ordered(stats.norm_gains(scores)),
        events=stats.event_rows(outcomes, gradings),
        reasons=as_rows(stats.Reason, stats.reasons(replies, gradings)),
        usage=as_rows(stats.Usage, stats.usage(replies, gradings)),
        graders=as_rows(stats.GraderUsage, stats.grader_usage(gradings)),
    )


def _scenarios(runs: Sequence[StoredRun]) -> dict[str, Scenario]:
    """Those that say the same in every run that has them; of others nobody could tell which chat was answered."""
    found: dict[str, Scenario] = {}
    differing: set[str] = set()
    for run in runs:
        for name, scenario in run.scenarios.items():
            if found.setdefault(name, scenario) != scenario:
                differing.add(name)
    return {name: scenario for name, scenario in found.items() if name not in differing}
