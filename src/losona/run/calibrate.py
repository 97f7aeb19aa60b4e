"""`losona judge calibrate`: labels of people -> the errors of a run's judge, stored with it, and corrected rates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from losona.clock import now
from losona.errors import UserFault
from losona.frames import OTHER
from losona.run.alone import alone
from losona.run.labels import People
from losona.run.people import Judged, judged, labelled, unmatched
from losona.run.writing import refresh
from losona.stats.agreement import Share
from losona.stats.calibration import (
    CELL_LABELS,
    Cells,
    Draws,
    Errors,
    Labelled,
    Refusal,
    dependence,
    errors,
    prediction_powered,
    refusal,
)
from losona.stored import CALIBRATION_FILE
from losona.textfiles import json_text, write_atomically


def calibrate(
    run: Path, people: People, source: str, families: Mapping[str, str], packs: Sequence[Path] = ()
) -> dict[str, Any]:
    """Measure, store in the run's folder, write its report anew, and give back what was stored.

    `families`: norm id -> family.
    """
    judged(run)
    with alone(run, "wait for it"):
        record = _measured(judged(run), people, source, run, families)
        write_atomically(run / CALIBRATION_FILE, json_text(record, 1) + "\n")
        refresh(run, packs)
    return record


def _measured(
    rows: Sequence[Judged], people: People, source: str, run: Path, families: Mapping[str, str]
) -> dict[str, Any]:
    n_unmatched, labels = unmatched(rows, people, run), labelled(rows, people)
    if not labels:
        raise UserFault(f"--labels {source}: people are split on every reply that has a verdict in {run}; adjudicate.")
    found, refused = errors(labels), refusal(labels)
    return {
        "schema_version": "1",
        "created": now(),
        "graders": sorted({row.grader for row in rows}),
        "labels": source,
        "n_labels": len(labels),
        "n_unmatched": n_unmatched,
        "n_open": len(people.open_),
        "errors": _shown(found),
        "families": {name: _shown(errors(own)) for name, own in _by_family(rows, people, families).items()},
        "dependence": [part._asdict() for part in dependence(labels)],
        "refusal": refused._asdict() if refused else None,
        "cells": _corrected(rows, found, refused, people),
    }


def _shown(found: Errors) -> dict[str, Any]:
    """Both errors with their intervals, as far as there are labels."""
    return {name: {**rate._asdict(), "interval": rate.share()[1:3]} for name, rate in found._asdict().items() if rate.n}


def _by_family(rows: Sequence[Judged], people: People, families: Mapping[str, str]) -> dict[str, list[Labelled]]:
    """Labels by family of the norm, the families by name."""
    names = sorted({families.get(r.norm, r.norm) for r in rows if r.item in people.decided})
    return {name: labelled([r for r in rows if families.get(r.norm, r.norm) == name], people) for name in names}


def _corrected(rows: Sequence[Judged], found: Errors, refused: Refusal | None, people: People) -> dict[str, Any]:
    """Judged replies by cell: raw and corrected rates, differences from naive, and PPI++ where it has labels."""
    rows = [r for r in rows if not r.variant.endswith(OTHER)]
    keys = [(r.subject, r.condition, r.variant) for r in rows]
    cells = Cells.of([(key, r.norm, r.complies) for key, r in zip(keys, rows, strict=True)])
    n_clusters = len({r.norm for r in rows})
    draws = None if refused else Draws.make(found, n_clusters)
    rates: list[dict[str, Any]] = []
    for key in sorted(set(keys)):
        own = [r for k, r in zip(keys, rows, strict=True) if k == key]
        rates.append({
            "model": key[0], "condition": key[1], "variant": key[2], "n": len(own), "raw": cells.raw(key),
            "corrected": _numbers(draws.corrected(cells, key).corrected) if draws else None,
            "powered": _numbers(_powered(own, people)),
        })  # fmt: skip
    pairs = [
        (one, other)
        for one, other in ((a, b) for a in sorted(set(keys)) for b in sorted(set(keys)))
        if one[0] == other[0] and one[2] == other[2] and other[1] == "naive" != one[1]
    ]
    differences = [
        {"model": one[0], "variant": one[2], "first": one[1], "second": other[1], "raw": d.raw,
         "corrected": _numbers(d.corrected)}
        for one, other in pairs if draws for d in (draws.difference(cells, one, other),)
    ]  # fmt: skip
    return {"clusters": n_clusters, "rates": rates, "differences": differences}


def _powered(rows: Sequence[Judged], people: People) -> Share | None:
    """PPI++ of one cell, where it has enough labels that were drawn with equal chances, and the package is there."""
    known = [r for r in rows if r.item in people.decided]
    rest = [r.complies for r in rows if r.item not in people.decided]
    if len(known) < CELL_LABELS or not rest or len({people.weights[r.item] for r in known}) > 1:
        return None
    try:
        return prediction_powered([people.decided[r.item] for r in known], [r.complies for r in known], rest)
    except ImportError:
        return None


def _numbers(found: Share | None) -> dict[str, float] | None:
    return found._asdict() if found else None
