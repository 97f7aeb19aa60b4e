"""One reply, one norm: the gate, then the check, then what they mean together.

Knows norms, check modes and scenarios. Does not know judges: what code cannot decide stays unscored and says so.
"""

from collections.abc import Mapping

from losona.errors import CheckError
from losona.schema._base import Record
from losona.schema.check import Node
from losona.schema.results import Grading, Label, Validity
from losona.schema.scenario import Scenario
from losona.schema.taxonomy import CheckMode, Norm
from losona.taxonomy import Taxonomy
from losona.verifiers.gate import validity
from losona.verifiers.operations import Context, Outcome, evaluate

JUDGE_DECIDES = "a judge must decide"
"""How the node of an unscored verdict begins."""


class CodeVerdict(Record):
    """What code says of one reply."""

    label: Label
    """`unscored` where a judge must decide or the check could not be applied."""
    node: str
    """The deciding node; `invalid: reason`; or that a judge must decide, with what code saw."""
    validity: Validity
    """What the gate found."""
    error: str = ""
    """Why the check could not be applied."""


def check_reply(norm: Norm, reply: str, context: Context, taxonomy: Taxonomy, language: str = "en") -> CodeVerdict:
    """Gate and check of one norm, taken to apply."""
    lexicons = taxonomy.lexicons(taxonomy.pack_of(norm.id).info.id)
    return _verdict(norm.check.code, norm.check.mode, validity(reply, context, language), context, lexicons)


def verdict_of(scenario: Scenario, reply: str, taxonomy: Taxonomy) -> CodeVerdict:
    """What code says of a reply to a scenario, with the gate's findings."""
    norm = taxonomy.norms.get(scenario.evaluation.norm)
    lexicons = taxonomy.lexicons(taxonomy.pack_of(norm.id).info.id) if norm else {}
    context = context_of(scenario)
    gate = validity(reply, context, scenario.evaluation.language)
    return _verdict(*_applied(scenario, norm), gate, context, lexicons)


def grade_by_code(scenario: Scenario, reply: str, taxonomy: Taxonomy) -> Grading:
    """The verifier's grading of a reply: a label where code decides, else unscored."""
    evaluation = scenario.evaluation
    verdict = verdict_of(scenario, reply, taxonomy)
    return Grading(
        scenario_id=scenario.scenario_id,
        norm=evaluation.norm,
        expectation=evaluation.expectation,
        grader="verifier",
        grader_hash=taxonomy.pack_of(evaluation.norm).hash if evaluation.norm in taxonomy.norms else "",
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
        roster=tuple(name for name in visible.roster if name),
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
        return CodeVerdict(label="breaches", node=f"invalid: {', '.join(gate.reasons)}", validity=gate)
    if code is None:
        return CodeVerdict(label="unscored", node=f"{JUDGE_DECIDES}: there is no check", validity=gate)
    try:
        outcome = evaluate(code, gate.text, context, lexicons)
    except CheckError as error:
        if mode == "judge":
            return CodeVerdict(label="unscored", node=f"{JUDGE_DECIDES}: code does not apply ({error})", validity=gate)
        return CodeVerdict(label="unscored", node="", validity=gate, error=str(error))
    label, node = _label(mode, outcome)
    return CodeVerdict(label=label, node=node, validity=gate)


def _label(mode: CheckMode, outcome: Outcome) -> tuple[Label, str]:
    if mode == "exact":
        return ("complies" if outcome.holds else "breaches"), outcome.node
    if mode == "partial" and not outcome.holds:
        return "breaches", outcome.node
    return "unscored", f"{JUDGE_DECIDES}: code {'holds' if outcome.holds else 'fails'} ({outcome.node})"
