"""What a person decides of a frame: the record, the mark, and whether a decision still holds.

Writes the two files of a frame. Does not know how the person was asked.
"""

from dataclasses import replace

from losona.clock import now
from losona.curation.checks import check_name, failed_checks
from losona.curation.frameset import FrameFile, changed
from losona.curation.screening import MARK
from losona.errors import UserFault
from losona.schema.frame import ACCEPTED, DRAFT, KNOWN_ISSUE, Frame
from losona.schema.frame_record import Decision

FOUND_SHOWN = 200
"""Characters of what a check found."""


def current_decision(file: FrameFile) -> Decision | None:
    """The last decision, if it is on the frame as it now is."""
    last = file.record.decisions[-1] if file.record.decisions else None
    return last if last and is_current(last, file) else None


def is_current(decision: Decision, file: FrameFile) -> bool:
    """It is on the frame as it now is, with its marks by hand; those of screening and of decisions may change."""
    return decision.frame_hash == file.hash and decision.by_hand == by_hand(file.frame)


def by_hand(frame: Frame) -> dict[str, str]:
    """Marks that no screening and no decision has written: arms that were dropped, and a known issue."""
    dropped: dict[str, str] = {arm: why for arm, why in frame.dropped.items() if not why.startswith(MARK)}
    return {**dropped, **({"status": frame.status} if frame.status.startswith(KNOWN_ISSUE) else {})}


def new_failures(file: FrameFile) -> list[str]:
    """Names of failed checks that whoever accepted the frame as it is did not know; all where nobody has."""
    decision = current_decision(file)
    known = decision.despite if decision else ()
    return [name for check in failed_checks(file) if (name := check_name(check)) not in known]


def waits(file: FrameFile) -> bool:
    """Nobody has decided on the frame as it is, or a check has failed since it was accepted."""
    decision = current_decision(file)
    return decision is None or (decision.decision == "accept" and bool(new_failures(file)))


def refuse_failed_checks(file: FrameFile, reason: str, despite_checks: bool) -> None:
    """Raise `UserFault` where a check has failed and the frame is not accepted in spite of it, with a reason."""
    failed = failed_checks(file)
    if failed and not (despite_checks and reason.strip()):
        told = "; ".join(f"{check_name(check)}: {' '.join(check.found.split())[:FOUND_SHOWN]}" for check in failed)
        raise UserFault(
            f"{file.frame.frame}: failed {told}. Mend the frame, or accept it all the same with --despite-checks "
            "--reason TEXT."
        )


def accept(file: FrameFile, author: str, reason: str = "", despite_checks: bool = False) -> FrameFile:
    """Accept a frame as it was read; the frame as it is afterwards.

    Raises `UserFault` where a check has failed, unless that is known and there is a reason.
    """
    refuse_failed_checks(file, reason, despite_checks)
    return _decide(file, Decision(
        created=now(), author=_author(author), frame_hash=file.hash, decision="accept", reason=reason.strip(),
        despite=tuple(check_name(check) for check in failed_checks(file)), by_hand=by_hand(file.frame),
    ))  # fmt: skip


def reject(file: FrameFile, author: str, reason: str) -> FrameFile:
    """Reject a frame as it was read. Raises `UserFault` without a reason."""
    if not reason.strip():
        raise UserFault(f"{file.frame.frame}: a rejection needs a reason; give it with --reason TEXT.")
    return _decide(file, Decision(
        created=now(), author=_author(author), frame_hash=file.hash, decision="reject", reason=reason.strip(),
        by_hand=by_hand(file.frame),
    ))  # fmt: skip


def _author(author: str) -> str:
    if not author.strip() or not author.isprintable():
        raise UserFault(f"--author {author!r}: give the name of whoever decides, on one line.")
    return author.strip()


def _decide(file: FrameFile, decision: Decision) -> FrameFile:
    """Add a decision to the record as it now is, and the mark. Refused if the frame was changed meanwhile."""

    def decided(found: FrameFile) -> FrameFile:
        if not is_current(decision, found):
            raise UserFault(f"{file.path}: the frame was changed after it was shown; look at it again.")
        record = found.record.model_copy(update={"decisions": (*found.record.decisions, decision)})
        return replace(found, record=record, frame=found.frame.model_copy(update={
            "status": _status(found.frame.status, decision)
        }))  # fmt: skip

    return changed(file.path, decided)


def _status(before: str, decision: Decision) -> str:
    if before.startswith(KNOWN_ISSUE):
        return before
    return ACCEPTED if decision.decision == "accept" else DRAFT
