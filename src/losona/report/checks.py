"""The checks of frames by models, for the terminal. Computes no number but counts of results."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from losona.curation.checks import check_name
from losona.report.foreign import shown
from losona.schema.frame_record import ModelCheck

FOUND_SHOWN = 300
"""Characters of what a check found."""
RESULTS = {True: "passed", False: "FAILED", None: "unscored"}


def print_checks(checks: Sequence[tuple[str, ModelCheck]], console: Console) -> None:
    """Counts by check, then each check that did not pass."""
    if not checks:
        console.print("No check was finished.", highlight=False)
        return
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    for title in ("check", "passed", "failed", "unscored"):
        table.add_column(title, justify="left" if title == "check" else "right", no_wrap=True)
    counts = Counter((check.rule, check.check, check.passed) for _, check in checks)
    for rule, name in dict.fromkeys((rule, name) for rule, name, _ in sorted(counts, key=lambda key: key[0])):
        table.add_row(f"{rule} {name}", *(str(counts[rule, name, passed]) for passed in (True, False, None)))
    console.print(table, highlight=False)
    for frame, check in checks:
        if check.passed is not True:
            console.print(Text(f"{shown(frame)} {check_line(check)}"), highlight=False, soft_wrap=True)


def check_line(check: ModelCheck) -> str:
    """A check on one line."""
    found = shown(" ".join(check.found.split()))
    cut = found if len(found) <= FOUND_SHOWN else f"{found[:FOUND_SHOWN]} ..."
    return f"{check_name(check)}: {RESULTS[check.passed]}: {cut}"
