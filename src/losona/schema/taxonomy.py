"""Packs: events, norms, venues, lexicons and probes. Shapes only; reading and cross-checks are `losona.taxonomy`."""

from typing import Literal, cast

from pydantic import Field, field_validator

from losona.schema._base import Record, Version
from losona.schema.check import Check

Position = Literal["responder", "focal", "either"]
CheckMode = Literal["exact", "partial", "judge"]
Params = dict[str, tuple[str, ...]]
"""Scenario parameters of a check: name -> entries; an entry `a|b` accepts either spelling."""


class Family(Record):
    """A group of norms about the same kind of situation."""

    id: str
    """Identifier, unique in the pack."""
    name: str
    """What a reader sees."""


class Event(Record):
    """What a conversation is about."""

    id: str
    """Identifier, unique in the pack."""
    name: str
    """What a reader sees."""
    definition: str
    """One sentence: what happens in such a conversation."""
    subject_positions: tuple[Position, ...]
    """Whether the subject answers somebody (`responder`) or is what the talk is about (`focal`)."""
    hidden_end_goals: tuple[str, ...]
    """Examples of what the talk works towards; never shown to a subject."""
    elicitor_shapes: tuple[str, ...]
    """Examples of a last message; `{subject}` stands for the subject's name."""
    notes: str = ""
    """Limits and advice for authors."""
    near: tuple[str, ...] = ()
    """Events of other packs whose venues fit as well."""


class Trigger(Record):
    """When a norm applies."""

    applies_when: str
    """The situation in which the norm is to be followed."""
    out_of_scope: tuple[str, ...] = Field(min_length=2)
    """Situations close to it in which the norm does not apply."""


class DefaultAssistant(Record):
    """What an assistant does that does not know the norm."""

    behaviour: str
    """Its usual reply, described."""
    why_violates: str
    """Why that reply breaches the norm."""
    expected_pass_without_demos: Literal["low", "medium", "high"]
    """A planning guess for the screening yield, not a measurement."""


class Contrast(Record):
    """How a norm and its counter-norm exclude each other."""

    type: Literal["strict", "cross_fail", "none"]
    """`strict`: no reply can satisfy both; `cross_fail`: a reply written for one does not satisfy the other."""
    note: str = ""
    """In words."""


class NormCheck(Record):
    """What code can say of a reply."""

    mode: CheckMode
    """`exact`: code decides; `partial`: code is necessary, a judge decides the rest; `judge`: a judge decides."""
    code_role: Literal["decides", "necessary", "advisory"]
    """What a failed check means; goes with the mode."""
    code: Check | None
    """The check, or none."""
    params: tuple[str, ...] = ()
    """Scenario parameters that the check needs."""
    describe: str
    """What code and judge look at, in words."""
    judge_focus: str
    """The one question that a judge is to answer."""


class DemonstrationGuide(Record):
    """How members show a norm."""

    guidance: str
    """Advice for authors."""
    count: tuple[int, int]
    """Least and greatest number of demonstrations."""
    sketch: str = ""
    """A few turns as an illustration."""


class Ineligible(Record):
    """Events in which a norm is not used, with the reason."""

    events: tuple[str, ...]
    """Event ids."""
    reason: str
    """Why."""


class Norm(Record):
    """A local social norm: a conditional habit of a group."""

    id: str
    """Identifier, unique in the pack; the core pack has the paper's."""
    family: str
    """Family id."""
    name: str
    """What a reader sees."""
    level: Literal[1, 2, 3]
    """1 surface form, 2 pragmatic, 3 conditional on role, sender or topic."""
    subject_position: Position
    """Where the subject stands when the norm applies to it."""
    rule: str
    """The norm; says only what an attentive newcomer could learn from the chat."""
    trigger: Trigger
    """When it applies."""
    default_assistant: DefaultAssistant
    """What happens without the norm."""
    counter_norm: str | None
    """The opposite norm of the same pack, where there is one."""
    cross_pack_counter: str | None = None
    """The opposite norm of another pack, where the own pack has none."""
    contrast: Contrast
    """How the two exclude each other."""
    same_as: tuple[str, ...] = ()
    """Norms of other packs with the same meaning."""
    near: tuple[str, ...] = ()
    """Norms of other packs with nearly the same meaning."""
    pass_criteria: tuple[str, ...]
    """What a complying reply does; numbered P1, P2, ... for the judge."""
    fail_criteria: tuple[str, ...]
    """What makes a reply a breach; numbered F1, F2, ... for the judge."""
    borderline: tuple[str, ...] = ()
    """Decided cases on the line; numbered B1, B2, ..."""
    check: NormCheck
    """What code can say."""
    demonstration: DemonstrationGuide
    """How members show it."""
    leakage_words: tuple[str, ...]
    """Wording that would give the norm away in a chat."""
    applicable_events: tuple[str, ...]
    """Events in which it can be used."""
    ineligible: tuple[Ineligible, ...] = ()
    """Events in which it cannot, with reasons."""
    elicitor_hint: str = ""
    """How to build the last message so that a witty default breaches."""

    @property
    def counter(self) -> str | None:
        """The counter-norm, of whichever pack."""
        return self.counter_norm or self.cross_pack_counter


class Venue(Record):
    """A kind of group and the platform it talks on."""

    id: str
    """Identifier."""
    platform: str
    """Name of the chat program."""
    kind: Literal["workplace", "other"]
    """The paper's two venue values."""
    group: str
    """Who they are."""
    size: tuple[int, int]
    """Least and greatest number of members."""
    register_: str = Field(alias="register")
    """How they write."""
    activity: str
    """When they write."""
    rendering: dict[str, str]
    """Templates of the platform's look; not used for primary results."""
    suits_events: tuple[str, ...]
    """Events that are at home here."""
    avoid_norms: tuple[str, ...] = ()
    """Norms that make no sense here."""
    name_pool: tuple[str, ...]
    """Names that fit."""
    notes: str = ""
    """Advice for authors."""


class FirstRun(Record):
    """What the check made of the replies of a blind round when it saw them for the first time. Not changed later."""

    mode: CheckMode
    """Mode of the check at that time."""
    wrong: tuple[str, ...] = ()
    """Adherent replies that it rejected, and, where it was exact, breaching replies that it passed."""


class Probe(Record):
    """Replies of known label to one last message: unit tests of a check, and known cases for a judge."""

    norm: str
    """Norm id."""
    round: str
    """Where the replies come from: which writing round."""
    elicitor: str
    """The last message."""
    subject: str
    """Name of the member who answers."""
    roster: tuple[str, ...]
    """Names of all members."""
    prior_texts: tuple[str, ...] = ()
    """Earlier messages, `Name: text`."""
    params: Params = {}
    """Parameters of the check."""
    adherent: tuple[str, ...]
    """Replies that follow the norm."""
    breaching: tuple[str, ...] = ()
    """Replies that do not."""
    near_miss: tuple[str, ...] = ()
    """Replies that do not, by a little."""
    first_run: FirstRun | None = None
    """For blind rounds: what came out before anybody mended a check."""

    @field_validator("params", mode="before")
    @classmethod
    def _entries(cls, value: object) -> object:
        return as_params(value)


def as_params(value: object) -> object:
    """Accept one entry where a list of entries is meant."""
    if not isinstance(value, dict):
        return value
    entries = cast(dict[object, object], value)
    return {key: [entry] if isinstance(entry, str) else entry for key, entry in entries.items()}


class ProbeRound(Record):
    """Where a round of probes comes from."""

    blind: bool
    """Written and labelled by somebody who had seen neither checks nor probes, before any code ran on them."""
    note: str
    """Who wrote it when, and what happened to it since."""


class PackInfo(Record):
    """The front page of a pack."""

    id: str
    """Identifier: the folder's name."""
    schema_version: Version
    """Version of this format."""
    version: str
    """Version of the content."""
    title: str
    """What a reader sees."""
    licence: str
    """Licence of the content."""
    canary: str
    """A string by which training data that holds the content can be found."""
    lexicons_from: tuple[str, ...] = ()
    """Packs whose lexicons this pack uses as well."""
    families: tuple[Family, ...]
    """Its norm families."""
    probe_rounds: dict[str, ProbeRound] = {}
    """Rounds of probes by name, as probes name them."""


class Pack(Record):
    """A taxonomy: events, norms, venues, with the lexicons of its checks."""

    info: PackInfo
    """The front page."""
    events: dict[str, Event]
    """By id."""
    norms: dict[str, Norm]
    """By id."""
    venues: dict[str, Venue]
    """By id."""
    lexicons: dict[str, str]
    """Name -> regular expression."""
    hash: str
    """Hash of all its content files but the probes, which move no score."""


__all__ = [
    "CheckMode", "Contrast", "DefaultAssistant", "DemonstrationGuide", "Event", "Family", "FirstRun", "Ineligible",
    "Norm", "NormCheck", "Pack", "PackInfo", "Params", "Position", "Probe", "ProbeRound", "Trigger", "Venue",
    "as_params",
]  # fmt: skip
