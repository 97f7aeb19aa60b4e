"""The adaptation curve: compliance after 0, 1, 2 and 3 demonstrations."""

# pyright: reportUnknownMemberType=false
from itertools import groupby

from losona.report import wording as w
from losona.report.figures.choice import few
from losona.report.figures.drawing import Drawing
from losona.report.figures.style import INK, LINE, WIDTH, colour, marker, name, styled
from losona.report.material import Material

STYLES = ("-", "--", "-.", ":")
SPREAD = 0.05
"""Curves are set apart a little, so that their intervals do not cover each other."""


def draw(material: Material) -> Drawing | None:
    """A line for each model and condition that was run with every dose."""
    from matplotlib.figure import Figure

    doses, left_out = few(material.doses, len({(p.model, p.condition) for p in material.doses}))
    curves = [(key, list(points)) for key, points in groupby(doses, lambda p: (p.model, p.condition))]
    if not curves:
        return None
    with styled():
        figure = Figure(figsize=(WIDTH, 3.1 + 0.2 * len(curves)), layout="constrained")
        axes = figure.add_subplot()
        for i, ((model, condition), points) in enumerate(curves):
            x = [point.dose + min(SPREAD, 0.4 / len(curves)) * (i - (len(curves) - 1) / 2) for point in points]
            axes.vlines(x, [p.low for p in points], [p.high for p in points], color=colour(i), linewidth=1.2)
            axes.plot(
                x, [p.share for p in points], color=colour(i), marker=marker(i), linestyle=STYLES[i % len(STYLES)],
                markeredgecolor=INK, markersize=6, label=f"{name(model)}, {condition} ({points[0].n})",
            )  # fmt: skip
        axes.set_xticks(sorted({point.dose for point in material.doses}))
        axes.set_ylim(-0.03, 1.03)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
        axes.grid(axis="y", color=LINE, linewidth=0.6)
        axes.set_xlabel("demonstrations")
        axes.set_ylabel("compliance, %")
        figure.legend(loc="outside lower center", frameon=False, fontsize=8.5, ncols=1)
    return Drawing(
        name="curve",
        title="Adaptation curve",
        caption="Compliance by number of demonstrations, on the same frames and arms (their number in brackets); bars "
        "are 95 % intervals, clustered by frame." + left_out,
        alt="; ".join(
            f"{model}, {condition}: "
            + ", ".join(f"{w.percent(p.share)} after {w.plural(p.dose, 'demonstration')}" for p in points)
            for (model, condition), points in curves
        )
        + ".",
        figure=figure,
    )
