"""The report as Markdown, with the figures beside it. Computes no number; escapes every text."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from losona.report import escaping, wording
from losona.report.figures import Drawing, missing_note
from losona.report.views import View
from losona.textfiles import write_atomically

TEMPLATES = Path(__file__).parent / "templates"


def write_markdown(path: Path, shown: Mapping[str, Any], drawings: Sequence[Drawing]) -> None:
    """Write `report.md` from what `content` gives; it refers to figures/NAME.svg."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=False,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("report.md.j2").render(
        w=wording,
        **shown,
        drawings=drawings,
        drawings_note=missing_note(),
        table=_table,
        fenced=_fenced,
    )
    write_atomically(path, page)


def table(shown: View) -> str:
    """A table; heads of blocks become a first column."""
    headed = any(head for head, _ in shown.blocks)
    titles = [*([shown.heads] if headed else []), shown.first, *shown.plain_titles]
    lines = [f"**{escaping.markdown(shown.caption)}**", "", _line(titles), _line(["---"] * len(titles), raw=True)]
    lines += [_line([*([head] if headed else []), label, *cells]) for head, label, cells in shown.plain_lines()]
    return "\n".join([*lines, "", escaping.markdown(shown.note)])


def _table(shown: View) -> Markup:
    return Markup(table(shown))  # escaped already


def _fenced(text: str) -> Markup:
    return Markup(escaping.fenced(text))


def _line(cells: Sequence[str], raw: bool = False) -> str:
    return "| " + " | ".join(cell if raw else escaping.markdown(cell) for cell in cells) + " |"


def _finalize(value: Any) -> Any:
    return escaping.markdown(value) if isinstance(value, str) and not isinstance(value, Markup) else value
