"""Entries of scenario parameters, found in a reply as whole words.

Knows how one entry may be spelled. Does not know which entries a scenario has.
"""

import unicodedata
from functools import lru_cache

import regex

from losona.errors import CheckError
from losona.verifiers.text import plain

_PIECE = regex.compile(
    r"(?P<space>\s+)|(?P<dash>[-\u2010-\u2015\u2212])|(?P<mark>['\u2018\u2019\u02bc`\u00b4])|(?P<other>.)",
    regex.DOTALL,
)
_THOUSANDS = regex.compile(r"\d{3}(?!\d)")
_UNIT = r"(?:[ap]m|x|h|hrs?|mins?|pp?|ea|yen|jpy|usd|eur|euros?|gbp|quid|kr|chf|[円元원])(?![\p{L}\p{N}])"
"""Pattern of a unit that is written without a space behind a figure."""
_PICTURES = ("So", "Sk")
PLURAL_LENGTH = 4
"""Letters from which a word may take a plural s without becoming another word ("new", "news")."""
_OTHER_WORDS = frozenset(("well", "were", "ill", "hell", "shell", "its", "id", "wed", "shed", "whore", "wont", "cant"))


@lru_cache(maxsize=8192)
def entry_pattern(entry: str) -> str:
    """Pattern of an entry `a|b` as a whole word, either spelling.

    A space, a hyphen and a dash are alike inside an entry, an apostrophe may be missing where no other word comes of
    it, `7am` and `7 am` are alike. A number is found before a unit (`8:05` in `8:05am`) and not inside a longer one
    (`5` in `5.50`; `7` is in `7:00`), a single letter before 's, 'll and 'd ("V'll") and not inside another
    contraction, an abbreviation or a compound (the s of "he's", the e of "e.g."). A word is found with a plural s
    and with letters drawn out (`tent` in "tents", `Hilde` in "HILDEEEE"), a figure with an x (`4` in "x4").
    """
    spellings = [plain(spelling).strip() for spelling in entry.split("|")]
    patterns = [_before(spelling) + _body(spelling) + _after(spelling) for spelling in spellings if spelling]
    if not patterns:
        raise CheckError(f"the parameter entry {entry!r} is blank")
    return "(?:" + "|".join(patterns) + ")"


def _before(text: str) -> str:
    guard = "" if unicodedata.category(text[0]) in _PICTURES else r"(?<![\p{L}\p{N}])"
    if text[0].isdigit():
        guard = r"(?:(?<![\p{L}\p{N}])|(?<=(?<![\p{L}\p{N}])[xX×]))(?<!\d[.:])"
        guard += r"(?<!\d,)" if _THOUSANDS.match(text) else ""
    return guard + (r"(?<![\p{L}\p{N}]['.\-])" if len(text) == 1 and text.isalpha() else "")


def _after(text: str) -> str:
    if text[-1].isdigit():
        return rf"(?!(?!{_UNIT})[\p{{L}}\p{{N}}])(?!:(?!00(?!\d))\d|\.(?!00?(?!\d))\d|,\d{{3}}(?!\d))"
    guard = "" if unicodedata.category(text[-1]) in _PICTURES else r"(?![\p{L}\p{N}])"
    if len(text) >= PLURAL_LENGTH and text[-1].isalpha() and text[-1].isascii() and text[-1] not in "sS":
        guard = "s?" + guard
    if len(text) == 1 and text.isalpha():
        endings = "s" if text in "Ii" else "s|ll|d"
        guard += rf"(?!'(?!(?:{endings})\b)\p{{L}}|[.\-][\p{{L}}\p{{N}}])"
    return guard


def _stretched(letter: str) -> str:
    """A letter, once or drawn out over three or more ("HILDEEEE"); two of them may make another word."""
    pattern = regex.escape(letter)
    return rf"(?:{pattern}{{3,}}|{pattern})" if letter.isalpha() and letter.isascii() else pattern


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
                unit = last.isdigit() and text[match.end()].isalpha()
                pieces.append(r"[\s\-\u2010-\u2015\u2212]" + ("*" if unit else "+"))
            case "dash":
                pieces.append(r"[\-\u2010-\u2015\u2212]" if edge else r"\s?[\s\-\u2010-\u2015\u2212]\s?")
            case "mark":
                pieces.append(r"['\u02bc`\u00b4]" + ("?" if optional_mark and not edge else ""))
            case _:
                pieces.append(_stretched(piece))
        last = piece
    return "".join(pieces)
