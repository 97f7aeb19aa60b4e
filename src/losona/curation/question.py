"""A question to a model about a frame: its prompt, and what an answer says of the frame. Pure.

Knows how a chat is put before a model as data. Does not know the single checks, nor who is asked.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from losona.conditions import Message, prompt_hash
from losona.frames import ARMS, derive
from losona.judge.answer import AnswerFault
from losona.judge.data import nonce, setting, turn_line
from losona.prompts import Templates
from losona.schema._base import Record
from losona.schema.frame import Arm, Frame
from losona.schema.scenario import Scenario, Visible
from losona.schema.taxonomy import Norm
from losona.taxonomy import Taxonomy

SHARED = ("review/system", "review/check", "judge_retry")
"""Templates that every check uses."""


@dataclass(frozen=True)
class Source:
    """A frame with all that questions are made from."""

    frame: Frame
    """The frame; dropped arms are asked about as well."""
    taxonomy: Taxonomy
    """Packs."""
    templates: Templates
    """Prompts."""
    votes: int
    """Votes of each model on inferability."""
    seed: int
    """For the choice and order of rules."""

    def scenarios(self) -> dict[tuple[str, str], Scenario]:
        """By arm and variant."""
        whole = self.frame.model_copy(update={"dropped": {}})
        return {(s.arm or "", s.variant): s for s in derive(whole, self.taxonomy)}

    def arms(self) -> Iterator[tuple[Arm, Norm, Scenario]]:
        """Each arm with its norm and its chat with demonstrations."""
        scenarios = self.scenarios()
        for arm in ARMS:
            yield arm, self.taxonomy.norm(self.frame.norm(arm)), scenarios[arm, "demos"]


class Vote(Record):
    """What one answer says of the frame."""

    right: bool
    """It speaks for the frame."""
    found: str
    """In short; may be empty."""
    answer: dict[str, Any]
    """The answer as it was read."""


@dataclass(frozen=True)
class Question(ABC):
    """One question; each check has a class of its own."""

    check: ClassVar[str]
    """Name of the check."""
    rule: ClassVar[str]
    """Number of the quality rule."""
    shape: ClassVar[type[Record]]
    """What an answer must look like."""

    frame: str
    """Frame id."""
    arm: Arm | None
    """Arm; none: the control."""
    epoch: int
    """Number of the vote, from 1."""
    messages: tuple[Message, ...]
    """The prompt."""

    @property
    def unit(self) -> str:
        """The part of the frame that is asked about; empty for the whole."""
        return ""

    @property
    def prompt(self) -> str:
        """Hash of the prompt."""
        return prompt_hash(self.messages)

    @abstractmethod
    def read(self, text: str) -> Vote:
        """Read an answer strictly. Raises `AnswerFault` where anything is in doubt."""

    @classmethod
    def template_hash(cls, templates: Templates) -> str:
        """Hash (16 hex digits) of the check's templates and of the shape of an answer."""
        names = (*SHARED, f"review/{cls.check}")
        parts = [cls.shape.model_json_schema(), [(name, templates.source(name)) for name in names]]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def ask(check: str, visible: Visible, templates: Templates, seed: int, **variables: Any) -> tuple[Message, ...]:
    """The prompt of a check over a chat; `variables` are those of the check's own template."""
    data = {**setting(visible), "turns": [turn_line(turn) for turn in visible.transcript]}
    word = nonce([check, visible.transcript_id, seed], data)
    prompt = templates.render(f"review/{check}", nonce=word, **data, **variables)
    return Message("system", templates.render("review/system")), Message("user", prompt)


def known_turns(numbers: Iterable[int], texts: Sequence[str]) -> None:
    """Raise `AnswerFault` for a number that no message has."""
    for number in numbers:
        if not 1 <= number <= len(texts):
            raise AnswerFault(f"there is no message {number}; they are numbered from 1 to {len(texts)}")


def without_last(visible: Visible) -> Visible:
    """The chat before its last message."""
    return visible.model_copy(update={"transcript": visible.transcript[:-1]})


def texts(visible: Visible) -> tuple[str, ...]:
    """The messages of a chat."""
    return tuple(turn.text for turn in visible.transcript)
