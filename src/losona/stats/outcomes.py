"""The two result tables, joined: what one reply counts for under one scenario. Computes no rate."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.errors import UserFault
from losona.stats.rows import known, records

Item = TypeVar("Item")
Key = TypeVar("Key")
REPLY_COLUMNS = ("reply_id", "model", "condition", "epoch", "error", "valid")
GRADING_COLUMNS = (
    "reply_id",
    "scenario_id",
    "variant",
    "frame",
    "arm",
    "pack",
    "norm",
    "mode",
    "expectation",
    "label",
    "advisory",
    "in_character",
    "fits",
)
SCORED = ("complies", "breaches")
CROSSED = "crossed"
"""Expectation of a grading by the norm of the other arm."""


@dataclass(frozen=True)
class Outcome:
    """One reply under one scenario."""

    reply_id: str
    """The reply."""
    scenario_id: str
    """The scenario by which it was graded."""
    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    variant: str
    """Variant of the scenario."""
    frame: str
    """Frame id, or empty."""
    arm: str
    """a, b or empty."""
    pack: str
    """Pack of the norm."""
    norm: str
    """Norm id."""
    epoch: int
    """Repeat, from 1."""
    label: str
    """complies, breaches or unscored."""
    invalid: bool
    """The gate found the reply invalid."""
    failed: bool
    """There is no reply, but an error."""
    fits: bool | None
    """Complies, in character and responsive; none where nobody judged that."""

    @property
    def scored(self) -> bool:
        """Whether there is a label that counts."""
        return self.label in SCORED

    @property
    def complies(self) -> bool:
        """Whether the label is complies."""
        return self.label == "complies"


def outcomes(replies: pd.DataFrame, gradings: pd.DataFrame) -> list[Outcome]:
    """Join the tables. Raises `UserFault` where they do not fit together or a cell holds two replies of one epoch.

    Gradings by the norm of the other arm are left out: they say nothing of compliance; `crossed_outcomes` has them.
    """
    return _joined(replies, [pair for pair in _deciding(gradings).items() if pair[1]["expectation"] != CROSSED])


def crossed_outcomes(replies: pd.DataFrame, gradings: pd.DataFrame) -> list[Outcome]:
    """Replies under conflicting evidence as the norm of the other arm grades them."""
    return _joined(replies, [pair for pair in _deciding(gradings).items() if pair[1]["expectation"] == CROSSED])


def _joined(replies: pd.DataFrame, deciding: Iterable[tuple[tuple[str, str], dict[str, Any]]]) -> list[Outcome]:
    by_reply = {row["reply_id"]: row for row in records(replies, *REPLY_COLUMNS)}
    joined: list[Outcome] = []
    for (reply_id, scenario_id), grading in deciding:
        if reply_id not in by_reply:
            raise UserFault(f"gradings name the reply {reply_id!r} ({scenario_id}), which the replies do not hold.")
        joined.append(_outcome(by_reply[reply_id], grading))
    seen = Counter((o.model, o.condition, o.scenario_id, o.epoch) for o in joined)
    for (model, condition, scenario_id, epoch), n in seen.items():
        if n > 1:
            raise UserFault(
                f"{n} replies of {model} to {scenario_id} under {condition} in epoch {epoch}; one is allowed."
            )
    return joined


def counted(replies: pd.DataFrame, gradings: pd.DataFrame, epochs_wanted: int | None) -> tuple[list[Outcome], int]:
    """The outcomes of epochs 1 to K, and K: the wanted epochs, else the highest epoch in the tables."""
    joined = outcomes(replies, gradings)
    k = epochs_wanted or max((o.epoch for o in joined), default=0)
    return [o for o in joined if o.epoch <= k], k


def group_by(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Items by key, in order of appearance."""
    groups: dict[Key, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def _deciding(gradings: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """The grading that sets the label of each pair of reply and scenario; an advisory one only as unscored."""
    chosen: dict[tuple[str, str], dict[str, Any]] = {}
    for row in records(gradings, *GRADING_COLUMNS):
        pair = (row["reply_id"], row["scenario_id"])
        if row["advisory"]:
            chosen.setdefault(pair, row)
        elif pair in chosen and not chosen[pair]["advisory"]:
            raise UserFault(f"reply {pair[0]!r} has two deciding gradings for {pair[1]}; all but one must be advisory.")
        else:
            chosen[pair] = row
    return chosen


def _outcome(reply: dict[str, Any], grading: dict[str, Any]) -> Outcome:
    label = "unscored" if grading["advisory"] else str(grading["label"])
    valid, fits = known(reply["valid"]), known(grading["fits"])
    # Code alone says that a breach does not fit, and never that a reply does: a rate over both would be biased.
    looked = grading["mode"] != "exact" or known(grading["in_character"]) is not None
    return Outcome(
        reply_id=reply["reply_id"],
        scenario_id=grading["scenario_id"],
        model=reply["model"],
        condition=reply["condition"],
        variant=grading["variant"],
        frame=grading["frame"],
        arm=grading["arm"],
        pack=grading["pack"],
        norm=grading["norm"],
        epoch=int(reply["epoch"]),
        label=label,
        invalid=valid is not None and not valid,
        failed=bool(reply["error"]),
        fits=bool(fits) if fits is not None and looked and label in SCORED else None,
    )
