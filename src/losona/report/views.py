"""Tables as a reader sees them: the same lines for HTML, Markdown and LaTeX. Computes no number."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Generic, TypeVar

from losona.report import wording as w

Row = TypeVar("Row")


@dataclass(frozen=True)
class Bar:
    """An estimate with its interval on a line, for HTML only: shares from 0 to 1, or signed from -1 to 1."""

    low: float
    """Lower end."""
    value: float
    """The estimate."""
    high: float
    """Upper end."""
    signed: bool = False
    """The line runs from -1 to 1."""


@dataclass(frozen=True)
class Line:
    """One row."""

    label: str
    """What the row is about; foreign text."""
    cells: tuple[str | Bar, ...]
    """One for each title."""


@dataclass(frozen=True)
class View:
    """A table."""

    name: str
    """Name of its files, and its anchor."""
    caption: str
    """What it shows, without a full stop."""
    note: str
    """Denominators, intervals and tests, in sentences."""
    first: str
    """Title of the labels."""
    titles: tuple[str, ...]
    """Titles of the other columns."""
    blocks: tuple[tuple[str, tuple[Line, ...]], ...]
    """Head of a block (mostly a model; foreign text) and its lines."""
    heads: str = "Model"
    """Title of the heads, where they make a column of their own."""

    @property
    def plain_titles(self) -> tuple[str, ...]:
        """Titles without those of bars."""
        return tuple(t for t, drawn in zip(self.titles, self._drawn, strict=True) if not drawn)

    @property
    def _drawn(self) -> tuple[bool, ...]:
        lines = [line for _, lines in self.blocks for line in lines]
        return tuple(any(isinstance(line.cells[i], Bar) for line in lines) for i in range(len(self.titles)))

    def plain_lines(self) -> Iterable[tuple[str, str, tuple[str, ...]]]:
        """Block, label and cells, without bars."""
        for head, lines in self.blocks:
            for line in lines:
                yield head, line.label, tuple(cell for cell in line.cells if isinstance(cell, str))


@dataclass(frozen=True)
class Column(Generic[Row]):
    """How one column is made of a row."""

    title: str
    """Its title."""
    show: Callable[[Row], str | Bar]
    """Its cell."""


def view(
    rows: Sequence[Row],
    columns: Sequence[Column[Any]],
    label: Callable[[Row], str],
    head: Callable[[Row], str],
    texts: tuple[str, str, str, str],
    heads: str = "Model",
) -> View:
    """A table of typed rows; `texts` are name, caption, note and the title of the labels."""
    name, caption, note, first = texts
    blocks = [
        (key, tuple(Line(label(row), tuple(column.show(row) for column in columns)) for row in group))
        for key, group in groupby(rows, head)
    ]
    return View(name, caption, note, first, tuple(column.title for column in columns), tuple(blocks), heads)


def share_of(share: float, n: int) -> str:
    """`65 % of 20`: a rate with its denominator."""
    return f"{w.percent(share)} of {w.count(n)}"
