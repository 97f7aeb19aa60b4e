"""Rules on the three fillings of a slot: trigger, demonstration, control (F15 to F18, F20 to F23, F25).

Grades demonstrations by code (`losona.lint.grading`) and looks at no reference.
"""

import re
from collections.abc import Iterator

from losona.lint.finding import Fault
from losona.lint.grading import demands, demonstration_fault, grade, slot_params
from losona.lint.lexicons import lexicons, ties
from losona.lint.view import FILLINGS, FrameView, Spot, label
from losona.lint.wording import contains, same_words, words
from losona.schema.frame import Arm, Slot
from losona.schema.taxonomy import Norm

WORD_GAP, WORD_GAP_WARN = 25, 15
"""Words by which the fillings of a slot may differ."""
DEMO_SHARE = 0.25
"""Greatest share of demonstrations among the turns of a transcript."""
SCOPE_REACH = 2
"""Turns after a trigger within which its scope mark may stand."""


def same_trigger(view: FrameView) -> Iterator[Fault]:
    """F15: a and b answer the same trigger: the same person (error), the same text (warning)."""
    for slot in view.frame.slots:
        if not (slot.a and slot.b):
            continue
        a, b, place = slot.a[0], slot.b[0], (*view.slot_place(slot), "b", 0)
        if a.sender != b.sender:
            yield Fault(place, f"trigger by {a.sender} in a, by {b.sender} in b", "the same person", slot.slot, 1)
        if not same_words(a.text, b.text):
            yield Fault(place, f"trigger of b is {b.text!r}", f"that of a: {a.text!r}", slot.slot, 1, warn=True)


def same_speakers(view: FrameView) -> Iterator[Fault]:
    """F16: the three fillings have the same order of speakers."""
    for slot in view.frame.slots:
        orders = {f: [spot.turn.sender for spot in view.filling(slot, f)] for f in FILLINGS}
        for filling in ("b", "none"):
            if orders[filling] != orders["a"]:
                found = f"speakers of {filling}: {', '.join(orders[filling])}"
                yield Fault((*view.slot_place(slot), filling), found, f"as in a: {', '.join(orders['a'])}", slot.slot)


def filling_length(view: FrameView) -> Iterator[Fault]:
    """F17: the fillings of a slot differ by at most 15 words (warning), 25 (error)."""
    for slot in view.frame.slots:
        counts = {f: sum(len(words(s.turn.text)) for s in view.filling(slot, f)) for f in FILLINGS}
        gap = max(counts.values()) - min(counts.values())
        if gap > WORD_GAP_WARN:
            shown = ", ".join(f"{filling} {count}" for filling, count in counts.items())
            allowed = f"at most {WORD_GAP_WARN} (error above {WORD_GAP})"
            found = f"words: {shown}, which differ by {gap}"
            yield Fault(view.slot_place(slot), found, allowed, slot.slot, warn=gap <= WORD_GAP)


def no_trigger_in_control(view: FrameView) -> Iterator[Fault]:
    """F18: what triggers the norm in a or b does not stand in `none`."""
    for slot in view.frame.slots:
        triggers = {filling[0].text for filling in (slot.a, slot.b) if filling}
        for spot in view.filling(slot, "none"):
            if any(contains(spot.turn.text, trigger) for trigger in triggers):
                found = f"the trigger {spot.turn.text!r} in none"
                yield Fault(spot.place, found, "a turn to which the norm does not apply", slot.slot, spot.number)


def demonstrations_pass(view: FrameView) -> Iterator[Fault]:
    """F20: each demonstration passes its norm's code."""
    for arm, norm in view.norms.items():
        for spot in view.demos(arm):
            if why := demonstration_fault(view, spot, arm, norm):
                found = f"{spot.turn.text!r} fails {norm.id} ({why})"
                warn = norm.check.code_role == "advisory"
                yield Fault(spot.place, found, "a turn that follows the norm", spot.slot_number, spot.number, warn)


def exact_apart(view: FrameView) -> Iterator[Fault]:
    """F21: by an exact norm's code, nothing but its own demonstrations is a demonstration.

    A norm that only forbids is met by any ordinary turn: there only the other arm's demonstrations must fail.
    """
    for arm, norm in view.norms.items():
        if norm.check.mode == "exact":
            for slot in view.frame.slots:
                yield from _stray_in_slot(view, slot, arm, norm)
            for spot in view.shared if demands(norm) else ():
                if grade(view, norm, spot.turn.text, getattr(view.frame.params, arm), spot.turn.sender) is True:
                    yield _stray(spot, norm, warn=True)


def _stray_in_slot(view: FrameView, slot: Slot, arm: Arm, norm: Norm) -> Iterator[Fault]:
    params = slot_params(view, slot, arm)
    other: Arm = "b" if arm == "a" else "a"
    demos = [spot for spot in view.filling(slot, other) if spot.turn.demo]
    control = view.filling(slot, "none") if demands(norm) else ()
    for spot in (*demos, *control):
        if grade(view, norm, spot.turn.text, params, spot.turn.sender) is True:
            yield _stray(spot, norm)


def _stray(spot: Spot, norm: Norm, warn: bool = False) -> Fault:
    where = f"filling {spot.filling}" if spot.filling else "a shared turn"
    found = f"{spot.turn.text!r} in {where} passes the code of {norm.id}"
    return Fault(spot.place, found, "a turn that fails it", spot.slot_number, spot.number, warn)


def demonstration_share(view: FrameView) -> Iterator[Fault]:
    """F22: at most a quarter of the turns of a transcript are demonstrations."""
    shares = {
        label(s): (len(s.evaluation.demos or ()) + len(s.evaluation.other_demos)) / len(s.visible.transcript)
        for s in view.transcripts
    }
    over = {name: share for name, share in shares.items() if share > DEMO_SHARE}
    if over:
        name, share = max(over.items(), key=lambda item: item[1])
        yield Fault(("chat",), f"{share:.0%} of the turns of {name} are demonstrations", f"at most {DEMO_SHARE:.0%}")


def stray_triggers(view: FrameView) -> Iterator[Fault]:
    """F23: outside a and b nothing looks like a trigger; a shared turn may, if it or its answer is marked scope."""
    chat = view.frame.chat
    for spot in view.shared:
        following = chat[spot.number - 1 : spot.number + SCOPE_REACH]
        if any(not isinstance(item, Slot) and item.scope for item in following):
            continue
        if found := _like_a_trigger(view, spot):
            yield Fault(spot.place, found, "no occasion for the norm, or scope: true", turn=spot.number)
    for slot in view.frame.slots:
        for spot in view.filling(slot, "none"):
            if found := _like_a_trigger(view, spot):
                yield Fault(spot.place, f"{found}, in none", "no occasion for the norm", slot.slot, spot.number)


def _like_a_trigger(view: FrameView, spot: Spot) -> str:
    """What of a turn is an occasion for one of the norms, by a crude pattern; empty where nothing is."""
    patterns = lexicons().triggers
    for norm in view.norms.values():
        pattern = patterns.get(norm.id, patterns.get(norm.family))
        if pattern and (match := re.search(pattern, spot.turn.text, re.IGNORECASE)):
            return f"{match.group(0).strip()!r} looks like a trigger of {norm.id}"
    return ""


def seams(view: FrameView) -> Iterator[Fault]:
    """F25: a shared turn takes up no word that only some fillings of an earlier slot brought in."""
    told = {word for text in _standing(view) for word in ties(text)}
    brought: dict[str, int] = {}
    items = [*view.frame.chat, view.frame.elicitor]
    for i, item in enumerate(items):
        if isinstance(item, Slot):
            for word in _partial_words(view, item) - told:
                brought[word] = item.slot
            continue
        for word in sorted(ties(item.text) & set(brought)):
            place = ("chat", i) if i < len(view.frame.chat) else ("elicitor",)
            found = f"{word!r} was brought in by some fillings of slot {brought[word]} only"
            yield Fault(place, found, "a word that follows from every filling", turn=i + 1)
        told |= ties(item.text)
        brought = {word: slot for word, slot in brought.items() if word not in told}


def _standing(view: FrameView) -> tuple[str, ...]:
    frame = view.frame
    people = [text for person in frame.cast for text in (person.name, person.bio)]
    return (frame.channel, frame.subject.name, frame.subject.bio, *people)


def _partial_words(view: FrameView, slot: Slot) -> set[str]:
    in_a, in_b, in_none = ({w for s in view.filling(slot, f) for w in ties(s.turn.text)} for f in FILLINGS)
    return (in_a | in_b | in_none) - (in_a & in_b & in_none)


CHECKS = {
    "F15": same_trigger,
    "F16": same_speakers,
    "F17": filling_length,
    "F18": no_trigger_in_control,
    "F20": demonstrations_pass,
    "F21": exact_apart,
    "F22": demonstration_share,
    "F23": stray_triggers,
    "F25": seams,
}
"""Rule -> check."""
