"""A line of a JSON Lines file as the rules look at it: a release row, or a derived scenario.

Knows what the columns hold and what is unknown. Judges nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from losona.lint.view import FrameView, Passage
from losona.official import OfficialRow
from losona.schema.frame import Arm
from losona.schema.scenario import Scenario
from losona.schema.taxonomy import Event, Norm, Pack, Venue
from losona.taxonomy import Taxonomy
from losona.textfiles import Document

UNNAMED = "(unnamed)"
"""Stands for the subject of a row that gives no name."""


@dataclass(frozen=True)
class LineView:
    """One line, read."""

    document: Document
    """The file, with every part on this one line."""
    scenario: Scenario
    """What it says; a row's turns end with the elicitor."""
    taxonomy: Taxonomy
    """The packs."""
    row: OfficialRow | None = None
    """The row as it stands; none for a derived scenario."""

    @cached_property
    def norm(self) -> Norm | None:
        """The norm, if a pack knows it."""
        return self.taxonomy.norms.get(self.scenario.evaluation.norm)

    @cached_property
    def norms(self) -> Mapping[Arm, Norm]:
        """The norm as that of an arm; a row has one arm."""
        return {"a": self.norm} if self.norm else {}

    @property
    def measured(self) -> Mapping[Arm, Norm]:
        """The same: what is dropped is derived into no line."""
        return self.norms

    @cached_property
    def pack(self) -> Pack | None:
        """The pack of the event: that of the frame, of the norm, or the first that knows the event."""
        frame, evaluation, packs = self.scenario.frame or "", self.scenario.evaluation, self.taxonomy.packs
        order = [packs[name] for name in (frame.split(".")[0], evaluation.pack) if name in packs]
        return next((pack for pack in (*order, *packs.values()) if evaluation.event in pack.events), None)

    @cached_property
    def event(self) -> Event | None:
        """The event, if a pack knows it."""
        return self.pack.events[self.scenario.evaluation.event] if self.pack else None

    @cached_property
    def near_events(self) -> frozenset[str]:
        """Events of other packs that are near the event."""
        return self.taxonomy.near_events(self.pack.info.id, self.event) if self.pack and self.event else frozenset()

    @cached_property
    def venue(self) -> Venue | None:
        """The venue, where its id is given."""
        return self.taxonomy.venues.get(self.scenario.evaluation.venue)

    @property
    def named(self) -> tuple[str, ...]:
        """All names that are known, the subject first."""
        return tuple(name for name in self.roster if name != UNNAMED)

    @property
    def roster(self) -> tuple[str, ...]:
        """All names, the subject first; a stand-in where the subject has none."""
        return self.scenario.visible.roster

    @property
    def subject(self) -> str:
        """Name of the subject; empty where it is unknown."""
        name = self.scenario.visible.subject.name
        return "" if name == UNNAMED else name

    @property
    def demos(self) -> tuple[int, ...] | None:
        """Indices of the marked demonstrations; none where nothing is marked, which means unknown."""
        return self.scenario.evaluation.demos

    def turn_id(self, index: int) -> int:
        """Number of a turn as the line counts: its `turn_id`, or the running number."""
        given = self.row.transcript[index].turn_id if self.row else None
        return index + 1 if given is None else given

    @cached_property
    def talk(self) -> tuple[Passage, ...]:
        """Every message."""
        turns = self.scenario.visible.transcript
        last = len(turns) - 1
        return tuple(
            Passage(turn.text, ("elicitor",) if i == last else ("chat", i), turn=self.turn_id(i))
            for i, turn in enumerate(turns)
        )

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Everything that a subject may see."""
        visible = self.scenario.visible
        texts = (visible.channel, visible.subject.bio, *(person.bio for person in visible.cast))
        return (*(Passage(text, ("chat",)) for text in texts if text), *self.talk)

    @property
    def transcripts(self) -> tuple[Scenario, ...]:
        """The one transcript."""
        return (self.scenario,)

    @property
    def family(self) -> tuple[str, ...]:
        """Event and slug, which all lines from one frame share; else the id."""
        if self.scenario.frame:
            return (self.scenario.evaluation.event, self.scenario.frame.rsplit(".", 1)[-1])
        event, _, _, slug = [*self.scenario.scenario_id.split("__", 3), "", "", ""][:4]
        return (event, slug) if slug else (self.scenario.scenario_id,)


Chat = FrameView | LineView
"""What rules on talk look at."""
