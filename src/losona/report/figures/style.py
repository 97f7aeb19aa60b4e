"""How every figure looks: narrow enough for a telephone, and without colour still to be told apart."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any, cast

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from losona.report.figures.drawing import Drawing
from losona.report.foreign import shown

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

WIDTH, ROW = 4.2, 0.25
"""Inches: of a figure (on a telephone it is shown a little smaller), and of one row."""
INK, QUIET, LINE, PAPER = "#1c1e21", "#565c66", "#c9cdd2", "#ffffff"
"""The report puts its own colours in place of these, so that figures follow its light and dark dress."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----")
"""Told apart by shape and hatch as well as by colour (Okabe and Ito's, made for the colour-blind)."""
LONGEST = 34
"""Characters of a name that are drawn."""
SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 9,
    "text.parse_math": False, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": QUIET,
    "xtick.color": INK, "ytick.color": INK, "figure.facecolor": PAPER, "axes.facecolor": PAPER,
    "hatch.linewidth": 0.6, "svg.fonttype": "none", "pdf.fonttype": 42, "axes.linewidth": 0.8,
}  # fmt: skip


def name(text: str) -> str:
    """A foreign name as it is drawn: invisible characters made visible, on one line, not too long."""
    flat = " ".join(shown(text).split())
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"


def colour(index: int) -> str:
    """Colour of a series."""
    return COLOURS[index % len(COLOURS)]


def marker(index: int) -> str:
    """Marker of a series."""
    return MARKERS[index % len(MARKERS)]


@contextmanager
def styled(salt: str = "losona") -> Generator[None]:
    """All drawing and saving happens in here. A letter that the font lacks, or a long name, is no reason to warn."""
    settings = cast("dict[RcKeyType, Any]", {**SETTINGS, "svg.hashsalt": salt})
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph|constrained_layout")
        yield


def rows(blocks: Sequence[tuple[str, Sequence[str]]], width: float = WIDTH) -> tuple[Figure, Axes, list[float]]:
    """Axes with a line for each label, under the bold head of its block; the places of the labels from the top."""
    places: list[float] = []
    place = 0.0
    heads: list[tuple[float, str]] = []
    for head, labels in blocks:
        if head:
            heads.append((place, head))
            place += 1
        places += [place + i for i in range(len(labels))]
        place += len(labels) + 0.35
    figure = Figure(figsize=(width, 0.75 + ROW * place), layout="constrained")
    axes = figure.add_subplot()
    axes.set_yticks(places, [name(label) for _, labels in blocks for label in labels])
    axes.set_ylim(place - 0.35, -0.6)
    axes.tick_params(axis="y", length=0)
    for spine in ("top", "right", "left"):
        axes.spines[spine].set_visible(False)
    for at, head in heads:
        box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1}
        axes.text(0, at, name(head), transform=axes.get_yaxis_transform(), weight="bold", va="center", bbox=box)
    return figure, axes, places


def percent_axis(axes: Axes, label: str) -> None:
    """Shares from 0 to 1, written in per cent."""
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    axes.set_xlabel(label)
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)


def points_axis(axes: Axes, label: str) -> None:
    """Differences from -1 to 1, written in points."""
    axes.set_xlim(-1.04, 1.04)
    axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["−100", "−50", "0", "+50", "+100"])
    axes.set_xlabel(label)
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)


def saved(drawing: Drawing, kind: str) -> bytes:
    """A figure as svg, png or pdf, the same bytes for the same figure."""
    out = BytesIO()
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with styled(drawing.name):
        drawing.figure.savefig(out, format=kind, dpi=200, metadata=undated)
        drawing.figure.set_layout_engine("none")  # found once, the layout stays
    return out.getvalue()
