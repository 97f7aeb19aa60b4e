"""What a run has come to, and how its end is told on the terminal. Carries out nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage

import pandas as pd
from rich.console import Console

from losona import stats
from losona.numbers import some
from losona.report.audit import audit_lines
from losona.report.content import print_lines
from losona.report.terminal import print_table
from losona.run.judges import PEOPLE_FILE
from losona.run.record import RunRecord

SPACE = 2**20
"""Bytes below which a disk counts as full."""
_REUSED = ("reply was there already and was", "replies were there already and were")


@dataclass(frozen=True)
class Outcome:
    """What a run has come to."""

    folder: Path
    """Where it lies."""
    record: RunRecord
    """Its record."""
    replies: pd.DataFrame
    """Table of replies."""
    gradings: pd.DataFrame
    """Table of gradings."""
    cells: pd.DataFrame
    """Statistics by model, condition and variant."""
    gains: pd.DataFrame
    """Paired differences between demos and nodemos."""
    k: int
    """Replies for each prompt that the table uses."""
    wanted: int
    """Calls of this command."""
    missing: int
    """Calls of this command without a reply."""
    reused: int
    """Replies that were there already."""
    unjudged: int
    """Gradings that wait for the judge because its provider failed."""
    judged: stats.JudgeCounts = stats.NO_JUDGE
    """What judges were asked, and what they were not."""
    interrupted: bool = False
    """The user stopped it."""
    warnings: tuple[str, ...] = ()
    """Judges that should not judge a subject."""

    @property
    def complete(self) -> bool:
        """Every call of this command has a reply, and the judge answered wherever it was asked."""
        return self.missing == 0 and self.unjudged == 0


def show(outcome: Outcome, console: Console) -> None:
    """The end of a run on the terminal: table, what is missing, where the result lies, what to do next."""
    record = outcome.record
    print_table(outcome.cells, outcome.gains, console)
    print_lines(_remarks(record, outcome), console)


def _remarks(record: RunRecord, outcome: Outcome) -> Iterable[str]:
    content = record.scenarios
    left_out = ", ".join(f"{n} {reason}" for reason, n in content["left_out"].items()) or "none"
    track = (
        "verifiable track (code alone grades)"
        if record.track == "verifiable"
        else f"{'panel' if len(record.identity.judge) > 1 else 'judge'} {', '.join(record.identity.judge)}"
    )
    yield f"{track}: {some(content['n'], 'scenario')}; left out: {left_out}."
    if content["skipped"]:
        yield f"{some(len(content['skipped']), 'malformed row')} left out; the first: {content['skipped'][0]}"
    for note, n in content["notes"].items():
        yield f"{some(n, 'scenario')}: {str(note).rstrip('.')}."
    if content["attribution"]:
        yield f"Scenarios: {str(content['attribution']).rstrip('.')}."
    yield from _judged(record, outcome)
    if outcome.reused:
        yield f"{some(outcome.reused, *_REUSED)} not asked for again."
    if record.epochs > outcome.k:
        held = some(record.epochs, "reply", "replies")
        yield f"The run holds up to {held} for a prompt; table and report use the first {outcome.k}."
    if outcome.interrupted:
        yield "Interrupted. The same command again goes on where this one stopped."
    if outcome.unjudged:
        open_ = some(outcome.unjudged, "grading")
        yield f"Incomplete: {open_} without a verdict, since the judge's provider failed or has no answer."
        yield "The same command again asks for them." + _hint(outcome)
    if outcome.missing:
        errors = [str(error) for error in outcome.replies["error"].tolist() if error]
        first = f" The first error: {errors[0].splitlines()[0][:200]}" if errors else ""
        yield f"Incomplete: {outcome.missing} of {some(outcome.wanted, 'reply is', 'replies are')} missing.{first}"
        yield "The same command again asks for them."
        if disk_usage(outcome.folder).free < SPACE:
            yield f"The disk that holds {outcome.folder} is full: make room first."
    yield f"benchmark version {record.identity.benchmark_version}"
    yield f"Tables, logs and report: {outcome.folder}"
    yield f"Read {outcome.folder / 'report.html'}; every sample: inspect view --log-dir {outcome.folder / 'logs'}"


def _hint(outcome: Outcome) -> str:
    """How answers come into a judge's file."""
    for judge in outcome.record.identity.judge:
        if judge.startswith("replies/"):
            return (
                f" A file has to be filled first: losona rejudge {outcome.folder} --judge {judge} --only unscored "
                "--write-prompts questions.jsonl writes the questions."
            )
    return ""


def _judged(record: RunRecord, outcome: Outcome) -> Iterable[str]:
    """What the judges were asked, what code saved, what people are to decide, and who should not judge whom."""
    for warning in outcome.warnings:
        yield f"Warning: {warning}."
    if not record.identity.judge:
        return
    yield from audit_lines(record.audits)
    counts = outcome.judged
    yield (
        f"{some(counts.asked, 'judge call')}; code decided {some(counts.by_code, 'grading')}, which saved "
        f"{some(counts.by_code * len(record.identity.judge), 'call')}; "
        f"{some(counts.shared, 'equal question was', 'equal questions were')} asked once."
    )
    if counts.open_:
        open_ = some(counts.open_, "grading has", "gradings have")
        yield f"{open_} no verdict: {outcome.folder / PEOPLE_FILE} lists them for people."
