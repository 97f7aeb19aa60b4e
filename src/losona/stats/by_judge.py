"""The same replies by each judge: how far judges agree, and whether a conclusion depends on who judges. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import nan
from statistics import fmean
from typing import Any, NamedTuple

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.schema.results import PANEL
from losona.stats.agreement import Agreement, agreement, count
from losona.stats.outcomes import CROSSED
from losona.stats.rows import records

BASE = "naive"
"""Condition that others are compared with."""


class Pair(NamedTuple):
    """Two graders over the replies that both have labelled; the first one's labels stand for the true ones."""

    norm: str
    """Norm id, or `all`."""
    first: str
    """One grader."""
    second: str
    """The other."""
    agreement: Agreement
    """Measures."""


class ByJudge(NamedTuple):
    """A condition against naive, by each judge, over the replies that all of them have labelled."""

    model: str
    """Subject."""
    variant: str
    """Variant of the scenarios."""
    condition: str
    """Condition."""
    differences: dict[str, float]
    """Grader -> compliance in the condition minus compliance in naive."""
    n: int
    """Replies in both conditions."""

    @property
    def moves(self) -> bool:
        """Judges put the sign differently."""
        return len({(d > 0) - (d < 0) for d in self.differences.values()}) > 1


def by_judge(replies: pd.DataFrame, gradings: pd.DataFrame) -> tuple[list[Pair], list[ByJudge]]:
    """Agreement of every two graders, over all and per norm; and each condition against naive, by each grader.

    Of several verdicts of one judge on one reply the first counts, as it does in a run's own labels. A panel is no
    further judge: it would be compared with its own votes. Agreement counts equal replies to one scenario once, since
    they are one question.
    """
    columns = ("reply_id", "scenario_id", "grader", "label", "norm", "variant", "expectation")
    rows = [r for r in records(gradings, *columns) if r["grader"] not in ("verifier", "none", PANEL)]
    labels: dict[str, dict[tuple[str, str], bool]] = {}
    for row in rows:
        if row["label"] != "unscored":
            said = labels.setdefault(row["grader"], {})
            said.setdefault((row["reply_id"], row["scenario_id"]), row["label"] == "complies")
    texts = {row["reply_id"]: str(row["graded_text"]) for row in records(replies, "reply_id", "graded_text")}
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for row in rows:
        first.setdefault((row["scenario_id"], texts[row["reply_id"]]), (row["reply_id"], row["scenario_id"]))
    asked = set(first.values())
    norms = {item: str(row["norm"]) for row in rows if (item := (row["reply_id"], row["scenario_id"])) in asked}
    pairs = [p for one, other in combinations(sorted(labels), 2) for p in _pairs(one, other, labels, norms)]
    return pairs, _conclusions(replies, rows, labels)


def _pairs(
    one: str, other: str, labels: Mapping[str, Mapping[tuple[str, str], bool]], norms: Mapping[tuple[str, str], str]
) -> list[Pair]:
    both = [item for item in labels[one] if item in labels[other] and item in norms]
    groups = ["all", *sorted({norms[item] for item in both})]
    return [
        Pair(name, one, other, agreement(count(
            (labels[one][item], labels[other][item]) for item in both if name in ("all", norms[item])
        )))
        for name in groups
    ]  # fmt: skip


def _conclusions(
    replies: pd.DataFrame, rows: Sequence[Mapping[str, Any]], labels: Mapping[str, Mapping[tuple[str, str], bool]]
) -> list[ByJudge]:
    known = {r["reply_id"]: (r["model"], r["condition"]) for r in records(replies, "reply_id", "model", "condition")}
    every = [item for said in labels.values() for item in said]
    shared = {item for item, n in Counter(every).items() if n == len(labels)}
    cells: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    counted = [r for r in rows if r["expectation"] != CROSSED]
    for item, variant in {(r["reply_id"], r["scenario_id"]): str(r["variant"]) for r in counted}.items():
        if item in shared:
            model, condition = known[item[0]]
            cells.setdefault((model, variant, condition), []).append(item)
    return [
        ByJudge(model, variant, condition, _differences(labels, items, cells[model, variant, BASE]),
                len(items) + len(cells[model, variant, BASE]))
        for (model, variant, condition), items in sorted(cells.items())
        if condition != BASE and (model, variant, BASE) in cells
    ]  # fmt: skip


def _differences(
    labels: Mapping[str, Mapping[tuple[str, str], bool]],
    items: Sequence[tuple[str, str]],
    base: Sequence[tuple[str, str]],
) -> dict[str, float]:
    return {name: _rate(said, items) - _rate(said, base) for name, said in labels.items()}


def _rate(said: Mapping[tuple[str, str], bool], items: Sequence[tuple[str, str]]) -> float:
    return fmean(said[item] for item in items) if items else nan
