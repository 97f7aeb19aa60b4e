"""The rules on characters that a reader does not see (F46), and on those that act on what shows them (F47).

Knows which characters those are. Joiners and selectors inside emoji are no such thing.
"""

import re
from collections.abc import Iterator
from typing import Any, cast

from losona.lint.finding import Fault
from losona.lint.lines import Chat
from losona.lint.view import FrameView
from losona.textfiles import Place

ODD_SPACE = re.compile("[\\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]| {2,}|^ +| +$")
"""White space other than one space between words."""
UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
"""Characters that take no room and mean nothing: soft hyphen, zero-width space, word joiner, byte order mark."""

ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, other ends of lines and paragraphs, what turns the writing direction."""
ENDING = re.compile("[\t\n]")
NAMES = frozenset({"name", "from", "sender", "actor", "elicitor_actor", "also", "channel"})
"""Keys of what stands on one line of a prompt."""


def tidy(text: str) -> str:
    """The text with single spaces between words and without unseen characters."""
    return re.sub(r" {2,}", " ", ODD_SPACE.sub(" ", UNSEEN.sub("", text))).strip(" ")


def plain_spaces(view: FrameView) -> Iterator[Fault]:
    """F46: visible texts hold single spaces and no unseen character."""
    for passage in view.passages:
        odd = [*UNSEEN.findall(passage.text), *ODD_SPACE.findall(passage.text)]
        if odd and passage.text.strip():
            names = ", ".join(dict.fromkeys(_named(found) for found in odd))
            yield Fault(passage.place, names, "single spaces between words", passage.slot, passage.turn)


def no_acting_character(view: Chat) -> Iterator[Fault]:
    """F47: no text holds a character that acts on a terminal or a prompt; a name has no line break either."""
    for place, text in _texts(view.document.data, ()):
        odd = [*ACTING.findall(text), *(ENDING.findall(text) if NAMES & set(place) else ())]
        if odd:
            names = ", ".join(dict.fromkeys(f"the character U+{ord(found):04X}" for found in odd))
            yield Fault(place, f"{names} in {'.'.join(map(str, place))}", "characters that a reader sees; remove it")


def _texts(data: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """Every text of a document with its place."""
    if isinstance(data, str):
        yield place, data
    elif isinstance(data, dict):
        for key, value in cast("dict[str, Any]", data).items():
            yield from _texts(value, (*place, key))
    elif isinstance(data, list):
        for number, value in enumerate(cast("list[Any]", data)):
            yield from _texts(value, (*place, number))


def _named(found: str) -> str:
    return "more than one space, or one at an end" if found.strip(" ") == "" else f"the character U+{ord(found):04X}"


CHECKS = {"F46": plain_spaces, "F47": no_acting_character}
"""Rule -> check."""
