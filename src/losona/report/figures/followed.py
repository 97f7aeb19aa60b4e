"""Conflicting evidence: which of the two norms in the chat replies follow."""

# pyright: reportUnknownMemberType=false
from itertools import accumulate, groupby
from typing import Any

from losona.report import wording as w
from losona.report.figures.choice import few
from losona.report.figures.drawing import Drawing
from losona.report.figures.style import HATCHES, INK, PAPER, QUIET, colour, percent_axis, rows, styled
from losona.report.material import Material
from losona.stats import Followed

PARTS = ("counted norm", "other norm", "both", "neither")
LOOKS: tuple[dict[str, Any], ...] = (
    {"color": colour(0), "edgecolor": INK},
    {"color": colour(1), "edgecolor": INK, "hatch": HATCHES[1]},
    {"color": colour(5), "edgecolor": INK, "hatch": HATCHES[2]},
    {"color": PAPER, "edgecolor": QUIET},
)
"""Told apart by hatch as well as by colour."""


def draw(material: Material) -> Drawing | None:
    """A bar of four parts for each model, condition and variant with replies that both norms have graded."""
    known = [row for row in material.followed if row.n_scenarios]
    found, left_out = few(known, len({(row.model, row.condition) for row in known}))
    if not found:
        return None
    with styled():
        blocks = [(m, [f"{f.condition}, {f.variant}" for f in g]) for m, g in groupby(found, lambda f: f.model)]
        figure, axes, places = rows(blocks)
        for row, y in zip(found, places, strict=True):
            parts = _parts(row)
            for part, left, look in zip(parts, accumulate(parts, initial=0.0), LOOKS, strict=False):
                axes.barh(y, part, left=left, height=0.62, linewidth=0.7, **look)
            axes.text(
                1.04, y, f"{w.bare(row.counted)}, {row.n_scenarios}", va="center", transform=axes.get_yaxis_transform()
            )
        percent_axis(axes, "Share of replies, % (right: counted norm, scenarios)")
        handles = [axes.barh(-9, 0, label=name, linewidth=0.7, **look) for name, look in zip(PARTS, LOOKS, strict=True)]
        figure.legend(handles=handles, loc="outside lower center", frameon=False, fontsize=8.5, ncols=2)
    return Drawing(
        name="followed",
        title="Conflicting evidence: which norm is followed",
        caption="The counted norm is the majority's (mixed) or the latest (shift); this is a convention, so nothing "
        "here is an accuracy. Replies that only one norm has graded are left out." + left_out,
        alt="; ".join(_said(row) for row in found) + ".",
        figure=figure,
    )


def _parts(row: Followed) -> tuple[float, float, float, float]:
    return row.counted, row.other, row.both, row.neither


def _said(row: Followed) -> str:
    shares = ", ".join(f"{name} {w.percent(part)}" for name, part in zip(PARTS, _parts(row), strict=True))
    return f"{row.model}, {row.condition}, {row.variant}: {shares} over {w.plural(row.n_scenarios, 'scenario')}"
