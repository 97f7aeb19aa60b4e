"""Measures of wording: words, figures, phrases and likeness of texts.

Knows nothing of frames. Everything is without case and by whole words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

WORD = re.compile(r"[^\W_]+(?:['\-./][^\W_]+)*")
FIGURE = re.compile(r"(?<![\w.,])\d+(?:[.,:]\d+)*")
NEAR_COPY = 0.7
"""Share of common words from which two texts are nearly equal."""
_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


def plain(text: str) -> str:
    """Straight quotes, no case, single spaces."""
    return " ".join(text.translate(_STRAIGHT).casefold().split())


def words(text: str) -> list[str]:
    """The words of a text, without case; `don't` and `09:30` count as a chat reader would count them."""
    return WORD.findall(plain(text))


def same_words(one: str, other: str) -> bool:
    """Whether two texts have the same words in the same order."""
    return words(one) == words(other)


def contains(text: str, part: str) -> bool:
    """Whether the words of `part` stand in `text`, one after another."""
    return f" {' '.join(words(part))} " in f" {' '.join(words(text))} "


def likeness(one: str, other: str) -> float:
    """Common words by all words of two texts, 0 to 1 (Jaccard)."""
    left, right = set(words(one)), set(words(other))
    return len(left & right) / len(left | right) if left | right else 1.0


def runs(texts: Iterable[str], length: int, names: frozenset[str] = frozenset()) -> set[tuple[str, ...]]:
    """All runs of `length` words inside the texts; each of the names (without case) counts as the same word."""
    found: set[tuple[str, ...]] = set()
    for text in texts:
        tokens = ["_" if word.removesuffix("'s") in names else word for word in words(text)]
        found.update(tuple(tokens[i : i + length]) for i in range(len(tokens) - length + 1))
    return found


def figures(text: str) -> set[str]:
    """Numbers written in digits, `15,600` as `15600` and `22.60` as `22.6`."""
    return {_figure(found) for found in FIGURE.findall(text)}


def _figure(found: str) -> str:
    joined = re.sub(r",(?=\d{3}(?!\d))", "", found)
    return joined.rstrip("0").rstrip(".") if "." in joined else joined


@lru_cache(maxsize=4096)
def _phrases(patterns: tuple[str, ...]) -> re.Pattern[str]:
    body = "|".join(pattern.replace(" ", r"\s+") for pattern in patterns)
    return re.compile(rf"(?<!\w)(?<!\w')(?:{body})(?!\w|'\w)", re.IGNORECASE)


def find_pattern(text: str, patterns: Sequence[str]) -> str | None:
    """The first place where one of the regular expressions matches whole words, as it stands in the text."""
    match = _phrases(tuple(patterns)).search(text.translate(_STRAIGHT)) if patterns else None
    return match.group(0) if match else None


def find_phrase(text: str, phrases: Iterable[str]) -> str | None:
    """The first literal phrase that stands in the text as whole words."""
    known = {phrase: _literal(phrase) for phrase in phrases}
    if find_pattern(text, tuple(known.values())) is None:
        return None
    return next((phrase for phrase, pattern in known.items() if find_pattern(text, (pattern,))), None)


@lru_cache(maxsize=4096)
def _literal(phrase: str) -> str:
    return " ".join(re.escape(part) for part in phrase.translate(_STRAIGHT).split())


def near_pairs(texts: Sequence[str], shortest: int) -> Iterator[tuple[int, int]]:
    """Indices of texts of at least `shortest` words that are nearly equal."""
    for j, second in enumerate(texts):
        for i, first in enumerate(texts[:j]):
            long_enough = min(len(words(first)), len(words(second))) >= shortest
            if long_enough and likeness(first, second) >= NEAR_COPY:
                yield i, j
