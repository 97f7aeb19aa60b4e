"""What each operation of the check language means for a reply.

Knows the grammar (`losona.schema.check`) and replies. Does not know norms, packs or who asks. No reply, however
made, takes long: the text is bounded and patterns run against the clock.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import regex

from losona.errors import CheckError
from losona.numbers import some
from losona.schema import check as c
from losona.schema.taxonomy import Params
from losona.verifiers.patterns import IGNORE_CASE, MIND_CASE, Stopwatch, found, groups
from losona.verifiers.sums import count_sums, figure
from losona.verifiers.text import CLOCK, GLUE, MAX_CHARS, Reading, plain
from losona.verifiers.tokens import entry_pattern

NODES_SHOWN, NODE_SHOWN = 3, 60
"""Nodes of a check that settle a matter together and are named; characters of each."""
_NUMBER = regex.compile(r"\d{1,3}(?:,\d{3})++(?:\.\d++)?|\d++(?:[.,]\d++)?")
_HAND_OVER = r"(?:,? (?:you|your (?:turn|go)|thoughts|go|next|what about you|how about you))?[\s\W]*\Z"
_QUOTE = regex.compile(r'\A(?:>+|")\s*(.+)\Z', regex.DOTALL)
_CAPITAL = regex.compile(r"\A[^\p{L}\p{N}]*+[\p{Lu}\p{Lt}\p{Lo}\p{N}]")
_CLOSED = regex.compile(r"[.?][\"')\]*_]*\Z")
_ELLIPSIS = regex.compile(r"\.{2,}|…")


@dataclass(frozen=True)
class Context:
    """What a check may know of the scenario."""

    params: Params
    """Parameters of the check."""
    roster: tuple[str, ...]
    """Names of all members."""
    prior_texts: tuple[str, ...]
    """Earlier messages, `Name: text`."""
    subject: str
    """Whose reply it is."""


@dataclass(frozen=True)
class Outcome:
    """Whether a check holds for a reply, and which of its nodes decided."""

    holds: bool
    """The result."""
    node: str
    """The deciding node and what it saw, in short."""


@dataclass
class _Case:
    """One reply on the bench: all that an operation may look at."""

    reading: Reading
    context: Context
    lexicons: Mapping[str, str]
    watch: Stopwatch = field(default_factory=Stopwatch)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in self.context.roster if name.strip())

    def entries(self, key: str) -> tuple[str, ...]:
        return self.context.params[key]

    def seen(self, entries: tuple[str, ...], text: str) -> list[str]:
        return [entry for entry in entries if self.watch.search(entry_pattern(entry), text)]

    def search(self, pattern: str, text: str, flags: int = IGNORE_CASE) -> "regex.Match[str] | None":
        """A pattern of the content; only one that names the glue of emoji sees it."""
        return self.watch.search(pattern, text if GLUE.search(pattern) else plain(text), flags)


def evaluate(check: c.Node, text: str, context: Context, lexicons: Mapping[str, str]) -> Outcome:
    """Whether a check holds for a normalised reply.

    Raises `CheckError` when a parameter is missing or empty, a lexicon is unknown, or a pattern does not compile or
    runs out of time: such a reply is neither passed nor failed.
    """
    _require(check, context, lexicons)
    return _node(check, _Case(Reading(text[:MAX_CHARS]), context, lexicons))


def _require(check: c.Node, context: Context, lexicons: Mapping[str, str]) -> None:
    missing = sorted(key for key in c.needed_params(check) if not context.params.get(key))
    if missing:
        given = ", ".join(sorted(context.params)) or "none"
        raise CheckError(f"the check needs the parameter {missing[0]!r}; the scenario gives: {given}")
    for operation in c.walk(check):
        if isinstance(operation, c.Lexicon) and operation.name not in lexicons:
            raise CheckError(f"unknown lexicon {operation.name!r}; known are: {', '.join(sorted(lexicons)) or 'none'}")


def _node(node: c.Node, case: _Case) -> Outcome:
    match node:
        case c.All(all=branches):
            return _branches("all", branches, case, stop_at=False)
        case c.AnyOf(any=branches):
            return _branches("any", branches, case, stop_at=True)
        case c.Not():
            inner = _node(node.not_, case)
            return Outcome(not inner.holds, f"not > {inner.node}")
        case _:
            holds, saw = _operation(node, case)
            return Outcome(holds, f"{_name(node)}: {saw}")


def _branches(name: str, branches: tuple[c.Node, ...], case: _Case, stop_at: bool) -> Outcome:
    """The first branch that settles the matter decides; if none does, all of them together, with what each saw."""
    seen: list[str] = []
    for branch in branches:
        outcome = _node(branch, case)
        seen.append(outcome.node)
        if outcome.holds is stop_at or len(branches) == 1:
            return Outcome(outcome.holds, f"{name} > {outcome.node}")
    how = f"none of {len(branches)} holds" if stop_at else f"all {len(branches)} hold"
    return Outcome(not stop_at, f"{how} ({_some(seen)})")


def _some(nodes: Sequence[str]) -> str:
    """The first of several nodes, each cut, and how many more there are."""
    shown = [node if len(node) <= NODE_SHOWN else node[: NODE_SHOWN - 3] + "..." for node in nodes[:NODES_SHOWN]]
    return "; ".join([*shown, *([f"{len(nodes) - NODES_SHOWN} more"] if len(nodes) > NODES_SHOWN else [])])


def _name(node: c.Operation) -> str:
    """An operation as a person would cite it: its name and its short arguments."""
    match node:
        case c.Count() | c.NumbersMultiple():
            return f"{node.op} n={node.n}"
        case c.Lexicon():
            return f"{node.op} {node.name}"
        case c.Param() | c.StartsParam() | c.ParamsInside():
            return f"{node.op} {node.key}"
        case c.ParamCount():
            return f"{node.op} {node.key} n={node.n}"
        case c.NamesOnly():
            return f"{node.op} {'+'.join(node.keys)}"
        case c.CapsShare():
            return f"{node.op} x={node.x:g}"
        case _:
            return node.op


def _operation(node: c.Operation, case: _Case) -> tuple[bool, str]:
    match node:
        case c.Count():
            return _count(node, case.reading)
        case c.Form():
            return _FORMS[node.op](case)
        case c.CapsShare():
            return _caps_share(node, case.reading)
        case c.EqualsAny():
            return _equals_any(node, case.reading)
        case c.Pattern():
            return _pattern(node, case)
        case c.Lexicon():
            return _lexicon(node, case)
        case c.Param():
            return _param(node, case)
        case c.ParamCount():
            seen = case.seen(case.entries(node.key), case.reading.plain)
            return len(seen) >= node.n, f"{len(seen)} found"
        case c.StartsParam():
            return _starts_param(node, case)
        case c.ParamsInside():
            return _params_inside(node, case)
        case c.NamesOnly():
            return _names_only(node, case)
        case c.QuotesTranscript():
            return _quotes_transcript(node, case)
        case c.ArithOk():
            sums = count_sums(case.reading.text)
            return sums.right >= node.min and not sums.wrong, f"{sums.right} right, {sums.wrong} wrong"
        case c.NumberCount():
            count = len(_NUMBER.findall(case.reading.bare))
            return node.min <= count <= node.max, f"{some(count, 'number')}"
        case c.NumbersMultiple():
            values = [figure(number) for number in _NUMBER.findall(case.reading.bare)]
            odd = [value for value in values if value % node.n]
            return bool(values) and not odd, f"{some(len(values), 'number')}" + (f", {odd[0]:g} is none" if odd else "")


# counts and form


def _caps_words(reading: Reading) -> int:
    letters = ("".join(char for char in word if char not in "'-./") for word in reading.words)
    return sum(1 for word in letters if len(word) >= 3 and word.isalpha() and word.isupper())


_COUNTS: dict[str, tuple[str, Callable[[Reading], int]]] = {
    "word": ("word", lambda r: len(r.words)),
    "line": ("line", lambda r: len(r.lines)),
    "sent": ("sentence", lambda r: len(r.sentences)),
    "q_max": ("question mark", lambda r: r.question_marks),
    "q_min": ("question", lambda r: r.questions),
    "exclaim": ("exclamation mark", lambda r: r.text.count("!") + r.text.count("！")),
    "emoji": ("emoji", lambda r: len(r.emoji)),
    "caps_words": ("word in capitals", _caps_words),
}
_PLURALS = {"emoji": "emoji", "word in capitals": "words in capitals"}


def _count(node: c.Count, reading: Reading) -> tuple[bool, str]:
    what, _, bound = node.op.rpartition("_")
    unit, counter = _COUNTS[node.op if what == "q" else what]
    number = counter(reading)
    return number <= node.n if bound == "max" else number >= node.n, some(number, unit, _PLURALS.get(unit, ""))


def _ends_q(case: _Case) -> tuple[bool, str]:
    holds = case.reading.ends_as_question
    return holds, "ends as a question" if holds else "does not end as a question"


def _emoji_only(case: _Case) -> tuple[bool, str]:
    count, words = len(case.reading.emoji), len(case.reading.words)
    return count > 0 and not words, f"{count} emoji, {some(words, 'word')}"


def _no_upper(case: _Case) -> tuple[bool, str]:
    upper = next((char for char in case.reading.without_links if char.isupper()), "")
    return not upper, f"found {upper!r}" if upper else "no capital"


def _no_final_stop(case: _Case) -> tuple[bool, str]:
    tail = _ELLIPSIS.sub("", case.reading.tail)
    stop = "." in tail or "!" in tail
    return not stop, f"ends in {case.reading.tail.strip()!r}" if stop else "no final stop"


def _every(pieces: tuple[str, ...], pattern: "regex.Pattern[str]", fault: str) -> tuple[bool, str]:
    bad = next((piece for piece in pieces if not pattern.search(piece)), None)
    return bool(pieces) and bad is None, "every one" if bad is None else f"{fault}: {bad[:30]!r}"


def _names_none(case: _Case) -> tuple[bool, str]:
    seen = case.seen(case.names, case.reading.plain)
    return not seen, f"found {seen[0]!r}" if seen else "no member is named"


def _arith_none(case: _Case) -> tuple[bool, str]:
    sums = count_sums(case.reading.text)
    return not (sums.right or sums.wrong), f"{sums.right + sums.wrong} sums"


_FORMS: dict[str, Callable[[_Case], tuple[bool, str]]] = {
    "ends_q": _ends_q,
    "emoji_only": _emoji_only,
    "no_upper": _no_upper,
    "no_final_stop": _no_final_stop,
    "all_sentences_capital": lambda case: _every(case.reading.sentences, _CAPITAL, "small"),
    "all_sentences_closed": lambda case: _every(case.reading.lines, _CLOSED, "open"),
    "names_none": _names_none,
    "arith_none": _arith_none,
}


def _caps_share(node: c.CapsShare, reading: Reading) -> tuple[bool, str]:
    upper = sum(char.isupper() for char in reading.without_links)
    cased = upper + sum(char.islower() for char in reading.without_links)
    return cased > 0 and upper / cased >= node.x, f"{upper} of {cased} letters"


def _equals_any(node: c.EqualsAny, reading: Reading) -> tuple[bool, str]:
    forms = {reading.core, " ".join(reading.plain.casefold().split())} - {""}
    values = {" ".join(value.casefold().split()) for value in node.values}
    values |= {value.strip(" .,!?") for value in values}
    hit = sorted(forms & values)
    return bool(hit), repr(hit[0]) if hit else "none of the values"


# patterns


def _pattern(node: c.Pattern, case: _Case) -> tuple[bool, str]:
    reading, flags = case.reading, MIND_CASE if node.op.startswith("rx_cs") else IGNORE_CASE
    text = reading.text
    if node.op.startswith("rx_first") or node.op == "rx_last_line":
        pieces = reading.lines[-1:] if node.op == "rx_last_line" else reading.sentences[:1]
        if not pieces:
            return False, "no words"
        text = pieces[0]
    match = case.search(node.p, text, flags)
    return (match is None) is node.op.endswith("_none"), f"found {found(match)}" if match else "not found"


def _lexicon(node: c.Lexicon, case: _Case) -> tuple[bool, str]:
    text = case.reading.text
    if node.op == "lex_first":
        if not case.reading.sentences:
            return False, "no words"
        text = case.reading.sentences[0]
    match = case.search(case.lexicons[node.name], text)
    return (match is None) is (node.op == "lex_none"), f"found {found(match)}" if match else "not found"


# parameters, names, transcript


def _param(node: c.Param, case: _Case) -> tuple[bool, str]:
    entries, reading = case.entries(node.key), case.reading
    if node.op == "ends_param":
        ends = (reading.bare, reading.plain)
        patterns = {entry: "@?" + entry_pattern(entry) + _HAND_OVER for entry in entries}
        seen = [entry for entry in entries if any(case.watch.search(patterns[entry], text) for text in ends)]
    else:
        text = reading.plain if node.op != "first_has_param" else plain((reading.sentences or ("",))[0])
        seen = case.seen(entries, text)
    if node.op == "has_all_params":
        lacking = [entry for entry in entries if entry not in seen]
        return not lacking, f"{lacking[0]!r} not found" if lacking else f"all {len(entries)} found"
    holds = not seen if node.op == "none_param" else bool(seen)
    return holds, f"found {seen[0]!r}" if seen else f"none of {len(entries)} found"


def _starts_param(node: c.StartsParam, case: _Case) -> tuple[bool, str]:
    for entry in case.entries(node.key):
        if case.watch.search(rf"\A\W{{0,2}}{entry_pattern(entry)}(?:{node.sep})", case.reading.plain):
            return True, f"starts with {entry!r}"
    return False, "starts otherwise"


def _params_inside(node: c.ParamsInside, case: _Case) -> tuple[bool, str]:
    spans, text = case.watch.spans(node.span, case.reading.plain), case.reading.plain
    inside = "\n".join(groups(spans))
    edges = [0, *(edge for span in spans for edge in span.span()), len(text)]
    outside = "\n".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    entries = case.entries(node.key)
    if leaked := case.seen(entries, outside):
        return False, f"{leaked[0]!r} outside"
    seen = case.seen(entries, inside)
    return bool(seen), f"{seen[0]!r} inside" if seen else "none inside"


def _names_only(node: c.NamesOnly, case: _Case) -> tuple[bool, str]:
    entries = (entry for key in node.keys for entry in case.entries(key))
    allowed = {name.strip().casefold() for entry in entries for name in entry.split("|")}
    others = tuple(name for name in case.names if name.casefold() not in allowed)
    seen = case.seen(others, case.reading.plain)
    return not seen, f"found {seen[0]!r}" if seen else "no other member is named"


def _quotes_transcript(node: c.QuotesTranscript, case: _Case) -> tuple[bool, str]:
    """A line `> words` or `"words"`, with or without time and speaker, whose words stand together in a message."""
    names = "|".join(regex.escape(name) for name in case.names) or "(?!)"
    label = regex.compile(rf"\A{CLOCK}?(?:<(?:{names})>|(?:{names})\s?:)\s*", regex.IGNORECASE)
    sources = [_plain_words(label.sub("", message)) for message in case.context.prior_texts]
    for line in case.reading.lines:
        quoted = _QUOTE.match(line)
        for words in {_plain_words(quoted.group(1)), _plain_words(label.sub("", quoted.group(1)))} if quoted else ():
            if len(words.split()) >= node.min_words and any(f" {words} " in f" {source} " for source in sources):
                return True, f"quotes {words[:30]!r}"
    return False, "no line quotes a message"


def _plain_words(text: str) -> str:
    return " ".join(word.casefold() for word in Reading(text).words)
