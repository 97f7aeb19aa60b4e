"""What a set is counted by: a frame, or all lines of a file that come from one frame, or one release row.

Knows how a unit is made from frames and lines. Judges nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from losona.lint.lines import LineView
from losona.lint.view import FrameView
from losona.lint.wording import plain, runs
from losona.schema.frame import Slot
from losona.textfiles import Document

RUN_WORDS = 5
"""Length of a run of words."""
APART, LEAST = 20, 2
"""A repeated thing may occur once in so many units, and in two at any rate."""


@dataclass(frozen=True)
class Unit:
    """One chat of a set, with what must not repeat from chat to chat."""

    document: Document
    """The file, or the first line, for the place of a finding."""
    id: str
    """Frame id, or scenario id of the first line."""
    members: tuple[tuple[str, Document], ...]
    """Every id with its place: one for a frame, one a line for lines."""
    family: tuple[str, ...]
    """Event and slug: what belongs together and is not compared."""
    slug: str
    """Slug of a frame; empty for lines, since a release has its own."""
    names: tuple[str, ...]
    """All members, the subject first."""
    called: tuple[str, ...]
    """How the subject is called, besides the name."""
    standing: tuple[str, ...]
    """Channel and bios."""
    talk: tuple[str, ...]
    """Every message, in any filling or variant."""
    opening: str
    """The first message."""
    elicitor: str
    """The last message."""
    pair: frozenset[str] | None
    """The two norms; none for a release row."""
    event: tuple[str, str]
    """Pack and event."""
    venue: str | None
    """Venue id; none where it is not known."""
    platform: str | None
    """Name of the chat program; none where it is not known."""

    @cached_property
    def runs(self) -> set[tuple[str, ...]]:
        """All five-word runs of the talk; members' names count as one word, so that a copy with new names is one."""
        return runs(self.talk, RUN_WORDS, frozenset(plain(name) for name in self.names))


def limit(units: Sequence[Unit]) -> int:
    """Units of a set in which a name, a place or an opening may occur."""
    return max(LEAST, len(units) // APART)


def units_of(views: Iterable[FrameView], lines: Iterable[LineView]) -> list[Unit]:
    """The units of a set: each frame, and the lines by family, without families that stand there as frames."""
    frames = [_of_frame(view) for view in views]
    families: dict[tuple[str, ...], list[LineView]] = defaultdict(list)
    for line in lines:
        families[line.family].append(line)
    known = {unit.family for unit in frames}
    return [*frames, *(_of_lines(family, group) for family, group in families.items() if family not in known)]


def _of_frame(view: FrameView) -> Unit:
    frame = view.frame
    first = next((spot.turn.text for spot in view.spots), "")
    return Unit(
        document=view.document,
        id=frame.frame,
        members=((frame.frame, view.document),),
        slug=frame.slug,
        family=(frame.event, frame.slug),
        names=view.roster,
        called=frame.subject.also,
        standing=tuple(p.text for p in view.passages[: len(view.passages) - len(view.talk)]),
        talk=tuple(passage.text for passage in view.talk),
        opening="" if frame.chat and isinstance(frame.chat[0], Slot) else first,
        elicitor=frame.elicitor.text,
        pair=frozenset({frame.arms.a, frame.arms.b}),
        event=(frame.pack, frame.event),
        venue=frame.venue,
        platform=view.venue.platform if view.venue else None,
    )


def _of_lines(family: tuple[str, ...], lines: Sequence[LineView]) -> Unit:
    first = next((line for line in lines if line.scenario.evaluation.expectation != "out_of_scope"), lines[0])
    evaluation, venue = first.scenario.evaluation, first.venue
    counter = evaluation.counter_norm
    return Unit(
        document=lines[0].document,
        id=first.scenario.scenario_id,
        members=tuple((line.scenario.scenario_id, line.document) for line in lines),
        slug="",
        family=family,
        names=first.named,
        called=(),
        standing=tuple(p.text for p in first.passages[: len(first.passages) - len(first.talk)]),
        talk=tuple(dict.fromkeys(passage.text for line in lines for passage in line.talk)),
        opening=first.talk[0].text,
        elicitor=first.talk[-1].text,
        pair=frozenset({evaluation.norm, counter}) if counter else None,
        event=(evaluation.pack, evaluation.event),
        venue=venue.id if venue else None,
        platform=venue.platform if venue else None,
    )
