"""The line to one judge for one question: the call, one retry, and the answer as a record or as the faults.

Knows Inspect. Does not know what is asked, nor what an answer means.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

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
from pydantic import BaseModel

from losona.conditions import Message
from losona.errors import NoReply, UserFault, provider_message
from losona.judge.answer import AnswerFault
from losona.judge.verdict import PROVIDER_ERROR
from losona.refusals import refused_setting, refuses_schema
from losona.secrets import without_keys

TRIES = 2
"""The question, and one retry."""
Answer = TypeVar("Answer", bound=BaseModel)

_STOPPED = {
    "max_tokens": "it was cut off",
    "model_length": "it was cut off",
    "content_filter": "a content filter withheld it",
}
NO_SECOND = "the file has no second answer to it"
_ERROR_LENGTH = 300
_ECHO_LENGTH = 2000


def answer_schema(name: str, model: type[BaseModel]) -> ResponseSchema:
    """For providers that can hold a model to a shape; the answer is checked all the same."""
    return ResponseSchema(name=name, json_schema=json_schema(model), strict=True)


@dataclass
class Line:
    """What the provider refused, and what was spent."""

    model: Model
    """The judge."""
    schema: ResponseSchema | None
    """Shape of an answer; none once the provider has refused it."""
    temperature: float | None = 0.0
    """None once the provider has refused it."""
    input_tokens: int = 0
    """Tokens that the judge read."""
    output_tokens: int = 0
    """Tokens that the judge wrote."""
    cost: float | None = None
    """US dollars, where known."""

    async def ask(
        self, messages: tuple[Message, ...], read: Callable[[str], Answer], retry: Callable[[str], Message]
    ) -> Answer | str:
        """The answer as `read` reads it (it raises `AnswerFault`), or in one line why there is none.

        An answer that cannot be used is asked for once more, with the message that `retry` makes of the fault.
        Cancellation and Inspect's limits go through.
        """
        faults: list[str] = []
        for _ in range(TRIES):
            output = await self._output(messages, retried=bool(faults))
            if isinstance(output, str):
                faults.append(output)
                break
            try:
                return read(_text(output))
            except AnswerFault as fault:
                faults.append(str(fault))
                messages = (*messages, *_echo(output), retry(str(fault)))
        return "void vote: " + "; then: ".join(faults)

    async def _output(self, messages: tuple[Message, ...], *, retried: bool) -> ModelOutput | str:
        """The model's output, or the error in one line. What the provider refuses is left out of this line's calls.

        A file of answers that lacks one raises a `UserFault`; once it has given another answer, that is no failure.
        """
        while True:
            try:
                return await self._generate(messages)
            except LimitExceededError:
                raise  # by this Inspect ends a sample
            except Exception as error:  # noqa: BLE001  every provider raises its own classes; a failed call is counted, not fatal
                if retried and isinstance(error, UserFault):
                    return NO_SECOND
                message = without_keys(provider_message(error))
                if not self._leave_out(message):
                    return f"{PROVIDER_ERROR}: {message}"[:_ERROR_LENGTH]

    def _leave_out(self, message: str) -> bool:
        """Drop what an error message says is refused; false where that is nothing that was given."""
        if self.temperature is not None and refused_setting(message, {"temperature": self.temperature}):
            self.temperature = None
            return True
        if self.schema is not None and refuses_schema(message):
            self.schema = None
            return True
        return False

    async def _generate(self, messages: tuple[Message, ...]) -> ModelOutput:
        config = GenerateConfig(temperature=self.temperature, response_schema=self.schema)
        output = await self.model.generate([chat_message(message) for message in messages], config=config)
        if usage := output.usage:
            cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
            self.input_tokens += usage.input_tokens + cached
            self.output_tokens += usage.output_tokens
            if usage.total_cost is not None:
                self.cost = (self.cost or 0.0) + usage.total_cost
        if output.error:
            raise NoReply(output.error)
        if output.empty:
            raise NoReply("the provider gave no reply")
        if output.stop_reason == "model_length" and output.usage is None:
            raise NoReply(f"the prompt is too long for the judge: {output.completion}")
        return output


def chat_message(message: Message) -> ChatMessage:
    """A message of a prompt as Inspect has it."""
    match message.role:
        case "system":
            return ChatMessageSystem(content=message.content)
        case "assistant":
            return ChatMessageAssistant(content=message.content)
        case "user":
            return ChatMessageUser(content=message.content)


def _text(output: ModelOutput) -> str:
    """The text of a finished answer; raises `AnswerFault` where the provider says that it is not whole."""
    if reason := _STOPPED.get(output.stop_reason):
        raise AnswerFault(reason)
    return output.completion


def _echo(output: ModelOutput) -> tuple[Message, ...]:
    """The judge's own faulty answer, cut, for the retry; nothing where it wrote nothing."""
    text = output.completion.strip()[:_ECHO_LENGTH]
    return (Message("assistant", text),) if text else ()
