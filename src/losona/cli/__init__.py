"""The command line: parse, call, print. No logic; what a command needs is imported when it is called."""

import sqlite3
import sys

import click

from losona import __version__
from losona.cli.authoring import generate
from losona.cli.content import check, derive, lint, list_, show, taxonomy
from losona.cli.curation import curate, release, review, screen
from losona.cli.judging import judge, rejudge
from losona.cli.planning import power
from losona.cli.reporting import compare, export, report
from losona.cli.running import doctor, prompts, run
from losona.cli.streams import make_streams_last
from losona.errors import UserFault

INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="losona")
def cli() -> None:
    """Local social norm adaptation in group conversations: a benchmark.

    Exit codes: 0 done, 1 lint found errors, 2 your input needs mending, 3 calls are missing, 4 a gate failed,
    130 interrupted.
    """


RUNNING = (run, prompts, rejudge, report, compare, export, power, judge, doctor)
CONTENT = (list_, show, check, derive, taxonomy)
AUTHORING = (lint, generate, screen, review, curate, release)
for command in (*RUNNING, *CONTENT, *AUTHORING):
    cli.add_command(command)


def main() -> None:
    """Entry point: a user's fault is a sentence and exit code 2, never a traceback."""
    make_streams_last()
    try:
        _refuse_broken_text()
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
    except (OSError, sqlite3.Error) as fault:
        place, said = getattr(fault, "filename", None), getattr(fault, "strerror", None)
        where = f"{place}: " if place else ""
        click.echo(f"losona: {where}{said or fault}. Nothing that was finished is lost.", err=True)
        sys.exit(2)
    except RecursionError:
        click.echo("losona: the input is nested too deeply to be read; flatten it.", err=True)
        sys.exit(2)


def _refuse_broken_text() -> None:
    """An argument that is no text cannot be recorded, so it is refused before anything is done."""
    for argument in sys.argv[1:]:
        if not argument.isascii() and argument.encode(errors="replace").decode() != argument:
            raise UserFault(f"{argument!a}: this argument is not UTF-8; write it as UTF-8 text.")
