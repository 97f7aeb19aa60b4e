"""Votes of models -> the checks of a frame (Q19 to Q23), and what is still to be asked. Pure.

Knows how many votes a check needs. Does not know what is asked, nor who asks.

A check of an arm passes on two thirds of the votes, rounded up. Non-statement needs all: one passage is enough to
give a norm away. The gold audit needs two thirds for each reference. As long as unscored votes could change the
result, there is none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from losona.clock import now
from losona.curation.audit import GoldAudit
from losona.curation.evidence import Answerability, ClosedEvidence
from losona.curation.frameset import FrameFile
from losona.curation.question import Question, Source
from losona.curation.questions import Inferability, NonStatement
from losona.curation.screening import needed
from losona.errors import UserFault
from losona.prompts import Templates
from losona.schema.frame import Arm
from losona.schema.frame_record import CheckVote, FrameRecord, ModelCheck

CHECKS: dict[str, type[Inferability | NonStatement | ClosedEvidence | Answerability | GoldAudit]] = {
    check.check: check for check in (Inferability, NonStatement, ClosedEvidence, Answerability, GoldAudit)
}
"""By name, in the order of their numbers."""
Ballot = tuple[str, str, int, str]
"""What makes a vote the same: judge, prompt, number, unit."""


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """The wanted checks, all without a name. Raises `UserFault` for an unknown one."""
    for name in names:
        if name not in CHECKS:
            raise UserFault(f"--check {name}: there is no such check; known are {', '.join(CHECKS)}.")
    return tuple(name for name in CHECKS if name in names or not names)


def questions(source: Source, names: Iterable[str]) -> Iterator[Question]:
    """All questions of some checks about a frame."""
    for name in names:
        yield from CHECKS[name].make(source)


def ballot(judge: str, question: Question) -> Ballot:
    """Key of a judge's vote on a question."""
    return judge, question.prompt, question.epoch, question.unit


def vote_ballot(vote: CheckVote) -> Ballot:
    """Key of a vote."""
    return vote.judge, vote.prompt, vote.epoch, vote.unit


def known_votes(checks: Iterable[ModelCheck]) -> dict[Ballot, CheckVote]:
    """Votes that need not be asked for again."""
    return {vote_ballot(vote): vote for check in checks for vote in check.votes if not vote.error}


def model_check(
    frame_hash: str, asked: Sequence[Question], judges: Sequence[str], votes: Mapping[Ballot, CheckVote],
    templates: Templates,
) -> ModelCheck:  # fmt: skip
    """The result of a check for one arm; `asked` are its questions, all of whose votes are there."""
    first = asked[0]
    cast = tuple(votes[ballot(judge, question)] for question in asked for judge in judges)
    return ModelCheck(
        created=now(),
        frame_hash=frame_hash,
        check=first.check,
        rule=first.rule,
        judge=", ".join(judges),
        prompt_hash=CHECKS[first.check].template_hash(templates),
        arm=first.arm,
        passed=_passed(first.check, cast),
        found=_found(cast),
        votes=cast,
    )


def _passed(check: str, votes: Sequence[CheckVote]) -> bool | None:
    units: dict[str, list[bool | None]] = {}
    for vote in votes:
        units.setdefault(vote.unit, []).append(vote.right)
    results = [_carried(rights, len(rights) if check == NonStatement.check else needed(len(rights)))
               for rights in units.values()]  # fmt: skip
    return False if False in results else None if None in results else True


def _carried(votes: Sequence[bool | None], least: int) -> bool | None:
    right, unscored = votes.count(True), votes.count(None)
    if right >= least:
        return True
    return None if right + unscored >= least else False


def _found(votes: Sequence[CheckVote]) -> str:
    counts = Counter(vote.found for vote in votes if vote.found)
    parts = [f"{text} ({n} of {len(votes)})" if len(votes) > 1 else text for text, n in counts.items()]
    if unscored := [vote for vote in votes if vote.right is None]:
        parts.append(f"{len(unscored)} of {len(votes)} unscored")
    return "; ".join(parts) or "nothing found"


def current_checks(file: FrameFile) -> list[ModelCheck]:
    """The last checks of a frame as it is, without those of dropped arms."""
    return [
        check
        for check in latest(file.record.checks).values()
        if check.frame_hash == file.hash and check.arm not in file.frame.dropped
    ]


def failed_checks(file: FrameFile) -> list[ModelCheck]:
    """Those of them that failed."""
    return [check for check in current_checks(file) if check.passed is False]


def check_name(check: ModelCheck) -> str:
    """How a check is called: `Q22 answerability b`; of inferability in the control, `control`."""
    arm = check.arm or ("control" if check.check == Inferability.check else "")
    return f"{check.rule} {check.check} {arm}".strip()


def with_check(record: FrameRecord, check: ModelCheck) -> FrameRecord:
    """The record with a check, unless its last one of this kind says the same."""
    last = latest(record.checks).get((check.check, check.arm))
    if last and last.model_copy(update={"created": check.created}) == check:
        return record
    return record.model_copy(update={"checks": (*record.checks, check)})


def latest(checks: Iterable[ModelCheck]) -> dict[tuple[str, Arm | None], ModelCheck]:
    """The last check of each kind and arm."""
    return {(check.check, check.arm): check for check in checks}
