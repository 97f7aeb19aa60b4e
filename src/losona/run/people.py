"""Labels of people and what a run's judges said: joined, compared and drawn for. Knows tables; reads no labels."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from losona.errors import UserFault
from losona.judge.protocols import Procedure
from losona.prompts import Templates
from losona.results import read_tables
from losona.run.labels import Item, People
from losona.run.record import read_scenarios
from losona.stats import records
from losona.stats.agreement import Agreement, AnnotatorAgreement, agreement, annotators, count
from losona.stats.calibration import Labelled
from losona.taxonomy import Taxonomy
from losona.textfiles import json_text

DISAGREEMENT_SHARE = 0.5
"""Share of a draw that goes to replies on which votes differ, as far as there are so many."""


@dataclass(frozen=True)
class Judged:
    """A reply that a judge has graded, with what it is drawn and grouped by."""

    item: Item
    """Reply and scenario."""
    subject: str
    """Model that wrote it."""
    condition: str
    """Condition it was written under."""
    variant: str
    """Variant of the scenario."""
    norm: str
    """Norm id."""
    mode: str
    """exact, partial or judge."""
    grader: str
    """Judge, or `panel`."""
    complies: bool
    """What it says."""
    disputed: bool
    """Votes differ, or the case was called close."""
    text: str | None = None
    """The reply as it was graded; none: not known, so that it equals no other."""
    copies: int = 1
    """Replies that are the same question, this one among them."""

    @property
    def question(self) -> tuple[str, str]:
        """Equal for equal replies under one scenario: judge and people are asked once, and say one thing."""
        return (self.item[1], self.text) if self.text is not None else (self.item[1], f"id {self.item[0]}")


def once(rows: Iterable[Judged]) -> list[Judged]:
    """Each question once, with the number of its copies: a copy is no further observation of a judge."""
    groups: dict[tuple[str, str], list[Judged]] = {}
    for row in rows:
        groups.setdefault(row.question, []).append(row)
    return [replace(group[0], copies=len(group)) for group in groups.values()]


def judged(run: Path, grader: str = "") -> list[Judged]:
    """Replies that judges of a run have labelled: by one grader (its first verdict), or by whichever decides."""
    if not (run / "gradings.parquet").is_file():
        raise UserFault(f"--run {run}: there is no run in it; give a folder that `losona run` has written.")
    replies, gradings = read_tables(run)
    by_reply = {row["reply_id"]: row for row in records(replies, "reply_id", "model", "condition", "graded_text")}
    columns = ("reply_id", "scenario_id", "grader", "label", "advisory", "variant", "norm", "mode", "borderline")
    rows = [row for row in records(gradings, *columns) if row["grader"] not in ("verifier", "none")]
    known = sorted({str(row["grader"]) for row in rows})
    if grader and grader not in known:
        raise UserFault(f"--grader {grader}: it has graded nothing in {run}; known are {', '.join(known) or 'none'}.")
    rows.sort(key=_item)
    return [found for _, group in groupby(rows, _item) if (found := _judged(list(group), by_reply, grader)) is not None]


def _item(row: Mapping[str, Any]) -> Item:
    return row["reply_id"], row["scenario_id"]


def _judged(rows: Sequence[Mapping[str, Any]], replies: Mapping[str, Any], grader: str) -> Judged | None:
    labels = {row["label"] for row in rows if row["label"] != "unscored"}
    wanted = [r for r in rows if (r["grader"] == grader if grader else not r["advisory"]) and r["label"] != "unscored"]
    if not wanted:
        return None
    row, reply = wanted[0], replies[wanted[0]["reply_id"]]
    close = any(r["borderline"] is True for r in rows)
    return Judged(
        _item(row), reply["model"], reply["condition"], row["variant"], row["norm"], row["mode"],
        row["grader"], row["label"] == "complies", len(labels) > 1 or close, str(reply["graded_text"]),
    )  # fmt: skip


def unmatched(rows: Sequence[Judged], people: People, run: Path) -> int:
    """Labelled replies that have no verdict of a judge in the run. Raises `UserFault` where none has one."""
    held = {row.item for row in rows}
    missing = sum(item not in held for item in people.labels)
    if missing == len(people.labels):
        raise UserFault(
            f"--labels: none of its replies has a verdict of a judge in {run}; give the run of these labels."
        )
    return missing


def labelled(rows: Sequence[Judged], people: People) -> list[Labelled]:
    """Questions with both labels, each once."""
    return [
        Labelled(people.decided[r.item], r.complies, r.subject, r.condition, people.weights[r.item])
        for r in once(r for r in rows if r.item in people.decided)
    ]


def against(rows: Sequence[Judged], people: People, families: Mapping[str, str]) -> dict[str, Agreement]:
    """The judge against people, each question once: all, then by family of the norm."""
    held = once(r for r in rows if r.item in people.decided)
    names = ["all", *sorted({families.get(r.norm, r.norm) for r in held})]
    return {
        name: agreement(
            count((people.decided[r.item], r.complies) for r in held if name in ("all", families.get(r.norm, r.norm)))
        )
        for name in names
    }


def among(people: People) -> AnnotatorAgreement:
    """People among each other."""
    return annotators(dict(people.labels.items()))


def draw(rows: Sequence[Judged], n: int, families: Mapping[str, str], seed: int) -> list[tuple[Judged, float]]:
    """What to label, with weights: disputed replies first up to half, each part in turn from its strata.

    A stratum is family, mode, condition, subject and verdict. Each question is drawn once at most. Its weight is the
    number of its copies, times the questions of its stratum over those drawn from it.
    """
    asked = once(sorted(rows, key=lambda r: r.item))
    disputed = [r for r in asked if r.disputed]
    plain = [r for r in asked if not r.disputed]
    first = min(len(disputed), max(round(n * DISAGREEMENT_SHARE), n - len(plain)))
    return [*_in_turn(disputed, first, families, seed), *_in_turn(plain, n - first, families, seed)]


def _in_turn(rows: Sequence[Judged], n: int, families: Mapping[str, str], seed: int) -> Iterator[tuple[Judged, float]]:
    """Draw in turn from strata, in random order."""
    rng, strata = random.Random(seed), dict[tuple[Any, ...], list[Judged]]()
    for row in sorted(rows, key=lambda r: r.item):
        key = (families.get(row.norm, row.norm), row.mode, row.condition, row.subject, row.complies)
        strata.setdefault(key, []).append(row)
    order = [(key, rng.sample(group, len(group))) for key, group in sorted(strata.items(), key=lambda _: rng.random())]
    turns = ((i, key, row) for key, group in order for i, row in enumerate(group))
    drawn = [(key, row) for _, key, row in sorted(turns, key=lambda turn: turn[0])][:n]
    taken = Counter(key for key, _ in drawn)
    return ((row, row.copies * len(strata[key]) / taken[key]) for key, row in drawn)


def sample_rows(drawn: Sequence[tuple[Judged, float]], run: Path, taxonomy: Taxonomy) -> list[str]:
    """The draw as JSON Lines to be labelled: what a judge sees (`shown`), and nothing of what it said."""
    replies, _ = read_tables(run)
    texts = {row["reply_id"]: str(row["graded_text"]) for row in records(replies, "reply_id", "graded_text")}
    scenarios, procedure = read_scenarios(run), Procedure(taxonomy, Templates())
    rows: list[dict[str, Any]] = []
    for row, weight in sorted(drawn, key=lambda pair: pair[0].item):
        reply_id, scenario_id = row.item
        shown = procedure.question(scenarios[scenario_id], texts[reply_id]).messages[-1].content
        blank = {"reply_id": reply_id, "scenario_id": scenario_id, "annotator": "", "label": "", "note": ""}
        rows.append({**blank, "weight": round(weight, 6), "norm": row.norm, "reply": texts[reply_id], "shown": shown})
    return [json_text(row) for row in rows]
