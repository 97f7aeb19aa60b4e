"""What a person decides of a frame: the record, the mark, and whether a decision still holds.

Writes the two files of a frame. Does not know how the person was asked.
"""

from dataclasses import replace

from losona.clock import now
from losona.curation.frameset import FrameFile, changed
from losona.curation.screening import MARK
from losona.errors import UserFault
from losona.schema.frame import Frame
from losona.schema.frame_record import Decision

ACCEPTED, DRAFT = "accepted", "draft"
KNOWN_ISSUE = "known_issue"
"""A status that carries its reason, and that no decision replaces."""


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


def accept(file: FrameFile, author: str, reason: str = "") -> FrameFile:
    """Accept a frame as it was read; the frame as it is afterwards."""
    return _decide(file, Decision(
        created=now(), author=_author(author), frame_hash=file.hash, decision="accept", reason=reason.strip(),
        by_hand=by_hand(file.frame),
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
