"""The judges of a run: opened, with what they have answered already; and what people are to decide.

Knows options, results and the engine. Does not know how a run is carried out.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from inspect_ai.model import GenerateConfig, Model, get_model

from losona.judge.ask import Asked, Panel
from losona.judge.verdict import may_answer
from losona.results import Result, grading_of
from losona.run.plan import Plan
from losona.schema.results import Grading
from losona.schema.tables import GradingRow
from losona.textfiles import write_atomically

PEOPLE_FILE = "for_people.csv"
COLUMNS = ("reply_id", "scenario_id", "annotator", "label", "note", "why")


def open_judges(judges: Sequence[str], max_retries: int, max_tokens: int) -> list[Model]:
    """The judges' models. `max_tokens` bounds a verdict."""
    config = GenerateConfig(max_retries=max_retries, max_tokens=max_tokens)
    return [get_model(judge, config=config, memoize=False) for judge in judges]


def open_panel(plan: Plan, done: Iterable[Result]) -> Panel | None:
    """The panel of a run, which asks for nothing that it has answered; none without a judge."""
    options = plan.options
    if not options.judges:
        return None
    judges = open_judges(options.judges, options.max_retries, options.judge_max_tokens)
    return Panel(judges, plan.procedure, options.judge_validity, answers(done))


def answers(done: Iterable[Result]) -> dict[Asked, Grading]:
    """What judges have answered in these results, by judge and question; provider failures left out."""
    rows = (row for result in done for row in result.gradings)
    return {
        (row.grader, row.prompt_hash): grading_of(row)
        for row in rows
        if row.prompt_hash and not row.shared and not may_answer(row.grader, row.error)
    }


def write_for_people(folder: Path, done: Iterable[Result]) -> int:
    """Write what judges left open or flagged as a file to be labelled; the number of its rows."""
    rows = sorted({(row.reply_id, row.scenario_id, why) for row, why in _for_people(done)})
    stream = io.StringIO()
    table = csv.writer(stream)
    table.writerow(COLUMNS)
    table.writerows((reply_id, scenario_id, "", "", "", why) for reply_id, scenario_id, why in rows)
    write_atomically(folder / PEOPLE_FILE, stream.getvalue())
    return len(rows)


def _for_people(done: Iterable[Result]) -> Iterator[tuple[GradingRow, str]]:
    for result in done:
        for row in result.gradings:
            if row.advisory or result.reply.error:
                continue
            if row.label == "unscored" and row.grader != "verifier":
                yield row, row.error
            elif "addresses_grader" in result.reply.flags.split(","):
                yield row, "the reply speaks to whoever grades"
