"""Commands that read finished runs: report, compare, export. None of them imports the engine or calls a model."""

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from losona.cli.content import json_option, pack_option
from losona.errors import UserFault
from losona.numbers import some

if TYPE_CHECKING:
    from losona.report.comparison import Comparison, Gate
    from losona.report.export import Format
    from losona.stats import Score
    from losona.stats.agreement import Agreement
    from losona.stored import StoredRun

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
    from losona.report.material import gather
    from losona.stored import read_runs
    from losona.taxonomy import load_taxonomy

    stored = read_runs(runs, mix_versions)
    folder = out or (runs[0] if len(runs) == 1 else Path("reports") / "+".join(p.resolve().name for p in runs)[:80])
    check_folder(folder)
    written = write_files(folder, gather(stored, load_taxonomy(packs)))
    if note := missing_note():
        click.echo(note)
    click.echo(f"{some(len(written), 'file')} written to {folder}. Read {folder / 'report.html'}")


@click.command()
@click.argument("run_a", type=run_path)
@click.argument("run_b", required=False, type=run_path)
@click.option(
    "--by",
    type=click.Choice(["judge"]),
    help="judge: RUN_A alone, the same replies by each of its judges; goes with --json only.",
)
@click.option(
    "--pair",
    "pairs",
    multiple=True,
    metavar="OLD=NEW",
    help="Compare model OLD of RUN_A with NEW of RUN_B (repeatable). Default: equal names.",
)
@click.option(
    "--min-gain",
    type=click.FloatRange(-1, 1),
    metavar="X",
    help="Gate: under every condition RUN_B complies at least X more often (0.05: five points).",
)
@click.option(
    "--no-regression",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="ALPHA",
    help="Gate: under no condition RUN_B is worse by a test at level ALPHA (Holm over the conditions).",
)
@click.option(
    "--fail-under",
    "least",
    multiple=True,
    metavar="METRIC=X",
    help="Gate on RUN_B, for example acc:naive=0.6 (repeatable).",
)
@click.option(
    "--allow-missing",
    "allowed",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    metavar="SHARE",
    help="Share of what RUN_A scored under a condition that RUN_B may lack; with more, a gate fails.",
)
@click.option("--condition", "conditions", multiple=True, metavar="C", help="Compare this condition only (repeatable).")
@click.option("--junit", "junit_file", type=run_path, metavar="FILE", help="Write gates and scenarios as JUnit XML.")
@mix_option
@json_option
def compare(
    run_a: Path,
    run_b: Path | None,
    by: str | None,
    pairs: Sequence[str],
    min_gain: float | None,
    no_regression: float | None,
    least: Sequence[str],
    allowed: float,
    conditions: Sequence[str],
    junit_file: Path | None,
    mix_versions: bool,
    as_json: bool,
) -> None:
    """Compare RUN_B with RUN_A: paired by scenario, which scenarios flipped and how, and a verdict in words.

    Verdict and gates are about the variant demos. Exit code 4 when a gate fails. With --by judge, say of RUN_A whether
    its conclusions depend on who judges: agreement of its judges by norm, and differences by each.
    """
    if by is not None:
        _refuse_beside(by, {
            "a second run": run_b, "--pair": pairs, "--min-gain": min_gain, "--no-regression": no_regression,
            "--fail-under": least, "--condition": conditions, "--junit": junit_file, "--mix-versions": mix_versions,
        })  # fmt: skip
        _compare_judges(run_a, as_json)
        return
    if run_b is None:
        raise UserFault(f"compare {run_a}: a second run is missing; give RUN_A RUN_B, or one run with --by judge.")
    from losona import stats
    from losona.report import comparison as c
    from losona.report.junit import junit
    from losona.stored import paired_models, read_runs
    from losona.textfiles import write_atomically

    gates_under = [stats.parse_gate(text) for text in least]
    first, second = read_runs([run_a, run_b], mix_versions)
    k = min((run.epochs for run in (first, second) if run.epochs), default=None)
    old, new = (_under(conditions, stats.scores(run.replies, run.gradings, k), run.name) for run in (first, second))
    found = c.compared((first.name, second.name), old, new, paired_models(first, second, pairs))
    gates = [
        *_change_gates(found, min_gain, no_regression, allowed),
        *(_gate(second, k, *gate) for gate in gates_under),
    ]
    if junit_file is not None:
        write_atomically(junit_file.resolve(), junit(found, gates))
    if as_json:
        click.echo(json.dumps(_as_json(found, gates), ensure_ascii=False, indent=1))
    else:
        from losona.report.terminal import print_comparison

        print_comparison(found, gates)
    if not all(gate.passed for gate in gates):
        sys.exit(GATE_FAILED)


def _refuse_beside(by: str, given: dict[str, Any]) -> None:
    """Raise `UserFault` where something is given that a comparison of judges does not use."""
    for name, value in given.items():
        if value is not None and value is not False and value != ():
            raise UserFault(f"--by {by} compares the judges of one run, without {name}; leave that out.")


def _compare_judges(run: Path, as_json: bool) -> None:
    from losona.stats.by_judge import by_judge
    from losona.stored import read_run

    stored = read_run(run)
    found, conclusions = by_judge(stored.replies, stored.gradings)
    if not found:
        raise UserFault(f"{run}: fewer than two judges have graded it; `losona rejudge {run} --judge J` adds one.")
    if as_json:
        agreed = [{"norm": p.norm, "first": p.first, "second": p.second, **_measures(p.agreement)} for p in found]
        moved = [{**_known(c._asdict()), "moves": c.moves} for c in conclusions]
        click.echo(json.dumps({"agreement": agreed, "conclusions": moved}, ensure_ascii=False, indent=1))
        return
    from losona.report.audit import print_pairs
    from losona.report.content import content_console

    print_pairs(found, conclusions, content_console())


def _measures(found: "Agreement") -> dict[str, Any]:
    named = {"agree": found.accuracy, "kappa": found.kappa, "ac1": found.ac1}
    return {name: _known(share._asdict()) for name, share in named.items()}


def _under(conditions: Sequence[str], scores: "Sequence[Score]", run: str) -> "list[Score]":
    """Scores under these conditions; all where none is named. Raises `UserFault` for one that the run lacks."""
    known = sorted({score.condition for score in scores})
    if unknown := [name for name in conditions if name not in known]:
        raise UserFault(f"--condition {unknown[0]}: {run} has none; it has {', '.join(known) or 'no score at all'}.")
    return [score for score in scores if not conditions or score.condition in conditions]


def _change_gates(
    found: "Comparison", min_gain: float | None, no_regression: float | None, allowed: float
) -> "list[Gate]":
    from losona.report import comparison as c

    gates = [c.min_gain(found, min_gain, allowed)] if min_gain is not None else []
    return [*gates, *([c.no_regression(found, no_regression, allowed)] if no_regression is not None else [])]


def _gate(run: "StoredRun", k: int | None, name: str, least: float) -> "Gate":
    from losona import stats
    from losona.report.comparison import Gate

    value = stats.metric(stats.cells(run.replies, run.gradings, k), name)
    found = "not scored" if math.isnan(value) else f"{value:.3f} in {run.name}"
    return Gate(f"--fail-under {name}={least:g}", stats.passes(value, least), found)


def _as_json(found: "Comparison", gates: "Sequence[Gate]") -> dict[str, Any]:
    from losona.report.comparison import verdict

    return {
        "first": found.first,
        "second": found.second,
        "verdict": verdict(found),
        "changes": [_known(asdict(row)) for row in found.changes],
        "flips": [_known(asdict(row)) for row in found.flips],
        "gates": [asdict(gate) for gate in gates],
    }


def _known(row: dict[str, Any]) -> dict[str, Any]:
    """NaN is no JSON."""
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}


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
    click.echo(f"{some(write_export(read_run(run), form, out, force), 'row')} written to {out}", err=True)
