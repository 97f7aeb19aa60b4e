"""What judges were asked in a run, and what they were not. Pure; computes no rate."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.stats.rows import records


class JudgeCounts(NamedTuple):
    """Counts over the gradings of a run."""

    asked: int
    """Questions that were put to a judge; a retry is part of its question."""
    shared: int
    """Questions that had been answered, for an equal norm, chat and reply."""
    by_code: int
    """Gradings that code decided, so that no judge was asked about the norm."""
    open_: int
    """Gradings without a verdict, other than for want of a reply."""


NO_JUDGE = JudgeCounts(0, 0, 0, 0)


def judge_counts(gradings: pd.DataFrame, judges: Sequence[str]) -> JudgeCounts:
    """Counts over a table of gradings; questions to these judges, not to those of a later judging."""
    rows = records(gradings, "grader", "label", "advisory", "prompt_hash", "shared")
    judged = [row for row in rows if row["prompt_hash"] and row["grader"] in judges]
    deciding = [row for row in rows if not row["advisory"]]
    return JudgeCounts(
        asked=sum(not row["shared"] for row in judged),
        shared=sum(bool(row["shared"]) for row in judged),
        by_code=sum(row["grader"] == "verifier" and row["label"] != "unscored" for row in deciding),
        open_=sum(row["grader"] not in ("verifier", "none") and row["label"] == "unscored" for row in deciding),
    )
