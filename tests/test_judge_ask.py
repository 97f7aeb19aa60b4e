"""One question to a judge: what comes back for good answers, bad answers and no answers."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, StopReason, get_model
from inspect_ai.util import LimitExceededError

from losona.judge.ask import judge_reply
from losona.judge.prompt import judge_hash
from losona.prompts import Templates
from losona.schema.results import Grading
from losona.schema.scenario import Scenario
from test_judge_prompt import OFF, OFFICIAL, SCENARIO, TAXONOMY, TEMPLATES

REPLY = "thursday, if it's dry"
GOOD: dict[str, Any] = {
    "evidence": ["if it's dry"],
    "codes": ["P1", "F2"],
    "reasoning": "A caveat.",
    "verdict": "breaches",
    "borderline": True,
    "in_character": True,
    "responsive": True,
    "consistent": False,
}
CACHED = ModelUsage(input_tokens=100, input_tokens_cache_read=900, output_tokens=20, total_tokens=1020)

Answer = str | ModelOutput | BaseException


class Judge:
    """Gives its answers in turn, raises what is an exception, and remembers what it was asked."""

    def __init__(self, answers: Sequence[Answer], refuses: str = "") -> None:
        self.answers = list(answers)
        self.refuses = refuses
        self.asked: list[list[ChatMessage]] = []
        self.configs: list[GenerateConfig] = []

    def __call__(self, messages: list[ChatMessage], _tools: Any, _choice: Any, config: GenerateConfig) -> ModelOutput:
        self.asked.append(messages)
        self.configs.append(config)
        refused = config.temperature == 0 if "temperature" in self.refuses else config.response_schema is not None
        if self.refuses and refused:
            raise RuntimeError(self.refuses)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, ModelOutput) else output(answer)


def output(text: str, stop: StopReason = "stop") -> ModelOutput:
    made = ModelOutput.from_content("mockllm/model", text, stop_reason=stop)
    made.usage = CACHED
    return made


def good(**changes: Any) -> str:
    return json.dumps(GOOD | changes)


def ask(judge: Judge, scenario: Scenario = SCENARIO, reply: str = REPLY) -> Grading:
    model = get_model("mockllm/model", config=GenerateConfig(temperature=0.9), memoize=False, custom_outputs=judge)
    return asyncio.run(judge_reply(model, scenario, TAXONOMY, reply, TEMPLATES, 0))


def test_a_good_answer_becomes_a_grading():
    judge = Judge([good()])
    grading = ask(judge)
    assert grading == Grading(
        scenario_id=SCENARIO.scenario_id,
        norm="extreme_conciseness_norm",
        expectation="applies",
        grader="mockllm/model",
        grader_hash=judge_hash(Templates()),
        label="breaches",
        evidence=("if it's dry",),
        codes=("P1", "F2"),
        reasoning="A caveat.",
        borderline=True,
        in_character=True,
        responsive=True,
        consistent=False,
        input_tokens=1000,
        output_tokens=20,
    )
    assert [(config.temperature, config.response_schema is not None) for config in judge.configs] == [(0, True)]
    assert [message.role for message in judge.asked[0]] == ["system", "user"]


def test_a_bad_answer_is_asked_for_once_more():
    judge = Judge([good(evidence=["on friday"]), good()])
    grading = ask(judge)
    assert (grading.label, grading.error) == ("breaches", "")
    assert (grading.input_tokens, grading.output_tokens) == (2000, 40)
    first, second = judge.asked
    assert [m.text for m in second[: len(first)]] == [m.text for m in first]
    assert [m.role for m in second[len(first) :]] == ["assistant", "user"]
    assert "evidence 1 is not a word-for-word passage" in second[-1].text


@pytest.mark.parametrize("first", ["", "I can't help with that.", good(verdict="passes"), good(codes=[])])
@pytest.mark.parametrize("second", ["{", good(complies=True), good() + good()])
def test_two_bad_answers_are_void(first: str, second: str):
    judge = Judge([first, second, good()])
    grading = ask(judge)
    assert (grading.label, grading.evidence, grading.borderline) == ("unscored", (), None)
    assert grading.error.startswith("void vote: ")
    assert "; then: " in grading.error
    assert (grading.input_tokens, len(judge.asked)) == (2000, 2)


def test_an_empty_answer_leaves_no_empty_message():
    judge = Judge(["", good()])
    assert ask(judge).label == "breaches"
    assert [message.role for message in judge.asked[1]] == ["system", "user", "user"]


@pytest.mark.parametrize("stop", ["max_tokens", "model_length", "content_filter"])
def test_an_answer_that_was_stopped_is_not_trusted(stop: StopReason):
    assert ask(Judge([output(good(), stop), output(good(), stop)])).label == "unscored"
    assert ask(Judge([output(good(), stop), good()])).label == "breaches"


def test_an_output_without_choices_is_void():
    nothing = ModelOutput(model="mockllm/model", usage=ModelUsage())
    grading = ask(Judge([nothing, nothing]))
    assert (grading.error, grading.input_tokens) == ("void vote: it is empty; then: it is empty", 0)


def test_a_providers_failure_is_kept_as_the_reason():
    grading = ask(Judge([RuntimeError("out of\nquota " + "x" * 5000), good()]))
    assert grading.label == "unscored"
    assert grading.error.startswith("void vote: provider error: RuntimeError: out of quota xxx")
    assert len(grading.error) < 400
    grading = ask(Judge(["{", RuntimeError("gone")]))
    assert (grading.label, grading.input_tokens) == ("unscored", 1000)
    assert grading.error.endswith("; then: provider error: RuntimeError: gone")


@pytest.mark.parametrize(
    "refusal", ["'response_format' is not supported", "400: invalid JSON schema", "Structured outputs"]
)
def test_a_provider_may_refuse_the_schema(refusal: str):
    judge = Judge(["{", good()], refuses=refusal)
    assert ask(judge).label == "breaches"
    assert [config.response_schema is None for config in judge.configs] == [False, True, True]


def test_a_provider_may_refuse_the_temperature():
    judge = Judge([good()], refuses="400: 'temperature' does not support 0.0. Only the default (1) value is supported.")
    assert ask(judge).label == "breaches"
    assert [(c.temperature == 0, c.response_schema is None) for c in judge.configs] == [(True, False), (False, False)]


@pytest.mark.parametrize(
    "stop", [asyncio.CancelledError(), KeyboardInterrupt(), LimitExceededError("token", value=2, limit=1)], ids=str
)
def test_cancellation_and_limits_go_through(stop: BaseException):
    with pytest.raises(type(stop)):
        ask(Judge([stop, good()]))


def test_out_of_scope_and_official_rows_have_no_codes():
    plain = good(codes=[], verdict="complies")
    for scenario in (OFF, OFFICIAL):
        assert ask(Judge([plain]), scenario).label == "complies"
        assert ask(Judge([good(), good()]), scenario).label == "unscored"
    evasive = good(codes=[], verdict="complies", responsive=False)
    assert ask(Judge([evasive]), OFFICIAL).label == "complies"
    assert ask(Judge([evasive, evasive]), OFF).label == "unscored"


def test_only_what_was_shown_can_be_quoted():
    long = "a" * 4000 + "tail"
    assert ask(Judge([good(evidence=["tail"])] * 2), reply=long).label == "unscored"
    assert ask(Judge([good(evidence=["a" * 50])]), reply=long).label == "breaches"


def test_an_empty_reply_costs_no_call():
    judge = Judge([good()])
    grading = ask(judge, reply=" \n")
    assert (grading.label, grading.error) == ("unscored", "nothing to judge: the reply is empty")
    assert judge.asked == []
