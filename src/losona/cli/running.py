"""Commands that run models or prepare that: run, prompts, doctor."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from losona.cli.content import emit, json_option, pack_option
from losona.errors import UserFault

if TYPE_CHECKING:
    from rich.console import Console

    from losona.run.options import RunOptions
    from losona.run.outcome import Outcome

Command = TypeVar("Command", bound=Callable[..., Any])
INCOMPLETE, GATE_FAILED, INTERRUPTED = 3, 4, 130
PAPER_TEMPERATURE = 0.9
RESERVED = ("config", "default", "memoize", "model", "required", "role")
"""Arguments that the engine takes for itself."""

SELECTION = (
    click.option("--scenarios", default="shipped", metavar="S", show_default=True,
                 help="shipped, a frame, a folder of frames, a release, a .jsonl file, or hf:OWNER/NAME[@REVISION]."),
    pack_option,
    click.option("--condition", "conditions", multiple=True, metavar="C",
                 help="Condition (repeatable).  [default: the four]"),
    click.option("--arm", "arms", multiple=True, type=click.Choice(["a", "b"]), help="Arm of frames. Default: both."),
    click.option("--variant", "variants", multiple=True, metavar="V",
                 help="Variant (repeatable).  [default: demos, nodemos]"),
    click.option("--epochs", type=int, help="Replies for each transcript and condition (K).  [default: 3]"),
    click.option("--limit", type=int, metavar="N", help="At most N frames (or rows), spread over norm families."),
    click.option("--judge", "judges", multiple=True, metavar="J",
                 help="Judge model (repeatable: a panel). Default: none, the verifiable track."),
    click.option("--prompts", type=click.Path(path_type=Path), metavar="DIR",
                 help="Templates that replace shipped ones."),
    click.option("--system-prompt", type=click.Path(path_type=Path), metavar="FILE",
                 help="Your own agent, put in front."),
    click.option("--render", "rendering", type=click.Choice(["text", "turns"]), default="text", show_default=True,
                 help="The chat as one text, or as turns."),
    click.option("--unnamed-subject", default="", metavar="NAME", help="Name for subjects of rows that give none."),
    click.option("--skip-bad-rows", is_flag=True, help="Leave out malformed rows, and count them."),
)  # fmt: skip


def selection_options(command: Command) -> Command:
    """The options that decide which prompts a run has."""
    for option in reversed(SELECTION):
        command = option(command)
    return command


@click.command()
@click.option("--model", "models", multiple=True, metavar="M",
              help="PROVIDER/MODEL or NAME=PROVIDER/MODEL (repeatable).  [default: embedded/smollm2-135m]")  # fmt: skip
@selection_options
@click.option(
    "--temperature", metavar="T", help="Sampling temperature, or `default` for the provider's.  [default: 0.9]"
)
@click.option("--max-tokens", type=int, default=400, show_default=True, help="Bound on a reply.")
@click.option("--judge-max-tokens", type=int, default=8192, show_default=True, help="Bound on a verdict.")
@click.option(
    "--judge-protocol",
    type=click.Choice(["losona", "paper"]),
    default="losona",
    show_default=True,
    help="How judges are asked: ours, or by the paper's procedure.",
)
@click.option(
    "--judge-validity",
    is_flag=True,
    help="Ask judges also, where code decides the norm, whether a member could have sent the reply.",
)
@click.option("--audits", type=click.Path(path_type=Path), default="audits", metavar="DIR", show_default=True,
              help="Folder in which audits of the judge are looked for.")  # fmt: skip
@click.option("--strict-judge", is_flag=True, help="Refuse a judge of a subject's family, or the subject itself.")
@click.option("-M", "model_args", multiple=True, metavar="KEY=VALUE", help="Argument for the provider (repeatable).")
@click.option("--seed", type=int, default=0, show_default=True, help="Base of the seeds.")
@click.option("--max-connections", type=int, metavar="N", help="Calls at once for each model.")
@click.option("--max-retries", type=int, default=3, show_default=True, help="Retries of a failed provider call.")
@click.option("--protocol", type=click.Choice(["paper"]), help="paper: K = 3, temperature 0.9, the four conditions.")
@click.option(
    "--fail-under", "gates", multiple=True, metavar="METRIC=X", help="Gate, for example acc=0.6; exit code 4."
)
@click.option(
    "--until-decided",
    "claim",
    metavar="CLAIM",
    help="Ask block by block until an anytime-valid test decides a claim such as 'A>B on norm_informed'.",
)
@click.option(
    "--max",
    "budget",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --until-decided: ask for at most N scenarios.  [default: all]",
)
@click.option("--dry-run", is_flag=True, help="Say what would be called and what is missing; call nothing.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the run.  [default: runs/MODELS]"
)
def run(
    protocol: str | None, gates: Sequence[str], dry_run: bool, claim: str | None, budget: int | None, **options: Any
) -> None:
    """Run the benchmark: ask every model, grade every reply, print the table, write the report.

    The same command again goes on where it stopped; a further model, condition, variant or epoch extends the run.
    With --until-decided, exit code 4 says that the claim was not shown: the reverse was, or nothing was decided.
    """
    from rich.console import Console

    from losona.run.gates import parse_gates
    from losona.run.plan import make_plan

    if budget is not None and claim is None:
        raise UserFault(f"--max {budget}: it bounds --until-decided; give a claim, or --limit for a smaller run.")
    if claim is not None and protocol is not None:
        raise UserFault("--protocol paper: it asks all four conditions; leave it out with --until-decided.")
    console = Console()
    if claim is not None:
        _run_until(claim, budget, gates, dry_run, console, run_options(**options))
        return
    plan = make_plan(run_options(protocol=protocol, **options))
    wanted = parse_gates(gates, plan)
    if dry_run:
        from losona.run.dryrun import print_plan

        print_plan(plan, console)
        return
    from losona.run.execute import carry_out
    from losona.run.outcome import show

    outcome = carry_out(plan, console)
    show(outcome, console)
    _end(outcome, [gate.test(outcome.cells, plan) for gate in wanted])


def _run_until(
    claim: str, budget: int | None, gates: Sequence[str], dry_run: bool, console: "Console", options: "RunOptions"
) -> None:
    from losona.run.claim import narrowed
    from losona.run.gates import parse_gates
    from losona.run.plan import make_plan
    from losona.run.until import carry_out_until, describe, make_course, tell

    options, wish = narrowed(options, claim)
    plan = make_plan(options)
    wanted = parse_gates(gates, plan)
    course = make_course(plan, wish, budget)
    if dry_run:
        from losona.run.dryrun import print_plan

        print_plan(course.plan(plan, len(course.steps)), console)
        click.echo(describe(course))
        return
    from losona.run.outcome import show

    outcome, decision = carry_out_until(plan, course, console)
    show(outcome, console)
    for line in tell(decision):
        click.echo(line)
    _end(outcome, [(decision.said == "first", ""), *(gate.test(outcome.cells, plan) for gate in wanted)])


def _end(outcome: "Outcome", tested: Sequence[tuple[bool, str]]) -> None:
    """Say what came of the gates, and end with the exit code that fits."""
    for _, line in tested:
        if line:
            click.echo(line)
    if outcome.interrupted:
        sys.exit(INTERRUPTED)
    if not outcome.complete:
        sys.exit(INCOMPLETE)
    if not all(passed for passed, _ in tested):
        sys.exit(GATE_FAILED)


@click.command()
@selection_options
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="File to write; default standard output.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def prompts(out: Path | None, force: bool, **options: Any) -> None:
    """Write the rendered prompts with their keys as JSON Lines, to be answered elsewhere.

    An answer is a line {"prompt_hash": ..., "epoch": ..., "text": ...} in a file for `--model replies/FILE.jsonl`.
    """
    from losona.run.plan import make_plan, prompt_rows

    rows = prompt_rows(make_plan(run_options(**options)))
    emit([json.dumps(row, ensure_ascii=False) for row in rows], out, force)


@click.command()
@click.option("--model", "models", multiple=True, metavar="M", help="Models to check as well (repeatable).")
@json_option
def doctor(models: Sequence[str], as_json: bool) -> None:
    """Check the installation: packages, content, weights, keys, folders."""
    from losona.run.doctor import examine, print_findings

    findings = examine(models)
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in findings], ensure_ascii=False, indent=1))
    else:
        print_findings(findings)
    if any(finding.state == "fault" for finding in findings):
        sys.exit(2)


def run_options(
    *, conditions: Sequence[str] = (), arms: Sequence[str] = (), variants: Sequence[str] = (), limit: int | None = None,
    epochs: int | None, temperature: str | None = None, models: Sequence[str] = (), model_args: Sequence[str] = (),
    protocol: str | None = None, option: str = "--model", **rest: Any,
) -> "RunOptions":  # fmt: skip
    """Options as the command line gives them -> options of a run; `option` names the subjects in faults."""
    from losona.conditions import PAPER_CONDITIONS
    from losona.run.options import DEFAULT_MODEL, DEFAULT_VARIANTS, NamedModel, RunOptions
    from losona.scenarios import Selection

    subjects = tuple(NamedModel.parse(text, option) for text in models or (DEFAULT_MODEL,))
    chosen, sampled = tuple(conditions) or PAPER_CONDITIONS, read_temperature(temperature, PAPER_TEMPERATURE)
    if protocol == "paper":
        _fixed("--epochs", epochs, epochs in (None, 3), "3")
        _fixed("--temperature", temperature, sampled == PAPER_TEMPERATURE, "0.9")
        _fixed("--condition", ", ".join(conditions), set(chosen) == set(PAPER_CONDITIONS), "the four")
        subjects = tuple(model.as_in_paper() for model in subjects)
    return RunOptions(
        models=subjects,
        conditions=chosen,
        selection=Selection(tuple(arms), tuple(variants) or DEFAULT_VARIANTS, limit),
        epochs=3 if epochs is None else epochs,
        temperature=sampled,
        model_args=read_model_args(model_args),
        **rest,
    )


def read_temperature(text: str | None, default: float) -> float | None:
    """A temperature as it was typed; none for the provider's own."""
    if text == "default":
        return None
    try:
        return default if text is None else float(text)
    except ValueError:
        raise UserFault(f"--temperature {text}: give a number from 0 to 2, or `default`.") from None


def _fixed(option: str, given: object, fits: bool, value: str) -> None:
    if not fits:
        raise UserFault(f"{option} {given}: --protocol paper fixes it at {value}; leave out one of the two.")


def read_model_args(pairs: Sequence[str]) -> dict[str, Any]:
    """Arguments for a provider, with values as JSON where they are JSON."""
    result: dict[str, Any] = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise UserFault(f"-M {pair}: write KEY=VALUE.")
        if key in RESERVED:
            raise UserFault(f"-M {pair}: {key} is set by options of this command; give another argument.")
        try:
            result[key] = json.loads(value)
        except json.JSONDecodeError:
            result[key] = value
    return result
