"""How numbers, names and foreign text are shown, and in which order. Computes nothing."""

from collections.abc import Callable, Iterable, Sequence
from math import isinf, isnan
from typing import Protocol, TypeVar

from losona.conditions import CONDITIONS
from losona.numbers import agreeing
from losona.numbers import some as some
from losona.stats import Cell, Gain


class HasCondition(Protocol):
    """A row of a statistic."""

    @property
    def condition(self) -> str:
        """Condition of the prompt."""
        ...


Placed = TypeVar("Placed", bound=HasCondition)
DASH = "–"
NBSP = "\u00a0"
_UNADORNED = str.maketrans({"−": "-", "–": "-", "\u00a0": " ", "\u202f": ","})
VARIANTS = {
    "demos": "with demonstrations",
    "nodemos": "without demonstrations, the control",
    "mixed": "a minority of demonstrations shows the opposite norm",
    "shift": "the group changes its norm half way",
    "off": "the last message is one where the norm does not apply",
    "offnodemos": "the norm does not apply, and nothing shows it",
}


def percent(share: float, unit: str = f"{NBSP}%") -> str:
    """A share as whole per cent; a dash for NaN."""
    return DASH if isnan(share) else f"{100 * share:.0f}{unit}"


def points(difference: float) -> str:
    """A difference of shares as signed whole points; a dash for NaN."""
    if isnan(difference):
        return DASH
    text = f"{100 * difference:+.0f}"
    return "0" if text in ("+0", "-0") else text.replace("-", "−")


def interval(low: float, high: float, show: Callable[[float], str], to: str = f"{NBSP}to{NBSP}") -> str:
    """Both ends, or a dash."""
    return DASH if isnan(low) else f"{show(low)}{to}{show(high)}"


def bare(share: float) -> str:
    """A share as whole per cent without the sign."""
    return percent(share, "")


def count(n: int) -> str:
    """A whole number with narrow spaces between thousands."""
    return f"{n:,}".replace(",", "\u202f")


def plural(n: int, one: str, many: str = "") -> str:
    """`1 pair`, `2 pairs`."""
    return f"{count(n)}{NBSP}{agreeing(n, one, many)}"


def unadorned(text: str) -> str:
    """With spaces, dashes and minus signs that every terminal has."""
    return text.translate(_UNADORNED)


def first(lines: Sequence[str], most: int, one: str, many: str = "") -> list[str]:
    """The first lines, and how many more there are: `and 2 more pairs`."""
    more = len(lines) - most
    return [*lines[:most], *([f"and {some(more, f'more {one}', f'more {many}' if many else '')}"] if more > 0 else [])]


def dollars(cost: float) -> str:
    """US dollars; a dash for NaN."""
    return DASH if isnan(cost) else f"${cost:,.2f}" if cost >= 1 or cost == 0 else f"${cost:.4f}"


def seconds(value: float) -> str:
    """Seconds; a dash for NaN."""
    return DASH if isnan(value) else f"{value:.1f}{NBSP}s"


def listed(items: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = list(items) or [DASH]
    return f"{', '.join(first)} and {last}" if first else last


def describe(variant: str) -> str:
    """A variant in words."""
    if variant.startswith("dose"):
        return f"demonstrations in the last {variant.removeprefix('dose')} places only"
    return VARIANTS.get(variant, "")


def main_variant(cells: Iterable[Cell]) -> str:
    """`demos`, or the first variant where a source names it otherwise."""
    names = {cell.variant for cell in cells}
    return "demos" if "demos" in names or not names else min(names)


def in_order(cells: Iterable[Cell]) -> list[Cell]:
    """By variant, model and condition, each in its usual order."""
    return sorted(cells, key=lambda c: (variant_key(c.variant), c.model, condition_key(c.condition)))


def by_place(rows: Sequence[Placed]) -> list[Placed]:
    """By model and condition, the latter in their usual order; a row of two models or of none by condition."""
    return sorted(rows, key=lambda r: (getattr(r, "model", ""), condition_key(r.condition)))


def gains_in_order(gains: Iterable[Gain]) -> list[Gain]:
    """By model and condition."""
    return sorted(gains, key=lambda g: (g.model, condition_key(g.condition)))


def condition_key(name: str) -> tuple[int, str]:
    """Place of a condition: as they are defined, then others by name."""
    return (list(CONDITIONS).index(name) if name in CONDITIONS else len(CONDITIONS), name)


def variant_key(name: str) -> tuple[int, str]:
    """Place of a variant: demos, nodemos, doses, the rest."""
    known = ["demos", "nodemos", "dose", *list(VARIANTS)[2:]]
    kind = "dose" if name.startswith("dose") else name
    return (known.index(kind) if kind in known else len(known), name)


def dose(value: float) -> str:
    """A number of demonstrations; `not reached` for infinity, a dash for NaN."""
    return DASH if isnan(value) else "not reached" if isinf(value) else f"{value:.1f}"


def by_condition(rows: Sequence[Placed]) -> list[Placed]:
    """By condition in the usual order; within one, as they were."""
    return sorted(rows, key=lambda r: condition_key(r.condition))


def p_value(p: float) -> str:
    """A p value with two digits that count; a dash for NaN."""
    if isnan(p):
        return DASH
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
