"""Entries of scenario parameters, found in a reply as whole words.

Knows how one entry may be spelled. Does not know which entries a scenario has.
"""

from functools import lru_cache

import regex

from losona.errors import CheckError

_PIECE = regex.compile(
    r"(?P<space>\s+)|(?P<dash>[-\u2010-\u2015\u2212])|(?P<mark>['\u2018\u2019\u02bc`\u00b4])|(?P<other>.)",
    regex.DOTALL,
)
_OTHER_WORDS = frozenset(("well", "were", "ill", "hell", "shell", "its", "id", "wed", "shed", "whore", "wont", "cant"))


@lru_cache(maxsize=8192)
def entry_pattern(entry: str) -> str:
    """Pattern of an entry `a|b` as a whole word, either spelling.

    A space, a hyphen and a dash are alike between letters, an apostrophe may be missing where no other word
    comes of it, `7am` and `7 am` are alike. A number is not found inside a longer one (`5` in `5.50`), a single
    letter not inside a contraction, an abbreviation or a compound (the s of "he's", the e of "e.g.").
    """
    spellings = [spelling.strip() for spelling in entry.split("|")]
    patterns = [_spelling(spelling) for spelling in spellings if spelling]
    if not patterns:
        raise CheckError(f"the parameter entry {entry!r} is blank")
    return "(?:" + "|".join(patterns) + ")"


def _spelling(text: str) -> str:
    return _before(text) + _body(text) + _after(text)


def _before(text: str) -> str:
    guard = r"(?<![\p{L}\p{N}])"
    if text[0].isdigit():
        guard += r"(?<!\d[.,:])"
    if len(text) == 1 and text.isalpha():
        guard += r"(?<![\p{L}\p{N}]['.\-])"
    return guard


def _after(text: str) -> str:
    guard = r"(?![\p{L}\p{N}])"
    if text[-1].isdigit():
        guard += r"(?!(?!:00\b|[.,]0+\b)[.,:]\d)"
    if len(text) == 1 and text.isalpha():
        guard += r"(?!'(?!s\b)[\p{L}]|[.\-][\p{L}\p{N}])"
    return guard


def _body(text: str) -> str:
    optional_mark = text.casefold().replace("'", "").replace("\u2019", "") not in _OTHER_WORDS
    pieces: list[str] = []
    last = ""
    for match in _PIECE.finditer(text):
        piece, edge = match.group(), match.start() == 0 or match.end() == len(text)
        if last.isdigit() and piece.isalpha():
            pieces.append(r"\s?")
        match match.lastgroup:
            case "space":
                pieces.append(r"[\s\-\u2010-\u2015\u2212]+")
            case "dash":
                pieces.append(r"[\-\u2010-\u2015\u2212]" if edge else r"\s?[\s\-\u2010-\u2015\u2212]\s?")
            case "mark":
                pieces.append(r"['\u02bc`\u00b4]" + ("?" if optional_mark and not edge else ""))
            case _:
                pieces.append(regex.escape(piece))
        last = piece
    return "".join(pieces)
