"""Counts of a screening for the terminal. Computes no number."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from losona.curation.yields import Yield
from losona.report.foreign import shown

COLUMNS = ("screened", "dropped", "kept", "undecided", "set_aside", "replies", "unscored")
SHORT = {"replies": "gradings", "undecided": "open", "set_aside": "aside", "unscored": "unsc"}
WIDEST = 44
"""Longest name that stands on one line."""
GROUPS = {"norm": "by norm", "event": "by event", "baseline": "by baseline, each alone", "total": "all"}


def print_yields(found: Mapping[str, Any], console: Console) -> None:
    """A block for norms, events and baselines each, and the total."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    names = [name for group in GROUPS if group != "total" for name in found[group]]
    table.add_column("arms", min_width=min(WIDEST, max(map(len, names), default=0) + 1), overflow="fold")
    columns = [name for name in COLUMNS if name != "set_aside" or found["total"].set_aside]
    for name in columns:
        title = SHORT.get(name, name)
        table.add_column(title, justify="right", no_wrap=True, min_width=len(title))
    for group, title in GROUPS.items():
        rows: dict[str, Yield] = {"": found[group]} if group == "total" else found[group]
        table.add_row(Text(title, style="bold"), *(_cells(rows[""], columns) if group == "total" else ()))
        for name, counts in rows.items() if group != "total" else ():
            table.add_row(Text(f" {shown(name)}"), *_cells(counts, columns))
    needed = sum(int(column.min_width or 0) + 1 for column in table.columns)
    table.width = needed if console.width < needed else None
    console.print(table, highlight=False, crop=False, no_wrap=True, overflow="ignore")


def _cells(counts: Yield, columns: list[str]) -> list[Text]:
    return [Text(str(getattr(counts, name))) for name in columns]
