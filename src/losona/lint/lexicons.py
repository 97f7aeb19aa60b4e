"""The linter's word lists, which are content: `content/lint.yaml`.

Knows what lists there are. The words are in the file, so that a language or a group can have its own.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path

from losona.lint.wording import words
from losona.schema._base import Record
from losona.textfiles import read_yaml, validate

TIE_LETTERS = 4
"""Least length of a word that ties a text to an earlier one."""
WORD_LISTS = Path(str(files("losona"))) / "content" / "lint.yaml"


class LintLexicons(Record):
    """Word lists of the rules. A pattern is a regular expression, matched as whole words without case."""

    group_mentions: tuple[str, ...]
    """What may follow an @ besides a name."""
    assistant_idioms: tuple[str, ...]
    """Patterns of wording that members of a chat do not use and assistants do."""
    rule_wording: tuple[str, ...]
    """Patterns of wording that states or hints at a rule of the group."""
    harm: dict[str, tuple[str, ...]]
    """Topic -> patterns of troubles that are not everyday."""
    triggers: dict[str, str]
    """Norm id or family id -> a crude pattern of a message to which such norms apply (not whole-word)."""
    common_words: frozenset[str]
    """Words that any turn may use; they tie a turn to nothing."""
    places: tuple[str, ...]
    """Well-known places that are found in any case; others are found by their capital after a preposition."""
    no_places: frozenset[str]
    """Capitalised words after a preposition of place that are no places."""
    fact_questions: tuple[str, ...]
    """Patterns of a question that asks for a fact."""
    other_questions: tuple[str, ...]
    """Patterns of a question that asks for an act, an opinion, a prediction or nothing."""
    number_words: dict[str, str]
    """Number word -> digits."""


@cache
def lexicons() -> LintLexicons:
    """The word lists, read once."""
    return validate(LintLexicons, read_yaml(WORD_LISTS))


def ties(text: str) -> set[str]:
    """The words that tie a text to others: long ones that are not common, without possessive and plural s."""
    common = lexicons().common_words
    long = (w for w in (w.removesuffix("'s") for w in words(text)) if len(w) >= TIE_LETTERS and w not in common)
    return {w if w.endswith("ss") else w.removesuffix("s") for w in long} - common
