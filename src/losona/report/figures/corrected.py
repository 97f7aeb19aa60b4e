"""Compliance as the judge has it, and corrected for its errors, by model and condition."""

# pyright: reportUnknownMemberType=false
from itertools import groupby
from math import isnan

from losona.report import wording as w
from losona.report.figures.drawing import Drawing
from losona.report.figures.style import INK, PAPER, colour, marker, percent_axis, rows, styled
from losona.report.judging import CorrectedRate
from losona.report.material import Material

LOOKS = (("raw", PAPER), ("corrected", colour(0)), ("PPI++", colour(1)))
"""Names with the fill of their markers."""
APART = 0.2
"""How far the points of a line stand from each other."""


def draw(material: Material) -> Drawing | None:
    """For each cell a hollow point for the raw rate, and full ones with intervals for corrected ones."""
    cells = [c for c in material.corrected if c.variant == material.variant and any(_known(c)[1:])]
    if not cells:
        return None
    with styled():
        blocks = [(m, [_label(c, material) for c in g]) for m, g in groupby(cells, lambda c: c.model)]
        figure, axes, places = rows(blocks)
        for cell, y in zip(cells, places, strict=True):
            for i, (value, low, high) in enumerate(_rates(cell)):
                at = y + APART * (i - 1)
                axes.plot([low, high], [at, at], color=LOOKS[i][1], linewidth=1.6, solid_capstyle="butt")
                axes.plot(value, at, marker=marker(i), color=LOOKS[i][1], markersize=5, markeredgecolor=INK)
            axes.text(1.04, y, _numbers(cell), va="center", transform=axes.get_yaxis_transform())
        percent_axis(axes, "Compliance, % (right: raw, corrected, judged)")
        handles = [
            axes.plot([], [], "", marker=marker(i), color=fill, markeredgecolor=INK, markersize=5, label=name)[0]
            for i, (name, fill) in enumerate(LOOKS)
            if any(_known(cell)[i] for cell in cells)
        ]
        figure.legend(handles=handles, loc="outside lower center", frameon=False, fontsize=8.5, ncols=3)
    return Drawing(
        name="corrected",
        title=f"Raw and corrected rates ({material.variant})",
        caption="Over the replies that a judge decided. Raw: the judge's. Corrected (Rogan-Gladen): less its errors as "
        "labels of people show them. "
        + (
            "PPI++: labels of people in the cell, with verdicts on the rest. "
            if any(_known(c)[2] for c in cells)
            else ""
        )
        + "Bars are 95 % intervals that carry the error of the calibration.",
        alt="; ".join(_said(cell, material) for cell in cells) + ".",
        figure=figure,
    )


def _rates(cell: CorrectedRate) -> list[tuple[float, float, float]]:
    """Value and interval of each rate, in the order of `LOOKS`; NaN draws nothing."""
    return [
        (cell.raw, cell.raw, cell.raw),
        (cell.corrected, cell.corrected_low, cell.corrected_high),
        (cell.powered, cell.powered_low, cell.powered_high),
    ]


def _known(cell: CorrectedRate) -> list[bool]:
    return [not isnan(value) for value, _, _ in _rates(cell)]


def _label(cell: CorrectedRate, material: Material) -> str:
    return f"{cell.condition} ({cell.run})" if len(material.runs) > 1 else cell.condition


def _numbers(cell: CorrectedRate) -> str:
    best = cell.powered if isnan(cell.corrected) else cell.corrected
    return f"{w.bare(cell.raw)}, {w.bare(best)}, {w.count(cell.n)}"


def _said(cell: CorrectedRate, material: Material) -> str:
    shown = [
        f"{name} {w.percent(value)}" + (f" [{w.interval(low, high, w.bare)}]" if i else "")
        for i, ((name, _), (value, low, high)) in enumerate(zip(LOOKS, _rates(cell), strict=True))
        if not isnan(value)
    ]
    of = w.plural(cell.n, "judged reply", "judged replies")
    return f"{cell.model}, {_label(cell, material)}: {', '.join(shown)} of {of}"
