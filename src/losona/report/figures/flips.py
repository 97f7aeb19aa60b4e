"""Scenarios that a condition recovers and those that it loses, against the first control that was run."""

# pyright: reportUnknownMemberType=false
from itertools import groupby

from matplotlib.ticker import MaxNLocator

from losona.report import wording as w
from losona.report.figures.drawing import Drawing
from losona.report.figures.style import HATCHES, INK, QUIET, colour, rows, styled
from losona.report.material import Material
from losona.stats import Delta


def draw(material: Material) -> Drawing | None:
    """Bars to the right for recovered, hatched bars to the left for regressed scenarios."""
    found = [delta for delta in material.main_deltas if delta.n_decided]
    if not found:
        return None
    control = min((delta.against for delta in found), key=w.condition_key)
    deltas = [delta for delta in found if delta.against == control]
    with styled():
        figure, axes, places = rows([(m, [d.condition for d in g]) for m, g in groupby(deltas, lambda d: d.model)])
        most = max(1, *(max(d.recovered, d.regressed) for d in deltas))
        for delta, y in zip(deltas, places, strict=True):
            axes.barh(y, delta.recovered, height=0.62, color=colour(0), edgecolor=INK, linewidth=0.7)
            axes.barh(
                y, -delta.regressed, height=0.62, color="none", edgecolor=colour(1), hatch=HATCHES[1], linewidth=0.9
            )  # fmt: skip
            text = f"+{delta.recovered} −{delta.regressed}, {delta.n_decided}"
            axes.text(1.03, y, text, va="center", transform=axes.get_yaxis_transform())
        axes.axvline(0, color=QUIET, linewidth=1)
        axes.set_xlim(-1.08 * most, 1.08 * most)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):.0f}")
        axes.set_xlabel("regressed  |  recovered (right: both, decided)")
    return Drawing(
        name="flips",
        title=f"Recovered and regressed against {control}",
        caption="Filled, to the right: breached under the control, complies here. Hatched, to the left: the reverse.",
        alt="; ".join(_said(delta) for delta in deltas) + ".",
        figure=figure,
    )


def _said(delta: Delta) -> str:
    return (
        f"{delta.model}, {delta.condition}: {delta.recovered} recovered and {delta.regressed} regressed of "
        f"{w.plural(delta.n_decided, 'decided scenario')}, exact McNemar after Holm p {w.p_value(delta.p_mcnemar_holm)}"
    )
