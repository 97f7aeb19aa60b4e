"""Is all evidence on one side, and is there an answer? Closed evidence (Q21) and answerability (Q22). Pure.

Knows what these checks ask and what their answers mean. Does not know who is asked.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from losona.curation.question import Question, Source, Vote, ask, known_turns, texts, without_last
from losona.judge.answer import AnswerFault, one_object, typed
from losona.schema._base import Record


class Occasion(Record):
    """A message that makes the habit apply, and one answer to it."""

    turn: int
    """Number of the message."""
    answer: int | None
    """Number of the answer; none where nobody answers."""
    follows: bool
    """The answer follows the habit."""


class Occasions(Record):
    """Answer to: where does the habit apply, and is it followed there?"""

    reasoning: str
    """One to three sentences."""
    occasions: tuple[Occasion, ...]
    """All of them."""


@dataclass(frozen=True)
class ClosedEvidence(Question):
    """Is the norm followed wherever it applies, and is every demonstration seen as one?"""

    check: ClassVar[str] = "closed_evidence"
    rule: ClassVar[str] = "Q21"
    shape: ClassVar[type[Record]] = Occasions

    texts: tuple[str, ...]
    """The messages."""
    demos: frozenset[int]
    """Numbers of the demonstrations."""

    def read(self, text: str) -> Vote:
        """Right if every occasion is followed and every demonstration is among the answers."""
        answer = typed(Occasions, one_object(text, prose=True))
        for found in answer.occasions:
            known_turns((found.turn, *((found.answer,) if found.answer is not None else ())), self.texts)
            if found.answer is None and found.follows:
                raise AnswerFault(f'message {found.turn} has no answer, so "follows" must be false')
            if found.answer is not None and found.answer <= found.turn:
                raise AnswerFault(f"message {found.answer} stands before message {found.turn} and cannot answer it")
        against = [found for found in answer.occasions if not found.follows]
        unseen = sorted(self.demos - {found.answer for found in answer.occasions})
        return Vote(right=not against and not unseen, found=_told(against, unseen), answer=answer.model_dump())

    @classmethod
    def make(cls, source: Source) -> Iterator["ClosedEvidence"]:
        """Both arms, without the last message."""
        for arm, norm, scenario in source.arms():
            visible = without_last(scenario.visible)
            demos = frozenset(i + 1 for i in scenario.evaluation.demos or ())
            messages = ask(cls.check, visible, source.templates, source.seed, norm=norm)
            yield cls(source.frame.frame, arm, 1, messages, texts(visible), demos)


def _told(against: list[Occasion], unseen: list[int]) -> str:
    parts = [f"message {found.turn} {_answered(found)}" for found in against]
    if unseen:
        parts.append(f"demonstration not seen: message {', '.join(map(str, unseen))}")
    return "; ".join(parts)


def _answered(found: Occasion) -> str:
    return "is not answered" if found.answer is None else f"is answered by {found.answer} without the norm"


class Answerable(Record):
    """Answer to: can one message follow the norm without made-up facts?"""

    message: str
    """Such a message."""
    missing: tuple[str, ...]
    """Facts that stand nowhere."""
    answerable: bool
    """It can."""
    reasoning: str
    """One to three sentences."""


@dataclass(frozen=True)
class Answerability(Question):
    """Do bio and chat suffice for one message that follows the norm?"""

    check: ClassVar[str] = "answerability"
    rule: ClassVar[str] = "Q22"
    shape: ClassVar[type[Record]] = Answerable

    def read(self, text: str) -> Vote:
        """Right if the message needs no fact that stands nowhere."""
        answer = typed(Answerable, one_object(text, prose=True))
        if answer.answerable == bool(answer.missing):
            raise AnswerFault('"answerable" is true exactly if "missing" is empty')
        return Vote(right=answer.answerable, found="; ".join(answer.missing), answer=answer.model_dump())

    @classmethod
    def make(cls, source: Source) -> Iterator["Answerability"]:
        """Both arms."""
        for arm, norm, scenario in source.arms():
            messages = ask(cls.check, scenario.visible, source.templates, source.seed, norm=norm)
            yield cls(source.frame.frame, arm, 1, messages)
