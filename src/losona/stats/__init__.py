"""Rates, intervals, tests and comparisons from the two result tables. Pure.

Knows what is counted and with which denominator. Does not know how the tables came about or how numbers are shown.

The unit is the *outcome*: one reply under one scenario. A reply without demonstrations that is graded by a's and
by b's norm makes two outcomes. Its label is that of the one grading that is not advisory; where there is none, the
outcome is unscored. Unscored outcomes are counted and are in no denominator. An invalid reply is a scored breach and
is counted apart as well.

Acc@K: a scenario complies when ceil(K/2) of its scored outcomes comply, breaches when more than K - ceil(K/2)
breach, and else is undecided and not in the denominator. K is one number for all cells of a table: the epochs that
were wanted, else the highest epoch in it; later epochs are left out, so that cells stay comparable.

K outcomes of a scenario are not K scenarios: every interval and test works on one *score* a scenario. Scores of one
norm are not independent either: intervals are at 95 % and cluster by norm, beside them by frame. `docs/statistics.md`
defines every number.

`cells`, `gains`, `norm_rates`, `usage`, `grader_usage`, `reasons` take the two tables and give a table; `outcomes` and
`scores` join them once. What else gives rows takes scores: `deltas(scores(replies, gradings, 3))`.
"""

from losona.stats.adaptation import Adaptation, Ceiling, DosePoint, adaptation, ceilings, dose_curve
from losona.stats.comparisons import (
    CONTROLS,
    Delta,
    ModelPair,
    NormGain,
    Rank,
    deltas,
    model_pairs,
    norm_gains,
    ranking,
)
from losona.stats.conflict import Evidence, Followed, evidence, followed
from losona.stats.contrast import (
    FrameScore,
    NormPair,
    PairAccuracy,
    Specificity,
    contrast,
    frame_scores,
    norm_pairs,
    orientation,
    specificity,
)
from losona.stats.counts import grader_usage, reasons, track_counts, usage
from losona.stats.events import EventRate, event_rows
from losona.stats.flips import Change, Flip, changes, flips, least_gain, regressions, uncovered
from losona.stats.gates import METRICS, metric, parse_gate, passes
from losona.stats.intervals import benjamini_hochberg, clustered_mean, clustered_share, exact, holm, p_value, wilson
from losona.stats.judging import NO_JUDGE, JudgeCounts, judge_counts
from losona.stats.outcomes import Outcome, counted, crossed_outcomes, outcomes
from losona.stats.paired import bootstrap_mean, bootstrap_share, mcnemar, mcnemar_power
from losona.stats.power import Assumption, Power, assumptions_from, power_table
from losona.stats.rates import cell_rows, cells, gain_rows, gains, norm_rates, norm_rows
from losona.stats.rows import (
    Cell,
    Gain,
    GraderUsage,
    NormRate,
    Reason,
    TrackCounts,
    Usage,
    as_rows,
    as_table,
    records,
)
from losona.stats.scores import Score, score_outcomes, scores
from losona.stats.sequential import Verdict, bound_for, decide, e_values

__all__ = [
    "CONTROLS",
    "METRICS",
    "NO_JUDGE",
    "Adaptation",
    "Assumption",
    "Ceiling",
    "Cell",
    "Change",
    "Delta",
    "DosePoint",
    "EventRate",
    "Evidence",
    "Flip",
    "Followed",
    "FrameScore",
    "Gain",
    "GraderUsage",
    "JudgeCounts",
    "ModelPair",
    "NormGain",
    "NormPair",
    "NormRate",
    "Outcome",
    "PairAccuracy",
    "Power",
    "Rank",
    "Reason",
    "Score",
    "Specificity",
    "TrackCounts",
    "Usage",
    "Verdict",
    "adaptation",
    "as_rows",
    "as_table",
    "assumptions_from",
    "benjamini_hochberg",
    "bootstrap_mean",
    "bootstrap_share",
    "bound_for",
    "ceilings",
    "cell_rows",
    "cells",
    "changes",
    "clustered_mean",
    "clustered_share",
    "contrast",
    "counted",
    "crossed_outcomes",
    "decide",
    "deltas",
    "dose_curve",
    "e_values",
    "event_rows",
    "evidence",
    "exact",
    "flips",
    "followed",
    "frame_scores",
    "gain_rows",
    "gains",
    "grader_usage",
    "holm",
    "judge_counts",
    "least_gain",
    "mcnemar",
    "mcnemar_power",
    "metric",
    "model_pairs",
    "norm_gains",
    "norm_pairs",
    "norm_rates",
    "norm_rows",
    "orientation",
    "outcomes",
    "p_value",
    "parse_gate",
    "passes",
    "power_table",
    "ranking",
    "reasons",
    "records",
    "regressions",
    "score_outcomes",
    "scores",
    "specificity",
    "track_counts",
    "uncovered",
    "usage",
    "wilson",
]
