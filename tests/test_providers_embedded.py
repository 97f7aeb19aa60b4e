"""The embedded model: what is asked of llama.cpp, what comes back, and that it can be repeated."""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.tool import tool
from inspect_ai.util import JSONSchema

from losona.errors import UserFault
from losona.providers.embedded import chat_request, read_answer, read_options
from losona.providers.engine import Answer, EngineOptions, shared_engine
from losona.providers.faults import ProviderFault
from losona.providers.weights import installed

WEIGHTS = installed()
ENGINE = find_spec("xllamacpp") is not None
"""Looked for and not imported: the engine sets OpenMP's wait policy before the import."""
needs_engine = pytest.mark.skipif(not ENGINE, reason="the package xllamacpp is not installed")
real = pytest.mark.skipif(
    WEIGHTS is None or not ENGINE,
    reason="needs xllamacpp and the weights of smollm2-135m in the cache (losona.providers.weights.fetch() gets them)",
)

SAID = Answer("hi", "", "stop", prompt_tokens=30, cached_tokens=20, reply_tokens=8, seconds=0.5)


def test_settings_of_a_run_reach_the_request() -> None:
    schema = ResponseSchema(
        name="v", json_schema=JSONSchema(type="object", properties={"a": JSONSchema(type="string")})
    )
    config = GenerateConfig(
        temperature=0, top_p=0.9, top_k=3, max_tokens=60, seed=2**32 + 4, stop_seqs=["\n"], response_schema=schema
    )
    messages = [ChatMessageSystem(content="You are Marlo."), ChatMessageUser(content="Pilar: hi")]
    assert chat_request(messages, config) == {
        "messages": [{"role": "system", "content": "You are Marlo."}, {"role": "user", "content": "Pilar: hi"}],
        "temperature": 0,
        "top_p": 0.9,
        "top_k": 3,
        "max_tokens": 60,
        "seed": 5,
        "stop": ["\n"],
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "v",
                "schema": {"type": "object", "properties": {"a": {"type": "string"}}},
                "strict": True,
            },
        },
    }


def test_without_a_seed_each_request_draws_one() -> None:
    messages = [ChatMessageUser(content="hi")]
    assert chat_request(messages, GenerateConfig())["seed"] != chat_request(messages, GenerateConfig())["seed"]


@pytest.mark.parametrize(
    ("finish", "reply_tokens", "reason"),
    [("stop", 8, "stop"), ("length", 60, "max_tokens"), ("length", 59, "model_length"), ("stopped", 3, "unknown")],
)
def test_a_full_context_is_told_from_a_full_reply(finish: str, reply_tokens: int, reason: str) -> None:
    answer = Answer("hi", "", finish, prompt_tokens=30, cached_tokens=0, reply_tokens=reply_tokens, seconds=0.5)
    assert read_answer("m", answer, 60).stop_reason == reason


def test_cached_tokens_are_counted_apart() -> None:
    usage = read_answer("m", SAID, 60).usage
    assert usage is not None
    assert (usage.input_tokens, usage.input_tokens_cache_read, usage.output_tokens, usage.total_tokens) == (
        10,
        20,
        8,
        38,
    )


def test_reasoning_is_not_part_of_the_reply() -> None:
    answer = Answer("hi", "They greet me.", "stop", 30, 0, 8, 0.5)
    assert read_answer("m", answer, 60).message.text == "hi"


def test_model_arguments() -> None:
    assert read_options({"n_ctx": 4096, "reproducible": False}) == EngineOptions(n_ctx=4096, reproducible=False)
    with pytest.raises(UserFault, match="unknown model argument 'ctx'; embedded models take n_ctx, threads"):
        read_options({"ctx": 1})
    with pytest.raises(UserFault, match="threads=True: a whole number from 1"):
        read_options({"threads": True})
    with pytest.raises(UserFault, match="reproducible='no': true or false"):
        read_options({"reproducible": "no"})


def test_what_a_text_model_cannot_take_is_refused() -> None:
    with pytest.raises(ProviderFault, match="type 'image'"):
        chat_request([ChatMessageUser(content=[ContentImage(image="data:image/png;base64,AA==")])], GenerateConfig())
    with pytest.raises(ProviderFault, match="no tool results"):
        chat_request([ChatMessageTool(content="1")], GenerateConfig())


@needs_engine
@pytest.mark.parametrize(("content", "fault"), [(None, "there is no such model file"), (b"PK", "not a GGUF file")])
def test_a_wrong_file_is_named_when_the_model_is_made(tmp_path: Path, content: bytes | None, fault: str) -> None:
    path = tmp_path / "m.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ProviderFault, match=f"{path}: {fault}"):
        get_model(f"embedded/{path}")


LONG = "Pilar: the kiln is fired on thursday, and the wash is mixed on friday\n" * 12


def ask(model: Model, prompt: str, **config: Any) -> ModelOutput:
    return asyncio.run(model.generate(prompt, config=GenerateConfig(**config)))


@pytest.fixture
def model() -> Model:
    return get_model("embedded/smollm2-135m")


@real
@pytest.mark.slow
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_prompt_seed_and_temperature_decide_the_reply(model: Model, temperature: float) -> None:
    """Whatever was asked in between, and however many ask at once."""

    async def twice() -> list[str]:
        same = GenerateConfig(seed=7, temperature=temperature, max_tokens=24)
        replies: list[str] = []

        async def one(prompt: str, keep: bool) -> None:
            output = await model.generate(prompt, config=same)
            if keep:
                replies.append(output.completion)

        await one(LONG + "When?", True)
        async with anyio.create_task_group() as group:
            group.start_soon(one, LONG + "Who?", False)
            group.start_soon(one, LONG + "When?", True)
        with anyio.move_on_after(0.5):
            await one(LONG + "Why?", False)
        await one(LONG + "When?", True)
        return replies

    first, *others = asyncio.run(twice())
    assert first
    assert others == [first, first]


@real
@pytest.mark.slow
def test_a_random_seed_is_kept_and_repeats_the_reply(model: Model) -> None:
    first = ask(model, "Pilar: tell me something", max_tokens=16)
    again = ask(model, "Pilar: tell me something", max_tokens=16, seed=(first.metadata or {})["seed"])
    other = ask(model, "Pilar: tell me something", max_tokens=16)
    assert first.completion == again.completion != other.completion


@real
@pytest.mark.slow
def test_tokens_stop_and_time(model: Model) -> None:
    output = ask(model, "Count: one, two", max_tokens=12, seed=1)
    assert output.usage is not None
    assert (output.usage.output_tokens, output.stop_reason) == (12, "max_tokens")
    assert 20 < output.usage.input_tokens < 60
    assert output.time is not None
    assert 0 < output.time < 60
    stopped = ask(model, "Repeat after me: one two three", stop_seqs=["e"], seed=1, max_tokens=50)
    assert stopped.stop_reason == "stop"
    assert "e" not in stopped.completion


@real
@pytest.mark.slow
def test_a_shape_is_held(model: Model) -> None:
    fields = {"verdict": JSONSchema(enum=["complies", "breaches"]), "borderline": JSONSchema(type="boolean")}
    schema = JSONSchema(type="object", properties=fields, required=list(fields), additionalProperties=False)
    output = ask(model, "Judge: hi", response_schema=ResponseSchema(name="v", json_schema=schema), seed=1)
    assert set(json.loads(output.completion)) == {"verdict", "borderline"}


@real
@pytest.mark.slow
def test_a_prompt_that_is_too_long_is_told_and_never_cut(model: Model) -> None:
    output = ask(model, LONG * 38)
    assert (output.completion, output.stop_reason) == ("", "model_length")
    assert output.error is not None
    assert "the context of SmolLM2-135M-Instruct.Q4_1.gguf is 8192; nothing was cut off" in output.error


@real
@pytest.mark.slow
def test_a_reply_that_fills_the_context_says_so() -> None:
    small = get_model("embedded/smollm2-135m", n_ctx=256)
    output = ask(small, LONG[:560] + "Tell it all again, and go on.", seed=1, max_tokens=250, temperature=0)
    assert output.stop_reason == "model_length"
    assert output.usage is not None
    assert output.usage.total_tokens <= 256


@real
@pytest.mark.slow
def test_a_cancelled_request_ends_early(model: Model) -> None:
    async def cancelled() -> float:
        with anyio.move_on_after(0.5):
            await model.generate("Tell a very long story.", config=GenerateConfig(max_tokens=1000, seed=3))
        started = time.monotonic()
        await model.generate("Hi", config=GenerateConfig(max_tokens=2))
        return time.monotonic() - started

    assert asyncio.run(cancelled()) < 10  # 1,000 tokens would take 20 s and more


@real
@pytest.mark.slow
def test_tools_are_refused(model: Model) -> None:
    @tool
    def look():  # type: ignore[no-untyped-def]
        async def execute() -> str:
            """Look."""
            return ""

        return execute

    with pytest.raises(ProviderFault, match="not given tools"):
        asyncio.run(model.generate("hi", tools=[look()]))


@real
@pytest.mark.slow
def test_one_engine_a_file_and_options(model: Model) -> None:
    assert WEIGHTS is not None
    assert shared_engine(WEIGHTS) is shared_engine(Path(os.path.relpath(WEIGHTS)))
    assert model.api.engine is shared_engine(WEIGHTS)  # type: ignore[attr-defined]


@real
@pytest.mark.slow
def test_the_server_speaks_the_common_api() -> None:
    command = [sys.executable, "-m", "losona.providers.serve", str(WEIGHTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        try:
            base = server.stdout.readline().strip()
            body = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 3}
            request = urllib.request.Request(f"{base}/chat/completions", json.dumps(body).encode())
            with urllib.request.urlopen(request, timeout=60) as answer:
                assert json.load(answer)["usage"]["completion_tokens"] == 3
            with urllib.request.urlopen(f"{base}/models", timeout=10) as answer:
                assert json.load(answer)["data"][0]["id"] == "SmolLM2-135M-Instruct.Q4_1"
        finally:
            server.terminate()
        assert server.stdout.read() + server.stderr.read() == ""


@real
@pytest.mark.slow
def test_a_program_that_used_the_engine_says_nothing_of_its_own() -> None:
    code = """
import asyncio, losona.providers.embedded
from inspect_ai.model import GenerateConfig, get_model
model = get_model("embedded/smollm2-135m")
asyncio.run(model.generate("hi", config=GenerateConfig(max_tokens=2)))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("", "")
