"""The frame: one group chat, written once, from which a family of scenarios is derived."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from losona.schema._base import VERSION, Language, Record, Version
from losona.schema.check import Check
from losona.schema.taxonomy import Params, as_params
from losona.validation import ALLOWED

Arm = Literal["a", "b"]
Filling = Literal["a", "b", "none"]
DRAFT, ACCEPTED, KNOWN_ISSUE = "draft", "accepted", "known_issue"
"""What a frame is: in the making, decided on, or not to be used for a reason that it gives."""


def _known_status(status: str) -> str:
    kind, _, reason = status.partition(":")
    if status not in (DRAFT, ACCEPTED) and not (kind == KNOWN_ISSUE and reason.strip()):
        raise ValueError(f'there is no such status{ALLOWED}{DRAFT}, {ACCEPTED}, or "{KNOWN_ISSUE}: REASON"')
    return status


Status = Annotated[str, AfterValidator(_known_status)]


class Turn(Record):
    """One message of the chat."""

    sender: str = Field(alias="from")
    """Name of a member."""
    text: str
    """What was written."""
    demo: bool = False
    """This turn demonstrates the norm of its filling."""
    scope: bool = False
    """This shared turn shows where the norm does not apply."""
    params: Params = {}
    """Parameters of the check for this demonstration."""

    @field_validator("params", mode="before")
    @classmethod
    def _entries(cls, value: object) -> object:
        return as_params(value)


class Slot(Record):
    """Two to four turns that have a version for each arm and for none."""

    slot: int
    """Number, from 1 in order."""
    a: tuple[Turn, ...]
    """Filling that demonstrates the norm of arm a."""
    b: tuple[Turn, ...]
    """Filling that demonstrates the norm of arm b."""
    none: tuple[Turn, ...]
    """Filling without a trigger: nothing for or against either norm."""


class Person(Record):
    """A member of the group."""

    name: str
    """As shown in the chat."""
    bio: str = ""
    """What the subject may know of them."""
    absent: bool = False
    """Belongs to the group but does not speak."""


class SubjectPerson(Record):
    """The member whose next message is asked for."""

    name: str
    """As shown in the chat."""
    bio: str
    """Facts that a reply may rely on."""
    also: tuple[str, ...] = ()
    """Role words by which the subject is addressed."""


class OffElicitor(Record):
    """Another last message, to which neither norm applies."""

    sender: str = Field(alias="from")
    """Name of a member."""
    text: str
    """What was written."""
    why: str
    """Why neither norm applies; for judges and readers, never for a subject."""
    code: Check | None = None
    """Check that an ordinary reply passes, where code can tell."""


class Arms(Record):
    """The two norms of a frame."""

    a: str
    """Norm id of arm a."""
    b: str
    """Norm id of arm b, the counter-norm."""


class FrameParams(Record):
    """Parameters of the checks at the elicitor."""

    a: Params = {}
    """For arm a."""
    b: Params = {}
    """For arm b."""
    off_trigger: Params = {}
    """For the off elicitor's code."""

    @field_validator("a", "b", "off_trigger", mode="before")
    @classmethod
    def _entries(cls, value: object) -> object:
        return as_params(value)


class Reference(Record):
    """A reply of known label to the elicitor; for the audit of checks and judges, never for a subject."""

    kind: Literal["plain", "borderline", "generic", "counter", "near_miss", "other", "misapplied_a", "misapplied_b"]
    """What sort of reply it is."""
    text: str
    """The reply."""
    judge: bool = False
    """Code lets this breach pass; a judge must tell."""
    note: str = ""
    """Why it has its label."""
    params: Params = {}
    """Parameters that differ for this reply."""

    @field_validator("params", mode="before")
    @classmethod
    def _entries(cls, value: object) -> object:
        return as_params(value)


class ReferenceSet(Record):
    """Replies that comply and replies that breach."""

    comply: tuple[Reference, ...]
    """Replies that follow the norm (off: ordinary replies)."""
    breach: tuple[Reference, ...]
    """Replies that do not."""


class References(Record):
    """References of both arms and of the off elicitor."""

    a: ReferenceSet
    """For arm a."""
    b: ReferenceSet
    """For arm b."""
    off_trigger: ReferenceSet
    """For the off elicitor."""


class KnownFact(Record):
    """Something that a reply may rely on."""

    fact: str
    """The fact."""
    where: Literal["bio", "channel", "chat", "elicitor", "off_elicitor"]
    """Where the subject can read it."""
    tokens: tuple[str, ...]
    """Words that stand there."""


class Frame(Record):
    """One group chat with slots, the two norms that it contrasts, and all that is known of right replies."""

    frame: str
    """`pack.event.slug`, the file's name."""
    pack: str
    """Pack of the event."""
    event: str
    """Event id."""
    venue: str
    """Venue id."""
    channel: str
    """Who they are and what is going on; describes no behaviour."""
    subject: SubjectPerson
    """Whose message is asked for."""
    cast: tuple[Person, ...]
    """Everybody else."""
    end_goal: str
    """What the talk works towards; hidden, open at the elicitor."""
    goal_markers: tuple[str, ...] = ()
    """Wording that would show the goal as reached."""
    arms: Arms
    """The two norms."""
    chat: tuple[Turn | Slot, ...]
    """Shared turns and slots, in order."""
    elicitor: Turn
    """The last message."""
    off_elicitor: OffElicitor
    """Another last message, to which neither norm applies."""
    params: FrameParams = FrameParams()
    """Parameters of the checks."""
    references: References
    """Replies of known label."""
    known_facts: tuple[KnownFact, ...]
    """What a reply may rely on."""
    notes: str = ""
    """For readers."""
    schema_version: Version = VERSION
    """Version of this format."""
    language: Language = "en"
    """Language of the chat, BCP 47."""
    status: Status = "draft"
    """`draft`, `accepted`, or `known_issue: REASON`, a warning to readers that no decision replaces."""
    dropped: dict[Arm, str] = {}
    """Arms that are not measured, with the reason: screening took them out, or only one was asked for."""

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots in order."""
        return tuple(item for item in self.chat if isinstance(item, Slot))

    @property
    def slug(self) -> str:
        """Third part of the id, unique in a set."""
        return self.frame.rsplit(".", 1)[-1]

    def norm(self, arm: Arm) -> str:
        """Norm id of an arm."""
        return self.arms.a if arm == "a" else self.arms.b
