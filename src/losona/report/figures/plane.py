"""The contrast plane: how often a model complies on one side of a pair, against the other side."""

# pyright: reportUnknownMemberType=false
from losona.report import wording as w
from losona.report.figures.choice import few
from losona.report.figures.drawing import Drawing
from losona.report.figures.style import INK, LINE, MARKERS, QUIET, WIDTH, colour, name, styled
from losona.report.material import Material
from losona.stats import PairAccuracy


def draw(material: Material) -> Drawing | None:
    """A point for each model (marker) and condition (colour, and filled or open), over its frames."""
    from matplotlib.figure import Figure

    found, left_out = few(material.contrasts, len(material.contrasts))
    if not found:
        return None
    hues = list(dict.fromkeys(_hue(row, left_out) for row in found))
    with styled():
        figure = Figure(figsize=(WIDTH, WIDTH + 0.3 + 0.2 * len(found)), layout="constrained")
        axes = figure.add_subplot()
        axes.plot([0, 1], [1, 0], color=QUIET, linestyle="--", linewidth=1)
        axes.text(0.03, 0.9, "a fixed style", rotation=-45, color=QUIET, ha="left", va="top")
        axes.text(0.985, 0.955, "adapts", color=QUIET, ha="right")
        for i, row in enumerate(found):
            size = 11 - 5 * i / len(found)
            axes.plot(
                row.second, row.first, linestyle="none", marker=MARKERS[i % len(MARKERS)], markersize=size,
                color=colour(hues.index(_hue(row, left_out))), markeredgecolor=INK, alpha=0.85, zorder=3,
                label=f"{name(row.model)}, {row.condition}",
            )  # fmt: skip
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.03, 1.03)
        ticks = [0, 0.25, 0.5, 0.75, 1]
        axes.set_xticks(ticks, [w.bare(tick) for tick in ticks])
        axes.set_yticks(ticks, [w.bare(tick) for tick in ticks])
        axes.set_aspect("equal")
        axes.grid(color=LINE, linewidth=0.6)
        axes.set_xlabel("complies on the second side, %")
        axes.set_ylabel("complies on the first side, %")
        figure.legend(loc="outside lower center", frameon=False, fontsize=8.5, ncols=1)
    return Drawing(
        name="plane",
        title="Contrast plane",
        caption="The same last message after two opposite histories. A fixed style lies on the dashed line, "
        "whatever it is; a model that adapts lies in the upper right corner." + left_out,
        alt="; ".join(_said(row) for row in found) + ".",
        figure=figure,
    )


def _hue(row: PairAccuracy, left_out: str) -> str:
    """What a colour stands for: the condition, or the model where only one condition is drawn."""
    return row.model if left_out else row.condition


def _said(row: PairAccuracy) -> str:
    return (
        f"{row.model}, {row.condition}: complies in {w.percent(row.first)} on the first side, in "
        f"{w.percent(row.second)} on the second and in {w.percent(row.both)} on both, "
        f"of {w.plural(row.n_pairs, 'frame')}"
    )
