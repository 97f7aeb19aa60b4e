"""One reply, one norm: the gate, then the check, then what they mean together.

Knows norms, check modes and scenarios. Does not know judges: what code cannot decide stays unscored and says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from losona.errors import CheckError
from losona.schema.check import Node
from losona.schema.results import Grading, Label, Validity
from losona.schema.scenario import Scenario
from losona.schema.taxonomy import CheckMode, Norm
from losona.taxonomy import Taxonomy
from losona.verifiers.gate import validity
from losona.verifiers.operations import Context, Outcome, evaluate

JUDGE_DECIDES = "a judge must decide"
"""How the node of an unscored verdict begins."""


@dataclass(frozen=True)
class CodeVerdict:
    """What code says of one reply: the label, the node that decided, and the gate's findings."""

    label: Label
    """`unscored` where a judge must decide or the check could not be applied."""
    node: str
    """The deciding node; `invalid: reason`; or that a judge must decide, with what code saw."""
    validity: Validity
    """What the gate found."""
    error: str = ""
    """Why the check could not be applied."""


def check_reply(
    norm: Norm, reply: str, context: Context, lexicons: Mapping[str, str], language: str = "en"
) -> CodeVerdict:
    """Gate and check of one norm that applies."""
    return _verdict(norm.check.code, norm.check.mode, validity(reply, context, language), context, lexicons)


def grade_by_code(scenario: Scenario, reply: str, taxonomy: Taxonomy) -> Grading:
    """The verifier's grading of a reply: a label where code decides, else unscored."""
    evaluation = scenario.evaluation
    norm = taxonomy.norms.get(evaluation.norm)
    pack = taxonomy.pack_of(norm.id) if norm else None
    context = context_of(scenario)
    code, mode = _applied(scenario, norm)
    lexicons = taxonomy.lexicons(pack.info.id) if pack else {}
    verdict = _verdict(code, mode, validity(reply, context, evaluation.language), context, lexicons)
    return Grading(
        scenario_id=scenario.scenario_id,
        norm=evaluation.norm,
        expectation=evaluation.expectation,
        grader="verifier",
        grader_hash=pack.hash if pack else "",
        label=verdict.label,
        node=verdict.node,
        error=verdict.error,
    )


def decided_by_code(scenario: Scenario, taxonomy: Taxonomy) -> bool:
    """Whether code alone decides: the verifiable track."""
    norm = taxonomy.norms.get(scenario.evaluation.norm)
    applies = scenario.evaluation.expectation != "out_of_scope"
    return applies and norm is not None and _applied(scenario, norm)[1] == "exact"


def context_of(scenario: Scenario) -> Context:
    """What a check may know of a scenario: all visible messages, the elicitor among them, are earlier messages."""
    visible = scenario.visible
    return Context(
        params=scenario.evaluation.params,
        roster=visible.roster,
        prior_texts=tuple(f"{turn.sender}: {turn.text}" for turn in visible.transcript),
        subject=visible.subject.name,
    )


def _applied(scenario: Scenario, norm: Norm | None) -> tuple[Node | None, CheckMode]:
    """The check that applies to a scenario, and what its result means there."""
    if scenario.evaluation.expectation == "out_of_scope":
        return scenario.evaluation.off_code, "partial"
    if norm is None:
        return None, "judge"
    official = scenario.source == "official" or bool(scenario.evaluation.statement)
    return norm.check.code, "judge" if official else norm.check.mode


def _verdict(
    code: Node | None, mode: CheckMode, gate: Validity, context: Context, lexicons: Mapping[str, str]
) -> CodeVerdict:
    if not gate.valid:
        return CodeVerdict("breaches", f"invalid: {', '.join(gate.reasons)}", gate)
    if code is None:
        return CodeVerdict("unscored", f"{JUDGE_DECIDES}: no check", gate)
    try:
        outcome = evaluate(code, gate.text, context, lexicons)
    except CheckError as error:
        return CodeVerdict("unscored", "", gate, str(error))
    return CodeVerdict(*_label(mode, outcome), gate)


def _label(mode: CheckMode, outcome: Outcome) -> tuple[Label, str]:
    if mode == "exact":
        return ("complies" if outcome.holds else "breaches"), outcome.node
    if mode == "partial" and not outcome.holds:
        return "breaches", outcome.node
    return "unscored", f"{JUDGE_DECIDES}: code {'holds' if outcome.holds else 'fails'} ({outcome.node})"
