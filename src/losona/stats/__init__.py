"""Rates, intervals and paired differences from the two result tables. Pure.

Knows what is counted and with which denominator. Does not know how the tables came about or how numbers are shown.

The unit is the *outcome*: one reply under one scenario. A reply without demonstrations that is graded by a's and
by b's norm makes two outcomes. Its label is that of the one grading that is not advisory; where there is none, the
outcome is unscored. Unscored outcomes are counted and are in no denominator. An invalid reply is a scored breach and
is counted apart as well.

Acc@K: a scenario complies when ceil(K/2) of its scored outcomes comply, breaches when more than K - ceil(K/2)
breach, and else is undecided and not in the denominator. K is one number for all cells of a table: the epochs that
were wanted, else the highest epoch in it; later epochs are left out, so that cells stay comparable.

Intervals: 95 %, by Wilson for Acc@K; for gains Newcombe's sum of squares of two Wilson intervals, which ignores the
pairing and thus is rather too wide. Both treat scenarios as independent; intervals that cluster by norm and frame
come with another version.
"""

from losona.stats.counts import grader_usage, reasons, track_counts, usage
from losona.stats.events import EventRate, event_rates
from losona.stats.gates import METRICS, metric, parse_gate, passes
from losona.stats.outcomes import Outcome, outcomes
from losona.stats.rates import cells, gains, norm_rates, wilson
from losona.stats.rows import Cell, Gain, GraderUsage, NormRate, Reason, TrackCounts, Usage, as_rows, records

__all__ = [
    "METRICS",
    "Cell",
    "EventRate",
    "Gain",
    "GraderUsage",
    "NormRate",
    "Outcome",
    "Reason",
    "TrackCounts",
    "Usage",
    "as_rows",
    "cells",
    "event_rates",
    "gains",
    "grader_usage",
    "metric",
    "norm_rates",
    "outcomes",
    "parse_gate",
    "passes",
    "reasons",
    "records",
    "track_counts",
    "usage",
    "wilson",
]
