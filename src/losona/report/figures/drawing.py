"""A figure with the words that belong to it. Knows neither what is drawn nor how it is saved."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawing:
    """One figure."""

    name: str
    """Name of its files."""
    title: str
    """What it shows, without a full stop."""
    caption: str
    """How to read it."""
    alt: str
    """What it shows in words, with the numbers, for who cannot see it."""
    figure: "Figure"
    """The drawing."""
    wide: bool = False
    """Takes the whole width of the page."""

    @cached_property
    def svg(self) -> bytes:
        """The figure as SVG, drawn once for page and file."""
        from losona.report.figures.style import saved

        return saved(self, "svg")
