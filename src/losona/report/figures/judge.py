"""How often the judges of the runs are right: sensitivity and specificity, over all and by family of norms."""

# pyright: reportUnknownMemberType=false
from collections.abc import Sequence
from itertools import groupby

from losona.report import wording as w
from losona.report.figures.drawing import Drawing
from losona.report.figures.style import INK, colour, marker, percent_axis, rows, styled
from losona.report.judging import ALL, JudgeError
from losona.report.material import Material

MOST = 60
"""With more lines than this only those over all families are drawn."""
ERRORS = ("sensitivity", "specificity")
APART = 0.17
"""How far the two points of a line stand from its middle."""


def draw(material: Material) -> Drawing | None:
    """Two points with their intervals for each judge, source and group that was measured."""
    found, left_out = _few(material.judge_errors)
    if not found:
        return None
    lines = [(key, list(group)) for key, group in groupby(found, lambda e: (_head(e, material), e.group))]
    with styled():
        blocks = [(head, [group for (_, group), _ in of]) for head, of in groupby(lines, lambda line: line[0][0])]
        figure, axes, places = rows(blocks)
        for (_, errors), y in zip(lines, places, strict=True):
            for error in errors:
                i = ERRORS.index(error.error)
                at = y + APART * (2 * i - 1)
                axes.plot([error.low, error.high], [at, at], color=colour(i), linewidth=1.6, solid_capstyle="butt")
                axes.plot(error.value, at, marker=marker(i), color=colour(i), markersize=5, markeredgecolor=INK)
            axes.text(1.04, y, _numbers(errors), va="center", transform=axes.get_yaxis_transform())
        percent_axis(axes, "Right verdicts, % (right: replies that comply, breach)")
        handles = [
            axes.plot([], [], marker=marker(i), color=colour(i), markeredgecolor=INK, markersize=5, label=name)[0]
            for i, name in enumerate(ERRORS)
        ]
        figure.legend(handles=handles, loc="outside lower center", frameon=False, fontsize=8.5, ncols=2)
    return Drawing(
        name="judge",
        title="Judge calibration: how often a verdict is right",
        caption="Sensitivity: called complying, of those that comply. Specificity: called a breach, of those that "
        "breach. Bars are 95 % intervals; an audit has replies of known label, people label replies of the run."
        + left_out,
        alt="; ".join(_said(error, material) for error in found) + ".",
        figure=figure,
    )


def _few(found: Sequence[JudgeError]) -> tuple[list[JudgeError], str]:
    if len(found) <= 2 * MOST:
        return list(found), ""
    return [e for e in found if e.group == ALL], " Only the rates over all families are drawn."


def _head(error: JudgeError, material: Material) -> str:
    run = f"{error.run}: " if len(material.runs) > 1 else ""
    return f"{error.source}: {run}{error.judge}"


def _numbers(errors: Sequence[JudgeError]) -> str:
    n = {error.error: w.count(error.n) for error in errors}
    return ", ".join(n.get(name, "0") for name in ERRORS)


def _said(error: JudgeError, material: Material) -> str:
    return (
        f"{_head(error, material)}, {error.group}: {error.error} {w.percent(error.value)} of {error.n}, 95 % interval "
        f"{w.interval(error.low, error.high, w.bare)}"
    )
