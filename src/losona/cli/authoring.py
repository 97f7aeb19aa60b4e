"""Commands for authors of frames: generate."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from losona.cli.content import FINDINGS, pack_option
from losona.errors import UserFault

if TYPE_CHECKING:
    from losona.generate.budget import Price

INCOMPLETE, INTERRUPTED = 3, 130
TEMPERATURE = 1.0


@click.command()
@click.option("--norm", default="", metavar="N", help="Norm of arm a.")
@click.option("--counter", default="auto", show_default=True, metavar="N", help="Norm of arm b; auto: its counter.")
@click.option("--event", default="", metavar="E", help="Event, or PACK.EVENT.")
@click.option("--venue", default="", metavar="V", help="Venue.")
@click.option("--grid", default="", metavar="PACK",
              help="All valid tuples of a pack, balanced over venues; --norm, --event, --venue narrow it.")  # fmt: skip
@click.option("--limit", type=int, metavar="N", help="At most N frames of a grid.")
@click.option("--count", type=int, default=1, show_default=True, metavar="K", help="Frames for each tuple.")
@click.option("--one-arm", is_flag=True, help="Measure arm a only: b is written as a contrast and dropped.")
@click.option("--language", default="en", show_default=True, metavar="TAG", help="Language of the chats.")
@click.option("--model", required=True, metavar="M", help="PROVIDER/MODEL that writes.")
@click.option("--repairs", type=int, default=2, show_default=True, metavar="R",
              help="How often each stage may be asked again.")  # fmt: skip
@click.option("--temperature", metavar="T", help="Sampling temperature, or `default`.  [default: 1.0]")
@click.option("--max-tokens", type=int, default=8192, show_default=True, help="Bound on an answer.")
@click.option("--timeout", type=int, default=300, show_default=True, metavar="S", help="Seconds for one try of a call.")
@click.option("--max-retries", type=int, default=3, show_default=True, help="Retries of a failed call.")
@click.option("--max-connections", type=int, metavar="N", help="Frames at once.")
@click.option("--max-cost", type=float, metavar="USD", help="No call that could bring the command above this.")
@click.option("--max-tokens-total", type=int, metavar="N", help="The same for tokens, read and written.")
@click.option("--price", metavar="READ,WRITTEN", help="US dollars for a million tokens.")
@click.option("-M", "model_args", multiple=True, metavar="KEY=VALUE", help="Argument for the provider (repeatable).")
@click.option("--seed", type=int, default=0, show_default=True, help="Of venues, names, order and calls.")
@click.option("--prompts", type=click.Path(path_type=Path), metavar="DIR", help="Templates that replace shipped ones.")
@pack_option
@click.option("--dry-run", is_flag=True, help="Print plan, calls and cost; call nothing.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("frames"), show_default=True,
              metavar="DIR", help="Folder of the frames.")  # fmt: skip
def generate(dry_run: bool, **options: Any) -> None:
    """Let a model write frames: in stages, each validated, and linted as a whole.

    Findings go back to the model for the part concerned. What still fails is kept in DIR/rejected with its findings.
    The same command again goes on where this one stopped. Exit code 1 when not one frame was accepted, 3 when calls
    failed or a bound was reached.
    """
    from rich.console import Console

    from losona.run import generating

    plan = generating.plan_generation(_options(**options))
    console = Console()
    if dry_run:
        generating.print_generation(plan, console)
        return
    account = generating.carry_out_generation(plan, console)
    generating.show_account(account, console)
    if account.interrupted:
        sys.exit(INTERRUPTED)
    if not account.complete:
        sys.exit(INCOMPLETE)
    if account.fruitless:
        sys.exit(FINDINGS)


WISH = ("norm", "counter", "event", "venue", "grid", "limit", "count", "one_arm", "seed")


def _options(*, price: str | None, temperature: str | None, packs: Any, model_args: Any, **rest: Any) -> Any:
    from losona.cli.running import read_model_args, read_temperature
    from losona.generate.plan import Wish
    from losona.run.generating import GenerateOptions

    wish = Wish(**{name: rest.pop(name) for name in WISH})
    return GenerateOptions(
        wish=wish,
        packs=tuple(packs),
        price=_price(price),
        temperature=read_temperature(temperature, TEMPERATURE),
        model_args=read_model_args(model_args),
        **rest,
    )


def _price(text: str | None) -> "Price | None":
    from losona.generate.budget import Price

    if text is None:
        return None
    try:
        read, written = (float(part) for part in text.split(","))
    except ValueError:
        read = written = -1.0
    if not (0 <= read < float("inf") and 0 <= written < float("inf")):
        raise UserFault(f"--price {text}: give US dollars for a million tokens read and written, for example 3,15.")
    return Price(read, written)
