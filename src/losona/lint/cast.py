"""Rules on who is there and who speaks to whom (F07 to F10, F14, F30).

Looks at names and senders, and at wording only for names in it.
"""

import re
from collections.abc import Iterator

from losona.lint.finding import Fault
from losona.lint.lexicons import lexicons
from losona.lint.lines import Chat
from losona.lint.view import FrameView, label
from losona.lint.wording import find_phrase
from losona.numbers import some
from losona.schema.frame import Arm
from losona.textfiles import Place

SPEAKERS = 3
"""Least number of speakers besides the subject."""
SUBJECT_TURNS = 3
"""Greatest number of turns of the subject."""
DEMONSTRATORS = 2
"""Least number of members who demonstrate a norm."""
MENTION = re.compile(r"(?<![\w.])@(\w[\w'.-]*)")


def names_apart(view: Chat) -> Iterator[Fault]:
    """F07: no name twice and none inside another, so that a mention is never ambiguous."""
    names = view.roster
    places: list[Place] = [("subject", "name"), *(("cast", i, "name") for i in range(len(names) - 1))]
    for j, name in enumerate(names):
        for earlier in names[:j]:
            one, other = earlier.casefold(), name.casefold()
            if one == other:
                yield Fault(places[j], f"the name {name} twice", "each name once")
            elif one in other or other in one:
                yield Fault(places[j], f"{name} and {earlier}: one is part of the other", "names apart")


def known_people(view: FrameView) -> Iterator[Fault]:
    """F08: whoever speaks or is mentioned with @ belongs to the group."""
    for spot in view.spots:
        if spot.turn.sender not in view.roster:
            yield Fault(spot.place, f"speaker {spot.turn.sender!r}", _roster(view), spot.slot_number, spot.number)
    for place, sender in _last_senders(view):
        if sender not in view.roster:
            yield Fault(place, f"speaker {sender!r}", _roster(view))
    for passage in view.talk:
        for name in MENTION.findall(passage.text):
            if not _known(view, name):
                yield Fault(passage.place, f"mention @{name}", _roster(view), passage.slot, passage.turn)


def _last_senders(view: FrameView) -> tuple[tuple[Place, str], ...]:
    frame = view.frame
    return (("elicitor",), frame.elicitor.sender), (("off_elicitor", "from"), frame.off_elicitor.sender)


def _roster(view: FrameView) -> str:
    return f"one of: {', '.join(view.roster)}"


def _known(view: FrameView, mention: str) -> bool:
    plain = mention.rstrip(".'-").casefold()
    names = [name.casefold() for name in (*view.roster, *view.frame.subject.also)]
    return plain in lexicons().group_mentions or any(plain in (name, *name.split()[:1]) for name in names)


def everybody_speaks(view: FrameView) -> Iterator[Fault]:
    """F09: in every transcript all of the cast speak but those marked absent, at least three."""
    silent: dict[str, list[str]] = {}
    for scenario in view.transcripts:
        speakers = {turn.sender for turn in scenario.visible.transcript} - {view.frame.subject.name}
        for person in view.frame.cast:
            if person.absent == (person.name in speakers):
                silent.setdefault(person.name, []).append(label(scenario))
        if len(speakers) < SPEAKERS:
            found = f"{some(len(speakers), 'speaker')} besides the subject in {label(scenario)}"
            yield Fault(("chat",), found, f"at least {SPEAKERS}")
    for i, person in enumerate(view.frame.cast):
        if person.name in silent:
            what = "is absent but speaks" if person.absent else "does not speak"
            found = f"{person.name} {what} in {', '.join(silent[person.name][:4])}"
            yield Fault(("cast", i), found, "everybody in the cast speaks, or is absent: true")


def subject_turns(view: FrameView) -> Iterator[Fault]:
    """F10: the subject speaks at most three times and never in a slot."""
    subject = view.frame.subject.name
    own = [spot for spot in view.shared if spot.turn.sender == subject]
    if len(own) > SUBJECT_TURNS:
        last, found = own[-1], f"{subject} speaks {len(own)} times"
        yield Fault(last.place, found, f"at most {SUBJECT_TURNS}", turn=last.number)
    for spot in view.slotted:
        if spot.turn.sender == subject:
            found = f"the subject {subject} speaks in filling {spot.filling}"
            yield Fault(spot.place, found, "other members only", spot.slot_number, spot.number)


def demonstrators(view: FrameView) -> Iterator[Fault]:
    """F14: at least two members demonstrate each norm, and nobody answers themself."""
    arms: tuple[Arm, ...] = ("a", "b")
    for arm in arms:
        demos = list(view.demos(arm))
        names = sorted({spot.turn.sender for spot in demos})
        if demos and len(names) < DEMONSTRATORS:
            yield Fault(("arms", arm), f"only {names[0]} demonstrates arm {arm}", f"at least {DEMONSTRATORS} members")
        for spot in demos:
            first = view.filling(spot.slot, arm)[0] if spot.slot else spot
            if first is not spot and first.turn.sender == spot.turn.sender:
                found = f"{spot.turn.sender} answers their own trigger in {arm}"
                yield Fault(spot.place, found, "a demonstration by another member", spot.slot_number, spot.number)


def addressed(view: FrameView) -> Iterator[Fault]:
    """F30: both last messages come from the cast and call the subject by name or role."""
    subject = view.frame.subject
    called = (subject.name, *subject.also)
    last: tuple[tuple[Place, str, str], ...] = (
        (("elicitor",), view.frame.elicitor.sender, view.frame.elicitor.text),
        (("off_elicitor",), view.frame.off_elicitor.sender, view.frame.off_elicitor.text),
    )
    for place, sender, text in last:
        speaking = [person.name for person in view.frame.cast if not person.absent]
        if sender not in speaking:
            yield Fault(place, f"{place[0]} from {sender!r}", f"a member of the cast: {', '.join(speaking)}")
        if find_phrase(text, called) is None:
            yield Fault(place, f"{place[0]} does not address the subject", f"one of: {', '.join(called)}")


CHECKS = {
    "F07": names_apart,
    "F08": known_people,
    "F09": everybody_speaks,
    "F10": subject_turns,
    "F14": demonstrators,
    "F30": addressed,
}
"""Rule -> check."""
