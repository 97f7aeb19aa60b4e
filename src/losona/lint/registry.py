"""The rules: their texts, which are content (`content/lint_rules.yaml`), joined with their checks, which are code.

Knows which rules exist. Does not know files.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from losona.errors import ContentError
from losona.lint import applicability, cast, facts, frameset, language, references, slots, structure
from losona.lint.finding import Fault, Finding
from losona.lint.view import FrameView
from losona.schema._base import Record
from losona.textfiles import Document, read_yaml, validate

RULE_TEXTS = Path(str(files("losona"))) / "content" / "lint_rules.yaml"
Degree = Literal["error", "warning", "degree"]
FrameCheck = Callable[[FrameView], Iterator[Fault]]
SetCheck = Callable[[frameset.Views], frameset.Found]
FRAME_CHECKS: dict[str, FrameCheck] = {
    **structure.CHECKS,
    **applicability.CHECKS,
    **cast.CHECKS,
    **slots.CHECKS,
    **language.CHECKS,
    **references.CHECKS,
    **facts.CHECKS,
}
"""Rule over one frame -> check."""


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
    """One numbered rule over a frame, or over a set (`S`)."""

    id: str
    """`F01` to `F45`, `S01` to `S06`."""
    title: str
    """The rule in one line."""
    severity: Degree
    """`degree`: error or warning by how far it goes."""
    why: str
    """Why the rule exists."""
    bad: str
    """An example of what it finds."""
    good: str
    """An example of what it lets pass."""
    frame_check: FrameCheck | None = None
    """What it looks for in one frame; none for a rule over a set."""
    set_check: SetCheck | None = None
    """What it looks for in a set; none for a rule over one frame."""

    def check(self, view: FrameView) -> Iterator[Finding]:
        """Findings in one frame."""
        for fault in self.frame_check(view) if self.frame_check else ():
            yield self.finding(view.document, fault)

    def check_set(self, views: frameset.Views) -> Iterator[Finding]:
        """Findings in a set of frames."""
        for view, fault in self.set_check(views) if self.set_check else ():
            yield self.finding(view.document, fault)

    def finding(self, document: Document, fault: Fault) -> Finding:
        """A fault with the rule's number, its severity and its line."""
        line = document.line(fault.place)
        severity = "warning" if self.severity == "warning" or fault.warn else "error"
        return Finding(self.id, severity, document.path, line, fault.found, fault.allowed, fault.slot, fault.turn)


def _rules() -> dict[str, Rule]:
    document = read_yaml(RULE_TEXTS)
    texts = {name: validate(RuleText, document, (name,)) for name in document.data}
    checks: Mapping[str, object] = {**FRAME_CHECKS, **frameset.CHECKS}
    if odd := sorted(set(texts) ^ set(checks)):
        raise ContentError(f"{RULE_TEXTS}: rules with a text but no check, or the reverse: {', '.join(odd)}.")
    return {
        name: Rule(name, **text.model_dump(), frame_check=FRAME_CHECKS.get(name), set_check=frameset.CHECKS.get(name))
        for name, text in texts.items()
    }


RULES: dict[str, Rule] = _rules()
"""All rules by number, in order."""
