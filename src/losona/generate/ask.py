"""One question to the model: the call, its bounds, and what came back.

Knows Inspect. Does not know stages: an answer is text, or a failure with a name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.model import (
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
)
from inspect_ai.util import JSONSchema, LimitExceededError, json_schema
from pydantic import BaseModel

from losona.conditions import Message
from losona.errors import NoReply, provider_message
from losona.generate.answers import StageFault
from losona.generate.budget import Budget, BudgetReached, Spent
from losona.judge.line import chat_message
from losona.refusals import refused_setting, refuses_schema

NAMED = {"cast": ("name",)}
"""Stage -> keys whose texts are names, where it is not `sender`."""
ERROR_LENGTH = 300
STOPPED = {"max_tokens": "cut_off", "model_length": "cut_off", "content_filter": "content_filter"}
"""Why a provider ended an answer -> name of the failure."""
REFUSAL = re.compile(
    r"\W*(?:i(?:['’]m| am)?,? (?:really |very |so )?(?:sorry|unable|not able)|sorry\b|as an ai\b"
    r"|i (?:can(?:no|['’])t|can not|will not|won['’]t|must decline))",
    re.IGNORECASE,
)
"""How an assistant begins to decline."""
TOLD = {
    "cut_off": "it was cut off; write less",
    "content_filter": "a content filter withheld it; keep to everyday matters",
    "empty": "it is empty",
    "refusal": "it declines the task, in which everything is invented and everyday",
}
"""What the model is told of it."""


@dataclass
class Line:
    """The line to the model for one frame: settings that it takes, and what was used."""

    model: Model
    """The model."""
    settings: dict[str, Any]
    """temperature, max_tokens, attempt_timeout, max_retries, ..."""
    budget: Budget
    """Shared by all frames of the command."""
    seed: int
    """Each call takes the next one."""
    spent: Spent = field(default_factory=Spent)
    """For this frame."""
    calls: int = 0
    """Made for this frame."""
    names: tuple[str, ...] = ()
    """Who may be named, for the shape that a provider is given."""
    with_schema: bool = True
    """The provider has not refused a shape yet."""

    async def ask(self, messages: tuple[Message, ...], name: str, shape: type[BaseModel]) -> str:
        """The text of a whole answer.

        Raises `StageFault` for an answer that cannot be used, `NoReply` where the provider failed for good, and
        `BudgetReached` before a call that could exceed a bound.
        """
        output = await self._output(messages, name, shape)
        text = output.completion.encode("utf-8", "backslashreplace").decode()
        kind = "empty" if output.empty else "refusal" if _refuses(text) else ""
        if kind := STOPPED.get(output.stop_reason, kind):
            raise StageFault(kind, TOLD[kind], text)
        return text

    async def _output(self, messages: tuple[Message, ...], name: str, shape: type[BaseModel]) -> ModelOutput:
        while True:
            try:
                return await self._generate(messages, name, shape)
            except (LimitExceededError, BudgetReached, NoReply):
                raise  # by the first Inspect ends a sample
            except Exception as error:  # providers raise classes of their own; what is no refused setting goes on
                message = provider_message(error)
                refused = refused_setting(message, self.settings)
                if self.with_schema and refuses_schema(message):
                    self.with_schema = False
                elif refused is not None:
                    del self.settings[refused]
                else:
                    raise NoReply(message[:ERROR_LENGTH]) from error

    async def _generate(self, messages: tuple[Message, ...], name: str, shape: type[BaseModel]) -> ModelOutput:
        aside = self.budget.reserve(sum(len(m.content) for m in messages), self.settings["max_tokens"])
        used = Spent()
        shown = named(json_schema(shape), NAMED.get(name, ("sender",)), self.names)
        schema = ResponseSchema(name=name, json_schema=shown, strict=True) if self.with_schema else None
        config = GenerateConfig(**self._settings(), response_schema=schema)
        self.calls += 1
        try:
            output = await self.model.generate([chat_message(message) for message in messages], config=config)
            used = self._used(output, aside)
        finally:
            self.budget.settle(aside, used)
            self.spent += used
        if output.error or not output.choices:
            raise NoReply(output.error or "the provider gave no reply")
        return output

    def _settings(self) -> dict[str, Any]:
        seed = {"seed": (self.seed + self.calls) % 2**31} if "seed" in self.settings else {}
        return {**self.settings, **seed}

    def _used(self, output: ModelOutput, aside: Spent) -> Spent:
        """What a call has used; the most that it can have where the provider does not say."""
        usage, price = output.usage, self.budget.price
        if usage is None:
            return aside
        read = usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        cost = price.of(read, usage.output_tokens) if price else usage.total_cost
        return Spent(read, usage.output_tokens, cost)


def named(schema: JSONSchema, keys: Sequence[str], names: Sequence[str]) -> JSONSchema:
    """A shape in which the texts under some keys are one of the names."""
    properties = {
        key: part.model_copy(update={"enum": list(names)}) if key in keys else named(part, keys, names)
        for key, part in (schema.properties or {}).items()
    }
    items = named(schema.items, keys, names) if schema.items else None
    return schema.model_copy(update={"properties": properties or None, "items": items})


def _refuses(text: str) -> bool:
    """Prose in place of JSON in which an assistant declines."""
    return "{" not in text and REFUSAL.match(text) is not None
