"""The table of `losona taxonomy check`, and the replies that code sorts wrongly. Computes no number."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from losona.probing import PROMISE, Misread, ProbeRate
from losona.report.content import content_console


def print_probe_rates(rates: Sequence[ProbeRate], wrong: Sequence[Misread]) -> None:
    """Rates with their denominators, then what each number leaves open."""
    console = content_console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("round", "blind", "run", "mode", "norms", "adherent rejected", "breaching passed"):
        table.add_column(name, no_wrap=True)
    for rate in rates:
        table.add_row(
            *(Text(cell) for cell in (rate.round, "yes" if rate.blind else "no", rate.when, rate.mode)),
            str(rate.norms),
            _share(rate.rejected, rate.n_adherent, rate.rejected_high),
            _share(rate.passed, rate.n_breaching, rate.passed_high),
        )
    console.print(table)
    console.print(
        f"An exact check promises to be wrong on at most {PROMISE:.0%} of natural replies, in either direction; only a "
        "blind round on its first run measures that. What a partial check passes goes to a judge and is no error."
    )
    for item in wrong:
        console.print(Text(f"{item.norm} ({item.round}): {item.reply!r} {item.label}, but code: {item.node}"))


def _share(count: int | None, n: int, high: float | None) -> str:
    if count is None:
        return f"not kept, of {n}"
    return f"{count} of {n}" + (f" ({count / n:.1%}, at most {high:.1%})" if n and high is not None else "")
