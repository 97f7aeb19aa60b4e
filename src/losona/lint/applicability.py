"""Rules on what the taxonomy says of a frame: its ids, its pair of norms, its event and venue (F03 to F06).

Looks at no turn.
"""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from losona.lint.finding import Fault
from losona.lint.lines import Chat
from losona.lint.view import FrameView
from losona.schema.taxonomy import Norm, Venue


def near_ids(value: str, known: Iterable[str], command: str) -> str:
    """What may stand instead of an unknown id."""
    near = get_close_matches(value, list(known), 3, 0.5)
    return f"an existing id ({', '.join(near) or f'`{command}` shows all'})"


def known_ids(view: FrameView) -> Iterator[Fault]:
    """F03: pack, event and venue exist."""
    frame, packs = view.frame, view.taxonomy.packs
    if view.pack is None:
        yield Fault(("pack",), f"pack {frame.pack!r}", f"one of: {', '.join(packs)}")
    elif view.event is None:
        allowed = near_ids(frame.event, view.pack.events, "losona list events")
        yield Fault(("event",), f"event {frame.event!r} is not in pack {frame.pack}", allowed)
    if view.venue is None:
        allowed = near_ids(frame.venue, view.taxonomy.venues, "losona list venues")
        yield Fault(("venue",), f"venue {frame.venue!r}", allowed)


def norm_pair(view: FrameView) -> Iterator[Fault]:
    """F04: two different norms, one the counter-norm of the other, one of the frame's pack.

    Where one of them is dropped, any other norm will do as a contrast.
    """
    frame, norms = view.frame, view.norms
    for arm in ("a", "b"):
        if arm not in norms:
            allowed = near_ids(frame.norm(arm), view.taxonomy.norms, "losona list norms")
            yield Fault(("arms", arm), f"norm {frame.norm(arm)!r}", allowed)
    if len(norms) < 2:
        return
    one, other = norms["a"], norms["b"]
    if one.id == other.id:
        yield Fault(("arms",), f"{one.id} in both arms", "two different norms")
    elif not (frame.dropped or _answers(one, other) or _answers(other, one)):
        counters = f"{one.id} has {one.counter or 'no counter-norm'}, {other.id} has {other.counter or 'none'}"
        yield Fault(("arms",), f"{one.id} and {other.id} are not a pair", f"a norm and its counter-norm: {counters}")
    if view.pack and not {one.id, other.id} & set(view.pack.norms):
        yield Fault(("arms",), f"neither norm is in pack {frame.pack}", f"at least one norm of pack {frame.pack}")


def _answers(one: Norm, other: Norm) -> bool:
    return other.id in (one.counter_norm, one.cross_pack_counter)


def event_fits(view: Chat) -> Iterator[Fault]:
    """F05: the event is among those of both norms, and the subject can stand where both want it."""
    if view.pack is None or view.event is None:
        return
    for arm, norm in view.measured.items():
        events = {view.event.id} if norm.id in view.pack.norms else view.near_events
        if not events & set(norm.applicable_events):
            yield Fault(("event",), f"event {view.event.id} for {norm.id}", f"one of: {_some(norm.applicable_events)}")
        if norm.subject_position not in ("either", *view.event.subject_positions):
            allowed = f"a norm for a subject that is {' or '.join(view.event.subject_positions)}"
            yield Fault(("arms", arm), f"{norm.id} wants a {norm.subject_position} subject", allowed)
    positions = {norm.subject_position for norm in view.measured.values()} - {"either"}
    if len(positions) > 1:
        yield Fault(("arms",), "one norm wants a responder, the other a focal subject", "compatible positions")


def _some(values: Iterable[str]) -> str:
    listed = list(values)
    return ", ".join(listed[:8]) + (", ..." if len(listed) > 8 else "")


def venue_fits(view: FrameView) -> Iterator[Fault]:
    """F06: the venue excludes neither norm (error) and suits the event or a near one (warning)."""
    if view.venue is None:
        return
    for arm, norm in view.measured.items():
        if excluded := set(view.venue.avoid_norms) & {norm.id, *norm.same_as}:
            allowed = f"a norm that {view.venue.id} does not exclude"
            yield Fault(("arms", arm), f"{view.venue.id} excludes {', '.join(sorted(excluded))}", allowed)
    if view.event is not None and not _suits(view, view.venue):
        allowed = f"an event among: {_some(view.venue.suits_events)}"
        yield Fault(("venue",), f"{view.venue.id} lists neither {view.event.id} nor a near event", allowed, warn=True)


def _suits(view: FrameView, venue: Venue) -> bool:
    return bool({view.frame.event, *view.near_events} & set(venue.suits_events))


CHECKS = {"F03": known_ids, "F04": norm_pair, "F05": event_fits, "F06": venue_fits}
"""Rule -> check."""
