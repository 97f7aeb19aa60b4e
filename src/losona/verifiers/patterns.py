"""Patterns from content, run against the clock.

Knows regular expressions. A pattern that is wrong or takes too long is a `CheckError`, never a result.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from time import thread_time
from typing import TypeVar

import regex

from losona.errors import CheckError

PATTERN_SECONDS = 0.05
"""CPU time that one search may take."""
TOTAL_SECONDS = 0.25
"""CPU time that the patterns of one check may take together."""

Result = TypeVar("Result")
_SHARES = (1, 4, 16)

IGNORE_CASE = regex.IGNORECASE | regex.MULTILINE | regex.UNICODE
MIND_CASE = regex.MULTILINE | regex.UNICODE


@lru_cache(maxsize=4096)
def compiled(pattern: str, flags: int) -> "regex.Pattern[str]":
    """The compiled pattern; a `CheckError` says why it does not compile."""
    try:
        return regex.compile(pattern, flags)
    except (regex.error, ValueError) as error:
        raise CheckError(f"the pattern {pattern[:60]!r} does not compile: {error}") from None


@dataclass
class Stopwatch:
    """CPU time left for the patterns of one check."""

    left: float = TOTAL_SECONDS
    """Seconds."""

    def search(self, pattern: str, text: str, flags: int = IGNORE_CASE) -> "regex.Match[str] | None":
        """First match, or none; raises `CheckError` when time runs out.

        A pattern that is framed by `^` and `$` speaks of the whole text; in any other, they match at lines.
        """
        if pattern.startswith("^") and pattern.endswith("$") and not pattern.endswith(r"\$"):
            flags &= ~regex.MULTILINE
        expression = compiled(pattern, flags)
        return self._timed(pattern, lambda seconds: expression.search(text, timeout=seconds))

    def spans(self, pattern: str, text: str, flags: int = IGNORE_CASE) -> list["regex.Match[str]"]:
        """All matches; raises `CheckError` when time runs out."""
        expression = compiled(pattern, flags)
        return self._timed(pattern, lambda seconds: list(expression.finditer(text, timeout=seconds)))

    def _timed(self, pattern: str, run: Callable[[float], Result]) -> Result:
        """Run within the time left. The engine counts the CPU time of all threads of the process, so a search that is
        cut short while others work is granted more, up to what this thread may use."""
        allowed = min(PATTERN_SECONDS, self.left)
        for share in _SHARES if allowed > 0 else ():
            start = thread_time()
            try:
                return run(allowed * share)
            except TimeoutError:
                if thread_time() - start >= 0.9 * allowed:
                    break
            finally:
                self.left -= thread_time() - start
        raise CheckError(f"the pattern {pattern[:60]!r} ran out of time on a reply; write it without nested repetition")


def found(match: "regex.Match[str]") -> str:
    """What a pattern found, short, for a person to read."""
    text = " ".join(match.group().split())
    return repr(text if len(text) <= 40 else text[:37] + "...")


def groups(matches: list["regex.Match[str]"]) -> Iterator[str]:
    """The inside of each span: its one group, or all of it."""
    for match in matches:
        yield (match.group(1) or "") if match.re.groups == 1 else match.group()
