"""What a model does without demonstrations, what it does with them, and the ceiling of the oracle prompt."""

# pyright: reportUnknownMemberType=false
from itertools import groupby

from losona.report import wording as w
from losona.report.figures.drawing import Drawing
from losona.report.figures.style import INK, PAPER, QUIET, colour, percent_axis, rows, styled
from losona.report.material import Material
from losona.stats import Gain


def draw(material: Material) -> Drawing | None:
    """A bar for each gain: hatched up to the floor, full up to what demonstrations reach, a tick at the ceiling."""
    gains = [gain for gain in material.gains if gain.n_pairs and gain.condition != "oracle"]
    if not gains:
        return None
    ceilings = {(c.model, c.condition): c.ceiling for c in material.ceilings}
    with styled():
        figure, axes, places = rows([(m, [g.condition for g in group]) for m, group in groupby(gains, _model)])
        for gain, y in zip(gains, places, strict=True):
            floor, reached = gain.without_demos, gain.with_demos
            axes.barh(y, reached, height=0.62, color=colour(0), edgecolor=INK, linewidth=0.7)
            axes.barh(y, floor, height=0.62 if floor <= reached else 0.3, color=PAPER, edgecolor=QUIET, hatch="////")
            if (ceiling := ceilings.get((gain.model, gain.condition))) is not None:
                axes.plot([ceiling, ceiling], [y - 0.42, y + 0.42], color=INK, linewidth=2)
            text = f"{w.points(gain.gain)}, {gain.n_pairs}"
            axes.text(1.04, y, text, va="center", transform=axes.get_yaxis_transform())
        percent_axis(axes, "Compliance, % (right: gain in points, pairs)")
    return Drawing(
        name="floor_ceiling",
        title="From floor to ceiling",
        caption="Hatched: without demonstrations (the floor). Filled: what demonstrations add."
        + (" Tick: the oracle prompt (the ceiling)." if ceilings else " No oracle was run, so no ceiling is drawn."),
        alt="; ".join(_said(gain, ceilings) for gain in gains) + ".",
        figure=figure,
    )


def _model(gain: Gain) -> str:
    return gain.model


def _said(gain: Gain, ceilings: dict[tuple[str, str], float]) -> str:
    found = ceilings.get((gain.model, gain.condition))
    top = "" if found is None else f", ceiling {w.percent(found)}"
    return (
        f"{gain.model}, {gain.condition}: floor {w.percent(gain.without_demos)}, with demonstrations "
        f"{w.percent(gain.with_demos)}, gain {w.points(gain.gain)} points over {w.plural(gain.n_pairs, 'pair')}{top}"
    )
