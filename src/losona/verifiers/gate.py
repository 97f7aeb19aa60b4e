"""The gate before any norm check: is this a reply that a member could have sent, and which part of it is graded?

Knows replies, the roster and the earlier messages. Does not know norms: the gate is the same for every norm. The
word lists stand in `content/validity.yaml`.
"""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

import regex
from pydantic import RootModel

from losona.schema.results import Validity
from losona.textfiles import hash_files, read_yaml, validate
from losona.verifiers.operations import Context
from losona.verifiers.patterns import IGNORE_CASE, compiled
from losona.verifiers.text import CLOCK, SMILEY, Reading, normalise, strip_label

MAX_WORDS = 160
"""Replies with more words are flagged."""
MAX_RAW_CHARS = 100_000
"""Length up to which reasoning tags are looked for, before the reply itself is cut."""

_NEEDED = ("ai_refusal", "assistant_voice", "grader_address", "reasoning_open", "reasoning_close")
_VALIDITY = Path(str(files("losona"))) / "content" / "validity.yaml"

_SCRIPTS = (
    "Arabic", "Armenian", "Bengali", "Bopomofo", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati",
    "Gurmukhi", "Han", "Hangul", "Hebrew", "Hiragana", "Kannada", "Katakana", "Khmer", "Lao", "Malayalam", "Myanmar",
    "Sinhala", "Tamil", "Telugu", "Thai", "Tibetan",
)  # fmt: skip
_LANGUAGE_SCRIPTS = {
    "am": "Ethiopic", "ar": "Arabic", "be": "Cyrillic", "bg": "Cyrillic", "bn": "Bengali", "el": "Greek",
    "fa": "Arabic", "gu": "Gujarati", "he": "Hebrew", "hi": "Devanagari", "hy": "Armenian",
    "ja": "Han Hiragana Katakana", "ka": "Georgian", "kk": "Cyrillic", "km": "Khmer", "kn": "Kannada",
    "ko": "Hangul Han", "lo": "Lao", "mk": "Cyrillic", "ml": "Malayalam", "mn": "Cyrillic", "mr": "Devanagari",
    "my": "Myanmar", "ne": "Devanagari", "pa": "Gurmukhi", "ru": "Cyrillic", "si": "Sinhala", "sr": "Cyrillic",
    "ta": "Tamil", "te": "Telugu", "th": "Thai", "uk": "Cyrillic", "ur": "Arabic", "zh": "Han Bopomofo",
}  # fmt: skip
_LATIN = regex.compile(r"[\p{L}&&\p{Latin}]", regex.VERSION1)
_WORD_OF = {
    name: regex.compile(rf"[\p{{L}}&&\p{{{name}}}]" + ("" if name == "Han" else r"[\p{L}\p{M}]+"), regex.VERSION1)
    for name in _SCRIPTS
} | {"Hangul": regex.compile("[\uac00-\ud7a3]")}
_UNIT_SIGN = regex.compile(r"(?<=\d)\p{Han}(?!\p{L})|円")
_CONTENT = regex.compile(r"[[\p{L}\p{N}\p{So}]--[\uFFFC\uFFFD]]|[:;=]['\-^]?[)(\]\[|/\\]|\^[_.]?\^|<3", regex.VERSION1)


class _Patterns(RootModel[tuple[str, ...]]):
    """A list of regular expressions."""


@cache
def lexicons() -> dict[str, str]:
    """The gate's word lists: name -> one regular expression."""
    document = read_yaml(_VALIDITY)
    lists = {name: validate(_Patterns, document, (name,)).root for name in _NEEDED}
    return {name: "|".join(f"(?:{pattern})" for pattern in patterns) for name, patterns in lists.items()}


def validity(reply: str, context: Context, language: str = "en") -> Validity:
    """What the gate finds: whether the reply is valid, why not, what was repaired, and the text to grade."""
    flags: set[str] = set()
    text, leaked = _without_reasoning(reply, flags)
    text, stripped = normalise(text, context.subject)
    flags.update(stripped)
    own = _own_part(text, context, flags)
    reason = "leaked_reasoning" if leaked else _fault(text, own, context, language)
    _notice(own, flags)
    return Validity(valid=not reason, reasons=(reason,) if reason else (), flags=tuple(sorted(flags)), text=own)


def _finds(name: str, reading: Reading) -> bool:
    """Whether a word list is found; the gate's own patterns are linear and need no clock."""
    return compiled(lexicons()[name], IGNORE_CASE).search(reading.plain) is not None


def _notice(text: str, flags: set[str]) -> None:
    """What is only flagged: the reply stays as it is."""
    reading = Reading(text)
    if len(reading.lines) > 1:
        flags.add("several_lines")
    if len(reading.words) > MAX_WORDS:
        flags.add("over_160_words")
    if _finds("assistant_voice", reading):
        flags.add("assistant_voice")
    if _finds("grader_address", reading):
        flags.add("addresses_grader")


def says_something(text: str) -> bool:
    """Whether there is a letter, digit, emoji or smiley in a text, and not only punctuation."""
    return bool(_CONTENT.search(text) or Reading(text).emoji)


def _fault(text: str, own: str, context: Context, language: str) -> str:
    """Why the reply is invalid; empty if it is not."""
    reading = Reading(own)
    if not own:
        return "only_others" if text else "empty"
    if not says_something(own):
        return "punctuation_only"
    if _finds("ai_refusal", reading):
        return "ai_refusal"
    return "other_language" if _other_language(reading.bare, context.prior_texts, language) else ""


def _other_language(text: str, prior_texts: Iterable[str], language: str) -> bool:
    """Only where the script settles it: words in a script that neither the language nor the chat has, no Latin letter.

    Latin letters settle nothing (names, 'ok', loan words), nor do single letters used as a face or the sign of a unit
    behind a figure (`1,300円`, `12人`).
    """
    text = _UNIT_SIGN.sub(" ", text)
    if _LATIN.search(text):
        return False
    written = {name for name, word in _WORD_OF.items() if word.search(text)}
    expected = set(_LANGUAGE_SCRIPTS.get(language.partition("-")[0].lower(), "").split())
    chat = "\n".join(prior_texts)
    known = expected | {name for name in written - expected if _WORD_OF[name].search(chat)}
    return bool(written) and not written & known


@cache
def _reasoning_tags() -> "regex.Pattern[str]":
    opening, closing = lexicons()["reasoning_open"], lexicons()["reasoning_close"]
    return regex.compile(f"{opening}|(?P<close>{closing})", regex.IGNORECASE)


def _without_reasoning(reply: str, flags: set[str]) -> tuple[str, bool]:
    """The reply without closed reasoning, and whether reasoning is left open.

    Text before a closing tag that nothing opened is reasoning too. One pass over the tags; nested ones are counted.
    """
    if len(reply) > MAX_RAW_CHARS:
        reply = reply[:MAX_RAW_CHARS]
        flags.add("truncated")
    kept: list[str] = []
    depth = at = 0
    for tag in _reasoning_tags().finditer(reply):
        closes = tag.group("close") is not None
        if closes and not depth:
            kept.clear()
        elif not depth:
            kept.append(reply[at : tag.start()])
        depth = max(0, depth - 1) if closes else depth + 1
        at = tag.end()
        if closes:
            flags.add("reasoning_stripped")
    return "".join([*kept, "" if depth else reply[at:]]), depth > 0


# lines for other members


def _own_part(text: str, context: Context, flags: set[str]) -> str:
    """The subject's own message: what stands before the first line that speaks for another member.

    A line speaks for the member in whose label it stands: `Mina: ...`, `[10:42] Mina: ...`, `<Mina> ...`. It does
    not where it is quoted (`> Mina: ...`, `"Mina: ...`) or stands in a list that a line ending in a colon opens.
    A label on the first line is an address ("Mina: yes") unless it is a transcript's (a time in front, or `<Mina>`)
    or other labelled lines follow; if all of those bear the same one name, it is still that member who is addressed.
    """
    lines = text.split("\n")
    speakers = _speakers(lines, context)
    if not speakers:
        return text
    others = [i for i, (name, _) in speakers.items() if name != context.subject.casefold()]
    if others and not _addresses_one(speakers, others):
        cut = 0 if others[0] == 0 and (len(speakers) > 1 or speakers[0][1]) else next((i for i in others if i), None)
        if cut is not None:
            flags.add("others_cut")
            lines = lines[:cut]
    for i in range(len(lines)):
        if i in speakers and i not in others:
            lines[i] = strip_label(lines[i], context.subject)
            flags.add("own_label_stripped")
    own, stripped = normalise("\n".join(lines), context.subject)
    flags.update(stripped)
    return own


def _addresses_one(speakers: dict[int, tuple[str, bool]], others: Sequence[int]) -> bool:
    """Whether the labels are an address: on the first line, all of one name, none of them a transcript's."""
    return others[0] == 0 and len(set(speakers.values())) == 1 and not speakers[0][1]


def _speakers(lines: Sequence[str], context: Context) -> dict[int, tuple[str, bool]]:
    """Line number -> (casefolded name in the label, whether it is a transcript's label)."""
    pattern = _label_pattern((*context.roster, context.subject))
    found: dict[int, tuple[str, bool]] = {}
    opened = listed = False  # behind a line that ends in a colon; a labelled line has followed it
    for i, line in enumerate(lines):
        match = pattern.match(line)
        if match and opened:
            listed = True
        elif match:
            name = match.group("name") or match.group("angled")
            found[i] = (name.casefold(), bool(match.group("clock") or match.group("angled")))
        else:
            opened = opened and not listed if not line.strip() else line.rstrip(" *_").endswith(":")
            listed = False
    return found


@lru_cache(maxsize=1024)
def _label_pattern(names: tuple[str, ...]) -> "regex.Pattern[str]":
    any_name = "|".join(regex.escape(name) for name in sorted(set(names), key=len, reverse=True) if name) or "(?!)"
    return regex.compile(
        rf"\s*[*_]{{0,3}}(?P<clock>{CLOCK})?[*_]{{0,3}}"
        rf"(?:<(?P<angled>{any_name})>(?!\s?:)"
        rf"|[<@]?(?P<name>{any_name})>?[*_]{{0,3}}(?:\s*\(to [^()\n]{{1,40}}\))?"
        rf"\s?:(?!{SMILEY})(?!//)[*_]{{0,3}}(?=\s|\Z|\w))",
        regex.IGNORECASE,
    )


@cache
def gate_hash() -> str:
    """Hash (16 hex digits) of the gate's content: a change of it moves scores."""
    return hash_files([_VALIDITY], _VALIDITY.parent)
