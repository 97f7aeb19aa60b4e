"""The command line: parse, call, print. No logic; what a command needs is imported when it is called."""

import sqlite3
import sys
from io import StringIO
from typing import cast

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
from losona.report.foreign import shown

INTERRUPTED = 130
TOLD = (click.ClickException, UserFault, click.Abort, KeyboardInterrupt, OSError, sqlite3.Error, RecursionError)
"""What ends a command with a sentence."""


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
    except BaseExceptionGroup as group:
        if (fault := _first(group)) is None:
            raise
        sys.exit(_tell(fault))
    except TOLD as fault:
        sys.exit(_tell(fault))


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException | None:
    """The first of several faults that were raised side by side; none where one of them is no user's fault."""
    if group.split(TOLD)[1] is not None:
        return None
    first = group.exceptions[0]
    return _first(cast("BaseExceptionGroup[BaseException]", first)) if isinstance(first, BaseExceptionGroup) else first


def _tell(fault: BaseException) -> int:
    """Say what ended the command, and give back its exit code. Foreign text in it moves nothing on the terminal."""
    if isinstance(fault, click.ClickException):
        said = StringIO()
        fault.show(said)
        click.echo(shown(said.getvalue()), nl=False, err=True)
        return 2
    click.echo(f"losona: {shown(_said(fault))}", err=True)
    return INTERRUPTED if isinstance(fault, click.Abort | KeyboardInterrupt) else 2


def _said(fault: BaseException) -> str:
    match fault:
        case click.Abort() | KeyboardInterrupt():
            return "interrupted. The same command again goes on where this one stopped."
        case RecursionError():
            return "the input is nested too deeply to be read; flatten it."
        case OSError() | sqlite3.Error():
            place, said = getattr(fault, "filename", None), getattr(fault, "strerror", None)
            where = f"{place}: " if place else "what was to be written could not be: " if said else ""
            return f"{where}{said or fault}. Nothing that was finished is lost."
        case _:
            return str(fault)


def _refuse_broken_text() -> None:
    """An argument that is no text cannot be recorded, so it is refused before anything is done."""
    for argument in sys.argv[1:]:
        if not argument.isascii() and argument.encode(errors="replace").decode() != argument:
            raise UserFault(f"{argument!a}: this argument is not UTF-8; write it as UTF-8 text.")
