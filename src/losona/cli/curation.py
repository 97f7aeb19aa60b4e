"""Commands from a frame to a release: screen, review, curate, release build."""

import json
import sys
from collections.abc import Callable, Sequence
from getpass import getuser
from pathlib import Path
from typing import Any, TypeVar

import click

from losona.cli.content import emit, pack_option
from losona.cli.running import INCOMPLETE, INTERRUPTED, run_options
from losona.foreign import shown_line

Command = TypeVar("Command", bound=Callable[..., Any])
frames_argument = click.argument("frames", nargs=-1, required=True, type=click.Path(path_type=Path))
dry_run_option = click.option("--dry-run", is_flag=True,
                              help="Say what would be called and what is missing; call nothing.")  # fmt: skip
prompts_option = click.option("--prompts", type=click.Path(path_type=Path), metavar="DIR",
                              help="Templates that replace shipped ones.")  # fmt: skip
write_prompts_option = click.option("--write-prompts", type=click.Path(path_type=Path), metavar="FILE",
                                    help="Write the prompts with their keys, for answers from elsewhere.")  # fmt: skip
force_option = click.option("--force", is_flag=True, help="Replace an existing file of --write-prompts.")


@click.command()
@frames_argument
@click.option("--baseline", "models", multiple=True, required=True, metavar="M",
              help="PROVIDER/MODEL or NAME=PROVIDER/MODEL (repeatable).")  # fmt: skip
@click.option("--epochs", type=int, default=3, show_default=True, help="Replies of each baseline (K).")
@click.option("--judge", "judges", multiple=True, metavar="J",
              help="Judge model (repeatable). Default: none, and what code cannot decide stays undecided.")  # fmt: skip
@click.option("--keep-unscreened-share", "share", type=float, default=0.0, metavar="X",
              help="Share of frames, drawn at random, of which no arm is dropped.")  # fmt: skip
@prompts_option
@pack_option
@click.option(
    "--temperature", metavar="T", help="Sampling temperature, or `default` for the provider's.  [default: 0.9]"
)
@click.option("--max-tokens", type=int, default=400, show_default=True, help="Bound on a reply.")
@click.option("--judge-max-tokens", type=int, default=8192, show_default=True, help="Bound on a verdict.")
@click.option("-M", "model_args", multiple=True, metavar="KEY=VALUE", help="Argument for the provider (repeatable).")
@click.option("--seed", type=int, default=0, show_default=True, help="Base of the seeds; also draws the share.")
@click.option("--max-connections", type=int, metavar="N", help="Calls at once for each model.")
@click.option("--max-retries", type=int, default=3, show_default=True, help="Retries of a failed provider call.")
@dry_run_option
@write_prompts_option
@force_option
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the replies.  [default: screens/BASELINES]"
)
def screen(
    frames: Sequence[Path], share: float, dry_run: bool, write_prompts: Path | None, force: bool, **options: Any
) -> None:
    """Ask baselines to answer the chats of FRAMES without demonstrations, and drop the arms that they follow anyway.

    An arm is dropped when one baseline follows its norm in at least two of three replies. Every decision stands with
    all replies in the record beside the frame. The same command again goes on where it stopped.
    """
    from rich.console import Console

    from losona import screen as stage
    from losona.run.ahead import rows_to_answer

    plan = stage.make_screen_plan(
        frames, run_options(option="--baseline", models=options.pop("models"), **options), share
    )
    if write_prompts:
        rows, what = rows_to_answer(plan.run)
        _write_prompts(rows, write_prompts, force)
        if what:
            click.echo(what, err=True)
    elif dry_run:
        stage.print_screen_plan(plan, Console())
    else:
        screened = stage.screen(plan, console := Console())
        stage.show(plan, screened, console)
        _leave(screened.outcome.interrupted, screened.complete)


def _write_prompts(rows: Sequence[dict[str, Any]], path: Path, force: bool) -> None:
    emit([json.dumps(row, ensure_ascii=False) for row in rows], path, force)


def _leave(interrupted: bool, complete: bool) -> None:
    if interrupted:
        sys.exit(INTERRUPTED)
    if not complete:
        sys.exit(INCOMPLETE)


@click.command()
@frames_argument
@click.option("--judge", "judges", multiple=True, required=True, metavar="J", help="Judge model (repeatable).")
@click.option("--check", "checks", multiple=True, metavar="NAME",
              help="inferability, non_statement, closed_evidence, answerability or gold_audit (repeatable). "
                   "Default: all.")  # fmt: skip
@click.option("--votes", type=int, default=3, show_default=True, help="Votes of each judge on inferability.")
@prompts_option
@pack_option
@click.option("--max-tokens", type=int, default=8192, show_default=True, help="Bound on an answer.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the choice and order of rules.")
@click.option("--max-connections", type=int, metavar="N", help="Calls at once for each judge.")
@click.option("--max-retries", type=int, default=3, show_default=True, help="Retries of a failed provider call.")
@dry_run_option
@write_prompts_option
@force_option
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the logs.  [default: reviews/JUDGES]"
)
def review(
    frames: Sequence[Path], judges: Sequence[str], checks: Sequence[str], packs: Sequence[Path], dry_run: bool,
    write_prompts: Path | None, force: bool, **options: Any,
) -> None:  # fmt: skip
    """Ask judges about FRAMES: can the norm be told, is it unstated, is the evidence closed, is there an answer, and
    do they sort the references?

    Answers stand in the record beside the frame. What was answered already is not asked again.
    """
    from rich.console import Console

    from losona import review as stage

    asked = stage.ReviewOptions(tuple(judges), tuple(checks), packs=tuple(packs), **options)
    plan = stage.make_review_plan(frames, asked)
    if write_prompts:
        _write_prompts(stage.prompt_rows(plan), write_prompts, force)
    elif dry_run:
        stage.print_plan(plan, Console())
    else:
        reviewed = stage.review(plan, console := Console())
        stage.show(plan, reviewed, console)
        _leave(reviewed.interrupted, reviewed.complete)


@click.command()
@frames_argument
@click.option("--author", metavar="NAME", help="Who decides.  [default: the name of your login]")
@click.option("--all", "every", is_flag=True, help="Also frames that are decided on.")
@click.option(
    "--accept", "accepted", multiple=True, metavar="ID", help="Accept this frame without asking (repeatable)."
)
@click.option(
    "--reject", "rejected", multiple=True, metavar="ID", help="Reject this frame without asking (repeatable)."
)
@click.option("--reason", default="", metavar="TEXT", help="Why; needed with --reject and --despite-checks.")
@click.option("--despite-checks", is_flag=True, help="Accept frames of which a check by models has failed.")
@pack_option
def curate(
    frames: Sequence[Path], author: str | None, every: bool, accepted: Sequence[str], rejected: Sequence[str],
    reason: str, despite_checks: bool, packs: Sequence[Path],
) -> None:  # fmt: skip
    """Look at FRAMES one at a time, and accept, reject or edit them.

    Each frame is shown as a chat, its arms side by side, with findings of the linter, screening and checks. Decisions
    stand in the record beside the frame, with author and time; a later change of the frame makes them stale.
    """
    from rich.console import Console

    from losona import curate as stage
    from losona.taxonomy import load_taxonomy

    who = author if author is not None else getuser()
    if accepted or rejected:
        choices = stage.Choices(accepted, rejected, who, reason, despite_checks)
        for file in stage.decide(frames, choices, load_taxonomy(packs)):
            click.echo(shown_line(stage.decided(file)))
        return
    if reason or despite_checks:
        raise click.UsageError("--reason and --despite-checks go with --accept ID or --reject ID.")
    console = Console(highlight=False, markup=False, emoji=False)
    stage.curate(
        frames, who, every, load_taxonomy(packs), stage.Answers(bool(sys.stdin and sys.stdin.isatty())), console
    )


@click.group()
def release() -> None:
    """Freeze accepted frames."""


@release.command()
@click.argument("frames", nargs=-1, type=click.Path(path_type=Path))
@click.option("--accepted", multiple=True, type=click.Path(path_type=Path), metavar="FRAMES",
              help="Accepted frames, a file or a folder (repeatable; further FRAMES may follow).")  # fmt: skip
@click.option("--name", required=True, help="Name of the release.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="New folder.  [default: releases/NAME]")
@click.option("--licence", type=click.Path(path_type=Path), metavar="FILE",
              help="Text of a licence in place of CC BY 4.0, that of the shipped frames.")  # fmt: skip
@pack_option
def build(
    frames: Sequence[Path], accepted: Sequence[Path], name: str, out: Path | None, licence: Path | None,
    packs: Sequence[Path],
) -> None:  # fmt: skip
    """Freeze a release: frames with their records, scenarios, official rows, card, licence, canary, manifest.

    Refused while a frame fails the lint or is not accepted as it is, and where the folder exists. Equal frames and
    records make equal files.
    """
    from losona import BENCHMARK_VERSION, __version__
    from losona.curation.release import build_release, read_imprint
    from losona.taxonomy import load_taxonomy
    from losona.textfiles import listed

    if not (paths := [*accepted, *frames]):
        raise click.UsageError("give the frames: --accepted FRAMES.")
    imprint = read_imprint(licence, BENCHMARK_VERSION, __version__)
    folder, notices = build_release(paths, name, out, load_taxonomy(packs), imprint)
    if notices:
        click.echo(f"warning: {listed(notices)}", err=True)
    click.echo(f"{folder}: read {folder / 'card.md'}; run it with: losona run --scenarios {folder}")
