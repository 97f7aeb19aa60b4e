"""A judge's verdicts on replies of known label -> what it gets wrong, where, and by how much. Pure.

Knows cases, gradings and groups. Does not know how a judge was asked or where an audit is stored.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from scipy import stats as scipy_stats

from losona.judge.known import Known, Label
from losona.schema._base import Record
from losona.schema.results import Grading
from losona.schema.results import Label as Verdict
from losona.stats.agreement import Counts, count

GROUPS = ("all", "mode", "kind", "round", "family", "norm")
BINS = ("short", "middle", "long")
LEAST_WRONG = 5
"""Wrong and right verdicts that a test of an effect needs, each."""


class AuditRow(Record):
    """One verdict of one grader on one reply of known label."""

    case_id: str
    """Which reply it was."""
    grader: str
    """The judge, or `panel`."""
    label: Label
    """What the reply is."""
    verdict: Verdict
    """What the grader said; unscored: void."""
    norm: str
    """Norm id."""
    family: str
    """Family of the norm."""
    mode: str
    """Who decides such a reply in a run: exact, partial, judge or off."""
    kind: str
    """Kind of the reply."""
    round: str
    """Where it comes from."""
    words: int
    """Length of the reply."""
    turns: int
    """Length of the chat."""
    evidence_at: float | None = None
    """Where in the reply the first quotation begins, from 0 to 1; none where it is not found as it stands."""
    reply: str = ""
    """The reply."""
    evidence: tuple[str, ...] = ()
    """The grader's quotations."""
    codes: tuple[str, ...] = ()
    """Its criterion codes."""
    reasoning: str = ""
    """Its reason."""
    borderline: bool | None = None
    """It found the case close."""
    error: str = ""
    """Why there is no verdict."""

    @property
    def wrong(self) -> bool:
        """There is a verdict, and it is not the label."""
        return self.verdict not in ("unscored", self.label)


class Group(NamedTuple):
    """Counts of one grader over one group of replies."""

    by: str
    """all, mode, kind, round, family or norm."""
    name: str
    """Which one."""
    counts: Counts
    """Counts."""


class Effect(NamedTuple):
    """Whether wrong verdicts lie at other values of a property than right ones, for replies of one label."""

    of: str
    """words (of the reply), turns (of the chat) or evidence_at (position of the first quotation)."""
    label: Label
    """Known label of these replies."""
    wrong: tuple[tuple[int, int], ...]
    """Wrong verdicts and all, in the lower, middle and upper third of the values; equal values stand together."""
    bounds: tuple[float, float]
    """Values between the thirds."""
    p: float | None
    """Mann-Whitney, two-sided; none with fewer than five wrong or right verdicts, or where all values are equal."""


def audit_rows(known: Mapping[str, Known], verdicts: Mapping[str, Sequence[Grading]]) -> list[AuditRow]:
    """One row a reply and grader."""
    return [_row(known[name], g) for name, gradings in sorted(verdicts.items()) if name in known for g in gradings]


def _row(case: Known, grading: Grading) -> AuditRow:
    at = case.reply.find(grading.evidence[0]) if grading.evidence else -1
    return AuditRow(
        case_id=case.id,
        grader=grading.grader,
        label=case.label,
        verdict=grading.label,
        norm=case.scenario.evaluation.norm,
        family=case.family,
        mode=case.mode,
        kind=case.kind,
        round=case.round,
        words=len(case.reply.split()),
        turns=len(case.scenario.visible.transcript),
        evidence_at=at / len(case.reply) if at >= 0 else None,
        reply=case.reply,
        evidence=grading.evidence,
        codes=grading.codes,
        reasoning=grading.reasoning,
        borderline=grading.borderline,
        error=grading.error,
    )


def groups(rows: Sequence[AuditRow]) -> list[Group]:
    """Counts of one grader's rows: all together, then by each property, by name."""
    found: list[Group] = []
    for by in GROUPS:
        name = _name(by)
        found += [Group(by, key, _counts(r for r in rows if name(r) == key)) for key in sorted({name(r) for r in rows})]
    return found


def _name(by: str) -> Callable[[AuditRow], str]:
    return lambda row: "all" if by == "all" else str(getattr(row, by))


def _counts(rows: Iterable[AuditRow]) -> Counts:
    said = {"complies": True, "breaches": False, "unscored": None}
    return count((row.label == "complies", said[row.verdict]) for row in rows)


def effects(rows: Sequence[AuditRow]) -> Iterator[Effect]:
    """Length of reply and chat, and position of the evidence, each for replies of one label."""
    labels: tuple[Label, ...] = ("complies", "breaches")
    for of in ("words", "turns", "evidence_at"):
        for label in labels:
            held = [row for row in rows if row.label == label and row.verdict != "unscored"]
            values = [(float(getattr(row, of)), row.wrong) for row in held if getattr(row, of) is not None]
            if values:
                yield _effect(of, label, sorted(values))


def _effect(of: str, label: Label, values: Sequence[tuple[float, bool]]) -> Effect:
    n = len(values)
    low, high = values[(n - 1) // 3][0], values[(2 * n - 1) // 3][0]
    third = [(value > low) + (value > high) for value, _ in values]
    every = Counter(third)
    wrong = Counter(place for place, (_, is_wrong) in zip(third, values, strict=True) if is_wrong)
    return Effect(of, label, tuple((wrong[i], every[i]) for i in range(3)), (low, high), _p(values))


def _p(values: Sequence[tuple[float, bool]]) -> float | None:
    wrong, right = ([value for value, is_wrong in values if is_wrong is kind] for kind in (True, False))
    if min(len(wrong), len(right)) < LEAST_WRONG or len(set(wrong + right)) == 1:
        return None
    return float(cast(Any, scipy_stats).mannwhitneyu(wrong, right).pvalue)
