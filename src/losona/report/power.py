"""What `losona power` says, in words. Computes no number."""

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from losona.numbers import some
from losona.report.content import content_console
from losona.stats import Power
from losona.stats.power import ENOUGH, SUPPOSED

MOST = 1_000_000


def print_power(rows: Sequence[Power], scenarios: int, run: Path | None = None) -> None:
    """A table, then a sentence a contrast. `run`: the folder of the run whose variance was to be used."""
    console = content_console()
    epochs, effect = rows[0].epochs, rows[0].effect
    console.print(
        f"{some(scenarios, 'scenario')} in scope, {epochs} {'reply' if epochs == 1 else 'replies'} for each prompt. "
        "Found: in 80 of 100 runs, at a two-sided 5 %."
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(("contrast", "units", "finds", f"power for {_points(effect)}", "needed", "from")):
        table.add_column(name, justify="left" if i in (0, 5) else "right", no_wrap=True)
    for row in rows:
        needed = f"{row.needed:,}" if row.needed < MOST else "none"
        cells = (row.contrast, f"{row.n_units}", _points(row.mde), f"{row.power:.0%}", needed, row.source)
        table.add_row(*(Text(cell) for cell in cells))
    console.print(table)
    for row in rows:
        console.print(Text(_sentence(row, effect)))
    console.print(
        f"finds: the smallest true difference that shows; needed: scenarios that show {_points(effect)}. "
        + _source(rows, run),
        markup=False,
    )


def _source(rows: Sequence[Power], run: Path | None) -> str:
    """Where the variance is from."""
    supposed = sum(row.source == SUPPOSED for row in rows)
    if run is None:
        return "Supposed: see docs/statistics.md; --from RUN takes the variance of a run instead."
    if not supposed:
        return f"The variance is that of {run}."
    which = "No contrast" if supposed == len(rows) else "Not every contrast"
    return (
        f"{which} could be measured in {run}: that takes {ENOUGH} pairs, and some contrasts are always supposed. See "
        "docs/statistics.md."
    )


def _sentence(row: Power, effect: float) -> str:
    wanted = f"a true {_points(effect)} is found in {round(100 * row.power)} of 100 runs"
    size = f"{row.needed:,} scenarios would be needed" if row.needed < MOST else "no number of scenarios is enough"
    enough = "which is enough" if row.power >= 0.8 else size
    return f"{row.contrast}: shows a difference of {_points(row.mde)} or more; {wanted}, {enough}."


def _points(share: float) -> str:
    return f"{100 * share:.1f} points".replace(".0 ", " ")
