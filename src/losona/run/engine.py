"""The one call of the engine: tasks -> logs, finished samples on disk one by one. Knows nothing of what is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as inspect_eval  # pyright: ignore[reportUnknownVariableType]
from inspect_ai.log import recover_eval_log, recoverable_eval_logs

from losona.results import check_logs

FLUSH_EVERY = 1
"""Finished samples are written to the log one by one: a crash loses what was in flight."""


@dataclass(frozen=True)
class Ended:
    """How tasks have ended."""

    interrupted: bool
    """The user stopped them."""
    lost: tuple[str, ...]
    """Errors that ended a sample, or a whole task, without what it was to give."""


def evaluate(work: Sequence[Task], log_dir: Path, max_connections: int | None, max_retries: int) -> Ended:
    """Run tasks. A failed sample is an error in its log, not the end: the caller says what is missing by it."""
    logs = inspect_eval(
        list(work),
        log_dir=str(log_dir),
        log_format="eval",
        log_buffer=FLUSH_EVERY,
        display="none",
        score_display=False,
        fail_on_error=False,
        max_tasks=len(work),
        max_connections=max_connections,
        max_retries=max_retries,
        ctl_server=False,
        log_level="error",
    )
    interrupted = len(logs) < len(work) or any(log.status in ("cancelled", "started") for log in logs)
    errors = [error for log in logs for error in (log.error, *(sample.error for sample in log.samples or ()))]
    return Ended(interrupted, tuple(error.message for error in errors if error is not None))


def recover(log_dir: Path) -> None:
    """Take finished samples of a crashed run out of Inspect's buffer into a log of their own."""
    if not log_dir.is_dir():
        return
    check_logs(log_dir)
    for log in recoverable_eval_logs(str(log_dir)):
        recover_eval_log(log.log.name, overwrite=True)
