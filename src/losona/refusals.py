"""What providers refuse of a call: settings, and shapes of an answer. Knows the words of refusals; calls nothing."""

from collections.abc import Mapping
from typing import Any

OPTIONAL_SETTINGS = ("seed", "temperature", "top_p")
"""Settings that are left out, and recorded, when a provider refuses them."""

SCHEMA_WORDS = ("schema", "response_format", "response format", "structured output")
REFUSALS = (
    "unsupported",
    "not support",
    "does not allow",
    "deprecated",
    "only the default",
    "not permitted",
    "unknown parameter",
)


def refused_setting(message: str, settings: Mapping[str, Any]) -> str | None:
    """The optional setting that an error message says is not supported, if it is one that was given."""
    text = message.lower()
    if not any(word in text for word in REFUSALS):
        return None
    return next((name for name in OPTIONAL_SETTINGS if name in text and name in settings), None)


def refuses_schema(message: str) -> bool:
    """Whether an error message says that the provider cannot hold a model to a shape."""
    text = message.lower()
    return any(word in text for word in SCHEMA_WORDS)
