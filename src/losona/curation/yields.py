"""Counts of screenings: by norm, by event, by baseline, and by all three. Pure."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from losona.curation.screening import Standing, baseline_decision, by_baseline
from losona.schema.frame import Frame
from losona.schema.frame_record import ArmDecision, ArmScreening, Screening


@dataclass(frozen=True)
class Yield:
    """What became of the arms of one group."""

    screened: int = 0
    """Arms that were screened."""
    dropped: int = 0
    """Arms that were dropped."""
    kept: int = 0
    """Arms that were kept."""
    undecided: int = 0
    """Arms that stay because too few replies are scored."""
    set_aside: int = 0
    """Arms that would be dropped, but are in the part that was set aside."""
    replies: int = 0
    """Gradings that are wanted: each reply once for each norm."""
    unscored: int = 0
    """Gradings without a label, failed calls among them."""

    def __add__(self, other: "Yield") -> "Yield":
        mine, theirs = asdict(self), asdict(other)
        return Yield(**{key: mine[key] + theirs[key] for key in mine})


Screened = Screening | Standing
"""One screening of a frame, or what all of them come to."""


class _Unit(NamedTuple):
    """An arm, as all baselines or as one of them sees it."""

    norm: str
    event: str
    baseline: str
    counts: Yield


def yields(screened: Iterable[tuple[Frame, Screened]]) -> dict[str, Any]:
    """Counts of screenings: `total`, `norm`, `event` and `baseline` by name, and `cells` of all three.

    By norm and event an arm counts once, as all baselines together decide; by baseline and in cells it counts once
    for each baseline, as that one alone would decide.
    """
    pairs = list(screened)
    arms = [unit for frame, screening in pairs for unit in _arms(frame, screening)]
    alone = [unit for frame, screening in pairs for unit in _alone(frame, screening)]
    return {
        "total": _sums(arms, lambda _: "all").get("all", Yield()),
        "norm": _sums(arms, lambda unit: unit.norm),
        "event": _sums(arms, lambda unit: unit.event),
        "baseline": _sums(alone, lambda unit: unit.baseline),
        "cells": _sums(alone, lambda unit: "|".join(unit[:3])),
    }


def as_data(found: dict[str, Any]) -> dict[str, Any]:
    """The counts as plain values, for JSON."""
    keys = ("norm", "event", "baseline")
    return {
        "total": asdict(found["total"]),
        **{key: {name: asdict(counts) for name, counts in found[key].items()} for key in keys},
        "cells": [
            {**dict(zip(keys, name.split("|", 2), strict=True)), **asdict(counts)}
            for name, counts in found["cells"].items()
        ],
    }


def _sums(units: Iterable[_Unit], key: Callable[[_Unit], str]) -> dict[str, Yield]:
    found: dict[str, Yield] = {}
    for unit in units:
        found[key(unit)] = found.get(key(unit), Yield()) + unit.counts
    return dict(sorted(found.items()))


def _arms(frame: Frame, screening: Screened) -> Iterator[_Unit]:
    for arm in screening.arms:
        yield _Unit(arm.norm, frame.event, "", _counts(arm, arm.decision, screening.unscreened))


def _alone(frame: Frame, screening: Screened) -> Iterator[_Unit]:
    for arm in screening.arms:
        for name, rows in by_baseline(arm.replies).items():
            own = arm.model_copy(update={"replies": rows})
            decision = baseline_decision(rows)
            yield _Unit(arm.norm, frame.event, name, _counts(own, decision, screening.unscreened))


def _counts(arm: ArmScreening, decision: ArmDecision, unscreened: bool) -> Yield:
    drop = decision == "drop"
    return Yield(
        screened=1,
        dropped=int(drop and not unscreened),
        kept=int(decision == "keep"),
        undecided=int(decision == "undecided"),
        set_aside=int(drop and unscreened),
        replies=len(arm.replies),
        unscored=sum(reply.label == "unscored" for reply in arm.replies),
    )
