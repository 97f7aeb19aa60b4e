"""`losona rejudge`: further verdicts on the replies of a run. Keeps all old ones; never asks a subject.

The verdicts stand in the run's folder under `rejudged/`, and every later table of the run holds them: beside the old
ones, and in their place where those gave no label. Knows folders and results.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from rich.console import Console

from losona.clock import now
from losona.errors import UserFault
from losona.judge.panel import one_vote_each, verdict
from losona.judge.protocols import PROTOCOLS
from losona.results import Key, Result, grading_of, grading_row, read_results
from losona.run.alone import alone
from losona.run.answers import ANSWERS, read_answers, read_asked
from losona.run.judging import Asked, JudgeOptions, prompt_rows, put_to_judges
from losona.run.options import folder_name
from losona.run.record import RunRecord, read_record, read_scenarios, stamp
from losona.schema.results import PANEL, Grading
from losona.schema.scenario import Scenario
from losona.schema.tables import GradingRow
from losona.taxonomy import Taxonomy, load_taxonomy
from losona.textfiles import json_text, write_atomically

FOLDER, RECORD = "rejudged", "rejudge.json"
Only = Literal["unscored", "disagreeing", "all"]
SEPARATOR = "|"
Added = dict[tuple[str, str], list[Grading]]
"""Reply and scenario -> further gradings, in the order in which they came."""


@dataclass(frozen=True)
class Rejudged:
    """What has come of it."""

    n_asked: int
    """Replies and scenarios that were put to the judge."""
    n_left_out: int
    """Replies and scenarios that the protocol has no question for."""
    n_new: int
    """Of those, with a label now that had none."""
    n_lost: int
    """Without a label now that had one of an earlier judging, since all votes together are split."""
    n_changed: int
    """Of those, with another label by this judge than the one that decides."""
    missing: int
    """Without an answer of the judge."""
    interrupted: bool
    """The user stopped it."""
    results: dict[Key, Result]
    """The run with all verdicts."""
    record: RunRecord
    """Its record."""
    scenarios: dict[str, Scenario]
    """Its scenarios."""
    taxonomy: Taxonomy
    """Its packs."""


@dataclass(frozen=True)
class _Work:
    """A run as it is, and what a judge is to be asked about it."""

    run: Path
    """Its folder."""
    record: RunRecord
    """Its record."""
    scenarios: dict[str, Scenario]
    """Its scenarios."""
    taxonomy: Taxonomy
    """Its packs."""
    before: dict[Key, Result]
    """What it holds."""
    asked: list[Asked]
    """What the judge is to be asked."""
    n_left_out: int
    """How many more there are that the protocol has no question for."""

    def results(self) -> dict[Key, Result]:
        """All results as they are now."""
        return read_with_added(self.run, self.record, self.scenarios, self.taxonomy)


def questions(run: Path, options: JudgeOptions, only: Only, packs: Sequence[Path]) -> list[dict[str, Any]]:
    """What `rejudge` would ask, with keys, for answers from elsewhere."""
    options = options.checked()
    work = _work(run, only, options.protocol, load_taxonomy(packs))
    return prompt_rows(work.asked, options.procedure(work.taxonomy), len(options.judges))


def rejudge(
    run: Path,
    options: JudgeOptions,
    only: Only,
    packs: Sequence[Path],
    console: Console,
    write: Callable[[Rejudged], None],
) -> Rejudged:
    """Ask, keep, and write the run with all its verdicts while nobody else can. Raises `UserFault` before anything is
    paid."""
    options, taxonomy = options.checked(), load_taxonomy(packs)
    _read_record(run)
    with alone(run, "wait for it"):
        found = _ask(_work(run, only, options.protocol, taxonomy), options, console)
        write(found)
        return found


def _read_record(run: Path) -> RunRecord:
    if (record := read_record(run)) is None:
        raise UserFault(f"{run}: there is no run in it; give a folder that `losona run` has written.")
    return record


def _work(run: Path, only: Only, protocol: str, taxonomy: Taxonomy) -> _Work:
    record, scenarios = _read_record(run), read_scenarios(run)
    before = read_with_added(run, record, scenarios, taxonomy)
    wanted = list(_wanted(before.values(), scenarios, only))
    if not wanted:
        raise UserFault(f"{run}: --only {only} leaves no reply for a judge; nothing was asked.")
    asked = [item for item in wanted if PROTOCOLS[protocol].has_question(item.scenario)]
    if not asked:
        raise UserFault(
            f"--judge-protocol {protocol}: it has no question for any reply that --only {only} leaves, since the norm "
            "applies to none of them; leave the option out."
        )
    return _Work(run, record, scenarios, taxonomy, before, asked, len(wanted) - len(asked))


def _ask(work: _Work, options: JudgeOptions, console: Console) -> Rejudged:
    procedure = options.procedure(work.taxonomy)
    key = hashlib.sha256(json.dumps([options.judges, procedure.hash, options.seed]).encode()).hexdigest()[:8]
    folder = work.run / FOLDER / f"{folder_name(options.judges)}-{key}"
    verdicts, interrupted = put_to_judges(work.asked, options, procedure, folder, console)
    told = {"judges": options.judges, "protocol": options.protocol, "grader_hash": procedure.hash, "changed": now()}
    write_atomically(folder / RECORD, json_text(told, 1) + "\n")
    after = work.results()
    old, new = _labels(work.before.values()), _labels(after.values())
    said = {tuple(name.split(SEPARATOR, 1)): gradings[-1].label for name, gradings in verdicts.items()}
    return Rejudged(
        len(work.asked), work.n_left_out, sum(old[pair] == "unscored" != new[pair] for pair in old),
        sum(old[pair] != "unscored" == new[pair] for pair in old),
        sum("unscored" not in (label, new[pair]) and label != new[pair] for pair, label in said.items()),
        len(work.asked) - len(verdicts), interrupted, after, work.record, work.scenarios, work.taxonomy,
    )  # fmt: skip


def _labels(results: Iterable[Result]) -> dict[tuple[str, ...], str]:
    return {(r.reply_id, r.scenario_id): r.label for result in results for r in result.gradings if not r.advisory}


def _wanted(results: Iterable[Result], scenarios: Mapping[str, Scenario], only: Only) -> Iterator[Asked]:
    """Replies that a judge has to do with, of the wanted sort."""
    for result in results:
        for scenario_id in dict.fromkeys(row.scenario_id for row in result.gradings if not result.reply.error):
            rows = [row for row in result.gradings if row.scenario_id == scenario_id]
            if _is(only, rows):
                name = f"{result.reply.reply_id}{SEPARATOR}{scenario_id}"
                yield Asked(name, scenarios[scenario_id], result.reply.graded_text)


def _is(only: Only, rows: Sequence[GradingRow]) -> bool:
    deciding = next(row for row in rows if not row.advisory)
    if deciding.grader == "verifier" and (deciding.label != "unscored" or deciding.error):
        return False
    votes = {row.label for row in rows if row.grader != "verifier"} - {"unscored"}
    match only:
        case "unscored":
            return deciding.label == "unscored"
        case "disagreeing":
            return len(votes) > 1 or any(row.borderline for row in rows)
        case "all":
            return True


def read_with_added(
    run: Path, record: RunRecord, scenarios: Mapping[str, Scenario], taxonomy: Taxonomy
) -> dict[Key, Result]:
    """All results of a run, with the verdicts that were added."""
    names = {model: name for name, model in record.models.items()}
    logs, mark = run / "logs", stamp(record.identity)
    results = read_results(logs, scenarios, names, taxonomy, mark) if logs.is_dir() else {}
    return with_added(results, read_added(run), scenarios, taxonomy)


def read_added(run: Path) -> Added:
    """Verdicts that `losona rejudge` has added, those that were begun first at the front."""
    found: Added = {}
    for folder in sorted((run / FOLDER).glob("*/"), key=_begun):
        for name, gradings in read_answers(folder / ANSWERS).items():
            reply_id, _, scenario_id = name.partition(SEPARATOR)
            votes = [grading for grading in gradings if grading.grader != PANEL]
            found.setdefault((reply_id, scenario_id), []).extend(votes)
    return found


def _begun(folder: Path) -> tuple[str, str]:
    asked = read_asked(folder)
    return asked.begun if asked else "", folder.name


def with_added(
    results: Mapping[Key, Result], added: Added, scenarios: Mapping[str, Scenario], taxonomy: Taxonomy
) -> dict[Key, Result]:
    """Results with further verdicts beside the old ones."""
    if not added:
        return dict(results)
    return {key: _with(result, added, scenarios, taxonomy) for key, result in results.items()}


def _with(result: Result, added: Added, scenarios: Mapping[str, Scenario], taxonomy: Taxonomy) -> Result:
    rows: list[GradingRow] = []
    for scenario_id in dict.fromkeys(row.scenario_id for row in result.gradings):
        old = [row for row in result.gradings if row.scenario_id == scenario_id]
        votes = added.get((result.reply.reply_id, scenario_id), [])
        new = _merged(old, votes) if votes else []
        rows += old if not new else [
            grading_row(result.reply.reply_id, g, scenarios[scenario_id], taxonomy) for g in new
        ]  # fmt: skip
    return replace(result, gradings=tuple(rows))


def _merged(old: Sequence[GradingRow], votes: Sequence[Grading]) -> list[Grading]:
    """Old and new; a label that was there still decides, else all judges together do, or the one with a valid vote.

    The order stays that in which they came, so that the first labelled row of a judge is the vote that counts.
    """
    before = [grading_of(row) for row in old]
    deciding = next(grading for grading in before if not grading.advisory)
    beside = [vote.model_copy(update={"advisory": True}) for vote in votes]
    if deciding.label != "unscored":
        return [*before, *beside]
    every = [*(grading.model_copy(update={"advisory": True}) for grading in before), *beside]
    cast_ = one_vote_each([vote for vote in every if vote.grader not in ("verifier", "none", PANEL)])
    known = [vote for vote in cast_ if vote.label != "unscored"]
    if deciding.grader != PANEL and len(known) == 1:
        return [vote.model_copy(update={"advisory": False}) if vote is known[0] else vote for vote in every]
    return [*every, verdict(cast_, deciding.grader_hash)]
