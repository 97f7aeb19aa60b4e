"""Commands from a frame to a release: screen, review, curate, release build."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from losona.cli.content import emit, pack_option
from losona.cli.running import INCOMPLETE, INTERRUPTED, run_options

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
@click.option("--judge", metavar="J", help="Judge model. Default: none, and what code cannot decide stays undecided.")
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

    plan = stage.make_screen_plan(
        frames, run_options(option="--baseline", models=options.pop("models"), **options), share
    )
    if write_prompts:
        _write_prompts(_screen_prompts(plan), write_prompts, force)
    elif dry_run:
        from losona.run.dryrun import print_plan

        print_plan(plan.run, Console())
    else:
        screened = stage.screen(plan, console := Console())
        stage.show(plan, screened, console)
        _leave(screened.outcome.interrupted, screened.complete)


def _screen_prompts(plan: Any) -> list[dict[str, Any]]:
    from losona.run.plan import prompt_rows

    return prompt_rows(plan.run)


def _write_prompts(rows: Sequence[dict[str, Any]], path: Path, force: bool) -> None:
    emit([json.dumps(row, ensure_ascii=False) for row in rows], path, force)


def _leave(interrupted: bool, complete: bool) -> None:
    if interrupted:
        sys.exit(INTERRUPTED)
    if not complete:
        sys.exit(INCOMPLETE)
