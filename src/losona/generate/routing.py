"""Which stage can mend a finding of the linter. Pure.

Knows where in a frame the answer of each stage stands. Knows no rule but the few whose place does not say enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from losona.generate.answers import Stage
from losona.lint.finding import Finding
from losona.lint.registry import RULES
from losona.lint.view import FrameView
from losona.textfiles import Place

PLACES: dict[str, Stage] = {
    "frame": "goal",
    "channel": "goal",
    "end_goal": "goal",
    "goal_markers": "goal",
    "subject": "cast",
    "cast": "cast",
    "chat": "base",
    "elicitor": "elicitor",
    "off_elicitor": "off_elicitor",
    "references": "references",
    "known_facts": "facts",
}
"""First part of a place -> the stage whose answer stands there."""
SPEAKERS = frozenset({"F09", "F10", "F14", "F16", "F19"})
"""Rules on who speaks where and how often: the base conversation settles that, wherever the fault shows."""


@dataclass(frozen=True)
class Routed:
    """A finding, and the stage that is asked to mend it."""

    finding: Finding
    """The finding."""
    stage: Stage | None
    """None: no stage can mend it."""


def routed_findings(view: FrameView) -> list[Routed]:
    """All findings in one frame, in the order of the rules."""
    return [
        Routed(rule.finding(view.document, fault), stage_of(rule.id, fault.place))
        for rule in RULES.values()
        if rule.frame_check is not None
        for fault in rule.frame_check(view)
    ]


def stage_of(rule: str, place: Place) -> Stage | None:
    """The stage that can mend a fault at a place; none where the tuple itself is at fault."""
    if rule in SPEAKERS:
        return "base"
    match place:
        case ("params", "off_trigger", *_):
            return "off_elicitor"
        case ("params", *_):
            return "elicitor"
        case ("chat", int(), "none", *_):
            return "base"
        case ("chat", int(), "a" | "b", *_):
            return "slots"
        case ("chat", int()) if rule in ("F12", "F13", "F15", "F17"):
            return "slots"
        case (str(first), *_):
            return PLACES.get(first)
        case _:
            return None


def errors(routed: list[Routed]) -> Iterator[Routed]:
    """What keeps a frame from being accepted."""
    return (item for item in routed if item.finding.severity == "error")
