"""The command that says how large a run has to be: power."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from losona.cli.content import json_option
from losona.errors import UserFault


@click.command()
@click.option("--scenarios", type=click.IntRange(2, 100_000), required=True, metavar="N",
              help="Scenarios in scope, both arms counted.")  # fmt: skip
@click.option("--epochs", type=click.IntRange(1, 100), default=3, show_default=True, metavar="K",
              help="Replies for each prompt.")  # fmt: skip
@click.option("--effect", type=float, default=0.1, show_default=True, metavar="D",
              help="Difference to be found, a share from 0 to 1.")  # fmt: skip
@click.option("--from", "run", type=click.Path(path_type=Path), metavar="RUN",
              help="Folder of an earlier run, whose variance is used.  [default: suppositions]")  # fmt: skip
@json_option
def power(scenarios: int, epochs: int, effect: float, run: Path | None, as_json: bool) -> None:
    """Say what a run of this size can find, and what size finds an effect, for each contrast."""
    if not 0 < effect < 1:
        raise UserFault(f"--effect {effect:g}: give a share between 0 and 1, such as 0.1 for ten points.")
    from losona import stats
    from losona.stats.power import ASSUMED

    assumptions = ASSUMED
    if run is not None:
        from losona.run.tables import read_run

        _, replies, gradings = read_run(run)
        assumptions = stats.assumptions_from(*stats.counted(replies, gradings, None))
    rows = stats.power_table(scenarios, epochs, effect, assumptions)
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], indent=1))
        return
    from losona.report.power import print_power

    print_power(rows, scenarios, run)
