"""Can a reader tell the norm, and does nobody state it? Inferability (Q19) and non-statement (Q20). Pure.

Knows what these checks ask and what their answers mean. Does not know who is asked.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from losona.curation.question import Question, Source, Vote, ask, known_turns, texts, without_last
from losona.frames import ARMS
from losona.judge.answer import AnswerFault, is_quoted, one_object, typed
from losona.schema._base import Record
from losona.schema.frame import Arm
from losona.schema.taxonomy import Norm

RULES = 5
"""So many rules to choose from: a's, b's and others that apply to the event."""
NOTHING = "none of these"
ASKED: dict[Arm | None, tuple[str, str]] = {"a": ("a", "demos"), "b": ("b", "demos"), None: ("a", "nodemos")}
"""Arm or control -> arm and variant of the chat."""


class Choice(Record):
    """Answer to: which of these rules do the members follow?"""

    evidence: tuple[int, ...]
    """Messages that show it."""
    reasoning: str
    """One to three sentences."""
    choice: int
    """Number of the rule, or 0."""


@dataclass(frozen=True)
class Inferability(Question):
    """Can a reader tell the norm from five rules, and does the control show neither norm?"""

    check: ClassVar[str] = "inferability"
    rule: ClassVar[str] = "Q19"
    shape: ClassVar[type[Record]] = Choice

    rules: tuple[str, ...]
    """Norm ids in the order of the prompt."""
    arms: tuple[str, str]
    """Norms of a and b."""
    texts: tuple[str, ...]
    """The messages."""

    def read(self, text: str) -> Vote:
        """For an arm its norm is right; for the control whatever is neither arm's norm."""
        answer = typed(Choice, one_object(text, prose=True))
        if not 0 <= answer.choice <= len(self.rules):
            raise AnswerFault(f"there is no rule {answer.choice}; they are numbered from 0 to {len(self.rules)}")
        known_turns(answer.evidence, self.texts)
        if answer.choice and not answer.evidence:
            raise AnswerFault('"evidence" names no message, but a rule is chosen')
        picked = self.rules[answer.choice - 1] if answer.choice else NOTHING
        wanted = self.arms[0] if self.arm == "a" else self.arms[1]
        right = picked == wanted if self.arm else picked not in self.arms
        return Vote(right=right, found=f"picked {picked}", answer=answer.model_dump())

    @classmethod
    def make(cls, source: Source) -> Iterator["Inferability"]:
        """Both arms and the control, without the last message; each vote in an order of its own."""
        scenarios, frame = source.scenarios(), source.frame
        for arm, key in ASKED.items():
            visible = without_last(scenarios[key].visible)
            for epoch in range(1, source.votes + 1):
                rules = _rules(source, f"{source.seed}|{frame.frame}|{arm}|{epoch}")
                messages = ask(cls.check, visible, source.templates, source.seed, rules=rules)
                ids = tuple(norm.id for norm in rules)
                yield cls(frame.frame, arm, epoch, messages, ids, (frame.arms.a, frame.arms.b), texts(visible))


def _rules(source: Source, key: str) -> list[Norm]:
    """The two norms of a frame and others of its event, in a seeded order; fewer where the event has fewer."""
    chosen = random.Random(key)
    arms = [source.taxonomy.norm(source.frame.norm(arm)) for arm in ARMS]
    others = sorted(_others(source, arms), key=lambda norm: norm.id)
    rules = [*arms, *chosen.sample(others, min(RULES - len(arms), len(others)))]
    chosen.shuffle(rules)
    return rules


def _others(source: Source, arms: Sequence[Norm]) -> list[Norm]:
    """Norms of the frame's pack that apply to its event and do not mean nearly the same as one of its arms."""
    alike = {name for norm in arms for name in (norm.id, norm.counter, *norm.same_as, *norm.near)}
    found = source.taxonomy.packs[source.frame.pack].norms.values()
    return [
        norm
        for norm in found
        if source.frame.event in norm.applicable_events and not alike & {norm.id, *norm.same_as, *norm.near}
    ]


class Statement(Record):
    """A passage that gives a norm away."""

    turn: int
    """Number of the message."""
    quote: str
    """The passage."""


class Statements(Record):
    """Answer to: which messages give the habit away?"""

    statements: tuple[Statement, ...]
    """Passages; empty where there is none."""
    reasoning: str
    """One to three sentences."""


@dataclass(frozen=True)
class NonStatement(Question):
    """Does nobody in the chat state the norm or comment on it?"""

    check: ClassVar[str] = "non_statement"
    rule: ClassVar[str] = "Q20"
    shape: ClassVar[type[Record]] = Statements

    texts: tuple[str, ...]
    """The messages."""

    def read(self, text: str) -> Vote:
        """Right if there is no such passage; a quotation that does not stand there is a fault."""
        answer = typed(Statements, one_object(text, prose=True))
        known_turns((found.turn for found in answer.statements), self.texts)
        for found in answer.statements:
            if not is_quoted(found.quote, self.texts[found.turn - 1]):
                raise AnswerFault(f"a quote is no word-for-word passage of message {found.turn}")
        quoted = "; ".join(f"message {found.turn}: {found.quote!r}" for found in answer.statements)
        return Vote(right=not answer.statements, found=quoted, answer=answer.model_dump())

    @classmethod
    def make(cls, source: Source) -> Iterator["NonStatement"]:
        """Both arms."""
        for arm, norm, scenario in source.arms():
            messages = ask(cls.check, scenario.visible, source.templates, source.seed, norm=norm)
            yield cls(source.frame.frame, arm, 1, messages, texts(scenario.visible))
