"""Plain counts: tracks, tokens, money, time, and why something has no label. Computes no rate of compliance."""

from collections import Counter
from collections.abc import Iterator
from math import nan
from statistics import median
from typing import Any

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.stats.outcomes import CROSSED, group_by
from losona.stats.rows import GraderUsage, Reason, TrackCounts, Usage, as_table, known, records


def usage(replies: pd.DataFrame, gradings: pd.DataFrame) -> pd.DataFrame:
    """One row (`Usage`) a model."""
    graded = {row["reply_id"] for row in records(gradings, "reply_id")}
    columns = (
        "reply_id", "model", "error", "valid", "finish_reason", "input_tokens", "output_tokens", "cost", "latency",
    )  # fmt: skip
    groups = group_by(records(replies, *columns), lambda row: str(row["model"]))
    return as_table(Usage, [_usage(model, groups[model], graded) for model in sorted(groups)])


def grader_usage(gradings: pd.DataFrame) -> pd.DataFrame:
    """One row (`GraderUsage`) a grader, the advisory ones too."""
    columns = ("grader", "advisory", "label", "input_tokens", "output_tokens")
    groups = group_by(records(gradings, *columns), lambda row: str(row["grader"]))
    return as_table(GraderUsage, [_grader_usage(name, groups[name]) for name in sorted(groups)])


def reasons(replies: pd.DataFrame, gradings: pd.DataFrame) -> pd.DataFrame:
    """One row (`Reason`) a model x kind x reason, the most frequent of a kind first."""
    calls = records(replies, "reply_id", "model", "error", "invalid_reasons")
    model = {row["reply_id"]: str(row["model"]) for row in calls}
    found = Counter((model[row["reply_id"]], *what) for row in calls for what in _reply_reasons(row))
    found += Counter(
        (model[row["reply_id"]], "unscored", str(row["error"] or "no reason given"))
        for row in records(gradings, "reply_id", "label", "advisory", "error", "expectation")
        if row["label"] == "unscored"
        and not row["advisory"]
        and row["reply_id"] in model
        and row["expectation"] != CROSSED
    )
    ordered = sorted(found.items(), key=lambda item: (item[0][0], item[0][1], -item[1], item[0][2]))
    return as_table(Reason, [Reason(*key, n) for key, n in ordered])


def track_counts(gradings: pd.DataFrame) -> TrackCounts:
    """How many scenarios the gradings hold, how many of them code alone decides, and how many it does not."""
    rows = [r for r in records(gradings, "scenario_id", "mode", "expectation") if r["expectation"] != CROSSED]
    every = {row["scenario_id"] for row in rows}
    exact = {r["scenario_id"] for r in rows if r["mode"] == "exact" and r["expectation"] != "out_of_scope"}
    return TrackCounts(len(every), len(exact), len(every - exact))


def _reply_reasons(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if row["error"]:
        yield "error", str(row["error"])
    for reason in str(row["invalid_reasons"] or "").split(","):
        if reason:
            yield "invalid", reason


def _grader_usage(grader: str, rows: list[dict[str, Any]]) -> GraderUsage:
    return GraderUsage(
        grader=grader,
        n_gradings=len(rows),
        n_advisory=sum(bool(row["advisory"]) for row in rows),
        n_unscored=sum(row["label"] == "unscored" for row in rows),
        input_tokens=sum(int(row["input_tokens"]) for row in rows),
        output_tokens=sum(int(row["output_tokens"]) for row in rows),
    )


def _usage(model: str, rows: list[dict[str, Any]], graded: set[str]) -> Usage:
    costs = [float(r["cost"]) for r in rows if known(r["cost"]) is not None]
    seconds = [float(r["latency"]) for r in rows if known(r["latency"]) is not None]
    return Usage(
        model=model,
        n_calls=len(rows),
        n_errors=sum(bool(r["error"]) for r in rows),
        n_invalid=sum(known(r["valid"]) is not None and not r["valid"] for r in rows),
        n_cut=sum(r["finish_reason"] == "max_tokens" for r in rows),
        n_ungraded=sum(r["reply_id"] not in graded for r in rows),
        input_tokens=sum(int(r["input_tokens"]) for r in rows),
        output_tokens=sum(int(r["output_tokens"]) for r in rows),
        cost=sum(costs) if costs else nan,
        n_cost=len(costs),
        latency=median(seconds) if seconds else nan,
        n_latency=len(seconds),
    )
