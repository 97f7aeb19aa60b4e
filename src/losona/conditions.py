"""Visible part of a scenario x condition -> the messages that a subject gets.

Knows the conditions and how a chat is written down. Takes nothing but what is visible, so that nothing
hidden can reach a subject. Calls no model.
"""

import hashlib
import json
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from losona.errors import UserFault
from losona.prompts import Templates
from losona.schema.scenario import Visible, VisiblePerson, VisibleTurn

CONDITIONS: dict[str, str] = {
    "naive": "no hint",
    "elicitor_only": "reply to the latest message only",
    "style_adaptation": "use the chat for tone and local habits",
    "norm_informed": "a repeated local pattern or norm may be present",
    "oracle": "find like moments and answer as members did then (ceiling; not among the four)",
}
PAPER_CONDITIONS = ("naive", "elicitor_only", "style_adaptation", "norm_informed")
Rendering = Literal["text", "turns"]


@dataclass(frozen=True)
class Message:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    """Who speaks."""
    content: str
    """What is said."""


@dataclass(frozen=True)
class PromptStyle:
    """What a run may change about prompts; the same for all its scenarios."""

    templates: Templates = field(default_factory=Templates)
    """Shipped templates or a user's."""
    rendering: Rendering = "text"
    """`text`: the whole chat in one message; `turns`: one message a turn."""
    system_prompt: str = ""
    """The user's own agent, in front of everything."""


def check_condition(name: str) -> str:
    """The name, if there is such a condition; else a `UserFault` that lists them."""
    if name not in CONDITIONS:
        raise UserFault(f"unknown condition {name!r}; known are {', '.join(CONDITIONS)}.")
    return name


def render(visible: Visible, condition: str, style: PromptStyle) -> tuple[Message, ...]:
    """Messages for a subject: an own system prompt if there is one, then the chat.

    Raises `ContentError` when a template uses an unknown variable or leaves one out.
    """
    system = (Message("system", style.system_prompt),) if style.system_prompt else ()
    if style.rendering == "text":
        turns = [{"sender": _one_line(turn.sender), "text": _continued(turn.text)} for turn in visible.transcript]
        return (*system, Message("user", _setting(visible, condition, style, turns)))
    return (*system, *_turns(visible, _setting(visible, condition, style, [])))


def prompt_hash(messages: tuple[Message, ...]) -> str:
    """Key of a prompt (16 hex digits): hash over roles and contents."""
    text = json.dumps([[m.role, m.content] for m in messages], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _setting(visible: Visible, condition: str, style: PromptStyle, turns: list[dict[str, str]]) -> str:
    return style.templates.render(
        f"conditions/{check_condition(condition)}",
        subject=_on_one_line(visible.subject),
        channel=_one_line(visible.channel),
        venue=_one_line(visible.venue),
        cast=tuple(_on_one_line(person) for person in visible.cast),
        transcript=turns,
    )


def _turns(visible: Visible, setting: str) -> list[Message]:
    """The setting, then the chat: the subject's own turns as assistant, runs of others' turns as one user message."""
    messages: list[Message] = []
    for own, turns in groupby(visible.transcript, lambda turn: turn.sender == visible.subject.name):
        text = "\n".join(turn.text if own else _line(turn) for turn in turns)
        messages.append(Message("assistant" if own else "user", text))
    if messages[0].role == "user":
        return [Message("user", f"{setting}\n\n{messages[0].content}"), *messages[1:]]
    return [Message("user", setting), *messages]


def _line(turn: VisibleTurn) -> str:
    return f"{_one_line(turn.sender)}: {_continued(turn.text)}"


def _on_one_line(person: VisiblePerson) -> VisiblePerson:
    return VisiblePerson(name=_one_line(person.name), bio=_one_line(person.bio))


def _one_line(text: str) -> str:
    """Names and descriptions stand on one line, so that they cannot pass for messages."""
    return " ".join(text.splitlines())


def _continued(text: str) -> str:
    """Further lines of one message are indented, so that they cannot pass for another member's message."""
    return "\n  ".join(text.splitlines())
