"""Tables for the terminal: plain characters, 80 columns, also where there is no terminal. Computes no number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isnan

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
from rich.console import Console
from rich.table import Table
from rich.text import Text

from losona.numbers import some
from losona.report.comparison import Comparison, Gate, change_table, flipped, remarks, told, verdict
from losona.report.foreign import shown
from losona.report.views import Line, View
from losona.report.wording import bare, describe, gains_in_order, in_order, interval, unadorned
from losona.stats import Cell, Gain, as_rows

FLIPS = 20
"""Longest list of scenarios that flipped."""
NARROWEST = 18
"""Least width of the first column; the others keep the width of their numbers."""


@dataclass(frozen=True)
class _Column:
    title: str
    show: Callable[[Cell], str]


def print_table(cells: pd.DataFrame, gains: pd.DataFrame, console: Console) -> None:
    """Print a group for each variant, `demos` first, then the gains and what the columns mean."""
    rows = in_order(as_rows(Cell, cells))
    if not rows:
        console.print("No outcomes yet.", highlight=False)
        return
    columns = _columns(rows)
    for variant, group in groupby(rows, lambda cell: cell.variant):
        words = describe(variant)
        _heading(console, f"{variant}: {words}" if words else variant)
        _print(console, [c.title for c in columns], [(r, [c.show(r) for c in columns]) for r in group])
    _print_gains(console, gains_in_order(as_rows(Gain, gains)))
    for note in _notes(rows):
        console.print(Text(note), highlight=False)


def print_comparison(comparison: Comparison, gates: Sequence[Gate]) -> None:
    """Verdict first, then the table, the scenarios that flipped, what it rests on, and the gates."""
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    table = change_table(comparison)
    _say(console, verdict(comparison))
    _print_view(console, table)
    rows = flipped(comparison)
    for flip in rows[:FLIPS]:
        _say(console, told(flip))
    if len(rows) > FLIPS:
        _say(console, f"and {some(len(rows) - FLIPS, 'more scenario')} that flipped; --json lists all.")
    for line in (*remarks(comparison), *(gate.line for gate in gates)):
        _say(console, line)


def _print_view(console: Console, view: View) -> None:
    """A block for each head. Too wide a table runs over rather than cut numbers."""
    blocks = [(head, [(line.label, _plain(line)) for line in lines]) for head, lines in view.blocks]
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    labels = max((len(label) for _, lines in blocks for label, _ in lines), default=0) + 1
    table.add_column("", no_wrap=True, min_width=labels)
    for i, title in enumerate(view.plain_titles):
        width = max(len(title), *(len(cells[i]) for _, lines in blocks for _, cells in lines))
        table.add_column(_foreign(title, console), justify="right", no_wrap=True, min_width=width)
    for head, lines in blocks:
        if len(blocks) > 1:
            table.add_row(Text(_foreign(head, console), style="bold"))
        for label, cells in lines:
            table.add_row(Text(f" {_foreign(label, console)}"), *(Text(_foreign(cell, console)) for cell in cells))
    table.width = sum(int(column.min_width or 0) + 1 for column in table.columns)
    console.print()
    console.print(table, crop=False, no_wrap=True, overflow="ignore")
    console.print()


def _plain(line: Line) -> list[str]:
    return [cell for cell in line.cells if isinstance(cell, str)]


def _say(console: Console, text: str) -> None:
    console.print(Text(_foreign(text, console)), soft_wrap=True)


def _columns(rows: Sequence[Cell]) -> list[_Column]:
    columns = [
        _Column(f"Acc@{max(row.k for row in rows)}", lambda c: _ascii(bare(c.acc_at_k))),
        _Column("95% CI", lambda c: _ascii(interval(c.acc_low, c.acc_high, bare, "-"))),
        _Column("decided", lambda c: f"{c.n_decided}/{c.n_scenarios}"),
        _Column("compl", lambda c: _ascii(bare(c.compliance))),
        _Column("cons", lambda c: _ascii(bare(c.consistency))),
        _Column("scored", lambda c: str(c.n_scored)),
        _Column("unsc", lambda c: str(c.n_unscored)),
        _Column("inv", lambda c: str(c.n_invalid)),
        _Column("err", lambda c: str(c.n_errors)),
    ]
    if any(row.n_fits for row in rows):
        columns[5:5] = [_Column("fits", lambda c: _ascii(bare(c.fits))), _Column("on", lambda c: str(c.n_fits))]
    return columns


def _print_gains(console: Console, rows: Sequence[Gain]) -> None:
    if not any(row.n_pairs for row in rows):
        return
    _heading(console, "gain: demos minus nodemos, same scenarios, in points")
    body = [(row, [str(row.n_pairs), bare(row.with_demos), bare(row.without_demos), *_gain(row)]) for row in rows]
    _print(console, ["pairs", "with", "without", "gain", "95% CI"], body)


def _gain(row: Gain) -> tuple[str, str]:
    return _signed(row.gain), _ascii(interval(row.gain_low, row.gain_high, _signed, " to "))


def _signed(value: float) -> str:
    return "-" if isnan(value) else f"{100 * value:+.0f}"


def _ascii(text: str) -> str:
    return text.replace("–", "-")


def _foreign(text: str, console: Console) -> str:
    """A name that others gave, as far as the terminal can show it."""
    return unadorned(shown(text)).encode(console.encoding, "backslashreplace").decode(console.encoding)


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(Text(_foreign(text, console), style="bold"), highlight=False)


def _print(console: Console, titles: Sequence[str], rows: Sequence[tuple[Cell | Gain, Sequence[str]]]) -> None:
    """A block for each model, its name above its conditions. Too wide a table runs over rather than cut numbers."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", min_width=NARROWEST, overflow="fold")
    for i, title in enumerate(titles):
        width = max(len(title), *(len(values[i]) for _, values in rows))
        table.add_column(title, justify="right", no_wrap=True, min_width=width)
    for model, block in groupby(rows, lambda row: row[0].model):
        table.add_row(Text(_foreign(model, console), style="bold"))
        for row, values in block:
            table.add_row(Text(f" {_foreign(row.condition, console)}"), *(Text(_ascii(value)) for value in values))
    needed = NARROWEST + sum(int(column.min_width or 0) + 1 for column in table.columns[1:]) + 1
    table.width = needed if console.width < needed else None
    console.print(table, highlight=False, crop=False, no_wrap=True, overflow="ignore")


def _notes(rows: Sequence[Cell]) -> list[str]:
    notes = [
        "",
        "All rates in per cent. Acc@K: share of decided scenarios that comply by majority",
        "(interval: Wilson, clustered by norm). compl: mean over scored",
        "replies. cons: all K agree. unsc: unscored, errors among them. inv: invalid",
        "replies, counted as breaches.",
    ]
    if any(row.n_fits for row in rows):
        notes.append("fits: complies, in character and responsive; on: replies that a judge looked at.")
    if missing := sum(row.n_missing for row in rows):
        names = ", ".join(dict.fromkeys(row.model for row in rows if row.n_missing))
        notes.append(
            f"{missing} outcomes are wanted and missing, of {names}; `losona run` with that --model asks for them."
        )
    return notes
