"""The scenario: one static, runnable instance. What a subject may see, and what it is evaluated by."""

import hashlib
from typing import Literal

from pydantic import Field

from losona.schema._base import VERSION, Language, Record, Released, Version
from losona.schema.check import Check
from losona.schema.frame import ReferenceSet
from losona.schema.taxonomy import Params

Expectation = Literal["applies", "out_of_scope", "none", "crossed"]
"""`applies`: the norm is in evidence and applies; `out_of_scope`: it does not apply; `none`: nothing shows it;
`crossed`: the norm of the other arm, for a reply under conflicting evidence."""


class VisiblePerson(Record):
    """A member as the subject sees them."""

    name: str
    """As shown in the chat."""
    bio: str = ""
    """Empty: the line is left out."""


class VisibleTurn(Record):
    """A message as the subject sees it."""

    sender: str = Field(alias="from")
    """Name of a member."""
    text: str
    """What was written."""

    @classmethod
    def of(cls, sender: str, text: str) -> "VisibleTurn":
        """A message by its parts."""
        return cls.model_validate({"from": sender, "text": text})


class Visible(Record):
    """Everything that may reach a subject, and nothing else. The renderer takes this object alone."""

    subject: VisiblePerson
    """Whose message is asked for."""
    channel: str = ""
    """Description of the chat; empty: the line is left out."""
    venue: str = ""
    """The place in words; empty: the line is left out."""
    cast: tuple[VisiblePerson, ...]
    """Everybody else."""
    transcript: tuple[VisibleTurn, ...] = Field(min_length=1)
    """The messages in order; the last one is the elicitor."""

    @property
    def transcript_id(self) -> str:
        """Hash of everything visible (16 hex digits): equal transcripts are sampled once."""
        return hashlib.sha256(self.model_dump_json(by_alias=True).encode()).hexdigest()[:16]

    @property
    def elicitor(self) -> VisibleTurn:
        """The last message."""
        return self.transcript[-1]

    @property
    def roster(self) -> tuple[str, ...]:
        """Names of all members, the subject first."""
        return (self.subject.name, *(person.name for person in self.cast))


class Evaluation(Record):
    """What a reply is evaluated by. Never shown to a subject."""

    pack: str
    """Pack of the norm."""
    event: str
    """Event id."""
    norm: str
    """Norm by which the reply is graded; for the official release possibly one that no pack knows."""
    counter_norm: str | None = None
    """Norm of the other arm."""
    venue: str = ""
    """Venue id, or the release's venue value."""
    expectation: Expectation
    """Whether the norm applies."""
    demos: tuple[int, ...] | None = None
    """Indices of the turns that demonstrate `norm`; none where the source marks none (unknown, not zero)."""
    other_demos: tuple[int, ...] = ()
    """Indices of the turns that demonstrate the other arm's norm."""
    scope: tuple[int, ...] = ()
    """Indices of the turns that show where the norm does not apply."""
    params: Params = {}
    """Parameters of the check."""
    off_code: Check | None = None
    """Out of scope: check that an ordinary reply passes."""
    off_why: str = ""
    """Out of scope: why the norm does not apply."""
    statement: str = ""
    """Official release: the norm in the row's own words, which then is authoritative."""
    end_goal: str = ""
    """What the talk works towards."""
    references: ReferenceSet | None = None
    """Replies of known label."""
    language: Language = "en"
    """Language of the chat, BCP 47."""


class Scenario(Released):
    """One runnable instance."""

    scenario_id: str
    """`FRAME/arm/variant`, or the official id of a release row."""
    schema_version: Version = VERSION
    """Version of this format."""
    frame: str | None = None
    """Frame id; none for a release row."""
    arm: str | None = None
    """a or b; none for a release row."""
    variant: str
    """`demos`, `nodemos`, `dose1`, ..., `mixed`, `shift`, `off`, `offnodemos`; in a run also `mixed_other` and
    `shift_other`; an open set."""
    source: Literal["frame", "official"]
    """Where it comes from."""
    visible: Visible
    """What a subject may see."""
    evaluation: Evaluation
    """What a reply is evaluated by."""
    notes: tuple[str, ...] = ()
    """What was missing or derived when it was read; reported beside results."""

    @property
    def transcript_id(self) -> str:
        """Hash of everything visible."""
        return self.visible.transcript_id

    @property
    def crossed(self) -> bool:
        """It grades a reply once more, by the norm of the other arm; it asks for no reply of its own."""
        return self.evaluation.expectation == "crossed"
