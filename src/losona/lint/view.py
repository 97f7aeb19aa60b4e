"""A frame as the rules look at it: the data, the lines, the taxonomy's records, the derived transcripts.

Knows where each turn stands in the file. Judges nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from losona.errors import LosonaError
from losona.frames import ARMS, derive
from losona.schema.frame import Arm, Filling, Frame, Slot, Turn
from losona.schema.scenario import Scenario
from losona.schema.taxonomy import Event, Norm, Pack, Venue
from losona.taxonomy import Taxonomy
from losona.textfiles import Document, Place

FILLINGS: tuple[Filling, ...] = ("a", "b", "none")


@dataclass(frozen=True)
class Spot:
    """A turn with its place in the file."""

    turn: Turn
    """The turn."""
    place: Place
    """Place in the document."""
    number: int
    """From 1: in its filling, or among the items of `chat`."""
    slot: Slot | None = None
    """Its slot; none for a shared turn."""
    filling: Filling | None = None
    """Its filling; none for a shared turn."""

    @property
    def slot_number(self) -> int | None:
        """Number of its slot."""
        return self.slot.slot if self.slot else None


@dataclass(frozen=True)
class Passage:
    """A text that a subject sees, with its place in the file."""

    text: str
    """The text."""
    place: Place
    """Place in the document."""
    slot: int | None = None
    """Number of the slot."""
    turn: int | None = None
    """Number of the turn."""


@dataclass(frozen=True)
class FrameView:
    """One frame file, read."""

    document: Document
    """The file, for lines."""
    frame: Frame
    """Its content."""
    taxonomy: Taxonomy
    """The packs."""

    @cached_property
    def pack(self) -> Pack | None:
        """The pack of the event, if it exists."""
        return self.taxonomy.packs.get(self.frame.pack)

    @cached_property
    def event(self) -> Event | None:
        """The event, if it exists."""
        return self.pack.events.get(self.frame.event) if self.pack else None

    @cached_property
    def venue(self) -> Venue | None:
        """The venue, if it exists."""
        return self.taxonomy.venues.get(self.frame.venue)

    @cached_property
    def norms(self) -> dict[Arm, Norm]:
        """The norm of each arm, as far as it exists."""
        known = self.taxonomy.norms
        return {arm: known[self.frame.norm(arm)] for arm in ARMS if self.frame.norm(arm) in known}

    @cached_property
    def measured(self) -> dict[Arm, Norm]:
        """The norms of the arms that are not dropped."""
        return {arm: norm for arm, norm in self.norms.items() if arm not in self.frame.dropped}

    @cached_property
    def near_events(self) -> frozenset[str]:
        """Events of other packs that are near the event, in either direction."""
        return self.taxonomy.near_events(self.frame.pack, self.event) if self.event else frozenset()

    @cached_property
    def cast_names(self) -> tuple[str, ...]:
        """Names of everybody but the subject."""
        return tuple(person.name for person in self.frame.cast)

    @cached_property
    def roster(self) -> tuple[str, ...]:
        """All names, the subject first."""
        return (self.frame.subject.name, *self.cast_names)

    @cached_property
    def shared(self) -> tuple[Spot, ...]:
        """Turns outside the slots."""
        return tuple(Spot(item, ("chat", i), i + 1) for i, item in enumerate(self.frame.chat) if isinstance(item, Turn))

    @cached_property
    def slotted(self) -> tuple[Spot, ...]:
        """Turns of all fillings of all slots."""
        return tuple(
            spot
            for i, item in enumerate(self.frame.chat)
            if isinstance(item, Slot)
            for filling in FILLINGS
            for spot in filling_spots(i, item, filling)
        )

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        """Every turn of the file's chat in the order of the file."""
        return tuple(sorted((*self.shared, *self.slotted), key=lambda spot: self.document.line(spot.place)))

    def demos(self, arm: Arm) -> Iterator[Spot]:
        """The demonstrations of an arm in order."""
        return (spot for spot in self.slotted if spot.filling == arm and spot.turn.demo)

    def filling(self, slot: Slot, filling: Filling) -> tuple[Spot, ...]:
        """The turns of one filling of a slot."""
        return tuple(s for s in self.slotted if s.slot is slot and s.filling == filling)

    def slot_place(self, slot: Slot) -> Place:
        """Where a slot stands."""
        return ("chat", next(i for i, item in enumerate(self.frame.chat) if item is slot))

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Everything that a subject may see, in any filling."""
        frame = self.frame
        return (
            Passage(frame.channel, ("channel",)),
            Passage(frame.subject.bio, ("subject", "bio")),
            *(Passage(person.bio, ("cast", i, "bio")) for i, person in enumerate(frame.cast)),
            *self.talk,
        )

    @cached_property
    def talk(self) -> tuple[Passage, ...]:
        """Every message that a subject may see, in any filling, with both last messages."""
        return (
            *(Passage(s.turn.text, s.place, s.slot_number, s.number) for s in self.spots),
            Passage(self.frame.elicitor.text, ("elicitor",)),
            Passage(self.frame.off_elicitor.text, ("off_elicitor", "text")),
        )

    @cached_property
    def transcripts(self) -> tuple[Scenario, ...]:
        """One scenario for each distinct derived transcript; none where nothing can be derived."""
        try:
            scenarios = derive(self.frame, self.taxonomy)
        except LosonaError:
            return ()
        return tuple({scenario.transcript_id: scenario for scenario in reversed(scenarios)}.values())[::-1]


def filling_spots(index: int, slot: Slot, filling: Filling) -> Iterator[Spot]:
    """The turns of one filling, with their places."""
    turns: tuple[Turn, ...] = getattr(slot, filling)
    for number, turn in enumerate(turns, 1):
        yield Spot(turn, ("chat", index, filling, number - 1), number, slot, filling)


def label(scenario: Scenario) -> str:
    """Arm and variant of a scenario; of a release row, which has no arm, its variant."""
    return f"{scenario.arm}/{scenario.variant}" if scenario.arm else scenario.variant
