"""One question to one judge: the call, one retry, and the grading that comes of it.

Knows Inspect. Does not know runs or panels, nor whether code has decided already.
"""

from dataclasses import dataclass
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
)
from inspect_ai.util import LimitExceededError, json_schema

from losona.conditions import Message
from losona.errors import provider_message
from losona.judge.prompt import judge_hash, judge_messages, offered_codes, retry_message, shown_reply
from losona.judge.verdict import PROVIDER_ERROR, Verdict, VerdictFault, parse_verdict
from losona.prompts import Templates
from losona.schema.results import Grading
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy

TRIES = 2
"""The question, and one retry."""
SCHEMA = ResponseSchema(name="verdict", json_schema=json_schema(Verdict), strict=True)
"""For providers that can hold a model to a shape; the answer is checked all the same."""

_STOPPED = {
    "max_tokens": "it was cut off",
    "model_length": "it was cut off",
    "content_filter": "a content filter withheld it",
}
_SCHEMA_WORDS = ("schema", "response_format", "response format", "structured output")
_ERROR_LENGTH = 300
_ECHO_LENGTH = 2000


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
    line, faults = _Line(model), list[str]()
    for _ in range(TRIES):
        output = await line.ask(messages)
        if isinstance(output, str):
            faults.append(output)
            break
        try:
            verdict = parse_verdict(_text(output), shown_reply(reply_text), codes, must_respond=must_respond)
        except VerdictFault as fault:
            faults.append(str(fault))
            messages = (*messages, *_echo(output), retry_message(str(fault), templates))
        else:
            return blank.model_copy(update=_fields(verdict) | line.tokens)
    return blank.model_copy(update={"error": "void vote: " + "; then: ".join(faults)} | line.tokens)


@dataclass
class _Line:
    """The line to one judge for one reply: what the provider refused, and what was spent."""

    model: Model
    with_schema: bool = True
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> dict[str, int]:
        return {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens}

    async def ask(self, messages: tuple[Message, ...]) -> ModelOutput | str:
        """The model's output, or the error in one line."""
        try:
            return await self._generate(messages)
        except LimitExceededError:
            raise  # by this Inspect ends a sample
        except Exception as error:  # noqa: BLE001  every provider raises its own classes; a failed call is counted, not fatal
            if self.with_schema and refuses_schema(error):
                self.with_schema = False
                return await self.ask(messages)
            return f"{PROVIDER_ERROR}: {provider_message(error)}"[:_ERROR_LENGTH]

    async def _generate(self, messages: tuple[Message, ...]) -> ModelOutput:
        config = GenerateConfig(temperature=0.0, response_schema=SCHEMA if self.with_schema else None)
        output = await self.model.generate([_chat_message(message) for message in messages], config=config)
        if usage := output.usage:
            cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
            self.input_tokens += usage.input_tokens + cached
            self.output_tokens += usage.output_tokens
        return output


def refuses_schema(error: Exception) -> bool:
    """Whether a provider says that it cannot hold a model to a shape."""
    text = str(error).lower()
    return any(word in text for word in _SCHEMA_WORDS)


def _chat_message(message: Message) -> ChatMessage:
    match message.role:
        case "system":
            return ChatMessageSystem(content=message.content)
        case "assistant":
            return ChatMessageAssistant(content=message.content)
        case "user":
            return ChatMessageUser(content=message.content)


def _text(output: ModelOutput) -> str:
    """The text of a finished answer; raises `VerdictFault` where the provider says that it is not whole."""
    if output.empty:
        raise VerdictFault("it is empty")
    if reason := _STOPPED.get(output.stop_reason):
        raise VerdictFault(reason)
    return output.completion


def _echo(output: ModelOutput) -> tuple[Message, ...]:
    """The judge's own faulty answer, cut, for the retry; nothing where it wrote nothing."""
    text = output.completion.strip()[:_ECHO_LENGTH]
    return (Message("assistant", text),) if text else ()


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
