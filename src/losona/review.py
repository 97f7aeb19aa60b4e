"""What `losona review` does: ask judges about frames, and write each check into the record once its votes are there.

The one place that knows the order. Does not know what is asked, nor how an answer is read.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.model import GenerateConfig, get_model
from rich.console import Console

from losona.curation.checks import (
    Ballot,
    ballot,
    check_names,
    known_votes,
    model_check,
    questions,
    vote_ballot,
    with_check,
)
from losona.curation.frameset import FrameFile, changed, check_writable, read_frames
from losona.curation.question import Question, Source
from losona.errors import LosonaError, RunRefused, UserFault
from losona.frame_records import record_path
from losona.journal import Journal, read_journal
from losona.judge.verdict import PROVIDER_ERROR
from losona.numbers import some
from losona.prompts import Templates
from losona.report.checks import print_checks
from losona.report.content import print_lines
from losona.report.faults import fault_lines
from losona.run.alone import alone
from losona.run.engine import Ended, evaluate
from losona.run.options import MOST, MOST_EPOCHS, checked_folder, folder_name, within
from losona.run.preflight import check_model, missing_for_model
from losona.run.progress import RunProgress
from losona.schema.frame_record import CheckVote, ModelCheck
from losona.tasks import build_review_task
from losona.taxonomy import load_taxonomy

VOTES_FILE = "votes.jsonl"
Votes = dict[Ballot, CheckVote]
Group = tuple[str, str, str | None]
"""What one check is about: frame, name of the check, arm."""


@dataclass(frozen=True)
class ReviewOptions:
    """A review as asked for."""

    judges: tuple[str, ...]
    """The providers' strings."""
    checks: tuple[str, ...] = ()
    """Names of checks; empty: all."""
    votes: int = 3
    """Votes of each judge on inferability."""
    packs: tuple[Path, ...] = ()
    """Further packs."""
    prompts: Path | None = None
    """Templates that replace shipped ones."""
    seed: int = 0
    """For the choice and order of rules."""
    max_tokens: int = 8192
    """Bound on an answer."""
    max_connections: int | None = None
    """Calls at once for each judge."""
    max_retries: int = 3
    """How often a failed call is tried again."""
    out: Path | None = None
    """Folder of the logs."""

    def check_numbers(self) -> None:
        """Raise `UserFault` for a number that cannot be meant."""
        within("--votes", self.votes, 1, MOST_EPOCHS)
        within("--seed", self.seed, 0, MOST)
        within("--max-tokens", self.max_tokens, 1, MOST)
        within("--max-connections", self.max_connections, 1, MOST_EPOCHS)
        within("--max-retries", self.max_retries, 0, MOST_EPOCHS)

    def folder(self) -> Path:
        """Where the logs lie."""
        return checked_folder(self.out) if self.out else Path("reviews") / folder_name(self.judges)


@dataclass(frozen=True)
class ReviewPlan:
    """A review worked out."""

    options: ReviewOptions
    """As asked."""
    templates: Templates
    """Prompts."""
    files: tuple[FrameFile, ...]
    """Frames with their records."""
    asked: tuple[Question, ...]
    """All questions, a check after the other."""
    known: Votes
    """Votes that records and the folder hold already."""

    def todo(self, judge: str) -> list[Question]:
        """Questions that a judge has not answered yet."""
        return [q for q in self.asked if ballot(judge, q) not in self.known]

    def prompt_keys(self) -> list[tuple[str, int]]:
        """(prompt hash, number of the vote) of every question, each once."""
        return list(dict.fromkeys((q.prompt, q.epoch) for q in self.asked))


@dataclass
class Reviewed:
    """What a review has come to."""

    checks: list[tuple[str, ModelCheck]] = field(default_factory=list[tuple[str, ModelCheck]])
    """Frame id and check, as they were finished."""
    failed: Counter[str] = field(default_factory=Counter[str])
    """Why votes are unscored -> how many."""
    interrupted: bool = False
    """The user stopped it."""
    unkept: Counter[str] = field(default_factory=Counter[str])
    """Why answers were lost, or checks could not be written -> how many."""
    unasked: int = 0
    """Answers that are wanted and are not there, for whatever reason."""
    unwritten: int = 0
    """Checks that are wanted and stand in no record."""

    @property
    def complete(self) -> bool:
        """Every question has an answer that is kept, every check is written, and no call has failed."""
        lacking = self.unkept or self.unasked or self.unwritten
        return not self.interrupted and not lacking and not any(PROVIDER_ERROR in reason for reason in self.failed)


def make_review_plan(paths: Sequence[Path], options: ReviewOptions) -> ReviewPlan:
    """Work out a review; raises `UserFault` before anything is paid."""
    for judge in options.judges:
        check_model("--judge", judge)
    if doubled := [judge for judge, n in Counter(options.judges).items() if n > 1]:
        raise UserFault(f"--judge {doubled[0]} is given twice; give each judge once, and more --votes.")
    options.check_numbers()
    taxonomy, templates, files = load_taxonomy(options.packs), Templates(options.prompts), read_frames(paths)
    names = check_names(options.checks)
    check_writable(files)
    sources = [Source(file.frame, taxonomy, templates, options.votes, options.seed) for file in files]
    asked = tuple(question for name in names for source in sources for question in questions(source, [name]))
    known = _filed_votes(options.folder() / VOTES_FILE)
    for file in files:
        known |= known_votes(file.record.checks)
    return ReviewPlan(options, templates, files, asked, known)


def _filed_votes(path: Path) -> Votes:
    """Votes of a review that was broken off; a line that was cut is left out."""
    return {vote_ballot(vote): vote for vote in read_journal(path, CheckVote) if not vote.error}


def prompt_rows(plan: ReviewPlan) -> list[dict[str, Any]]:
    """Every prompt with its key, for answers from elsewhere; says nothing of what is right."""
    rows = {
        (q.prompt, q.epoch): {
            "prompt_hash": q.prompt,
            "epoch": q.epoch,
            "check": q.check,
            "messages": [{"role": m.role, "content": m.content} for m in q.messages],
        }
        for q in plan.asked
    }
    return list(rows.values())


def print_plan(plan: ReviewPlan, console: Console) -> None:
    """Say what the review would do. Calls nothing and writes nothing."""
    for name, n in Counter(q.check for q in plan.asked).items():
        console.print(
            f"{name}: {some(n, 'question')} on {some(len(plan.files), 'frame')}", highlight=False, markup=False
        )
    for judge in plan.options.judges:
        faults = missing_for_model(judge, plan.prompt_keys(), partly=True)
        state = "; ".join(f"missing {fault}" for fault in faults) or "ready"
        calls = f"{some(len(plan.todo(judge)), 'call')} of {len(plan.asked)} (one retry each at most)"
        print_lines([f"--judge {judge}: {calls}; {state}"], console)


def review(plan: ReviewPlan, console: Console) -> Reviewed:
    """Ask what is not answered yet. Raises `RunRefused` where a judge cannot answer."""
    for judge in plan.options.judges:
        if plan.todo(judge) and (faults := missing_for_model(judge, plan.prompt_keys(), partly=True)):
            raise RunRefused(f"--judge {judge} lacks {'; '.join(faults)}.")
    desk = _Desk(plan)
    desk.write_finished(plan.asked)
    total = sum(len(plan.todo(judge)) for judge in plan.options.judges)
    if total:
        folder = plan.options.folder()
        with alone(folder), Journal(folder / VOTES_FILE) as journal, RunProgress("answers", total, console) as progress:
            desk.journal = journal
            work = list(_tasks(plan, desk, progress))
            limits = plan.options.max_connections, plan.options.max_retries
            desk.end(evaluate(work, folder / "logs", *limits))
    return desk.result


def _tasks(plan: ReviewPlan, desk: "_Desk", progress: RunProgress) -> Iterator[Task]:
    options = plan.options
    config = GenerateConfig(max_retries=options.max_retries, max_tokens=options.max_tokens)

    def told(question: Question, vote: CheckVote, tokens: int) -> None:
        progress.count(tokens, None, vote.error)
        desk.take(question, vote)

    for judge in options.judges:
        model = get_model(judge, config=config, memoize=False)
        for _, asked in groupby(plan.todo(judge), lambda question: question.check):
            yield build_review_task(judge, model, list(asked), plan.templates, told)


class _Desk:
    """Files each vote, and writes a check as soon as all its votes are there: a crash loses what was in flight."""

    def __init__(self, plan: ReviewPlan) -> None:
        self.plan = plan
        self.files = {file.frame.frame: file for file in plan.files}
        self.votes = dict(plan.known)
        self.journal: Journal | None = None
        self.result = Reviewed()
        self.groups: dict[Group, list[Question]] = {}
        self.written: set[Group] = set()
        for question in plan.asked:
            self.groups.setdefault(_group(question), []).append(question)

    def take(self, question: Question, vote: CheckVote) -> None:
        """A vote has come. What cannot be kept of it is counted: the engine would pass over it in silence."""
        self.votes[ballot(vote.judge, question)] = vote
        if vote.error:
            self.result.failed[vote.error] += 1
        elif self.journal:
            with self._counting(self.plan.options.folder() / VOTES_FILE):
                self.journal.add(vote)
        with self._counting(record_path(self.files[question.frame].path)):
            self.write_finished([question])

    @contextmanager
    def _counting(self, path: Path) -> Generator[None]:
        """Count what keeps a file from being written, in place of raising it."""
        try:
            yield
        except OSError as error:
            self.result.unkept[f"{path}: {error.strerror or error}"] += 1
        except LosonaError as error:
            self.result.unkept[str(error)] += 1

    def end(self, ended: Ended) -> None:
        """Nothing more will come: take stock of what is wanted and not there."""
        self.result.interrupted = ended.interrupted
        self.result.unkept.update(ended.lost)
        wanted = [ballot(judge, question) for judge in self.plan.options.judges for question in self.plan.asked]
        self.result.unasked = sum(one not in self.votes for one in wanted)
        self.result.unwritten = len(self.groups.keys() - self.written)

    def write_finished(self, asked: Iterable[Question]) -> None:
        """Write the checks of these questions of which no vote is missing."""
        for key in dict.fromkeys(_group(question) for question in asked):
            group = self.groups[key]
            judges = self.plan.options.judges
            if all(ballot(judge, question) in self.votes for question in group for judge in judges):
                file = self.files[key[0]]
                check = model_check(file.hash, group, judges, self.votes, self.plan.templates)
                self._write(file, check)

    def _write(self, file: FrameFile, check: ModelCheck) -> None:
        changed(file.path, lambda found: replace(found, record=with_check(found.record, check)))
        self.written.add((file.frame.frame, check.check, check.arm))
        self.result.checks.append((file.frame.frame, check))


def _group(question: Question) -> Group:
    return question.frame, question.check, question.arm


def show(plan: ReviewPlan, reviewed: Reviewed, console: Console) -> None:
    """The end of a review on the terminal: counts, what did not pass, what is missing, what to do next."""
    done = sorted(reviewed.checks, key=lambda item: (item[0], item[1].rule, item[1].arm or "c"))
    print_checks(done, console)
    print_lines(_remarks(plan, reviewed), console)


def _remarks(plan: ReviewPlan, reviewed: Reviewed) -> Iterable[str]:
    if reviewed.interrupted:
        yield "Interrupted. Finished checks are kept; the same command again goes on where this one stopped."
    yield from fault_lines(reviewed.failed, "answer unscored", "answers unscored")
    if reviewed.failed:
        yield "They pass and fail nothing. The same command again asks for them."
    yield from _lacking(reviewed)
    folders = list(dict.fromkeys(str(file.path.parent) for file in plan.files))
    yield f"All answers: FRAME.record.json beside each frame, in {', '.join(folders)}"
    if (plan.options.folder() / "logs").is_dir():
        yield f"Every call: inspect view --log-dir {plan.options.folder() / 'logs'}"
    if reviewed.complete:
        yield f"Next: losona curate {' '.join(folders)}"


def _lacking(reviewed: Reviewed) -> Iterator[str]:
    """What was not kept, and what is still wanted."""
    yield from fault_lines(reviewed.unkept, "answer or check could not be kept", "answers or checks could not be kept")
    if reviewed.unkept or ((reviewed.unasked or reviewed.unwritten) and not reviewed.interrupted):
        missing = some(reviewed.unasked, "answer is missing", "answers are missing")
        unwritten = some(reviewed.unwritten, "check is not written", "checks are not written")
        yield (
            f"Incomplete: {missing}, {unwritten}. Mend what is named; then the same command again goes on where this "
            "one stopped."
        )
