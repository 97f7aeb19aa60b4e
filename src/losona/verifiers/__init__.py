"""The verifiers: what code can say of a reply. Pure: no model, no network, nothing evaluated as code.

`validity` is the gate, the same for every norm; `evaluate` runs one check over one reply; `grade_by_code` puts the
two together for a scenario.
"""

from losona.verifiers.gate import gate_hash, validity
from losona.verifiers.grading import (
    CodeVerdict,
    check_reply,
    context_of,
    decided_by_code,
    grade_by_code,
    verdict_of,
)
from losona.verifiers.operations import Context, Outcome, evaluate
from losona.verifiers.text import normalise

__all__ = [
    "CodeVerdict",
    "Context",
    "Outcome",
    "check_reply",
    "context_of",
    "decided_by_code",
    "evaluate",
    "gate_hash",
    "grade_by_code",
    "normalise",
    "validity",
    "verdict_of",
]
