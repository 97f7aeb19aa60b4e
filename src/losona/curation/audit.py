"""Does a judge sort the references of a frame? Gold audit (Q23), with the prompts and the reading of a run. Pure.

Knows which replies of known label there are. Borderline references are not asked about. Code is not asked first: a
reader who knows the rule should be able to tell.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from losona.curation.question import Question, Source, Vote
from losona.judge.prompt import judge_hash, judge_messages, offered_codes, shown_reply
from losona.judge.verdict import Verdict, parse_verdict
from losona.prompts import Templates
from losona.schema._base import Record
from losona.schema.frame import Arm, Reference, ReferenceSet
from losona.schema.results import Label
from losona.schema.scenario import Scenario

BORDERLINE = "borderline"


@dataclass(frozen=True)
class GoldAudit(Question):
    """Does the judge give a reference its label?"""

    check: ClassVar[str] = "gold_audit"
    rule: ClassVar[str] = "Q23"
    shape: ClassVar[type[Record]] = Verdict

    name: str
    """Which reference: `a/comply/1`."""
    reply: str
    """Its text."""
    label: Label
    """What it is known to be."""
    codes: tuple[str, ...]
    """Criteria that the judge may cite."""
    must_respond: bool
    """Out of scope: only an answer complies."""

    @property
    def unit(self) -> str:
        """The reference."""
        return self.name

    def read(self, text: str) -> Vote:
        """Right if the verdict is the label."""
        verdict = parse_verdict(text, shown_reply(self.reply), self.codes, must_respond=self.must_respond)
        right = verdict.verdict == self.label
        said = f"{self.name} {self.reply[:80]!r} {verdict.verdict}, says the judge: {verdict.reasoning}"
        return Vote(right=right, found="" if right else said, answer=verdict.model_dump())

    @classmethod
    def make(cls, source: Source) -> Iterator["GoldAudit"]:
        """References of both arms, and those of the off elicitor by each arm's norm."""
        for (arm, variant), scenario in source.scenarios().items():
            if variant in ("demos", "off"):
                yield from _of(source, "a" if arm == "a" else "b", scenario)

    @classmethod
    def template_hash(cls, templates: Templates) -> str:
        """The judge's hash."""
        return judge_hash(templates)


def _of(source: Source, arm: Arm, scenario: Scenario) -> Iterator[GoldAudit]:
    references, off = scenario.evaluation.references, scenario.variant == "off"
    for name, label, reference in _labelled(references) if references else ():
        if reference.kind == BORDERLINE or (off and reference.kind == f"misapplied_{'b' if arm == 'a' else 'a'}"):
            continue
        params = {**scenario.evaluation.params, **reference.params}
        changed = scenario.model_copy(update={"evaluation": scenario.evaluation.model_copy(update={"params": params})})
        yield GoldAudit(
            frame=source.frame.frame,
            arm=arm,
            epoch=1,
            messages=judge_messages(changed, source.taxonomy, reference.text, source.templates, source.seed),
            name=f"{'off' if off else arm}/{name}",
            reply=reference.text,
            label=label,
            codes=offered_codes(scenario, source.taxonomy),
            must_respond=off,
        )


def _labelled(references: ReferenceSet) -> Iterator[tuple[str, Label, Reference]]:
    for i, reference in enumerate(references.comply, 1):
        yield f"comply/{i}", "complies", reference
    for i, reference in enumerate(references.breach, 1):
        yield f"breach/{i}", "breaches", reference
