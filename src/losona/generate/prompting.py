"""What the model is told at each stage: the templates' variables. Pure.

The prose is `prompts/generate`. Knows what each stage may see of the earlier ones. Calls no model.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from losona.conditions import Message
from losona.generate.answers import STAGES, Draft, Stage
from losona.generate.assemble import chat
from losona.generate.plan import Planned
from losona.generate.routing import Routed
from losona.prompts import Templates
from losona.schema.taxonomy import Event, Norm, Venue
from losona.taxonomy import Taxonomy

FOLDER = "generate/"
LANGUAGES = {"en": "English"}
"""Names of languages; others are named by their tag."""
ECHO_LENGTH = 12_000
"""Characters of a faulty answer that the model is shown again."""
FINDINGS_SHOWN = 12
"""Findings that one repair names."""


@dataclass(frozen=True)
class Brief:
    """What is given: the tuple, with everything that the packs say of it."""

    event: Event
    """The event."""
    venue: Venue
    """The venue."""
    a: Norm
    """Norm of arm a."""
    b: Norm
    """Norm of arm b."""
    language: str
    """Of what members write."""
    slots: int
    """Number of slots."""
    subject: str
    """The subject's name."""
    cast: tuple[str, ...]
    """Names of everybody else."""
    one_arm: bool
    """Arm b is only a contrast."""

    @property
    def focal(self) -> bool:
        """The talk is about the subject; else the subject answers somebody."""
        return "focal" in (self.a.subject_position, self.b.subject_position)

    @property
    def forbidden(self) -> tuple[str, ...]:
        """Wording that would give one of the norms away."""
        return tuple(dict.fromkeys((*self.a.leakage_words, *self.b.leakage_words)))

    @property
    def hints(self) -> tuple[str, ...]:
        """Advice on the last message."""
        return tuple(hint for hint in dict.fromkeys((self.a.elicitor_hint, self.b.elicitor_hint)) if hint)


@dataclass(frozen=True)
class Settled:
    """What earlier stages have settled; empty where they have not yet."""

    channel: str
    """Who they are and what is going on."""
    end_goal: str
    """Hidden goal."""
    goal_markers: tuple[str, ...]
    """Wording that would show it as reached."""
    subject_bio: str
    """Of the subject."""
    also: tuple[str, ...]
    """Role words for the subject."""
    members: tuple[Any, ...]
    """Everybody else, with `name` and `bio`."""
    lines: tuple[str, ...]
    """The chat, one line a turn."""
    elicitor: str
    """The last message."""
    off_elicitor: str
    """The other last message."""
    off_why: str
    """Why neither norm applies to it."""
    facts: tuple[str, ...]
    """What a reply may rely on."""


EMPTY = Settled("", "", (), "", (), (), (), "", "", "", ())
"""Nothing is settled yet."""


def brief_of(planned: Planned, taxonomy: Taxonomy, language: str) -> Brief:
    """What is given for a planned frame."""
    return Brief(
        event=taxonomy.event(planned.pack, planned.event),
        venue=taxonomy.venue(planned.venue),
        a=taxonomy.norm(planned.norm),
        b=taxonomy.norm(planned.counter),
        language=LANGUAGES.get(language, f"the one with the tag {language}"),
        slots=planned.slots,
        subject=planned.names[0],
        cast=planned.names[1:],
        one_arm=planned.one_arm,
    )


def stage_messages(stage: Stage, brief: Brief, draft: Draft, templates: Templates) -> tuple[Message, ...]:
    """The question of a stage, with what the stages before it have settled."""
    before: Draft = {name: draft[name] for name in STAGES[: STAGES.index(stage)]}
    return _stage_question(stage, brief, _settled(before) if before else EMPTY, templates)


def check_templates(brief: Brief, templates: Templates) -> None:
    """Raise `ContentError` for a template that could not be rendered, before anything is paid."""
    for stage in STAGES:
        _stage_question(stage, brief, EMPTY, templates)
    retry_messages("", "it is empty", templates)
    repair_messages("", (), templates)


def _stage_question(stage: Stage, brief: Brief, settled: Settled, templates: Templates) -> tuple[Message, ...]:
    variables = {"brief": brief} if stage == "goal" else {"brief": brief, "draft": settled}
    return (
        Message("system", templates.render(f"{FOLDER}system")),
        Message("user", templates.render(f"{FOLDER}{stage}", **variables)),
    )


def retry_messages(answer: str, fault: str, templates: Templates) -> tuple[Message, ...]:
    """The model's own answer, and why it cannot be used."""
    echo = answer.strip()[:ECHO_LENGTH]
    told = Message("user", templates.render(f"{FOLDER}retry", fault=fault))
    return (Message("assistant", echo), told) if echo else (told,)


def repair_messages(answer: str, routed: Sequence[Routed], templates: Templates) -> tuple[Message, ...]:
    """The model's own answer, and what the linter finds in it: errors first, then warnings."""
    ordered = sorted(routed, key=lambda item: item.finding.severity)
    told = [_told(item) for item in ordered[:FINDINGS_SHOWN]]
    return Message("assistant", answer), Message("user", templates.render(f"{FOLDER}repair", findings=told))


def _told(item: Routed) -> str:
    finding = item.finding
    where = f"slot {finding.slot}: " if finding.slot else f"turn {finding.turn}: " if finding.turn else ""
    return f"{where}{finding.found}; allowed: {finding.allowed}"


def _settled(draft: Draft) -> Settled:
    goal, cast, last, off = (draft.get(name) for name in ("goal", "cast", "elicitor", "off_elicitor"))
    facts = draft["facts"].known_facts if "facts" in draft else ()
    return Settled(
        channel=goal.channel if goal else "",
        end_goal=goal.end_goal if goal else "",
        goal_markers=tuple(goal.goal_markers) if goal else (),
        subject_bio=cast.subject_bio if cast else "",
        also=tuple(cast.subject_also) if cast else (),
        members=tuple(cast.cast) if cast else (),
        lines=tuple(_lines(chat(draft))) if "base" in draft else (),
        elicitor=f"{last.sender}: {last.text}" if last else "",
        off_elicitor=f"{off.sender}: {off.text}" if off else "",
        off_why=off.why if off else "",
        facts=tuple(f"{fact.fact} (stands in: {fact.where})" for fact in facts),
    )


def _lines(items: Iterable[dict[str, Any]]) -> Iterator[str]:
    for item in items:
        if "slot" not in item:
            yield f"{item['from']}: {item['text']}" + (" (scope)" if item.get("scope") else "")
            continue
        for name in ("a", "b", "none"):
            for turn in item.get(name, ()):
                yield f"  [slot {item['slot']}, {name}] {turn['from']}: {turn['text']}"
