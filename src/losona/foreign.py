"""Foreign text as it may be shown. Knows characters and nothing else."""

import re
import unicodedata

INVISIBLE_USED = "\n\t\u200c\u200d\u200e\u200f"
"""Invisible characters that ordinary text needs: lines, joiners of emoji and scripts, direction marks."""


def shown(text: str) -> str:
    """Foreign text with control, override and other invisible characters made visible, so that it cannot mislead."""
    if text.replace("\u00a0", "").replace("\u202f", "").isprintable():
        return text
    return "".join(_visible(character) for character in text.replace("\r\n", "\n"))


def shown_line(text: str) -> str:
    """The same on one line: no part of it can pass for a line of its own."""
    return re.sub(r" *[\n\t]\s*", " ", shown(text))


def _visible(character: str) -> str:
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    return f"⟨U+{ord(character):04X}⟩" if hidden and character not in INVISIBLE_USED else character
