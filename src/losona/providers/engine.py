"""llama.cpp in this process: one engine for each model file, asked one request at a time.

Knows xllamacpp, its parameters and what it answers. Knows nothing of Inspect, prompts or where weights come from.
"""

import atexit
import importlib
import importlib.util
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from losona.errors import LosonaError, UserFault
from losona.providers import gguf

DEFAULT_CONTEXT = 8192
"""Tokens of prompt and reply together, where the model was trained for so many."""
FAST_CACHE_MIB = 512
"""Bound of the cache of earlier prompts when replies need not be repeatable."""
_SILENT = -1
"""Level at which llama.cpp writes nothing to the terminal."""

Chunk = dict[str, Any]
"""A piece of a streamed answer, as OpenAI's API has it."""


class EngineError(LosonaError):
    """llama.cpp refused a request; the message is its own."""


class ContextExceeded(EngineError):
    """The prompt is longer than the context; nothing was cut off and nothing was generated."""


@dataclass(frozen=True)
class EngineOptions:
    """How a model is loaded."""

    n_ctx: int | None = None
    """Context in tokens; None: 8,192 or what the model was trained for, if that is less."""
    threads: int | None = None
    """Threads that compute; None: one a core that this process may use."""
    reproducible: bool = True
    """No reuse of earlier prompts, so that prompt, settings and seed alone decide a reply."""


@dataclass(frozen=True)
class Answer:
    """What a model said."""

    text: str
    """The reply."""
    reasoning: str
    """What a reasoning model wrote before it; empty for others."""
    finish: str
    """`stop`, or `length` when the bound of the reply or the context was reached."""
    prompt_tokens: int
    """Tokens of the prompt, with those of the chat template."""
    cached_tokens: int
    """How many of them were taken from the cache; 0 when reproducible."""
    reply_tokens: int
    """Tokens generated."""
    seconds: float
    """Time it took, without waiting for other requests."""


class _Native(Protocol):
    """What is used of xllamacpp's server. A callback that returns True ends the stream."""

    listening_address: str

    def handle_chat_completions(self, request: dict[str, Any], callback: Callable[[Chunk], bool]) -> None: ...


class Engine:
    """A loaded model. It also serves an OpenAI-compatible API on loopback, under `address`."""

    def __init__(self, path: Path, options: EngineOptions = EngineOptions(), port: int = 0) -> None:
        """Load a model; `port` 0 takes a free one.

        Raises `UserFault` when the file, an option or xllamacpp is wrong or missing.
        """
        self.path = path
        self.options = options
        self.n_ctx = context_for(path, options.n_ctx)
        """Context in tokens."""
        self._native: _Native | None = _load(self, port)
        self._one_at_a_time = threading.Lock()

    @property
    def address(self) -> str:
        """Where the OpenAI-compatible API is served, without `/v1`."""
        return self._server().listening_address

    def chat(self, request: dict[str, Any], stop: threading.Event | None = None) -> Answer:
        """Answer a chat completion request (the body that OpenAI's API takes); blocks, and releases the GIL.

        Another thread sets `stop` to end it at the next token. Raises `ContextExceeded` when the prompt is too long,
        `EngineError` when llama.cpp refuses otherwise.
        """
        halt = stop or threading.Event()
        options = {"stream": True, "stream_options": {"include_usage": True}}
        body = {**request, **options, "cache_prompt": not self.options.reproducible}
        chunks: list[Chunk] = []

        def take(chunk: Chunk) -> bool:
            chunks.append(chunk)
            return halt.is_set()

        with self._one_at_a_time:
            started = time.monotonic()
            if not halt.is_set():
                self._ask(body, take)
            return _answer(chunks, time.monotonic() - started, self)

    def close(self) -> None:
        """Free the model; the engine cannot be used afterwards."""
        self._native = None

    def _ask(self, body: dict[str, Any], take: Callable[[Chunk], bool]) -> None:
        try:
            self._server().handle_chat_completions(body, take)
        except (ValueError, RuntimeError) as error:
            raise EngineError(f"llama.cpp refused the request: {error}.") from None

    def _server(self) -> _Native:
        if self._native is None:
            raise EngineError(f"{self.path.name}: this engine was closed.")
        return self._native


_engines: dict[tuple[Path, EngineOptions], Engine] = {}
_engines_lock = threading.Lock()


def shared_engine(path: Path, options: EngineOptions = EngineOptions()) -> Engine:
    """The engine of this process for a file and its options; loaded on the first call, freed when Python ends."""
    key = (path.resolve(), options)
    with _engines_lock:
        if key not in _engines:
            _engines[key] = Engine(key[0], options)
        return _engines[key]


@atexit.register
def _free_engines() -> None:
    while _engines:
        _engines.popitem()[1].close()


def context_for(path: Path, asked: int | None) -> int:
    """Context in tokens to load a model with; a `UserFault` when more is asked for than it was trained for."""
    trained = gguf.trained_context(path)
    if asked is None:
        return min(DEFAULT_CONTEXT, trained or DEFAULT_CONTEXT)
    if asked < 1 or (trained and asked > trained):
        allowed = f"1 to {trained}" if trained else "1 or more"
        raise UserFault(f"n_ctx={asked}: {path.name} allows {allowed} tokens of context.")
    return asked


def require_xllamacpp() -> None:
    """A `UserFault` with the remedy when xllamacpp is not installed; does not import it."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise UserFault("embedded models need the package xllamacpp; run: pip install 'losona[embedded]'")


def _xllamacpp() -> Any:
    """The untyped module. OpenMP reads its wait policy when it is loaded: spinning threads slow decoding 15 times."""
    require_xllamacpp()
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    return importlib.import_module("xllamacpp")


def _load(engine: Engine, port: int) -> _Native:
    module = _xllamacpp()
    _check_port(port)
    params = module.CommonParams()
    params.model.path = str(engine.path)
    params.model_alias = {engine.path.stem}
    params.verbosity = _SILENT
    params.n_ctx = engine.n_ctx
    params.n_parallel = 1
    params.cache_prompt = not engine.options.reproducible
    params.cache_ram_mib = 0 if engine.options.reproducible else FAST_CACHE_MIB
    params.port = port
    params.ui = params.endpoint_slots = False
    threads = engine.options.threads or _allowed_cores()
    if threads is not None:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    try:
        return cast(_Native, module.Server(params))
    except RuntimeError:
        raise UserFault(
            f"{engine.path}: llama.cpp could not load this model; the file may be damaged, of an architecture that "
            "this xllamacpp does not know, or too large for the memory."
        ) from None


def _check_port(port: int) -> None:
    """llama.cpp gives one error for everything; a taken port is told apart here."""
    if port:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except (OSError, OverflowError) as error:
                raise UserFault(f"port {port} cannot be used ({error}); choose another, or 0 for a free one.") from None


def _allowed_cores() -> int | None:
    """Cores that this process may use when they are fewer than the machine has; None leaves the choice to llama.cpp.

    llama.cpp counts the cores of the machine: in a container with two of 64 it would start 64 threads.
    """
    every = os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else every
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        allowed = min(allowed, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass  # no control group, or no bound in it
    return allowed if allowed < every else None


def _answer(chunks: list[Chunk], seconds: float, engine: Engine) -> Answer:
    """Put a stream together."""
    text, reasoning, finish = "", "", "stopped"
    usage: dict[str, Any] = {}
    for chunk in chunks:
        if "error" in chunk:
            raise _refusal(chunk["error"], engine)
        usage = chunk.get("usage") or usage
        for choice in chunk.get("choices", []):
            text += choice["delta"].get("content") or ""
            reasoning += choice["delta"].get("reasoning_content") or ""
            finish = choice.get("finish_reason") or finish
    return Answer(
        text=text,
        reasoning=reasoning,
        finish=finish,
        prompt_tokens=usage.get("prompt_tokens", 0),
        cached_tokens=usage.get("prompt_tokens_details", {}).get("cached_tokens", 0),
        reply_tokens=usage.get("completion_tokens", 0),
        seconds=seconds,
    )


def _refusal(error: dict[str, Any], engine: Engine) -> EngineError:
    if error.get("type") == "exceed_context_size_error":
        return ContextExceeded(
            f"the prompt has {error['n_prompt_tokens']} tokens and the context of {engine.path.name} is "
            f"{error['n_ctx']}; nothing was cut off and nothing was generated."
        )
    return EngineError(f"llama.cpp refused the request: {error.get('message')}.")
