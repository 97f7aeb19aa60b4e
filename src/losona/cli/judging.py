"""Commands about judges: audit, attack, sample, agreement, calibrate; and rejudge for runs."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from losona.cli.content import emit, json_option, pack_option
from losona.cli.running import GATE_FAILED, INCOMPLETE, INTERRUPTED
from losona.errors import UserFault
from losona.numbers import some
from losona.textfiles import json_text

if TYPE_CHECKING:
    from losona.run.judging import JudgeOptions

Command = TypeVar("Command", bound=Callable[..., Any])
WRONG_SHOWN = 20
PATH = click.Path(path_type=Path)

JUDGING = (
    click.option("--judge", "judges", multiple=True, required=True, metavar="J",
                 help="Judge model (repeatable: a panel)."),
    click.option("--judge-protocol", "protocol", type=click.Choice(["losona", "paper"]), default="losona",
                 show_default=True, help="How judges are asked: ours, or by the paper's procedure."),
    click.option("--prompts", type=PATH, metavar="DIR", help="Templates that replace shipped ones."),
    click.option("--seed", type=int, default=0, show_default=True, help="Decides words around the data, and draws."),
    click.option("--judge-max-tokens", "max_tokens", type=int, default=8192, show_default=True,
                 help="Bound on a verdict."),
    click.option("--max-connections", type=int, metavar="N", help="Calls at once for each judge."),
    click.option("--max-retries", type=int, default=3, show_default=True, help="Retries of a failed provider call."),
)  # fmt: skip
WRITING = (
    click.option("--write-prompts", type=PATH, metavar="FILE",
                 help="Write the questions with their keys, for a judge replies/FILE.jsonl; ask nobody."),
    click.option("--force", is_flag=True, help="Replace an existing file."),
)  # fmt: skip


def options_of(*groups: Sequence[Callable[[Any], Any]]) -> Callable[[Command], Command]:
    """Groups of options as one decorator."""

    def decorate(command: Command) -> Command:
        for option in reversed([option for group in groups for option in group]):
            command = option(command)
        return command

    return decorate


@click.group()
def judge() -> None:
    """What a judge gets wrong: audit, attack, labels of people, calibration."""


@judge.command()
@options_of(JUDGING, WRITING)
@click.option("--scenarios", "source", default="shipped", metavar="S", show_default=True, help="Source of references.")
@pack_option
@click.option("--round", "rounds", multiple=True, metavar="R",
              help="references, or a round of probes (repeatable).  [default: all]")  # fmt: skip
@click.option("--limit", type=int, metavar="N", help="At most N replies, drawn in turn from family, label and kind.")
@click.option("--out", type=PATH, metavar="DIR", help="Folder of the audit.  [default: audits/JUDGE-KEY]")
@click.option("--wrong", "most", type=int, default=WRONG_SHOWN, show_default=True, help="Wrong verdicts to show.")
@json_option
def audit(
    source: str, packs: Sequence[Path], rounds: Sequence[str], limit: int | None, out: Path | None, most: int,
    as_json: bool, write_prompts: Path | None, force: bool, **options: Any,
) -> None:  # fmt: skip
    """Put replies of known label to a judge, blind, and say what it gets wrong.

    Asked about are the references of frames and the probes of packs, exact norms too. The same command again goes on
    where it stopped. `losona run --judge J` finds the newest audit of its judge in the folder `audits`.
    """
    from losona.run import audits
    from losona.run.judging import prompt_rows

    plan = audits.make_audit_plan(_options(**options), source, packs, rounds, limit, out)
    if write_prompts:
        _write(prompt_rows(plan.asked, plan.procedure, len(plan.options.judges)), write_prompts, force)
        return
    found = audits.audit(plan, _console())
    if as_json:
        click.echo(found.record.model_dump_json(indent=1))
    else:
        _show_audit(found, most)
    _end(found.interrupted, found.missing)


def _write(rows: Sequence[dict[str, Any]], path: Path, force: bool) -> None:
    """Questions, one a line."""
    emit([json_text(row) for row in rows], path, force)


def _show_audit(found: Any, most: int) -> None:
    from losona.judge.audit import effects, groups
    from losona.report.audit import print_effects, print_groups, print_wrong
    from losona.report.content import print_lines

    console = _console()
    for grader in found.graders:
        rows = found.of(grader)
        print_lines(["", f"{grader}: {some(len(rows), 'reply', 'replies')} of known label"], console)
        print_groups(groups(rows), console)
        print_effects(list(effects(rows)), console)
        print_wrong(rows, most, console)
    if not found.missing:
        print_lines([f"Verdicts: {found.folder}"], console)


def _options(judges: Sequence[str], **rest: Any) -> "JudgeOptions":
    from losona.run.judging import JudgeOptions

    return JudgeOptions(judges=tuple(judges), **rest)


def _console() -> Any:
    from losona.report.content import content_console

    return content_console()


def _end(interrupted: bool, missing: int) -> None:
    if interrupted:
        click.echo("Interrupted. The same command again goes on where this one stopped.")
        sys.exit(INTERRUPTED)
    if missing:
        click.echo(
            f"Incomplete: {some(missing, 'reply has', 'replies have')} no verdict, "
            "since the judge's provider failed or has no answer."
        )
        click.echo("The same command again asks for them.")
        sys.exit(INCOMPLETE)


@judge.command()
@options_of(JUDGING, WRITING)
@click.option("--limit", type=int, metavar="N", help="At most N attacked replies, drawn in turn from the kinds.")
@click.option("--out", type=PATH, metavar="DIR", help="Folder of the result.  [default: attacks/JUDGE-KEY]")
def attack(limit: int | None, out: Path | None, write_prompts: Path | None, force: bool, **options: Any) -> None:
    """Try to talk a judge into passing replies that breach, in many ways, and count the passes gained.

    Each reply is put to the judge bare as well: gained is what passes with an attempt and not without. Exit code 4
    when more than 2 % of the attacked replies gained a pass.
    """
    from losona.judge.attack import ACCEPTED
    from losona.report.audit import print_gains
    from losona.report.content import print_lines
    from losona.run import attacks
    from losona.run.judging import prompt_rows

    plan = attacks.make_attack_plan(_options(**options), limit, out)
    if write_prompts:
        _write(prompt_rows(plan.asked, plan.procedure, len(plan.options.judges)), write_prompts, force)
        return
    found = attacks.attack(plan, _console())
    for grader, entries in found.gains.items():
        print_gains(grader, entries, _console())
    _end(found.interrupted, found.missing)
    print_lines([f"Verdicts: {plan.folder}"], _console())
    if any(entries[0].gained > ACCEPTED * entries[0].n for entries in found.gains.values()):
        click.echo(f"More than {ACCEPTED:.0%} of the attacked replies gained a pass: do not use this judge unwatched.")
        sys.exit(GATE_FAILED)


@judge.command()
@click.argument("run", type=PATH)
@click.option("-n", "number", type=int, default=200, show_default=True, help="Replies to draw.")
@click.option("--grader", default="", metavar="J", help="Draw from verdicts of one judge. Default: those that decide.")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides the draw.")
@pack_option
@click.option("--out", type=PATH, metavar="FILE", help="File to write; default standard output.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def sample(
    run: Path, number: int, grader: str, seed: int, packs: Sequence[Path], out: Path | None, force: bool
) -> None:
    """Draw judged replies of RUN for people to label, as JSON Lines with weights and without the judge's verdict.

    Half of them are replies on which votes differ or that were called close, as far as there are so many; the rest is
    drawn in turn from family, mode, condition, subject and verdict.
    """
    from losona.run import people
    from losona.taxonomy import load_taxonomy

    if number < 1:
        raise UserFault(f"-n {number}: give a whole number of at least 1.")
    rows = people.judged(run, grader)
    if not rows:
        raise UserFault(f"{run}: no reply in it has a verdict of a judge, so there is nothing to label.")
    drawn = people.draw(rows, number, _families(packs), seed)
    emit(people.sample_rows(drawn, run, load_taxonomy(packs)), out, force)


@judge.command()
@click.option("--labels", required=True, type=PATH, metavar="FILE", help="Labels of people, .csv or .jsonl.")
@click.option("--run", "run_", type=PATH, metavar="RUN", help="Run whose judge is compared with them.")
@click.option("--grader", default="", metavar="J", help="Judge to compare. Default: the verdicts that decide.")
@click.option("--adjudicator", default="adjudicator", show_default=True, help="Annotator whose label is the last word.")
@pack_option
def agreement(labels: Path, run_: Path | None, grader: str, adjudicator: str, packs: Sequence[Path]) -> None:
    """How far people agree with each other, and the judge of a run with them, by norm family."""
    from losona.report.audit import print_people, unmatched_line
    from losona.report.content import print_lines
    from losona.run import people
    from losona.run.labels import read_people

    if grader and not run_:
        raise UserFault(f"--grader {grader}: there is no run to take its verdicts from; give --run RUN.")
    found = read_people(labels, adjudicator)
    rows = people.judged(run_, grader) if run_ else []
    missing = people.unmatched(rows, found, run_) if run_ else 0
    print_people(
        people.among(found), people.against(rows, found, _families(packs)) if run_ else {}, len(found.open_), _console()
    )
    if missing:
        print_lines([unmatched_line(missing)], _console())


@judge.command()
@click.option("--labels", required=True, type=PATH, metavar="FILE", help="Labels of people, .csv or .jsonl.")
@click.option("--run", "run_", required=True, type=PATH, metavar="RUN", help="Run whose judge is calibrated.")
@click.option("--adjudicator", default="adjudicator", show_default=True, help="Annotator whose label is the last word.")
@pack_option
@json_option
def calibrate(labels: Path, run_: Path, adjudicator: str, packs: Sequence[Path], as_json: bool) -> None:
    """Measure the errors of a run's judge on labels of people, and correct its rates where that is sound.

    The result is stored in RUN and shown in its report. Where the errors differ between subjects or conditions, there
    is no pooled correction, but a sentence that says so and what to label next.
    """
    from losona.report.audit import calibration_lines
    from losona.report.content import print_lines
    from losona.run.calibrate import calibrate as measure
    from losona.run.labels import read_people

    record = measure(run_, read_people(labels, adjudicator), str(labels), _families(packs), packs)
    if as_json:
        click.echo(json_text(record, 1))
        return
    print_lines(calibration_lines(record), _console())


@click.command()
@click.argument("run", type=PATH)
@options_of(JUDGING, WRITING)
@click.option("--only", type=click.Choice(["unscored", "disagreeing", "all"]), default="unscored", show_default=True,
              help="Which replies are put to the judge.")  # fmt: skip
@pack_option
def rejudge(
    run: Path, only: Any, packs: Sequence[Path], write_prompts: Path | None, force: bool, **options: Any
) -> None:
    """Put replies of RUN to a further judge. Old verdicts are kept, and no subject is asked.

    A label of the run itself stays; where there was none, all votes together decide, or the one judge that has voted.
    """
    from losona.run import rejudge as stage
    from losona.run.writing import write_all

    if write_prompts:
        _write(stage.questions(run, _options(**options), only, packs), write_prompts, force)
        return

    def write(found: stage.Rejudged) -> None:
        write_all(run, found.record, found.scenarios, found.taxonomy, found.results)

    found = stage.rejudge(run, _options(**options), only, packs, _console(), write)
    click.echo(
        f"{some(found.n_asked, 'reply was', 'replies were')} put to the judge: "
        f"{found.n_new} that had no label have one now; "
        f"its verdict differs from the deciding label on {found.n_changed}."
    )
    if found.n_lost:
        lost = some(found.n_lost, "reply that an earlier judging", "replies that earlier judgings")
        click.echo(f"{lost} had given a label have none now: all votes together are split.")
    if found.n_left_out:
        click.echo(f"{found.n_left_out} were left out: the protocol has no question where the norm does not apply.")
    _end(found.interrupted, found.missing)


def _families(packs: Sequence[Path]) -> dict[str, str]:
    from losona.taxonomy import load_taxonomy

    return {norm.id: norm.family for norm in load_taxonomy(packs).norms.values()}
