"""What a rule reports: a fault at a place of a frame, and the finding that a reader sees.

Knows how a finding is shown. Does not know any rule.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from losona.foreign import shown_line
from losona.textfiles import Place

Severity = Literal["error", "warning", "fixed"]
"""`fixed`: it stood there, and was mended."""


@dataclass(frozen=True)
class Fault:
    """What one rule found, before its number, severity and line are known."""

    place: Place
    """Place in the document; its line is looked up later."""
    found: str
    """What stands there."""
    allowed: str
    """What is allowed there."""
    slot: int | None = None
    """Number of the slot."""
    turn: int | None = None
    """Number of the turn, from 1: in its filling, or among the items of `chat`; of a release row its `turn_id`."""
    warn: bool = False
    """Of a rule that is error or warning by degree: this is the lesser degree."""


@dataclass(frozen=True)
class Finding:
    """One fault of one file against one rule."""

    rule: str
    """Number of the rule, `F17`."""
    severity: Severity
    """An error blocks; a warning wants a reader's look; what is fixed is told."""
    file: Path
    """The file."""
    line: int
    """Line in the file, from 1."""
    found: str
    """What stands there."""
    allowed: str
    """What is allowed there."""
    slot: int | None = None
    """Number of the slot."""
    turn: int | None = None
    """Number of the turn, from 1: in its filling, or among the items of `chat`; of a release row its `turn_id`."""

    def render(self) -> str:
        """One line, whatever the file holds: `file:line: F17 error slot 2: found; allowed: ...`.

        Of what is fixed, `now: ...`.
        """
        where = [f"{name} {number}" for name, number in (("slot", self.slot), ("turn", self.turn)) if number]
        head = " ".join([f"{self.file}:{self.line}:", self.rule, self.severity, *where])
        allowed = f"{'now' if self.severity == 'fixed' else 'allowed'}: {self.allowed}"
        return shown_line(f"{head}: {self.found}; {allowed}")

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**asdict(self), "file": str(self.file)}
