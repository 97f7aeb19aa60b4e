"""The command line: parse, call, print. No logic; what a command needs is imported when it is called."""

import os
import sys
from io import TextIOWrapper

import click

from losona import __version__
from losona.cli.content import check, derive, lint, list_, show, taxonomy
from losona.cli.planning import power
from losona.cli.reporting import compare, export, report
from losona.cli.running import doctor, prompts, run
from losona.errors import UserFault

INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="losona")
def cli() -> None:
    """Local social norm adaptation in group conversations: a benchmark.

    Exit codes: 0 done, 1 lint found errors, 2 your input needs mending, 3 a run is incomplete, 4 a gate failed,
    130 interrupted.
    """


for command in (run, prompts, report, compare, export, power, doctor, list_, show, check, derive, lint, taxonomy):
    cli.add_command(command)


def main() -> None:
    """Entry point: a user's fault is a sentence and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(prog_name="losona", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as fault:
        fault.show()
        sys.exit(2)
    except UserFault as fault:
        click.echo(f"losona: {fault}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("losona: interrupted. The same command again goes on where this one stopped.", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as fault:
        where = f"{fault.filename}: " if fault.filename else ""
        click.echo(f"losona: {where}{fault.strerror or fault}. Nothing that was finished is lost.", err=True)
        sys.exit(2)
    except RecursionError:
        click.echo("losona: the input is nested too deeply to be read; flatten it.", err=True)
        sys.exit(2)
