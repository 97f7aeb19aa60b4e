"""The rule on characters that a reader does not see (F46).

Knows which characters those are. Joiners and selectors inside emoji are no such thing.
"""

import re
from collections.abc import Iterator

from losona.lint.finding import Fault
from losona.lint.view import FrameView

ODD_SPACE = re.compile("[\\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]| {2,}|^ +| +$")
"""White space other than one space between words."""
UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
"""Characters that take no room and mean nothing: soft hyphen, zero-width space, word joiner, byte order mark."""


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


def _named(found: str) -> str:
    return "more than one space, or one at an end" if found.strip(" ") == "" else f"the character U+{ord(found):04X}"


CHECKS = {"F46": plain_spaces}
"""Rule -> check."""
