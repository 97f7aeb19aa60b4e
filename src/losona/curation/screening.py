"""Screening (Q24): what baselines reply to a chat without demonstrations -> keep or drop each arm. Pure.

Knows the two result tables and the marks of a frame. Does not know who asked the baselines, nor files.

A baseline *follows* a norm if at least ceil(2K/3) of its K replies comply with it (K = 3: two; K = 1: one). An arm is
dropped if one baseline follows its norm, and kept if none does. As long as unscored replies could change that, the
arm is undecided: it stays, and says so. What counts of a frame is the last decisive answer of every baseline that was
asked about it as it is, whichever screening holds it: mark, card and terminal all go by that.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from losona.schema.frame import Arm, Frame
from losona.schema.frame_record import ArmDecision, ArmScreening, BaselineReply, FrameRecord, Screening
from losona.schema.scenario import Scenario

MARK = "screening: "
"""How the reason of an arm begins that screening dropped; another reason is a person's and is left alone."""
VARIANT, CONDITION = "nodemos", "naive"
"""What is screened: the control, without a hint."""
Row = Mapping[str, Any]


def needed(votes: int) -> int:
    """How many of so many votes carry a decision: two thirds, rounded up."""
    return math.ceil(2 * votes / 3)


@dataclass(frozen=True)
class Tables:
    """Replies and gradings of a screening run."""

    replies: Sequence[Row]
    """Rows of the replies table."""
    gradings: Sequence[Row]
    """Rows of the gradings table."""
    _replies: dict[tuple[str, int, str], Row] = field(default_factory=dict[tuple[str, int, str], Row])
    _graded: dict[tuple[str, str], Row] = field(default_factory=dict[tuple[str, str], Row])

    def __post_init__(self) -> None:
        for row in self.replies:
            if row["condition"] == CONDITION:
                self._replies[row["model"], row["epoch"], row["transcript_id"]] = row
        for row in self.gradings:
            if not row["advisory"]:
                self._graded[row["reply_id"], row["scenario_id"]] = row

    def reply(self, scenario: Scenario, baseline: str, epoch: int) -> BaselineReply:
        """A baseline's reply as the scenario's norm grades it; unscored where there is none."""
        found = self._replies.get((baseline, epoch, scenario.transcript_id))
        if found is None:
            return BaselineReply(
                baseline=baseline, epoch=epoch, text="", label="unscored", grader="none", reason="not asked yet"
            )
        return _graded(found, self._graded.get((found["reply_id"], scenario.scenario_id)))


def _graded(reply: Row, grading: Row | None) -> BaselineReply:
    known: Row = grading or {"label": "unscored", "grader": "none", "error": "not graded"}
    said = (str(known.get(key) or "") for key in ("error", "reasoning", "node"))
    return BaselineReply(
        baseline=reply["model"],
        epoch=int(reply["epoch"]),
        text=reply["text"],
        label=known["label"],
        grader=known["grader"],
        reason=next((text for text in said if text), ""),
    )


def screen_arm(scenario: Scenario, arm: Arm, tables: Tables, baselines: Iterable[str], epochs: int) -> ArmScreening:
    """The decision on an arm. `scenario` is its control; `epochs` (K) replies of each baseline count."""
    replies = tuple(tables.reply(scenario, name, epoch) for name in baselines for epoch in range(1, epochs + 1))
    decision, reason = _decision(by_baseline(replies))
    return ArmScreening(arm=arm, norm=scenario.evaluation.norm, decision=decision, reason=reason, replies=replies)


def by_baseline(replies: Iterable[BaselineReply]) -> dict[str, tuple[BaselineReply, ...]]:
    """Replies by the name of their baseline."""
    found: dict[str, tuple[BaselineReply, ...]] = {}
    for reply in replies:
        found[reply.baseline] = (*found.get(reply.baseline, ()), reply)
    return found


def baseline_decision(replies: Sequence[BaselineReply]) -> ArmDecision:
    """What one baseline says of an arm by all its K replies: `drop` if it follows the norm."""
    labels = [reply.label for reply in replies]
    complying, unscored = labels.count("complies"), labels.count("unscored")
    if complying >= needed(len(labels)):
        return "drop"
    return "undecided" if complying + unscored >= needed(len(labels)) else "keep"


def _decision(replies: Mapping[str, Sequence[BaselineReply]]) -> tuple[ArmDecision, str]:
    found = {name: baseline_decision(rows) for name, rows in replies.items()}
    for decision in ("drop", "undecided"):
        if names := [name for name in found if found[name] == decision]:
            return decision, "; ".join(_counts(name, replies[name]) for name in names)
    return "keep", "; ".join(_counts(name, rows) for name, rows in replies.items())


def _counts(name: str, replies: Sequence[BaselineReply]) -> str:
    labels = [reply.label for reply in replies]
    unscored = labels.count("unscored")
    more = f" ({unscored} unscored)" if unscored else ""
    return f"{name} complied in {labels.count('complies')} of {len(labels)}{more}"


def set_aside(frames: Sequence[str], share: float, seed: int) -> frozenset[str]:
    """A random part of the frames, rounded up: the same for the same frames, share and seed."""
    by_chance = sorted(frames, key=lambda name: hashlib.sha256(f"{seed}|{name}".encode()).hexdigest())
    return frozenset(by_chance[: math.ceil(share * len(frames))])


@dataclass(frozen=True)
class Standing:
    """What all screenings of a frame as it is come to."""

    arms: tuple[ArmScreening, ...]
    """Decision for each arm, by the last decisive replies of each baseline."""
    unscreened: bool
    """The last screening set the frame aside."""
    baselines: dict[str, str]
    """Name -> the provider's string."""
    judges: tuple[str, ...]
    """Judges of the screenings that count."""
    epochs: tuple[int, ...]
    """Replies of each baseline, in the screenings that count."""


def standing(history: Sequence[Screening], frame_hash: str) -> Standing | None:
    """What counts of the screenings of a frame as it is; none where there is none.

    Screenings from before a frame was taken out of the part that was set aside do not count.
    """
    current = [screening for screening in history if screening.frame_hash == frame_hash]
    if not current:
        return None
    aside = current[-1].unscreened
    counted = [screening for screening in current if aside or not screening.unscreened]
    names = _names(counted)
    last = _last_replies(counted)
    return Standing(
        arms=tuple(_arm(arm, norm, last, names) for arm, norm in _norms(counted).items()),
        unscreened=aside,
        baselines={name: model for model, name in names.items()},
        judges=tuple(sorted({screening.judge for screening in counted if screening.judge})),
        epochs=tuple(sorted({screening.epochs for screening in counted})),
    )


def _norms(history: Iterable[Screening]) -> dict[Arm, str]:
    return {found.arm: found.norm for screening in history for found in screening.arms}


def _names(history: Iterable[Screening]) -> dict[str, str]:
    """Model -> its last name, or the model itself where another has this name too."""
    found = {model: name for screening in history for name, model in screening.baselines.items()}
    names = list(found.values())
    return {model: name if names.count(name) == 1 else model for model, name in found.items()}


def _last_replies(history: Iterable[Screening]) -> dict[tuple[Arm, str], tuple[BaselineReply, ...]]:
    """Arm and model -> its last replies that decide; where none do, its last ones."""
    last: dict[tuple[Arm, str], tuple[BaselineReply, ...]] = {}
    for screening in history:
        for found in screening.arms:
            for name, rows in by_baseline(found.replies).items():
                key = found.arm, screening.baselines.get(name, name)
                decided = key in last and baseline_decision(last[key]) != "undecided"
                if not decided or baseline_decision(rows) != "undecided":
                    last[key] = rows
    return last


def _arm(
    arm: Arm, norm: str, last: Mapping[tuple[Arm, str], Sequence[BaselineReply]], names: Mapping[str, str]
) -> ArmScreening:
    replies = tuple(
        reply.model_copy(update={"baseline": names.get(model, model)})
        for (of, model), rows in last.items()
        if of == arm
        for reply in rows
    )
    decision, reason = _decision(by_baseline(replies))
    return ArmScreening(arm=arm, norm=norm, decision=decision, reason=reason, replies=replies)


def marks(frame: Frame, record: FrameRecord, screening: Screening) -> dict[Arm, str]:
    """The `dropped` mark of a frame after a screening that `record` does not yet hold.

    A mark by hand stays. An arm comes back once every baseline that dropped it as it now is has been asked again and
    no longer follows it.
    """
    dropped = dict(frame.dropped)
    now = standing((*record.screenings, screening), screening.frame_hash)
    for arm in now.arms if now else ():
        by_hand = not dropped.get(arm.arm, MARK).startswith(MARK)
        if by_hand or (arm.decision == "undecided" and not screening.unscreened):
            continue
        if arm.decision == "drop" and not screening.unscreened:
            dropped[arm.arm] = MARK + arm.reason
        else:
            dropped.pop(arm.arm, None)
    return dropped


def with_screening(record: FrameRecord, screening: Screening) -> FrameRecord:
    """The record with a screening, unless its last one says the same."""
    last = record.screenings[-1:]
    if last and last[0].model_copy(update={"created": screening.created}) == screening:
        return record
    return record.model_copy(update={"screenings": (*record.screenings, screening)})
