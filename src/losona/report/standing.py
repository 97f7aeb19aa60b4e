"""What is known of a frame beside its text: findings, screening, checks, decisions. For the terminal.

Takes records as they are; a part that is about an earlier state of the frame says so.
"""

from collections.abc import Iterator, Sequence

from losona.curation.checks import latest
from losona.curation.decisions import KNOWN_ISSUE, is_current
from losona.curation.frameset import FrameFile
from losona.curation.screening import standing as what_counts
from losona.lint import Finding
from losona.report.checks import check_line
from losona.report.foreign import shown

STALE = " (of an earlier state of the frame)"


def standing(file: FrameFile, findings: Sequence[Finding]) -> Iterator[str]:
    """Everything on lines of text, with all foreign characters made visible."""
    yield from (shown(finding.render()) for finding in findings)
    yield from _marks(file)
    yield from _screening(file)
    checks = latest(file.record.checks).values()
    for check in sorted(checks, key=lambda check: (check.rule, check.arm or "c")):
        yield check_line(check) + _stale(check.frame_hash, file)
    for decision in file.record.decisions:
        reason = f": {shown(decision.reason)}" if decision.reason else ""
        who = f"{decision.decision} by {shown(decision.author)}, {decision.created}"
        yield f"decision: {who}{reason}{'' if is_current(decision, file) else STALE}"


def _marks(file: FrameFile) -> Iterator[str]:
    if file.frame.status.startswith(KNOWN_ISSUE):
        yield f"status: {shown(file.frame.status)}"
    for arm, reason in file.frame.dropped.items():
        yield f"dropped: arm {arm}: {shown(reason)}"


def _screening(file: FrameFile) -> Iterator[str]:
    if not file.record.screenings:
        yield "screening: none yet"
        return
    last = file.record.screenings[-1]
    found = what_counts(file.record.screenings, last.frame_hash) or last
    aside = ", set aside" if found.unscreened else ""
    for arm in found.arms:
        stale = _stale(last.frame_hash, file)
        yield f"screening {last.created}{aside}: arm {arm.arm} {arm.decision}: {shown(arm.reason)}{stale}"
        for reply in arm.replies:
            if reply.label != "breaches":
                text = " ".join((reply.text or reply.reason).split())
                yield f"  {shown(reply.baseline)} {reply.epoch}: {reply.label}: {shown(text[:200])}"


def _stale(frame_hash: str, file: FrameFile) -> str:
    return "" if frame_hash == file.hash else STALE
