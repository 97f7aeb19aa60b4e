"""The figures of a report, one function a figure. Draws what the statistics give; computes no number.

Needs matplotlib (extra `figures`), which is imported only when something is drawn. Without it there are no figures.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from losona.report.figures.drawing import Drawing
from losona.report.material import Material

__all__ = ["NAMES", "Drawing", "draw_all", "missing_note"]

NAMES = ("accuracy", "effect", "flips", "floor_ceiling", "plane", "heat", "curve", "followed", "judge", "corrected")
"""Modules of this package with a function `draw`, in the order of reading; also the names of the files."""


def available() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def missing_note() -> str:
    """What the report says where figures cannot be drawn; empty where they can."""
    if available():
        return ""
    return "Figures are missing: matplotlib is not installed (pip install 'losona[figures]'). The tables say the same."


def draw_all(material: Material) -> list[Drawing]:
    """Every figure for which there is something to draw; none without matplotlib."""
    if not available():
        return []
    drawn = [_function(name)(material) for name in NAMES]
    return [drawing for drawing in drawn if drawing is not None]


def _function(name: str) -> Callable[[Material], Drawing | None]:
    return import_module(f"{__name__}.{name}").draw
