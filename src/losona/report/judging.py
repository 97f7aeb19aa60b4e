"""What was measured of the judges of runs, as rows: their errors by audit and by people, and corrected rates.

Reads what the records of runs hold. Computes no number but the shares of stored counts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from losona.stats.agreement import Counts, Share, agreement
from losona.stored import StoredRun

ALL = "all"
"""Group of all replies; the others are families of norms."""


@dataclass(frozen=True)
class JudgeError:
    """How often a judge is right, over replies of one label and one group."""

    run: str
    """Name of the run."""
    judge: str
    """Judge, `panel`, or several that were taken together."""
    source: str
    """`audit` (references and probes) or `people` (labels on replies of the run)."""
    group: str
    """all, or a family of norms."""
    error: str
    """sensitivity (called complying, of those that comply) or specificity (a breach, of those that breach)."""
    value: float
    """The share."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end."""
    n: int
    """Replies of known label: the denominator."""


@dataclass(frozen=True)
class CorrectedRate:
    """Compliance in one cell as the judge has it, and corrected for its errors; over the replies that it judged."""

    run: str
    """Name of the run."""
    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    variant: str
    """Variant of the scenarios."""
    n: int
    """Judged replies: the denominator."""
    raw: float
    """Share that the judge calls complying."""
    corrected: float
    """Rogan-Gladen; NaN where no pooled correction is sound."""
    corrected_low: float
    """Lower end of its 95 % interval."""
    corrected_high: float
    """Upper end."""
    powered: float
    """PPI++; NaN where the cell has too few labels."""
    powered_low: float
    """Lower end of its 95 % interval."""
    powered_high: float
    """Upper end."""


def judge_errors(runs: Sequence[StoredRun]) -> list[JudgeError]:
    """Both errors, over all and by family, as audits and labels of people have them."""
    return [row for run in runs for row in (*_audited(run), *_labelled(run))]


def corrected_rates(runs: Sequence[StoredRun]) -> list[CorrectedRate]:
    """Every cell of a run that was calibrated."""
    return [
        CorrectedRate(
            run.name, rate["model"], rate["condition"], rate["variant"], rate["n"], rate["raw"],
            *_three(rate["corrected"]), *_three(rate["powered"]),
        )
        for run in runs for rate in (run.calibration or {"cells": {"rates": ()}})["cells"]["rates"]
    ]  # fmt: skip


def unmeasured(runs: Sequence[StoredRun]) -> str:
    """What the report says where a judge graded and nobody has measured it; empty otherwise."""
    identities: list[Mapping[str, Any]] = [run.record.get("identity") or {} for run in runs]
    if not any(identity.get("judge") for identity in identities) or judge_errors(runs):
        return ""
    return (
        "Judge calibration is not drawn, because the errors of the judge have not been measured; losona judge audit "
        "does so on replies of known label, and losona judge calibrate on labels of people."
    )


def _audited(run: StoredRun) -> Iterator[JudgeError]:
    audits: Mapping[str, Any] = run.record.get("audits") or {}
    for judge, found in audits.items():
        if found is None:
            continue
        for group, counts in {ALL: found["counts"], **found.get("families", {})}.items():
            a = agreement(Counts(**counts))
            for error, share in (("sensitivity", a.sensitivity), ("specificity", a.specificity)):
                if share.n:
                    yield JudgeError(run.name, judge, "audit", group, error, *share)


def _labelled(run: StoredRun) -> Iterator[JudgeError]:
    if run.calibration is None:
        return
    judge = ", ".join(run.calibration["graders"])
    for group, errors in {ALL: run.calibration["errors"], **run.calibration.get("families", {})}.items():
        for error, rate in errors.items():
            low, high = rate["interval"]
            yield JudgeError(run.name, judge, "people", group, error, rate["value"], low, high, rate["n"])


def _three(found: Mapping[str, Any] | None) -> tuple[float, float, float]:
    share = Share(**found) if found else Share(nan, nan, nan, 0)
    return share.value, share.low, share.high
