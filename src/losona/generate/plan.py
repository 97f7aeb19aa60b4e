"""What is to be generated: one tuple, or a grid over a whole pack. Pure, and deterministic with a seed.

Knows which tuples of event, norms and venue are valid, and draws names. Calls no model and reads no file.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from losona.errors import UserFault
from losona.schema.taxonomy import Event, Norm
from losona.taxonomy import Taxonomy

AUTO = "auto"
SLOTS, MOST_SLOTS = 3, 4
"""Slots of a frame where both norms allow it, and the most that the format allows."""
CAST = 4
"""Members besides the subject."""
USES = 2
"""Frames of one plan in which a name may occur before names of other venues are taken."""


@dataclass(frozen=True)
class Planned:
    """One frame that is wanted."""

    pack: str
    """Pack of the event."""
    event: str
    """Event id."""
    norm: str
    """Norm of arm a."""
    counter: str
    """Norm of arm b."""
    venue: str
    """Venue id."""
    number: int = 1
    """Which of several frames of one tuple, from 1."""
    one_arm: bool = False
    """Arm b is written as a contrast and dropped."""
    slots: int = SLOTS
    """Number of slots."""
    names: tuple[str, ...] = ()
    """The subject's name, then the cast's."""

    @property
    def tuple_id(self) -> str:
        """Event, norms and venue, as a reader writes them."""
        return f"{self.pack}.{self.event} {self.norm} / {self.counter} in {self.venue}"

    def key(self, model: str, seed: int, language: str) -> str:
        """Hash (16 hex digits) of what was asked for; the names that were drawn follow from it."""
        parts = (self.tuple_id, self.number, self.one_arm, model, seed, language)
        return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Wish:
    """What the user asked for; an empty text means any."""

    norm: str = ""
    """Norm of arm a."""
    counter: str = AUTO
    """Norm of arm b, or `auto`."""
    event: str = ""
    """Event id, or `PACK.EVENT`."""
    venue: str = ""
    """Venue id."""
    count: int = 1
    """Frames for each tuple."""
    grid: str = ""
    """Pack whose tuples are all planned; empty: one tuple."""
    limit: int | None = None
    """At most so many frames of a grid."""
    one_arm: bool = False
    """Arm b is written as a contrast and dropped."""
    seed: int = 0
    """Of venues, names and order."""


def make_plan(wish: Wish, taxonomy: Taxonomy) -> tuple[tuple[Planned, ...], dict[str, int]]:
    """The frames that are wanted, and how many tuples of a grid are left out, by reason.

    Raises `UserFault` where a named tuple is not valid, with what is allowed.
    """
    planned, left_out = _grid(wish, taxonomy) if wish.grid else (_single(wish, taxonomy), {})
    if not planned:
        raise UserFault(f"--venue {wish.venue}: no tuple that is wanted is valid there; leave it out, or narrow less.")
    return tuple(_named(planned, taxonomy, wish.seed)), left_out


def _single(wish: Wish, taxonomy: Taxonomy) -> list[Planned]:
    for option, value in (("--norm", wish.norm), ("--event", wish.event), ("--venue", wish.venue)):
        if not value:
            raise UserFault(f"{option} is missing; give --norm, --event and --venue, or --grid PACK for a whole pack.")
    norm, venue = taxonomy.norm(wish.norm), taxonomy.venue(wish.venue)
    counter = counter_of(norm, wish.counter, taxonomy)
    pack = _pack_of_event(wish.event, norm, counter, taxonomy)
    one = Planned(pack, wish.event.rpartition(".")[2], norm.id, counter.id, venue.id, one_arm=wish.one_arm)
    for fault in faults(one, taxonomy):
        raise UserFault(f"{one.tuple_id}: {fault}.")
    first = replace(one, slots=_slots(one, taxonomy))
    return [replace(first, number=n) for n in range(1, wish.count + 1)]


def counter_of(norm: Norm, wanted: str, taxonomy: Taxonomy) -> Norm:
    """The norm of arm b: the one named, or the counter-norm, of whichever pack."""
    if wanted != AUTO:
        return taxonomy.norm(wanted)
    if norm.counter is None:
        raise UserFault(
            f"--norm {norm.id} has no counter-norm for --counter auto; name one with --counter, "
            "and give --one-arm so that only the norm's own arm is measured (`losona list norms` shows all)."
        )
    return taxonomy.norm(norm.counter)


def _pack_of_event(event: str, norm: Norm, counter: Norm, taxonomy: Taxonomy) -> str:
    """The pack that is named, or the first that has the event: the norm's, its counter's, any."""
    pack, dot, name = event.rpartition(".")
    if dot:
        taxonomy.event(pack, name)
        return pack
    order = dict.fromkeys([taxonomy.pack_of(norm.id).info.id, taxonomy.pack_of(counter.id).info.id, *taxonomy.packs])
    found = [candidate for candidate in order if name in taxonomy.packs[candidate].events]
    if not found:
        taxonomy.event(next(iter(order)), name)
    return found[0]


def faults(planned: Planned, taxonomy: Taxonomy) -> Iterator[str]:
    """Why a tuple is not valid, each with what is allowed. With one arm, the other norm is not asked."""
    venue = taxonomy.venue(planned.venue)
    yield from _pair_faults(planned, taxonomy)
    for norm in _measured(planned, taxonomy):
        if set(venue.avoid_norms) & {norm.id, *norm.same_as}:
            free = [v.id for v in taxonomy.venues.values() if not set(v.avoid_norms) & {norm.id, *norm.same_as}]
            yield f"{venue.id} excludes {norm.id}; allowed are {', '.join(free)}"


def _pair_faults(planned: Planned, taxonomy: Taxonomy) -> Iterator[str]:
    """The faults that no venue can mend."""
    event = taxonomy.event(planned.pack, planned.event)
    norm, counter = taxonomy.norm(planned.norm), taxonomy.norm(planned.counter)
    if norm.id == counter.id:
        yield f"{norm.id} in both arms; give another --counter, or auto"
    elif not planned.one_arm and counter.id not in _partners(norm) and norm.id not in _partners(counter):
        allowed = norm.counter or "none (give --one-arm)"
        yield f"{counter.id} is no counter-norm of {norm.id}; allowed is {allowed}"
    if not {norm.id, counter.id} & set(taxonomy.packs[planned.pack].norms):
        yield f"neither norm is of pack {planned.pack}; take an event of {taxonomy.pack_of(norm.id).info.id}"
    for one in _measured(planned, taxonomy):
        yield from _norm_faults(one, planned.pack, event, taxonomy)
    positions = {one.subject_position for one in _measured(planned, taxonomy)} - {"either"}
    if len(positions) > 1:
        yield f"{norm.id} wants a {norm.subject_position} subject, {counter.id} a {counter.subject_position} one"


def _measured(planned: Planned, taxonomy: Taxonomy) -> list[Norm]:
    return [taxonomy.norm(name) for name in (planned.norm, planned.counter)[: 1 if planned.one_arm else 2]]


def _partners(norm: Norm) -> set[str | None]:
    return {norm.counter_norm, norm.cross_pack_counter}


def _norm_faults(norm: Norm, pack: str, event: Event, taxonomy: Taxonomy) -> Iterator[str]:
    own = norm.id in taxonomy.packs[pack].norms
    events = {event.id} if own else taxonomy.near_events(pack, event)
    if not events & set(norm.applicable_events):
        allowed = norm.applicable_events if own else _events_near(norm, pack, taxonomy)
        yield f"{norm.id} does not apply in {event.id}; allowed are {', '.join(allowed) or 'none of this pack'}"
    if norm.subject_position not in ("either", *event.subject_positions):
        wanted = " or ".join(event.subject_positions)
        yield f"{norm.id} wants a {norm.subject_position} subject, {event.id} has a {wanted} one; take another event"
    if norm.demonstration.count[0] > MOST_SLOTS:
        yield f"{norm.id} needs {norm.demonstration.count[0]} demonstrations, a frame has at most {MOST_SLOTS}"


def _events_near(norm: Norm, pack: str, taxonomy: Taxonomy) -> list[str]:
    events = taxonomy.packs[pack].events.values()
    return [e.id for e in events if taxonomy.near_events(pack, e) & set(norm.applicable_events)]


def _slots(planned: Planned, taxonomy: Taxonomy) -> int:
    """Three, or the nearest number that the measured norms can be shown with."""
    counts = [norm.demonstration.count for norm in _measured(planned, taxonomy)]
    least, most = max(count[0] for count in counts), min(count[1] for count in counts)
    return max(least, min(most, SLOTS))


def _grid(wish: Wish, taxonomy: Taxonomy) -> tuple[list[Planned], dict[str, int]]:
    """Each valid event and pair of a pack once for each of `count`, with venues that are used equally often."""
    left_out: Counter[str] = Counter()
    pairs = [pair for pair in _pairs(wish, taxonomy, left_out) if _wanted(pair, wish)]
    if not pairs:
        raise UserFault(f"--grid {wish.grid}: no valid tuple has this norm and event; leave out --norm or --event.")
    random.Random(wish.seed).shuffle(pairs)
    used: Counter[str] = Counter()
    planned: list[Planned] = []
    for number in range(1, wish.count + 1):
        for pair in pairs:
            if wish.limit is not None and len(planned) == wish.limit:
                return planned, dict(left_out)
            if found := _with_venue(replace(pair, number=number), wish, taxonomy, used):
                planned.append(found)
            else:
                left_out["no venue suits it"] += 1
    return planned, dict(left_out)


def _pairs(wish: Wish, taxonomy: Taxonomy, left_out: Counter[str]) -> Iterator[Planned]:
    if wish.grid not in taxonomy.packs:
        raise UserFault(f"--grid {wish.grid}: there is no such pack; allowed are {', '.join(taxonomy.packs)}.")
    seen: set[tuple[str, frozenset[str]]] = set()
    for norm in taxonomy.packs[wish.grid].norms.values():
        if wish.counter == AUTO and norm.counter is None:
            left_out["no counter-norm"] += 1
            continue
        counter = counter_of(norm, wish.counter, taxonomy)
        for event in taxonomy.packs[wish.grid].events:
            pair = (event, frozenset({norm.id} if wish.one_arm else {norm.id, counter.id}))
            one = Planned(wish.grid, event, norm.id, counter.id, "", one_arm=wish.one_arm)
            if pair not in seen and not any(_pair_faults(one, taxonomy)):
                seen.add(pair)
                yield one


def _wanted(pair: Planned, wish: Wish) -> bool:
    asked = wish.norm in ("", pair.norm) or (wish.norm == pair.counter and not wish.one_arm)
    return asked and wish.event in ("", pair.event, f"{pair.pack}.{pair.event}")


def _with_venue(pair: Planned, wish: Wish, taxonomy: Taxonomy, used: Counter[str]) -> Planned | None:
    """The pair in the venue that was used least; none where the pair is valid in no venue that suits the event."""
    near = {pair.event, *taxonomy.near_events(pair.pack, taxonomy.event(pair.pack, pair.event))}
    venues = [v for v in taxonomy.venues.values() if near & set(v.suits_events) and wish.venue in ("", v.id)]
    fitting = [p for v in venues if not any(faults(p := replace(pair, venue=v.id), taxonomy))]
    if not fitting:
        return None
    order = random.Random(f"{wish.seed} {pair.tuple_id} {pair.number}")
    least = min(used[p.venue] for p in fitting)
    chosen = order.choice([p for p in fitting if used[p.venue] == least])
    used[chosen.venue] += 1
    return replace(chosen, slots=_slots(chosen, taxonomy))


def _named(planned: Sequence[Planned], taxonomy: Taxonomy, seed: int) -> Iterator[Planned]:
    """The frames with names out of the venue's pool; what was used twice makes room for names of like venues."""
    used: Counter[str] = Counter()
    for one in planned:
        order = random.Random(f"{seed} {one.tuple_id} {one.number}")
        own = taxonomy.venue(one.venue)
        like = {n for v in taxonomy.venues.values() if v.kind == own.kind for n in v.name_pool} - set(own.name_pool)
        ranked = [(used[n] >= USES, n in like, used[n], order.random(), n) for n in (*own.name_pool, *sorted(like))]
        names = tuple(_apart([entry[-1] for entry in sorted(ranked)]))[: CAST + 1]
        used.update(names)
        yield replace(one, names=names)


def _apart(names: Iterable[str]) -> Iterator[str]:
    """Names of which none is part of another."""
    taken: list[str] = []
    for name in names:
        if not any(name.casefold() in t.casefold() or t.casefold() in name.casefold() for t in taken):
            taken.append(name)
            yield name
