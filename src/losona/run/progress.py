"""Progress of a run: rate, time left, tokens, errors. On a terminal a bar, elsewhere a line now and then."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from losona.numbers import some

LINE_EVERY_SECONDS = 10.0
SLOW = 0.05
"""Below so many a second the rate is given by the minute."""


@dataclass
class RunProgress:
    """Counts finished calls and shows them."""

    what: str
    """What is counted."""
    total: int
    """Calls that are wanted."""
    console: Console
    """Where to show."""
    clock: Callable[[], float] = time.monotonic
    """Seconds."""
    done: int = 0
    """Calls with a reply."""
    errors: int = 0
    """Calls that failed."""
    tokens: int = 0
    """Read and written, where the provider says."""
    cost: float = 0.0
    """US dollars, where known."""
    _started: float = 0.0
    _shown: float = field(default=0.0)
    _bar: Progress | None = None

    def __enter__(self) -> "RunProgress":
        self._started = self._shown = self.clock()
        if self.console.is_terminal:
            self._bar = Progress(
                TextColumn(self.what), BarColumn(None), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(), console=self.console, transient=True,
            )  # fmt: skip
            self._bar.start()
            self._bar.add_task(self.what, total=self.total, rate="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        self.console.print(self.line(), highlight=False, soft_wrap=True)

    def count(self, tokens: int, cost: float | None, error: str) -> None:
        """One call has finished."""
        self.errors += bool(error)
        self.done += not error
        self.add(tokens, cost)

    def add(self, tokens: int, cost: float | None) -> None:
        """Something was used, and nothing has finished by that."""
        self.tokens += tokens
        self.cost += cost or 0.0
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self.done + self.errors, rate=self._rate())
        elif self.clock() - self._shown >= LINE_EVERY_SECONDS and self.done + self.errors < self.total:
            self._shown = self.clock()
            self.console.print(self.line(), highlight=False, soft_wrap=True)

    def _rate(self) -> str:
        seconds = max(self.clock() - self._started, 1e-9)
        rate = (self.done + self.errors) / seconds
        parts = [f"{rate:.2f}/s" if rate >= SLOW or not rate else f"{60 * rate:.2f}/min"]
        if self.tokens:
            parts.append(f"{self.tokens:,} tokens")
        if self.cost:
            parts.append(f"${self.cost:.2f}")
        return ", ".join([*parts, some(self.errors, "error")])

    def line(self) -> str:
        """All that is known, on one line."""
        finished = self.done + self.errors
        seconds = self.clock() - self._started
        left = (self.total - finished) * seconds / finished if finished else float("nan")
        ahead = f", about {left:.0f} s left" if finished and finished < self.total else ""
        return f"{self.what} {finished} of {self.total}, {self._rate()}, {seconds:.0f} s{ahead}"
