"""Rules on the skeleton of a frame: its id, its parts, the places of slots and marks (F01, F02, F11 to F13, F19, F24).

Looks at no wording and asks the taxonomy only for the number of demonstrations.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

from losona.lint.finding import Fault
from losona.lint.view import FILLINGS, FrameView
from losona.numbers import some
from losona.schema.frame import Slot
from losona.textfiles import Place

SLOTS = (2, 4)
"""Least and greatest number of slots."""
SLOT_TURNS = (2, 4)
"""Least and greatest number of turns of a filling."""
LEAD, BETWEEN, TAIL = 3, 2, 2
"""Least number of shared turns before the first slot, between slots, before the elicitor."""
BOOLEANS = frozenset({"demo", "scope", "judge", "absent"})
"""Keys whose value is true or false and nothing else."""


def right_types(view: FrameView) -> Iterator[Fault]:
    """F01, beyond the schema: true and false are not text, no text is empty, a turn is one line."""
    yield from _loose_values(view.document.data, ())
    frame = view.frame
    texts: dict[Place, str] = {
        ("channel",): frame.channel,
        ("subject", "bio"): frame.subject.bio,
        ("end_goal",): frame.end_goal,
    }
    texts |= {(*person_place, "name"): name for person_place, name in _names(view)}
    texts |= {passage.place: passage.text for passage in view.talk}
    for place, text in texts.items():
        if not text.strip():
            yield Fault(place, f"{place[-1]} is empty", "text")
    for passage in view.talk:
        if "\n" in passage.text.strip():
            yield Fault(passage.place, "a turn of several lines", "one line a turn", passage.slot, passage.turn)


def _names(view: FrameView) -> Iterator[tuple[Place, str]]:
    yield ("subject",), view.frame.subject.name
    for i, person in enumerate(view.frame.cast):
        yield ("cast", i), person.name


def _loose_values(data: Any, place: Place) -> Iterator[Fault]:
    """Values that the schema would turn into the right type in silence."""
    if isinstance(data, dict):
        for key, value in cast("dict[str, Any]", data).items():
            if key in BOOLEANS and not isinstance(value, bool):
                yield Fault((*place, key), f"{key}: {value!r}", "true or false")
            elif key == "slot" and not isinstance(value, int):
                yield Fault((*place, key), f"slot: {value!r}", "a number")
            yield from _loose_values(value, (*place, key))
    elif isinstance(data, list):
        for i, value in enumerate(cast("list[Any]", data)):
            yield from _loose_values(value, (*place, i))


def frame_id(view: FrameView) -> Iterator[Fault]:
    """F02: the id is the file's name and `pack.event.slug`."""
    frame, stem = view.frame, view.document.path.name.removesuffix(".yaml")
    if frame.frame != stem:
        yield Fault(("frame",), f"frame {frame.frame!r} in a file named {stem!r}", "the same id in both")
    parts = frame.frame.split(".")
    if len(parts) != 3 or parts[:2] != [frame.pack, frame.event] or not parts[2]:
        yield Fault(("frame",), f"frame {frame.frame!r}", f"{frame.pack}.{frame.event}.<slug>")


def slot_count(view: FrameView) -> Iterator[Fault]:
    """F11: two to four slots, numbered in order, as many as each norm can be shown with."""
    slots = view.frame.slots
    if not SLOTS[0] <= len(slots) <= SLOTS[1]:
        yield Fault(("chat",), some(len(slots), "slot"), f"{SLOTS[0]} to {SLOTS[1]}")
    for number, slot in enumerate(slots, 1):
        if slot.slot != number:
            yield Fault(view.slot_place(slot), f"slot {slot.slot} in place {number}", f"slot {number}", slot.slot)
    for arm, norm in view.measured.items():
        least, most = norm.demonstration.count
        if not least <= len(slots) <= most:
            yield Fault(("arms", arm), f"{some(len(slots), 'slot')} for {norm.id}", f"{least} to {most} demonstrations")


def filling_turns(view: FrameView) -> Iterator[Fault]:
    """F12: all fillings of a slot have the same number of turns, two to four."""
    for slot in view.frame.slots:
        counts = {filling: len(view.filling(slot, filling)) for filling in FILLINGS}
        shown = ", ".join(f"{filling} {count}" for filling, count in counts.items())
        if len(set(counts.values())) > 1:
            yield Fault(view.slot_place(slot), f"turns: {shown}", "equally many in a, b and none", slot.slot)
        if any(not SLOT_TURNS[0] <= count <= SLOT_TURNS[1] for count in counts.values()):
            yield Fault(view.slot_place(slot), f"turns: {shown}", f"{SLOT_TURNS[0]} to {SLOT_TURNS[1]}", slot.slot)


def one_demonstration(view: FrameView) -> Iterator[Fault]:
    """F13: one demonstration in a and in b, at the same position, not first; none elsewhere."""
    for slot in view.frame.slots:
        yield from _slot_marks(view, slot)
    for spot in view.shared:
        if spot.turn.demo:
            yield Fault(spot.place, "demo: true on a shared turn", "only in a and b of a slot", turn=spot.number)
    if view.frame.elicitor.demo:
        yield Fault(("elicitor",), "demo: true on the elicitor", "only in a and b of a slot")


def _slot_marks(view: FrameView, slot: Slot) -> Iterator[Fault]:
    at = {f: [s.number for s in view.filling(slot, f) if s.turn.demo] for f in FILLINGS}
    place = view.slot_place(slot)
    for arm in ("a", "b"):
        if len(at[arm]) != 1:
            yield Fault((*place, arm), f"{some(len(at[arm]), 'demonstration')} in {arm}", "exactly one", slot.slot)
        elif at[arm] == [1]:
            found = f"the demonstration of {arm} is the first turn"
            yield Fault((*place, arm, 0), found, "after a trigger", slot.slot, 1)
    if len(at["a"]) == len(at["b"]) == 1 and at["a"] != at["b"]:
        found = f"demonstrations at turn {at['a'][0]} in a, {at['b'][0]} in b"
        yield Fault(place, found, "the same turn", slot.slot)
    for number in at["none"]:
        yield Fault((*place, "none", number - 1), "demo: true in none", "no demonstration", slot.slot, number)


def shared_turns(view: FrameView) -> Iterator[Fault]:
    """F19: enough shared turns before the first slot, between slots, and before the elicitor."""
    marks = [-1, *(i for i, item in enumerate(view.frame.chat) if isinstance(item, Slot)), len(view.frame.chat)]
    if len(marks) == 2:
        return
    between = [(f"between slots {k} and {k + 1}", BETWEEN) for k in range(1, len(marks) - 2)]
    stretches = [("before the first slot", LEAD), *between, ("before the elicitor", TAIL)]
    for (left, right), (where, least) in zip(pairwise(marks), stretches, strict=True):
        if right - left - 1 < least:
            place: Place = ("chat", right) if right < len(view.frame.chat) else ("elicitor",)
            yield Fault(place, f"{some(right - left - 1, 'shared turn')} {where}", f"at least {least}")


def scope_turn(view: FrameView) -> Iterator[Fault]:
    """F24: some shared turn shows where the norm does not apply; the mark stands on shared turns only."""
    if not any(spot.turn.scope for spot in view.shared):
        yield Fault(("chat",), "no turn with scope: true", "at least one shared turn that shows where the norm ends")
    stray = [(s.place, s.slot_number, s.number) for s in view.slotted if s.turn.scope]
    stray += [(("elicitor",), None, None)] if view.frame.elicitor.scope else []
    for place, slot, turn in stray:
        yield Fault(place, "scope: true outside the shared turns", "only on shared turns", slot, turn)


CHECKS = {
    "F01": right_types,
    "F02": frame_id,
    "F11": slot_count,
    "F12": filling_turns,
    "F13": one_demonstration,
    "F19": shared_turns,
    "F24": scope_turn,
}
"""Rule -> check."""
