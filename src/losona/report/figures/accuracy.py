"""Acc@K by model and condition, with intervals."""

# pyright: reportUnknownMemberType=false
from itertools import groupby

from losona.report import wording as w
from losona.report.figures.drawing import Drawing
from losona.report.figures.style import INK, colour, marker, percent_axis, rows, styled
from losona.report.material import Material


def draw(material: Material) -> Drawing | None:
    """A point and its interval for each cell of the main variant that has a decided scenario."""
    cells = [cell for cell in material.main if cell.n_decided]
    if not cells:
        return None
    with styled():
        figure, axes, places = rows([(m, [c.condition for c in g]) for m, g in groupby(cells, lambda c: c.model)])
        for cell, y in zip(cells, places, strict=True):
            i = material.conditions.index(cell.condition)
            axes.plot([cell.acc_low, cell.acc_high], [y, y], color=colour(i), linewidth=2, solid_capstyle="butt")
            axes.plot(cell.acc_at_k, y, marker=marker(i), color=colour(i), markersize=6.5, markeredgecolor=INK)
            text = f"{w.bare(cell.acc_at_k)} %, {cell.n_decided}"
            axes.text(1.04, y, text, va="center", transform=axes.get_yaxis_transform())
        percent_axis(axes, f"Acc@{material.k}, % (right: value, decided scenarios)")
    said = [
        f"{c.model}, {c.condition}: {w.percent(c.acc_at_k)} of {c.n_decided} decided scenarios, "
        f"95 % interval {w.interval(c.acc_low, c.acc_high, w.bare)}"
        for c in cells
    ]
    return Drawing(
        name="accuracy",
        title=f"Accuracy by condition ({material.variant})",
        caption="Bars are 95 % intervals; at the right the value and how many scenarios were decided.",
        alt="; ".join(said) + ".",
        figure=figure,
    )
