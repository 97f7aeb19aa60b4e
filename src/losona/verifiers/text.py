"""What a reply is made of: its canonical form, and its words, lines, sentences, questions and emoji.

Knows characters. Does not know norms, scenarios or rosters. Whatever the text is, the time is linear in its
length, and the length is bounded first.
"""

import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache

import regex

MAX_CHARS = 4000
"""Length to which a reply is cut before any pattern runs."""

_V1 = regex.VERSION1
_LINE_BREAK = regex.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_SPACES = regex.compile(r" {2,}+")
_SPACE = regex.compile(r"[\p{Zs}\t]")
_UNSEEN = regex.compile(r"[[\p{Cc}--\n]\p{Cf}]", _V1)
_NUMBER_SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")
_JOINED_SCRIPT = regex.compile(r"[\p{Arabic}\p{Syriac}\p{Mongolian}\p{Indic_Syllabic_Category=Virama}]", _V1)
_BEFORE_JOINER = regex.compile(r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\U000E007F]")
_PICTOGRAPH = regex.compile(r"\p{Extended_Pictographic}")
_STRAIGHT = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201b": "'", "\u201c": '"', "\u201d": '"', "\u201f": '"'})

_PICTURES = r"[\u2600-\u27bf\u2b00-\u2bff\U0001F000-\U0001FAFF]"
_ONE_EMOJI = (
    r"(?:\p{Emoji_Presentation}|[\p{Emoji}--[\x00-\x7f]]\uFE0F"
    rf"|[\p{{Extended_Pictographic}}&&{_PICTURES}]|[\p{{So}}&&{_PICTURES}])(?!\uFE0E)[\uFE0F\p{{Emoji_Modifier}}\u20E3]*+"
)
_EMOJI = regex.compile(
    r"[0-9#*]\uFE0F?\u20E3|\p{Regional_Indicator}{2}|\U0001F3F4[\U000E0020-\U000E007F]++"
    rf"|{_ONE_EMOJI}(?:\u200d{_ONE_EMOJI})*+",
    _V1,
)
_SHORTCODE = regex.compile(r"(?<!\w):(?:[+-]1|100|(?=[0-9_+-]*[a-z])[a-z0-9_+-]{2,}):(?!\w)")
_RUN = r"[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200c\u200d]*+"
_WORD = regex.compile(rf"{_RUN}(?:['\-./]{_RUN})*+")
_ALNUM = regex.compile(r"[\p{L}\p{N}]")
_SENTENCE_END = regex.compile(
    r"(?<=[.!?…])(?<!\b(?i:e\.g|i\.e|vs|approx|mr|mrs|ms|dr|st|prof)\.)(?<!\b[aApP]\.[mM]\.(?=\s+[\p{Ll}\d]))\s+(?=\S)"
)
_MARKS = regex.compile(r"[?!？！؟‽⁇⁈⁉]+")
_QUESTION_MARK = regex.compile(r"[?？؟‽⁇⁈⁉]")
_LAST_LETTER = regex.compile(r"(?r)[\p{L}\p{N}\p{M}]")
_LINK = regex.compile(r"(?:https?://|www\.)\S+", regex.IGNORECASE)
_UNMARKED_QUESTION = regex.compile(
    r"\A\W*(?:(?:and|so|but|ok|okay|wait|then)\s+)?"
    r"(?:(?:who|what|when|where|which|why|how)\s+(?:do|does|did|are|is|was|were|can|could|will|would|should)"
    r"|(?:do|does|did|are|were|can|could|will|would))\s+(?:you|they|we|he|she|it)\b"
    r"(?!\s+(?:look|believe|imagine|know what)\b)[^.!…]*\Z",
    regex.IGNORECASE,
)

GLUE = regex.compile(r"[\uFE0E\uFE0F]|(?<=\P{L})\u200d")
"""The unseen glue inside emoji, which the engine takes for letters."""
SMILEY = r"-?[)(DPpO/|\\](?!\w)"
"""Pattern of what makes a colon the eyes of a smiley instead of the end of a speaker label."""
CLOCK = r"(?:[\[(]?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[ap]\.?m\.?)?[\])]?\s*(?:[-–—]\s*)?)"
"""Pattern of the time in front of a speaker label."""


def _visible(text: str) -> str:
    """The text without zero-width, bidi and control characters; joiners of emoji and of joined scripts stay."""
    kept: list[str] = []
    flag = False
    for i, char in enumerate(text):
        flag = char == "\U0001f3f4" or (flag and "\U000e0020" <= char <= "\U000e007f")
        if _UNSEEN.match(char) and char not in _NUMBER_SIGNS:
            after = text[i + 1 : i + 2]
            joins = char == "\u200d" and kept and _BEFORE_JOINER.match(kept[-1]) and _PICTOGRAPH.match(after)
            spells = char in "\u200c\u200d" and kept and _JOINED_SCRIPT.match(kept[-1]) and _ALNUM.match(after)
            if not (flag or joins or spells):
                continue
        kept.append(char)
    return "".join(kept)


def canonical(text: str) -> str:
    """Same words, one spelling of characters: NFC, plain spaces and line breaks, straight quotes, nothing unseen."""
    text = _SPACE.sub(" ", _LINE_BREAK.sub("\n", unicodedata.normalize("NFC", text.strip()[:MAX_CHARS])))
    if _UNSEEN.search(text):
        text = unicodedata.normalize("NFC", _visible(text))
    return text.translate(_STRAIGHT)[:MAX_CHARS].strip()


@lru_cache(maxsize=256)
def _label(name: str) -> "regex.Pattern[str]":
    return regex.compile(
        rf"[*_]{{0,3}}{CLOCK}?[*_]{{0,3}}(?:<{regex.escape(name)}>\s?+(?!:)"
        rf"|[*_<@\[(]{{0,3}}{regex.escape(name)}[>\])*_]{{0,3}}(?:\s?\(to [^()\n]{{1,40}}\))?"
        rf"\s?:(?!{SMILEY})(?!//)(?!\d\d\b)[*_]{{0,3}})\s*+",
        regex.IGNORECASE,
    )


def strip_label(text: str, name: str) -> str:
    """The text without the member's own name, with or without a time, in front."""
    end = 0
    while name and (match := _label(name).match(text, end)):
        end = match.end()
    return text[end:].strip()


def _strip_fence(text: str) -> str:
    for fence in ("```", "~~~"):
        if len(text) >= 6 and text.startswith(fence) and text.endswith(fence) and text.count(fence) == 2:
            inside = text[3:-3]
            first, newline, rest = inside.partition("\n")
            return (rest if newline and (not first or first.isalnum()) else inside).strip()
    return text


def _strip_quotes(text: str) -> str:
    for mark in "\"'`":
        if len(text) > 1 and text[0] == text[-1] == mark and text.count(mark) == 2:
            return text[1:-1].strip()
    return text


def normalise(text: str, subject: str) -> tuple[str, tuple[str, ...]]:
    """The reply as it is graded, and flags of what was taken off.

    Cut to `MAX_CHARS` first; then code fence, own-name label and surrounding quotes are taken off until none is
    left. Never changes words or case; doing it twice changes nothing.
    """
    flags = {"truncated"} if len(text.strip()) > MAX_CHARS else set[str]()
    text, before = canonical(text), None
    while text != before:
        before = text = canonical(text)
        for flag, stripped in (
            ("fence_stripped", _strip_fence(text)),
            ("own_label_stripped", strip_label(text, subject)),
            ("quotes_stripped", _strip_quotes(text)),
        ):
            if stripped != text:
                text = stripped
                flags.add(flag)
                break
    return text, tuple(sorted(flags))


def emoji(text: str) -> tuple[str, ...]:
    """Emoji as a reader counts them: a flag, a family or a hand with its skin tone is one; shortcodes count."""
    return (*_EMOJI.findall(text), *_SHORTCODE.findall(text))


def without_emoji(text: str) -> str:
    """The text with a space in place of each emoji."""
    return _SHORTCODE.sub(" ", _EMOJI.sub(" ", text))


def plain(text: str) -> str:
    """The text that patterns see: emoji without their variation selectors and joiners, single spaces."""
    return _SPACES.sub(" ", GLUE.sub("", text))


@dataclass(frozen=True)
class Reading:
    """A normalised reply and what is counted in it; each count is made once."""

    text: str
    """The reply."""

    @cached_property
    def plain(self) -> str:
        """The text that patterns see."""
        return plain(self.text)

    @cached_property
    def emoji(self) -> tuple[str, ...]:
        """The emoji."""
        return emoji(self.text)

    @cached_property
    def bare(self) -> str:
        """The text without emoji."""
        return without_emoji(self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Runs of letters and digits; an apostrophe, hyphen, point or slash inside does not split them."""
        return tuple(_WORD.findall(self.bare))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Lines that are not blank."""
        return tuple(line.strip() for line in self.text.split("\n") if line.strip())

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Sentences, never across lines; 'e.g.', 'Dr.' and 'p.m.' before a small letter do not end one."""
        parts = (part for line in self.lines for part in _SENTENCE_END.split(line))
        return tuple(part for part in parts if _ALNUM.search(part))

    @cached_property
    def question_marks(self) -> int:
        """Runs of marks with a question mark in them: '??' and '?!' are one."""
        return sum(1 for run in _MARKS.findall(self.text) if _QUESTION_MARK.search(run))

    @cached_property
    def questions(self) -> int:
        """Question marks, and sentences without one that are plainly questions ('did you ask them')."""
        return self.question_marks + sum(1 for sentence in self.sentences if _UNMARKED_QUESTION.match(sentence))

    @cached_property
    def ends_as_question(self) -> bool:
        """A question mark behind the last word, or a last sentence that plainly asks."""
        if _QUESTION_MARK.search(self.tail):
            return True
        return bool(self.sentences) and _UNMARKED_QUESTION.match(self.sentences[-1]) is not None

    @cached_property
    def tail(self) -> str:
        """What stands behind the last letter or digit, emoji aside."""
        last = _LAST_LETTER.search(self.bare)
        return self.bare[last.end() if last else 0 :]

    @cached_property
    def core(self) -> str:
        """The text without case, emoji and edge punctuation, with single spaces."""
        first = _ALNUM.search(self.bare)
        inside = self.bare[first.start() : len(self.bare) - len(self.tail)] if first else ""
        return " ".join(inside.casefold().split())

    @cached_property
    def without_links(self) -> str:
        """The text without web addresses."""
        return _LINK.sub("", self.text)
