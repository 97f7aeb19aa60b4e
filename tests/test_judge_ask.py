"""One question to a judge: what comes back for good answers, bad answers and no answers."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, StopReason, get_model
from inspect_ai.util import LimitExceededError

from losona.errors import UserFault
from losona.judge.ask import Panel, judge_reply
from losona.judge.prompt import judge_hash
from losona.judge.protocols import PAPER, Procedure
from losona.prompts import Templates
from losona.providers.reply_file import MissingReply
from losona.schema.results import PANEL, Grading
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

PROCEDURE = Procedure(TAXONOMY, TEMPLATES)
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
    return asyncio.run(judge_reply(model, PROCEDURE.question(scenario, reply)))


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
        prompt_hash=PROCEDURE.question(SCENARIO, REPLY).key,
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


def test_an_output_without_choices_is_the_providers_failure():
    judge = Judge([ModelOutput(model="mockllm/model", usage=ModelUsage()), good()])
    assert ask(judge).error == "void vote: provider error: the provider gave no reply"
    assert len(judge.asked) == 1


def test_a_file_without_a_second_answer_is_no_failed_provider():
    void = ask(Judge(["no json", MissingReply("j.jsonl: no reply to prompt 0, epoch 1")])).error
    assert void == "void vote: it holds no JSON object; then: the file has no second answer to it"
    assert "provider error" in ask(Judge([MissingReply("j.jsonl: no reply to prompt 0, epoch 1")])).error


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


def panel(*judges: Judge, **options: Any) -> Panel:
    models = [
        get_model(f"mockllm/j{number}", memoize=False, custom_outputs=judge) for number, judge in enumerate(judges)
    ]
    return Panel(models, PROCEDURE, **options)


def graded(bench: Panel, reply: str = REPLY) -> list[Grading]:
    return asyncio.run(bench.grade(SCENARIO, reply))


PASS = good(verdict="complies", codes=["P1"], borderline=False)


def test_the_majority_of_a_panel_decides_each_field():
    votes = graded(
        panel(Judge([good()]), Judge([PASS]), Judge([good(codes=["F1"], consistent=True, borderline=False)]))
    )
    verdict = votes.pop()
    assert [(vote.label, vote.advisory) for vote in votes] == [
        ("breaches", True),
        ("complies", True),
        ("breaches", True),
    ]
    assert (verdict.grader, verdict.label, verdict.advisory) == (PANEL, "breaches", False)
    assert (verdict.consistent, verdict.borderline, verdict.codes) == (False, False, ("P1", "F2", "F1"))
    assert verdict.input_tokens == 0


def test_every_judge_of_a_panel_has_a_word_of_its_own():
    judges = [Judge([good()]) for _ in range(3)]
    votes = graded(panel(*judges))
    assert len({vote.prompt_hash for vote in votes[:3]}) == 3


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (["{", PASS, "no"], "for people: 1 of 3 votes is valid"),
        (["{", PASS, good()], "for people: the votes are split 1 to 1"),
    ],
)
def test_too_few_or_split_votes_are_for_people(answers: list[str], reason: str):
    verdict = graded(panel(*(Judge([answer, answer]) for answer in answers)))[-1]
    assert (verdict.label, verdict.grader) == ("unscored", PANEL)
    assert verdict.error.startswith(reason.replace("is valid", "are valid"))


def test_two_valid_votes_are_enough():
    assert graded(panel(Judge(["", ""]), Judge([PASS]), Judge([PASS])))[-1].label == "complies"


def test_an_equal_question_is_asked_once():
    judge = Judge([good(), PASS])
    bench = panel(judge)

    async def twice() -> list[Grading]:
        first, second = await asyncio.gather(bench.grade(SCENARIO, REPLY), bench.grade(SCENARIO, REPLY))
        return first + second

    first, second = asyncio.run(twice())
    assert (len(judge.asked), first.shared, second.shared) == (1, False, True)
    assert (second.label, second.input_tokens, second.cost) == ("breaches", 0, None)
    assert graded(bench, "another, if it's dry")[0].label == "complies"


def test_a_providers_failure_is_no_answer_to_an_equal_question():
    bench = panel(Judge([RuntimeError("down"), good()]))
    assert [graded(bench)[0].label for _ in range(3)] == ["unscored", "breaches", "breaches"]


def test_where_code_decides_the_panel_says_only_whether_a_member_could_have_sent_it():
    answer = {name: GOOD[name] for name in ("evidence", "reasoning", "in_character", "responsive", "consistent")}
    judge = Judge([json.dumps(answer)])
    by_code = Grading(
        scenario_id=SCENARIO.scenario_id, norm="n", expectation="applies", grader="verifier", label="complies"
    )
    vote, decided = asyncio.run(panel(judge, validity=True).look(by_code, SCENARIO, REPLY))
    assert (vote.label, vote.advisory, vote.in_character) == ("unscored", True, True)
    assert (decided.label, decided.grader, decided.fits, decided.consistent) == ("complies", "verifier", True, False)
    asked = judge.asked[0][-1].text
    assert "bare fact" not in asked
    assert "norm" not in asked.partition("=====")[0]


def test_the_papers_protocol_has_its_shape_and_an_example_from_the_probes():
    told = {
        "elicitor_uptake": "a day", "norm_requirement": "the day", "evidence": "if it's dry", "reasoning": "more",
        "complies": False,
    }  # fmt: skip
    judge = Judge([json.dumps(told | {"complies": "false"}), json.dumps(told)])
    model = get_model("mockllm/model", memoize=False, custom_outputs=judge)
    procedure = Procedure(TAXONOMY, TEMPLATES, PAPER)
    grading = asyncio.run(judge_reply(model, procedure.question(SCENARIO, REPLY)))
    assert (grading.label, grading.evidence, grading.codes) == ("breaches", ("if it's dry",), ())
    assert grading.grader_hash not in ("", judge_hash(TEMPLATES))
    assert "'complies'" in judge.asked[1][-1].text
    probe = next(p for p in TAXONOMY.probes["core"] if p.norm == SCENARIO.evaluation.norm and p.breaching)
    for text in (probe.elicitor, probe.adherent[0], probe.breaching[0]):
        assert json.dumps(text, ensure_ascii=False) in judge.asked[0][-1].text
    with pytest.raises(UserFault, match="off and offnodemos"):
        _ = procedure.question(OFF, REPLY).messages
