"""What must not stand in a record or report: keys and passwords among arguments. Knows names and forms, no values."""

import json
import re
from typing import Any, cast

REDACTED = "(not recorded)"
_NAME = re.compile(
    r"(?:^|[_\-. ])(?:api_?key|key|auth|token|secret|password|passwd|credentials?|authorization|cookie)$",
    re.IGNORECASE,
)
_IN_URL = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_BEARER = re.compile(r"\b(bearer|basic)\s+\S+", re.IGNORECASE)
_KEY = re.compile(r"\b(?:sk|pk|rk|xai|gsk|hf|AIza)[-_][\w-]{8,}")


def without_secrets(value: Any, name: str = "") -> Any:
    """The value with what looks like a key, at any depth, taken out."""
    if name and _NAME.search(name):
        return REDACTED
    match value:
        case dict():
            table = cast(dict[str, Any], value)
            return {key: without_secrets(entry, str(key)) for key, entry in table.items()}
        case list():
            return [without_secrets(entry) for entry in cast(list[Any], value)]
        case str():
            return without_keys(value)
        case _:
            return value


def without_keys(text: str) -> str:
    """A text with user info of URLs, bearer tokens and keys of known forms taken out."""
    return _KEY.sub(REDACTED, _BEARER.sub(rf"\1 {REDACTED}", _IN_URL.sub(REDACTED, text)))


def argument_without_secrets(argument: str) -> str:
    """One word of a command line, `KEY=VALUE` with a JSON value among them."""
    name, separator, value = argument.partition("=")
    if not separator:
        return without_keys(argument)
    try:
        data = json.loads(value)
    except ValueError:
        data = value
    clean = without_secrets(data, name)
    return argument if clean == data else f"{name}={clean if isinstance(clean, str) else json.dumps(clean)}"
