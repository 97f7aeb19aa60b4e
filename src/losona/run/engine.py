"""The one call of the engine: tasks -> logs, finished samples on disk one by one. Knows nothing of what is asked."""

from collections.abc import Sequence
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as inspect_eval  # pyright: ignore[reportUnknownVariableType]
from inspect_ai.log import recover_eval_log, recoverable_eval_logs

from losona.results import check_logs

FLUSH_EVERY = 1
"""Finished samples are written to the log one by one: a crash loses what was in flight."""


def evaluate(work: Sequence[Task], log_dir: Path, max_connections: int | None, max_retries: int) -> bool:
    """Run tasks; true when the user interrupted them. A failed sample is an error in its log, not the end."""
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
    return len(logs) < len(work) or any(log.status in ("cancelled", "started") for log in logs)


def recover(log_dir: Path) -> None:
    """Take finished samples of a crashed run out of Inspect's buffer into a log of their own."""
    if not log_dir.is_dir():
        return
    check_logs(log_dir)
    for log in recoverable_eval_logs(str(log_dir)):
        recover_eval_log(log.log.name, overwrite=True)
