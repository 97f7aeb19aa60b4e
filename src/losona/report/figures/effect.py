"""The paired effect of each condition against its controls, with intervals."""

# pyright: reportUnknownMemberType=false
from itertools import groupby

from losona.report import wording as w
from losona.report.figures.drawing import Drawing
from losona.report.figures.style import INK, QUIET, colour, marker, points_axis, rows, styled
from losona.report.material import Material
from losona.stats import Delta


def draw(material: Material) -> Drawing | None:
    """A point and its interval for each model, condition and control."""
    deltas = material.main_deltas
    if not deltas:
        return None
    controls = sorted({delta.against for delta in deltas}, key=w.condition_key)
    with styled():
        figure, axes, places = rows([(m, [_label(d) for d in g]) for m, g in groupby(deltas, lambda d: d.model)])
        axes.axvline(0, color=QUIET, linewidth=1)
        for delta, y in zip(deltas, places, strict=True):
            i = controls.index(delta.against)
            axes.plot([delta.delta_low, delta.delta_high], [y, y], color=colour(i), linewidth=2)
            axes.plot(delta.compliance_delta, y, marker=marker(i), color=colour(i), markersize=6.5, markeredgecolor=INK)
            text = f"{w.points(delta.compliance_delta)}, {delta.n_pairs}"
            axes.text(1.04, y, text, va="center", transform=axes.get_yaxis_transform())
        points_axis(axes, "Compliance, points (right: value, pairs)")
    return Drawing(
        name="effect",
        title=f"Paired effect of the conditions ({material.variant})",
        caption="Condition minus control on the same scenarios; bars are 95 % intervals, clustered by norm. "
        "Where a bar crosses 0, the difference may be chance.",
        alt="; ".join(_said(delta) for delta in deltas) + ".",
        figure=figure,
    )


def _label(delta: Delta) -> str:
    return f"{delta.condition} − {delta.against}"


def _said(delta: Delta) -> str:
    return (
        f"{delta.model}, {delta.condition} minus {delta.against}: {w.points(delta.compliance_delta)} points, 95 % "
        f"interval {w.interval(delta.delta_low, delta.delta_high, w.points)}, {w.plural(delta.n_pairs, 'pair')}, "
        f"p after Holm {w.p_value(delta.p_holm)}"
    )
