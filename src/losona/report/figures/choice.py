"""What is drawn where there is more than a figure can show."""

from collections.abc import Sequence

from losona.report.wording import Placed, condition_key

MOST = 12
"""With more series than this only one condition of each model is drawn."""


def few(rows: Sequence[Placed], series: int) -> tuple[list[Placed], str]:
    """All rows; or, with too many series, those of the last condition but the oracle, and a sentence that says so."""
    names = {row.condition for row in rows}
    if series <= MOST or len(names) < 2:
        return list(rows), ""
    last = max(names - {"oracle"} or names, key=condition_key)
    return [row for row in rows if row.condition == last], f" Only {last} is drawn; the table has every condition."
