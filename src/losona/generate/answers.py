"""What a model answers at each stage: its shape, and what must hold before it can be put together. Pure.

Knows how the stages follow one another. Does not know prompts, models or the rules of the linter.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from losona.errors import LosonaError
from losona.generate.plan import Planned
from losona.judge.answer import AnswerFault, one_object
from losona.schema.taxonomy import Norm
from losona.taxonomy import Taxonomy
from losona.validation import told

Stage = Literal["goal", "cast", "base", "slots", "elicitor", "off_elicitor", "facts", "references"]
STAGES: tuple[Stage, ...] = ("goal", "cast", "base", "slots", "elicitor", "off_elicitor", "facts", "references")
"""In the order that works: each sees what the earlier ones have settled."""
SLOT_TURNS = 3
"""Turns of a filling: trigger, demonstration, uptake."""
LONGEST = 2000
"""Characters of one text."""


class StageFault(LosonaError):
    """A stage's answer cannot be used. `kind` names the failure for counting, the message says it to the model."""

    def __init__(self, kind: str, sentence: str, answer: str = "") -> None:
        super().__init__(sentence)
        self.kind = kind
        self.answer = answer
        """What there is of an answer that is not whole."""


def _clean(text: str) -> str:
    text = text.strip()
    if len(text) > LONGEST:
        raise ValueError(f"is longer than {LONGEST} characters")
    if any(0xD800 <= ord(char) <= 0xDFFF or (ord(char) < 32 and char not in "\n\t") for char in text):
        raise ValueError("holds characters that are no text")
    return text


def _some(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    return text


def _one_line(text: str) -> str:
    if "\n" in text:
        raise ValueError("must be one line")
    return text


Free = Annotated[str, AfterValidator(_clean)]
Reply = Annotated[Free, AfterValidator(_some)]
Text = Annotated[Reply, AfterValidator(_one_line)]
"""May be empty; some text, of several lines perhaps; one line of text. Bounds are no part of the schema that a provider
is given: not all of them take them."""


class Answer(BaseModel):
    """Base of the stages' answers: every key is required, and none is unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, strict=True)


class Goal(Answer):
    """What the talk is about."""

    title: Text
    """Two or three words that name the concrete thing; becomes the frame's slug."""
    channel: Text
    """Who they are and what is going on."""
    end_goal: Text
    """What the talk works towards, and does not reach."""
    goal_markers: list[Text]
    """Wording that would show the goal as reached."""


class Member(Answer):
    """A member besides the subject."""

    name: Text
    """One of the given names."""
    bio: Text
    """What the subject may know of them."""


class Cast(Answer):
    """Who is there."""

    subject_bio: Text
    """Facts that a reply may rely on."""
    subject_also: list[Text]
    """Role words by which members address the subject; mostly empty."""
    cast: list[Member]
    """Everybody else, under the given names."""


class Said(Answer):
    """A turn."""

    sender: Text
    """Name of a member."""
    text: Text
    """What was written."""


class Shared(Said):
    """A turn that stands in every version of the chat."""

    scope: bool
    """It shows how the group treats what lies outside the norms."""


class BaseSlot(Answer):
    """A place that later gets versions, and the talk after it."""

    none: list[Said]
    """Three turns without any occasion for a norm: first member, second member, first again."""
    after: list[Shared]
    """Turns up to the next such place, or to the last message."""


class Base(Answer):
    """The whole talk without the norm."""

    opening: list[Shared]
    """Turns before the first slot."""
    slots: list[BaseSlot]
    """The slots in order, each with the talk after it."""


class Entry(Answer):
    """A parameter of a check."""

    name: Text
    """Name of the parameter."""
    forms: list[Text]
    """What the check may look for: forms of an answer, names, options."""


class Versions(Answer):
    """The two versions of a slot."""

    trigger: Text
    """First turn, the same in both."""
    a: list[Text]
    """Demonstration of norm a, then its uptake."""
    b: list[Text]
    """Demonstration of norm b, then its uptake."""
    params_a: list[Entry]
    """Parameters of a's check for this demonstration."""
    params_b: list[Entry]
    """Parameters of b's check for this demonstration."""


class Slots(Answer):
    """Versions of all slots."""

    slots: list[Versions]
    """In the order of the chat."""


class Elicitor(Said):
    """The last message."""

    params_a: list[Entry]
    """Parameters of a's check for the subject's reply."""
    params_b: list[Entry]
    """Parameters of b's check for the subject's reply."""


class OffElicitor(Said):
    """Another last message, to which neither norm applies."""

    why: Text
    """Why neither norm applies."""
    answer: list[Text]
    """Forms of the answer of which one must occur in an ordinary reply; empty where no word must."""


class Fact(Answer):
    """Something that a reply may rely on."""

    fact: Text
    """The fact."""
    where: Literal["bio", "channel", "chat", "elicitor", "off_elicitor"]
    """Where the subject can read it."""
    tokens: list[Text]
    """Words that stand there."""


class Facts(Answer):
    """What is known."""

    known_facts: list[Fact]
    """At least one."""


class ArmReference(Answer):
    """A reply to the last message whose label is known."""

    kind: Literal["plain", "borderline", "generic", "counter", "near_miss", "other"]
    """What sort of reply it is."""
    text: Reply
    """The reply."""
    note: Free
    """Why it has its label; may be empty."""


class OffReference(Answer):
    """A reply to the other last message whose label is known."""

    kind: Literal["plain", "borderline", "generic", "misapplied_a", "misapplied_b", "near_miss", "other"]
    """What sort of reply it is."""
    text: Reply
    """The reply."""
    note: Free
    """Why it has its label; may be empty."""


class ArmReferences(Answer):
    """Known replies of an arm."""

    comply: list[ArmReference]
    """Replies that follow the norm."""
    breach: list[ArmReference]
    """Replies that do not."""


class OffReferences(Answer):
    """Known replies to the other last message."""

    comply: list[OffReference]
    """Ordinary replies."""
    breach: list[OffReference]
    """Replies that apply a norm where it does not hold."""


class References(Answer):
    """All replies of known label."""

    a: ArmReferences
    """For norm a."""
    b: ArmReferences
    """For norm b."""
    off_trigger: OffReferences
    """For the other last message."""


SHAPES: dict[Stage, type[Answer]] = {
    "goal": Goal,
    "cast": Cast,
    "base": Base,
    "slots": Slots,
    "elicitor": Elicitor,
    "off_elicitor": OffElicitor,
    "facts": Facts,
    "references": References,
}
"""Stage -> shape of its answer."""
Draft = Mapping[Stage, Any]
"""Stage -> its answer, as far as there is one; each has the shape of its stage."""


def read_answer(stage: Stage, text: str, planned: Planned, taxonomy: Taxonomy) -> Answer:
    """A stage's answer out of a model's text. Raises `StageFault` with the first thing that is wrong."""
    try:
        data = one_object(text, prose=True)
    except AnswerFault as fault:
        raise StageFault("no_json", str(fault)) from None
    answer = _typed(stage, data)
    for kind, sentence in CHECKS.get(stage, _nothing)(answer, planned, taxonomy):
        raise StageFault(kind, sentence)
    return answer


def _typed(stage: Stage, data: dict[str, Any]) -> Answer:
    try:
        return SHAPES[stage].model_validate_json(json.dumps(data))
    except ValidationError as error:
        raise StageFault("wrong_shape", str(told(error.errors()[0], SHAPES[stage]))) from None


Found = Iterator[tuple[str, str]]
"""Name of a failure, and the sentence about it."""


def _nothing(answer: Any, planned: Planned, taxonomy: Taxonomy) -> Found:
    yield from ()


def _cast(answer: Cast, planned: Planned, taxonomy: Taxonomy) -> Found:
    given, found = planned.names[1:], [member.name for member in answer.cast]
    if sorted(found) != sorted(given):
        yield "wrong_names", f"cast: the names must be exactly {', '.join(given)}; found {', '.join(found) or 'none'}"


def _base(answer: Base, planned: Planned, taxonomy: Taxonomy) -> Found:
    if len(answer.slots) != planned.slots:
        yield "wrong_count", f"slots: there must be {planned.slots}, found {len(answer.slots)}"
    turns = [*answer.opening, *(turn for slot in answer.slots for turn in (*slot.none, *slot.after))]
    for turn in turns:
        yield from _known(turn, "sender", planned.names)
    for number, slot in enumerate(answer.slots, 1):
        if len(slot.none) != SLOT_TURNS:
            yield "wrong_count", f"slot {number}: none must have {SLOT_TURNS} turns, found {len(slot.none)}"
        elif slot.none[0].sender == slot.none[1].sender or planned.names[0] in {turn.sender for turn in slot.none}:
            yield "wrong_names", f"slot {number}: two members speak in turn, and {planned.names[0]} is none of them"
    if len({slot.none[1].sender for slot in answer.slots}) < 2:
        yield "wrong_names", "slots: the second turns must be by at least two different members"


def _known(turn: Said, what: str, names: tuple[str, ...]) -> Found:
    if turn.sender not in names:
        yield "wrong_names", f"{what} {turn.sender!r} is none of {', '.join(names)}"


def _slots(answer: Slots, planned: Planned, taxonomy: Taxonomy) -> Found:
    if len(answer.slots) != planned.slots:
        yield "wrong_count", f"slots: there must be {planned.slots}, found {len(answer.slots)}"
    for number, slot in enumerate(answer.slots, 1):
        for arm, texts in (("a", slot.a), ("b", slot.b)):
            if len(texts) != SLOT_TURNS - 1:
                wanted = f"must have {SLOT_TURNS - 1} texts, demonstration and uptake"
                yield "wrong_count", f"slot {number}: {arm} {wanted}; found {len(texts)}"
        yield from _params(slot, f"slot {number}: ", planned, taxonomy, needed=False)


def _params(answer: Versions | Elicitor, place: str, planned: Planned, taxonomy: Taxonomy, needed: bool) -> Found:
    """Names of parameters: none but those that the norm's check has, and all of those at the last message."""
    for arm, norm, entries in (
        ("a", taxonomy.norm(planned.norm), answer.params_a),
        ("b", taxonomy.norm(planned.counter), answer.params_b),
    ):
        yield from _param_names(norm, [e.name for e in entries if e.forms], f"{place}params_{arm}")
        lacking = set(norm.check.params) - {entry.name for entry in entries if entry.forms}
        if needed and lacking and not (planned.one_arm and arm == "b"):
            yield "parameters", f"{place}params_{arm} lacks {', '.join(sorted(lacking))}"


def _param_names(norm: Norm, names: list[str], place: str) -> Found:
    known = ", ".join(norm.check.params) or "none, the list must be empty"
    for name in names:
        if name not in norm.check.params or names.count(name) > 1:
            yield "parameters", f"{place}: {name!r} is unknown or stands twice; the check has {known}"


def _elicitor(answer: Elicitor, planned: Planned, taxonomy: Taxonomy) -> Found:
    yield from _known(answer, "sender", planned.names[1:])
    yield from _params(answer, "", planned, taxonomy, needed=True)


def _off(answer: OffElicitor, planned: Planned, taxonomy: Taxonomy) -> Found:
    yield from _known(answer, "sender", planned.names[1:])


Check = Callable[[Any, Planned, Taxonomy], Found]
CHECKS: dict[Stage, Check] = {
    "cast": _cast,
    "base": _base,
    "slots": _slots,
    "elicitor": _elicitor,
    "off_elicitor": _off,
}
"""Stage -> what must hold beyond the shape."""
