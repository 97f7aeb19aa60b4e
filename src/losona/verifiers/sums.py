"""Sums in a reply: which equations it holds, and whether they are right.

Knows figures, `+ - * / x × ÷ :`, brackets and `=`. Nothing is evaluated as code, nothing recurses, and the time is
linear in the length of the text.
"""

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import regex

TOLERANCE = 0.02
"""How far a result may be off: two cents, for rounding."""

_TOKEN = regex.compile(
    r"(?P<clock>(?<!\d)\d{1,2}:\d\d(?!\d))"
    r"|(?P<figure>(?<![.,\d]|[^\W\d_xX])(?:\d{1,3}(?: \d{3})++(?!\d)|\d++)(?:[.,]\d++)*+)"
    r"|(?P<sign>[+*/×·÷∕]|(?<=\d):(?=\d)|(?<=\d ):(?= \d)"
    r"|(?<![^\W\d_])[xX](?![^\W\d_])|(?<!(?:\A|\n)\s*)[-−–]|[-−–](?=[\d($€£¥₹]))"
    r"|(?P<bracket>[()])"
    r"|(?P<equals>(?<![<>!=~])=(?![=>]))"
    r"|(?P<skip>[ $€£¥₹]+)"
    r"|(?P<other>.)",
    regex.DOTALL,
)
_SIGNS = {"x": "*", "X": "*", "×": "*", "·": "*", "÷": "/", "∕": "/", ":": "/", "−": "-", "–": "-"}
_OPERATORS: dict[str, tuple[int, Callable[[float, float], float]]] = {
    "+": (1, operator.add),
    "-": (1, operator.sub),
    "*": (2, operator.mul),
    "/": (2, lambda left, right: left / right),
    "neg": (3, lambda _, value: -value),
}


@dataclass(frozen=True)
class Sums:
    """How many equations of a text are right and how many wrong."""

    right: int
    """Equations that hold within `TOLERANCE`."""
    wrong: int
    """Equations that do not, or divide by nothing."""


def count_sums(text: str) -> Sums:
    """Right and wrong equations, like `(12+6.5)*2 = 37`.

    An equation has a sum to the left of `=` and a figure or sum to its right; with the sum to its right only
    (`17 = 20-3`) it counts when it is right. A comma may part decimals or thousands and a dash in front may be a minus
    or not, whichever makes it right; `9:30` is a time, any other colon between figures divides.
    """
    tokens = _tokens(text)
    verdicts = [_verdict(tokens, i) for i, token in enumerate(tokens) if token == "="]
    return Sums(verdicts.count(True), verdicts.count(False))


def _tokens(text: str) -> list[str]:
    """Figures, signs, brackets and `=`; an empty token for everything that parts sums."""
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind in ("other", "clock"):
            tokens.append("")
        elif kind != "skip":
            tokens.append(_SIGNS.get(token, token))
    return tokens


def _verdict(tokens: Sequence[str], at: int) -> bool | None:
    """Whether the equation around the `=` at an index is right; none where there is no equation."""
    left = _left(tokens, at)
    rights = list(_rights(tokens, at))
    if not left or not rights:
        return None
    lefts = (left, left[1:]) if left[0] == "-" else (left,)
    right = any(_equal(*sides, comma) for sides in product(lefts, rights) for comma in ("thousands", "decimal"))
    if _is_sum(left):
        return right
    return True if _is_sum(rights[-1]) and right else None


def _is_sum(tokens: Sequence[str]) -> bool:
    return any(token in _OPERATORS for token in tokens[1:])


def _is_figure(token: str) -> bool:
    return token[:1].isdigit()


def _left(tokens: Sequence[str], end: int) -> Sequence[str]:
    """The longest well-formed sum that ends before an index."""
    depth, operand, start = 0, True, end
    for i in range(end - 1, -1, -1):
        token = tokens[i]
        if operand and _is_figure(token):
            operand = False
        elif operand and token == ")":
            depth += 1
        elif not operand and token in _OPERATORS:
            operand = True
        elif token == "(" and depth and (not operand or tokens[i + 1] == "-"):
            depth, operand = depth - 1, False
        else:
            break
        if not operand and not depth:
            start = i
    if start and tokens[start - 1] == "-" and start < end and (start == 1 or tokens[start - 2] in ("", "=", "(")):
        start -= 1
    return tokens[start:end]


def _rights(tokens: Sequence[str], at: int) -> Iterator[Sequence[str]]:
    """The shortest and the longest well-formed sum that start behind an index."""
    start = at + 1
    while start < len(tokens) and tokens[start] == "*":
        start += 1
    depth, operand, ends = 0, True, list[int]()
    for i in range(start, len(tokens)):
        token = tokens[i]
        if operand and _is_figure(token):
            operand = False
        elif operand and token == "(":
            depth += 1
        elif operand and token == "-" and (i == start or tokens[i - 1] == "("):
            continue
        elif not operand and token == ")" and depth:
            depth -= 1
        elif not operand and token in _OPERATORS:
            operand = True
        else:
            break
        if not operand and not depth:
            ends.append(i + 1)
    yield from (tokens[start:end] for end in dict.fromkeys((*ends[:1], *ends[-1:])))


def _equal(left: Sequence[str], right: Sequence[str], comma: str) -> bool:
    try:
        difference = _value(left, comma) - _value(right, comma)
    except (ZeroDivisionError, OverflowError):
        return False
    return math.isfinite(difference) and abs(difference) <= TOLERANCE + 1e-9


def _value(tokens: Sequence[str], comma: str) -> float:
    """Value of a well-formed sum: two stacks, products before sums."""
    values: list[float] = []
    pending: list[str] = []

    def apply() -> None:
        sign = pending.pop()
        right = values.pop()
        values.append(_OPERATORS[sign][1](0.0 if sign == "neg" else values.pop(), right))

    operand = True
    for token in tokens:
        if token == "(":
            pending.append(token)
        elif token == ")":
            while pending[-1] != "(":
                apply()
            pending.pop()
        elif _is_figure(token):
            values.append(figure(token, comma))
        else:
            sign = "neg" if operand else token
            while not operand and pending and pending[-1] != "(" and _OPERATORS[pending[-1]][0] >= _OPERATORS[sign][0]:
                apply()
            pending.append(sign)
        operand = token == "(" or token in _OPERATORS
    while pending:
        apply()
    return values.pop()


def figure(text: str, comma: str = "thousands") -> float:
    """Value of a figure. `comma` says what a comma before three digits parts; any other comma parts decimals."""
    if comma == "thousands" and regex.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        return float(text.replace(",", ""))
    whole, part, decimals = text.replace(" ", "").replace(",", ".").rpartition(".")
    return float(whole.replace(".", "") + part + decimals)
