"""One question to one judge: the call, one retry, and the grading that comes of it.

Knows Inspect. Does not know runs or panels, nor whether code has decided already.
"""

from typing import Any

from inspect_ai.model import Model

from losona.judge.line import Line, answer_schema
from losona.judge.prompt import judge_hash, judge_messages, offered_codes, retry_message, shown_reply
from losona.judge.verdict import Verdict, parse_verdict
from losona.prompts import Templates
from losona.schema.results import Grading
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy

SCHEMA = answer_schema("verdict", Verdict)
"""For providers that can hold a model to a shape; the answer is checked all the same."""


async def judge_reply(
    model: Model, scenario: Scenario, taxonomy: Taxonomy, reply_text: str, templates: Templates, seed: int
) -> Grading:
    """Ask a judge whether a reply does what the scenario expects.

    `reply_text` is a valid reply as it is graded. A vote that cannot be used is asked for once more and then void.
    A void vote and a provider's failure give the label `unscored` with the reason in `error`; cancellation and
    Inspect's limits go through.
    """
    blank = _blank(model, scenario, templates)
    if not reply_text.strip():
        return blank.model_copy(update={"error": "nothing to judge: the reply is empty"})
    messages = judge_messages(scenario, taxonomy, reply_text, templates, seed)
    codes = offered_codes(scenario, taxonomy)
    must_respond = scenario.evaluation.expectation == "out_of_scope"
    line = Line(model, SCHEMA)
    verdict = await line.ask(
        messages,
        lambda text: parse_verdict(text, shown_reply(reply_text), codes, must_respond=must_respond),
        lambda fault: retry_message(fault, templates),
    )
    tokens = {"input_tokens": line.input_tokens, "output_tokens": line.output_tokens}
    if isinstance(verdict, str):
        return blank.model_copy(update={"error": verdict} | tokens)
    return blank.model_copy(update=_fields(verdict) | tokens)


def _blank(model: Model, scenario: Scenario, templates: Templates) -> Grading:
    return Grading(
        scenario_id=scenario.scenario_id,
        norm=scenario.evaluation.norm,
        expectation=scenario.evaluation.expectation,
        grader=str(model),
        grader_hash=judge_hash(templates),
        label="unscored",
    )


def _fields(verdict: Verdict) -> dict[str, Any]:
    return {"label": verdict.verdict, **verdict.model_dump(exclude={"verdict"})}
