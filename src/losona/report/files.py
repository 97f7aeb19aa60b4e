"""Everything that `losona report` writes into a folder. Computes no number."""

from collections.abc import Iterable
from pathlib import Path

from losona.errors import UserFault
from losona.report import figures, sections
from losona.report.escaping import csv
from losona.report.figures import Drawing
from losona.report.html import write_page
from losona.report.markdown import write_markdown
from losona.report.material import Material
from losona.report.page import content
from losona.report.tabular import tabular
from losona.textfiles import write_atomically

KINDS = ("svg", "png", "pdf")


def write_files(folder: Path, material: Material) -> list[Path]:
    """Write report.html, report.md, figures/ and tables/, in place of earlier ones; returns what was written.

    Files of an earlier report that this one does not have are removed: they would show other numbers.
    """
    drawings = figures.draw_all(material)
    written = [*_figures(folder / "figures", drawings), *_tables(folder / "tables", material)]
    shown = content(material)
    write_page(folder / "report.html", shown, drawings)
    write_markdown(folder / "report.md", shown, drawings)
    return [folder / "report.html", folder / "report.md", *written]


def check_folder(folder: Path) -> None:
    """Raise `UserFault` unless a report may be written here: a new or empty folder, a run, or an earlier report."""
    if folder.exists() and not folder.is_dir():
        raise UserFault(f"--out {folder}: this is no folder; give the name of a folder.")
    known = ("run.json", "report.html")
    if folder.is_dir() and any(folder.iterdir()) and not any((folder / name).is_file() for name in known):
        raise UserFault(f"--out {folder}: it holds other files; give a new or empty folder, or that of a run.")


def _figures(folder: Path, drawings: Iterable[Drawing]) -> list[Path]:
    written: list[Path] = []
    for drawing in drawings:
        for kind in KINDS:
            written.append(folder / f"{drawing.name}.{kind}")
            write_atomically(written[-1], _bytes(drawing, kind))
    _remove(folder, (f"{name}.{kind}" for name in figures.NAMES for kind in KINDS), written)
    return written


def _bytes(drawing: Drawing, kind: str) -> bytes:
    from losona.report.figures.inline import described_svg
    from losona.report.figures.style import saved

    return described_svg(drawing) if kind == "svg" else saved(drawing, kind)


def _tables(folder: Path, material: Material) -> list[Path]:
    written: list[Path] = []
    for name, table in material.tables().items():
        written.append(folder / f"{name}.csv")
        write_atomically(written[-1], csv(table))
    for view in sections.every(material):
        written.append(folder / f"{view.name}.tex")
        write_atomically(written[-1], tabular(view))
    earlier = [path.name for path in folder.glob("variant_*.tex")]
    _remove(folder, [*earlier, *(f"{name}.tex" for name in sections.OPTIONAL)], written)
    return written


def _remove(folder: Path, names: Iterable[str], written: list[Path]) -> None:
    for path in (folder / name for name in names):
        if path not in written:
            path.unlink(missing_ok=True)
