"""The rules: their texts, which are content (`content/lint_rules.yaml`), joined with their checks, which are code.

Knows which rules exist. Does not know files.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from losona.errors import ContentError, UserFault
from losona.lint import (
    applicability,
    cast,
    facts,
    frameset,
    language,
    line_columns,
    line_people,
    line_reply,
    references,
    repeats,
    slots,
    spacing,
    structure,
)
from losona.lint.finding import Fault, Finding
from losona.lint.lines import LineView
from losona.lint.reading import LINE_PARSES
from losona.lint.view import FrameView
from losona.schema._base import Record
from losona.textfiles import Document, read_yaml, validate

RULE_TEXTS = Path(str(files("losona"))) / "content" / "lint_rules.yaml"
Degree = Literal["error", "warning", "degree"]
FrameCheck = Callable[[FrameView], Iterator[Fault]]
LineCheck = Callable[[LineView], Iterator[Fault]]
SetCheck = Callable[[frameset.Units], frameset.Found]
FileCheck = Callable[[Sequence[LineView]], frameset.Found]
FRAME_CHECKS: dict[str, FrameCheck] = {
    **structure.CHECKS,
    **applicability.CHECKS,
    **cast.CHECKS,
    **slots.CHECKS,
    **language.CHECKS,
    **references.CHECKS,
    **facts.CHECKS,
    **spacing.CHECKS,
}
"""Rule over one frame -> check."""
LINE_CHECKS: dict[str, LineCheck] = {
    "F05": applicability.event_fits,
    "F07": cast.names_apart,
    **line_people.CHECKS,
    "F47": spacing.no_acting_character,
    "F26": language.turn_count,
    "F27": language.word_count,
    "F28": language.rhythm,
    "F29": language.naturalness,
    "F32": language.no_leakage,
    "F33": language.no_harm,
    **line_columns.CHECKS,
    **line_reply.CHECKS,
}
"""Rule over one line of a JSON Lines file -> check."""
SET_CHECKS: dict[str, SetCheck] = {**frameset.CHECKS, **repeats.CHECKS}
"""Rule over a set -> check."""
FILE_CHECKS: dict[str, FileCheck] = {**line_columns.FILE_CHECKS}
"""Rule over the lines of a file -> check."""


class RuleText(Record):
    """What a reader is told of a rule."""

    title: str
    """The rule in one line."""
    severity: Degree
    """`degree`: error or warning by how far it goes."""
    why: str
    """Why the rule exists."""
    bad: str
    """What it finds."""
    good: str
    """What it lets pass."""


@dataclass(frozen=True)
class Rule:
    """One numbered rule: over a frame (`F`), over a line (`P`, and such of the `F`), over a set (`S`)."""

    id: str
    """`F01` to `F47`, `P01` to `P08`, `S01` to `S10`."""
    text: RuleText
    """What a reader is told of it."""
    frame_check: FrameCheck | None = None
    """What it looks for in one frame."""
    line_check: LineCheck | None = None
    """What it looks for in a release row or a derived scenario."""
    set_check: SetCheck | None = None
    """What it looks for in a set."""
    file_check: FileCheck | None = None
    """What it looks for in all lines of a file."""

    def check(self, view: FrameView) -> Iterator[Finding]:
        """Findings in one frame."""
        for fault in self.frame_check(view) if self.frame_check else ():
            yield self.finding(view.document, fault)

    def check_line(self, line: LineView) -> Iterator[Finding]:
        """Findings in one line."""
        for fault in self.line_check(line) if self.line_check else ():
            yield self.finding(line.document, fault)

    def check_set(self, units: frameset.Units) -> Iterator[Finding]:
        """Findings in a set of frames and lines."""
        for document, fault in self.set_check(units) if self.set_check else ():
            yield self.finding(document, fault)

    def check_file(self, lines: Sequence[LineView]) -> Iterator[Finding]:
        """Findings in the lines of one file."""
        for document, fault in self.file_check(lines) if self.file_check else ():
            yield self.finding(document, fault)

    def finding(self, document: Document, fault: Fault) -> Finding:
        """A fault with the rule's number, its severity and its line."""
        line = document.line(fault.place)
        severity = "warning" if self.text.severity == "warning" or fault.warn else "error"
        return Finding(self.id, severity, document.path, line, fault.found, fault.allowed, fault.slot, fault.turn)

    def explained(self) -> str:
        """Why the rule exists, with an example of what it finds and of what it lets pass."""
        severity = {"degree": "error or warning, by degree"}.get(self.text.severity, self.text.severity)
        bad, good = (" ".join(text.split()) for text in (self.text.bad, self.text.good))
        head = f"{self.id} ({severity}; looks at {self.covers}): {self.text.title}."
        return f"{head}\n\nWhy: {self.text.why}\n\nFinds:     {bad}\nLets pass: {good}"

    @property
    def covers(self) -> str:
        """What it looks at, in words."""
        parts = [("frames", self.frame_check), ("rows and scenarios", self.line_check or self.file_check)]
        named = [name for name, check in [*parts, ("sets", self.set_check)] if check]
        return ", ".join(named or ["rows and scenarios"])


def _rules() -> dict[str, Rule]:
    document = read_yaml(RULE_TEXTS)
    texts = {name: validate(RuleText, document, (name,)) for name in document.data}
    checks: Mapping[str, object] = {**FRAME_CHECKS, **LINE_CHECKS, **SET_CHECKS, **FILE_CHECKS, LINE_PARSES: None}
    if odd := sorted(set(texts) ^ set(checks)):
        raise ContentError(f"{RULE_TEXTS}: rules with a text but no check, or the reverse: {', '.join(odd)}.")
    return {name: _rule(name, text) for name, text in texts.items()}


def _rule(name: str, text: RuleText) -> Rule:
    checks = FRAME_CHECKS.get(name), LINE_CHECKS.get(name), SET_CHECKS.get(name), FILE_CHECKS.get(name)
    return Rule(name, text, *checks)


def explain(name: str) -> Rule:
    """The rule of a number, in any case. Raises `UserFault` that says which there are."""
    if found := RULES.get(name.strip().upper()):
        return found
    spans = [[rule for rule in RULES if rule.startswith(letter)] for letter in "FPS"]
    known = ", ".join(f"{span[0]} to {span[-1]}" for span in spans)
    raise UserFault(f"--explain {name}: there is no such rule; there are {known}.")


RULES: dict[str, Rule] = _rules()
"""All rules by number, in order. P01 has no check: it is what `losona.lint.reading` reports."""
