"""The report as one HTML file that needs neither script nor network. Computes no number.

Every text is foreign (a reply may be hostile): the templates escape all, and characters that could hide or reorder
text are made visible.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from losona.report import wording
from losona.report.figures import Drawing, draw_all, missing_note
from losona.report.foreign import shown
from losona.report.material import Material
from losona.report.page import content
from losona.textfiles import write_atomically

TEMPLATES = Path(__file__).parent / "templates"


def write_html(path: Path, material: Material) -> None:
    """Draw the figures and write the page."""
    write_page(path, content(material), draw_all(material))


def write_page(path: Path, shown: Mapping[str, Any], drawings: Sequence[Drawing]) -> None:
    """Write the page from what `content` gives."""
    page = (
        _environment()
        .get_template("report.html.j2")
        .render(
            w=wording,
            **shown,
            drawings=[_shown(drawing) for drawing in drawings],
            drawings_note=missing_note() or ("" if drawings else "There is nothing to draw yet."),
        )
    )
    write_atomically(path, page)


def _shown(drawing: Drawing) -> dict[str, Any]:
    from losona.report.figures.inline import inline_svg

    return {
        "name": drawing.name,
        "title": drawing.title,
        "caption": drawing.caption,
        "wide": drawing.wide,
        "svg": Markup(inline_svg(drawing)),
    }


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _finalize(value: Any) -> Any:
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value
