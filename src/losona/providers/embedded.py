"""The `embedded/...` models of Inspect: llama.cpp in this process, no service and no key.

`embedded/smollm2-135m` fetches its weights on first use; `embedded/PATH.gguf` takes any GGUF file. Knows how Inspect
asks and how the engine answers. Knows nothing of scenarios, conditions or judges.
"""

import secrets
import threading
from dataclasses import asdict, fields
from functools import partial
from typing import Any

import anyio.to_thread
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelCall,
    ModelOutput,
    ModelUsage,
    ResponseSchema,
    StopReason,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from losona.errors import UserFault
from losona.providers.engine import Answer, ContextExceeded, Engine, EngineOptions, require_xllamacpp, shared_engine
from losona.providers.faults import ProviderFault
from losona.providers.weights import model_file

DEFAULT_MAX_TOKENS = 1024
"""Bound of a reply where the run sets none: a small model may otherwise go on until its context is full."""
_SEEDS = 2**32 - 1
"""llama.cpp's seeds are below this; the number itself means a random one."""
_PASSED = ("temperature", "top_p", "top_k", "max_tokens", "frequency_penalty", "presence_penalty")
"""Settings that have one name in Inspect and in the API."""
_limiter: RunVar[CapacityLimiter] = RunVar("losona_embedded_limiter")


class EmbeddedAPI(ModelAPI):
    """A GGUF model in this process, asked one request at a time."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008  (Inspect's signature)
        **model_args: Any,
    ) -> None:
        """Load the model; `model_args` are `n_ctx`, `threads` and `reproducible`.

        Raises `ProviderFault` when the file, an argument or xllamacpp is wrong or missing.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        try:
            options = read_options(model_args)
            require_xllamacpp()
            self.engine: Engine = shared_engine(model_file(model_name), options)
        except UserFault as fault:
            raise ProviderFault(str(fault)) from None

    def max_connections(self) -> int:
        """One; where Inspect adapts connections by itself, requests queue before the worker thread."""
        return 1

    def max_tokens(self) -> int | None:
        """Bound of a reply where the run sets none."""
        return DEFAULT_MAX_TOKENS

    def should_retry(self, ex: Exception) -> bool:
        """Never: what failed once in this process fails again."""
        return False

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002  (Inspect's name)
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        """One reply. A prompt longer than the context gives no text, `model_length` and the reason in `error`."""
        if tools:
            raise ProviderFault("embedded models are not given tools; use another provider for tasks with tools.")
        request = chat_request(input, config)
        stop = threading.Event()
        ask = partial(self.engine.chat, request, stop)
        try:
            answer = await anyio.to_thread.run_sync(ask, abandon_on_cancel=True, limiter=_one())
        except ContextExceeded as error:
            return _too_long(self.model_name, str(error))
        finally:
            stop.set()
        output = read_answer(self.model_name, answer, config.max_tokens)
        output.metadata = {"seed": request["seed"]}
        return output, ModelCall.create(request, asdict(answer), time=answer.seconds)


@modelapi(name="embedded")
def embedded() -> type[ModelAPI]:
    """The provider, under the name that `--model embedded/...` uses."""
    return EmbeddedAPI


def read_options(arguments: dict[str, Any]) -> EngineOptions:
    """Model arguments (`-M name=value`) as options; a `UserFault` names what is unknown or of the wrong kind."""
    wanted = {field.name: bool if field.name == "reproducible" else int for field in fields(EngineOptions)}
    for name, value in arguments.items():
        if name not in wanted:
            raise UserFault(f"unknown model argument {name!r}; embedded models take {', '.join(wanted)}.")
        if type(value) is not wanted[name] or (wanted[name] is int and value < 1):
            kind = "true or false" if wanted[name] is bool else "a whole number from 1"
            raise UserFault(f"model argument {name}={value!r}: {kind} is expected.")
    return EngineOptions(**arguments)


def chat_request(messages: list[ChatMessage], config: GenerateConfig) -> dict[str, Any]:
    """The body of a chat completion request. Without a seed in the config a random one is drawn, so it can be kept."""
    request: dict[str, Any] = {
        "messages": [_message(message) for message in messages],
        "seed": secrets.randbelow(_SEEDS) if config.seed is None else config.seed % _SEEDS,
    }
    for name in _PASSED:
        value = getattr(config, name)
        if value is not None:
            request[name] = value
    if config.stop_seqs:
        request["stop"] = config.stop_seqs
    if config.response_schema is not None:
        request["response_format"] = _response_format(config.response_schema)
    return request


def _message(message: ChatMessage) -> dict[str, str]:
    if message.role == "tool":
        raise ProviderFault("embedded models take system, user and assistant messages, and no tool results.")
    if not isinstance(message.content, str):
        strange = [part.type for part in message.content if part.type not in ("text", "reasoning")]
        if strange:
            raise ProviderFault(f"embedded models take text only; a message has content of type {strange[0]!r}.")
    return {"role": message.role, "content": message.text}


def _response_format(schema: ResponseSchema) -> dict[str, Any]:
    body = schema.json_schema.model_dump(exclude_none=True)
    return {"type": "json_schema", "json_schema": {"name": schema.name, "schema": body, "strict": True}}


def read_answer(model: str, answer: Answer, max_tokens: int | None) -> ModelOutput:
    """An answer as Inspect's output; `max_tokens` is the bound that was asked for."""
    content: str | list[Content] = answer.text
    if answer.reasoning:
        content = [ContentReasoning(reasoning=answer.reasoning), ContentText(text=answer.text)]
    message = ChatMessageAssistant(content=content, model=model, source="generate")
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason=_stop_reason(answer, max_tokens))],
        usage=ModelUsage(
            input_tokens=answer.prompt_tokens - answer.cached_tokens,
            output_tokens=answer.reply_tokens,
            total_tokens=answer.prompt_tokens + answer.reply_tokens,
            input_tokens_cache_read=answer.cached_tokens or None,
        ),
    )


def _stop_reason(answer: Answer, max_tokens: int | None) -> StopReason:
    match answer.finish:
        case "stop":
            return "stop"
        case "length":
            return "max_tokens" if max_tokens is not None and answer.reply_tokens >= max_tokens else "model_length"
        case _:
            return "unknown"


def _too_long(model: str, why: str) -> ModelOutput:
    """An empty reply: Inspect's own providers put the reason in the reply, where a judge would read it as one."""
    output = ModelOutput.from_content(model, "", stop_reason="model_length")
    output.error = why
    return output


def _one() -> CapacityLimiter:
    """The limiter of this event loop: waiting requests hold no thread."""
    try:
        return _limiter.get()
    except LookupError:
        limiter = CapacityLimiter(1)
        _limiter.set(limiter)
        return limiter
