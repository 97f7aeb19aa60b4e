"""Commands that read finished runs: report, compare, export. None of them imports the engine or calls a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from losona.cli.content import pack_option
from losona.errors import UserFault

if TYPE_CHECKING:
    from losona.report.export import Format

GATE_FAILED = 4
run_path = click.Path(path_type=Path)
mix_option = click.option("--mix-versions", is_flag=True, help="Put runs of different benchmark versions together.")


@click.command()
@click.argument("runs", nargs=-1, required=True, type=run_path)
@click.option("--out", type=run_path, metavar="DIR", help="Folder to write to.  [default: the run; reports/A+B]")
@mix_option
@pack_option
def report(runs: Sequence[Path], out: Path | None, mix_versions: bool, packs: Sequence[Path]) -> None:
    """Write the report of RUNS (folders that `losona run` wrote): HTML, Markdown, figures and tables for a paper.

    Several runs are shown side by side; a model that occurs in two of them gets the run's name behind it.
    """
    from losona.report.figures import missing_note
    from losona.report.files import check_folder, write_files
    from losona.report.material import gather, rules
    from losona.stored import read_runs
    from losona.taxonomy import load_taxonomy

    stored = read_runs(runs, mix_versions)
    folder = out or (runs[0] if len(runs) == 1 else Path("reports") / "+".join(p.resolve().name for p in runs)[:80])
    check_folder(folder)
    written = write_files(folder, gather(stored, rules(load_taxonomy(packs))))
    if note := missing_note():
        click.echo(note)
    click.echo(f"{len(written)} files written to {folder}. Read {folder / 'report.html'}")


@click.command()
@click.argument("run", type=run_path)
@click.option("--format", "form", type=click.Choice(["parquet", "csv", "jsonl"]), required=True, help="Kind of file.")
@click.option("--out", type=run_path, metavar="FILE", help="File to write; default standard output, but for parquet.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def export(run: Path, form: "Format", out: Path | None, force: bool) -> None:
    """Write replies and gradings of RUN as one table: a row a grading. The manual describes its columns."""
    from losona.report.export import export as exported
    from losona.report.export import write_export
    from losona.stored import read_run

    if out is None and form == "parquet":
        raise UserFault("--format parquet needs --out FILE, since it is no text; csv and jsonl can do without.")
    if out is None:
        click.echo(exported(read_run(run), form), nl=False)
        return
    click.echo(f"{write_export(read_run(run), form, out, force)} rows written to {out}", err=True)
