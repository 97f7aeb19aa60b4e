"""What is missing before anything is paid: keys, servers, weights, replies. Calls no model.

Knows which environment variable each provider wants; the engine's own checks stay the last word.
"""

import os
import re
import socket
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from losona.errors import UserFault
from losona.numbers import some
from losona.providers.reply_file import read_replies

KEYS: dict[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azureai": ("AZUREAI_API_KEY",),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"),
    "fireworks": ("FIREWORKS_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"),
    "grok": ("XAI_API_KEY", "GROK_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "perplexity": ("PERPLEXITY_API_KEY",),
    "sambanova": ("SAMBANOVA_API_KEY",),
    "together": ("TOGETHER_API_KEY",),
}
SDK = "openai"
"""The package behind `openai-api` and every other provider that speaks its protocol."""
PACKAGES = {
    "anthropic": "anthropic",
    "google": "google.genai",
    "groq": "groq",
    "mistral": "mistralai",
    **dict.fromkeys(
        ("openai", "openai-api", "azureai", "cloudflare", "deepseek", "fireworks", "grok", "moonshot", "ollama"), SDK
    ),
    **dict.fromkeys(("openrouter", "perplexity", "sambanova", "sglang", "together", "vllm"), SDK),
}
OWN = ("embedded", "replies")


def check_model(option: str, model: str) -> None:
    """Raise `UserFault` when a model string names no provider that exists."""
    provider, separator, rest = model.partition("/")
    if not separator or not rest or "=" in provider:
        raise UserFault(f"{option} {model}: write PROVIDER/MODEL, for example google/gemini-3.1-pro-preview.")
    known = providers()
    if known and provider not in known:
        near = get_close_matches(provider, known, 3, 0.5)
        hint = f"did you mean {', '.join(near)}? " if near else ""
        raise UserFault(f"{option} {model}: unknown provider {provider!r}; {hint}known are {', '.join(known)}.")


def providers() -> list[str]:
    """Providers of this package and of the engine; empty where other packages add some that we cannot see."""
    if any(point.name not in ("losona", "inspect_ai") for point in entry_points(group="inspect_ai")):
        return []
    spec = find_spec("inspect_ai")
    root = Path(next(iter(spec.submodule_search_locations or ()), "")) if spec else Path()
    table = root / "model" / "_providers" / "providers.py"
    if not table.is_file():
        return []
    found = re.findall(r'@modelapi\(name="([^"]+)"', table.read_text(encoding="utf-8"))
    return sorted({*found, *OWN}) if found else []


def missing_for_model(model: str, prompt_keys: Sequence[tuple[str, int]] = (), partly: bool = False) -> list[str]:
    """What a model still needs; empty when nothing is known to be missing.

    With `partly`, a file of replies may lack some of the keys, but not all of them.
    """
    provider, _, rest = model.partition("/")
    match provider:
        case "embedded":
            return _embedded(rest)
        case "replies":
            return _replies(Path(rest), prompt_keys, partly)
        case "openai-api":
            return _compatible(rest) + _package(provider)
        case _:
            return _keys(provider, model) + _package(provider)


def missing_replies(path: Path, prompt_keys: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Keys of a run for which a replies file has no answer."""
    return read_replies(path).missing(prompt_keys)


def _embedded(name: str) -> list[str]:
    from losona.providers.weights import WEIGHTS, installed

    faults: list[str] = []
    if find_spec("xllamacpp") is None:
        faults.append("the package xllamacpp: pip install 'losona[embedded]'")
    if name in WEIGHTS:
        if installed(name) is None:
            faults.append(f"the weights of {name}: fetched at the first run")
    elif not Path(name).is_file():
        faults.append(f"the file {name}: give embedded/PATH.gguf or one of {', '.join(WEIGHTS)}")
    return faults


def _replies(path: Path, keys: Sequence[tuple[str, int]], partly: bool) -> list[str]:
    path = path.expanduser()
    if not path.exists():
        return [f"the file {path} (there is no such file, seen from the current folder)"]
    absent = missing_replies(path, keys)
    if not absent or (partly and len(absent) < len(keys)):
        return []
    first = f"prompt_hash {absent[0][0]}, epoch {absent[0][1]}"
    return [
        f"{len(absent)} of {some(len(keys), 'reply', 'replies')} in {path} (first: {first}); `losona prompts` with the "
        "options of this run writes all prompts with their keys (screen and review: --write-prompts)"
    ]


def _compatible(rest: str) -> list[str]:
    name = rest.partition("/")[0].upper().replace("-", "_")
    faults = [f"the environment variable {name}_API_KEY (any text for a local server)"] * (
        not os.environ.get(f"{name}_API_KEY")
    )
    url = os.environ.get(f"{name}_BASE_URL")
    if not url:
        return [*faults, f"the environment variable {name}_BASE_URL, for example http://127.0.0.1:8000/v1"]
    return [*faults, *_server(url)]


def _server(url: str) -> list[str]:
    """A server on this machine that does not listen."""
    try:
        parts, port = urlsplit(url), urlsplit(url).port
    except ValueError as error:
        return [f"an address that can be read in place of {url} ({error})"]
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return [f"an address like http://127.0.0.1:8000/v1 in place of {url}"]
    if parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        return []
    try:
        socket.create_connection((parts.hostname, port or 80), timeout=2).close()
    except OSError:
        return [f"the server at {url}: nothing listens there; start it"]
    return []


def _keys(provider: str, model: str) -> list[str]:
    wanted = KEYS.get(provider, ())
    if not wanted or any(os.environ.get(name) for name in wanted):
        return []
    return [f"the environment variable {wanted[0]} for {model}"]


def _package(provider: str) -> list[str]:
    package = PACKAGES.get(provider)
    if package is None or _found(package):
        return []
    name = {"google.genai": "google-genai"}.get(package, package)
    return [f"the package {name}: pip install {name}"]


def _found(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False
