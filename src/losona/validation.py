"""A validation fault, told to a person: where it stands, what was found, what is allowed there.

Knows pydantic's kinds of fault and how to find the keys of a model at a place. Does not know files, lines or what any
model means. A validator of our own says what is allowed after `ALLOWED` in its message.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

ALLOWED = "; allowed: "
"""Parts what is wrong from what is allowed, in a validator's message and in a sentence."""
WHOLE = "the document"
"""Name of the place of what has no key."""
SHOWN, KEYS_SHOWN = 80, 13
"""Characters of a value, and keys, that are shown."""
_KINDS = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "keys with their values",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "less_than": "less than {lt}",
    "string_too_long": "at most {max_length} characters",
    "too_short": "a list of {min_length} or more",
    "too_long": "a list of at most {max_length}",
    "string_pattern_mismatch": "text of the form {pattern}",
}
"""Kind of fault -> what is allowed, where the kind alone says it."""
_MAPPINGS = ("model_type", "model_attributes_type")


@dataclass(frozen=True)
class Told:
    """One fault in words."""

    place: tuple[str | int, ...]
    """Keys and indices that lead to it."""
    found: str
    """Place and what stands there."""
    allowed: str
    """What is allowed there."""

    def __str__(self) -> str:
        """Both as one sentence without its full stop."""
        return f"{self.found}{ALLOWED}{self.allowed}" if self.allowed else self.found


def told(fault: ErrorDetails, kind: Any) -> Told:
    """A fault in words. `kind` is the model, or the annotated type, that was validated against."""
    place, models = _way(fault["loc"], kind)
    key = ".".join(str(part) for part in place) or WHOLE
    match fault["type"]:
        case "missing":
            return Told(place, f"{key}: the key is missing", "the key with a value")
        case "extra_forbidden":
            known = [name for model in models for name in keys(model)]
            return Told(place, f"{key}: there is no such key{_meant(place[-1], known)}", _listed(known))
        case "value_error":
            found, _, allowed = fault["msg"].removeprefix("Value error, ").partition(ALLOWED)
            shown = "" if isinstance(fault["input"], dict | list) else f" (found {_shown(fault['input'])})"
            return Told(place, f"{key}: {found}{shown}", allowed)
        case _:
            return Told(place, f"{key}: {_shown(fault['input'])}", _allowed(fault, models))


def keys(model: type[BaseModel]) -> list[str]:
    """The keys of a model as they are written."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _way(loc: Sequence[str | int], kind: Any) -> tuple[tuple[str | int, ...], list[type[BaseModel]]]:
    """The place without pydantic's names for branches of a union, and the models that the last key is one of.

    At the place of a fault that is no unknown key, the models that may stand there.
    """
    place: list[str | int] = []
    around, here = [kind], _branches(kind)
    for part in loc:
        if part == "[key]":
            continue
        if len(here) > 1 and isinstance(part, str):
            here = [branch for branch in here if getattr(branch, "__name__", "") == part]
            around = here
            continue
        place.append(part)
        around, here = here, [inner for branch in here for inner in _inside(branch, part)]
    return tuple(place), [m for m in here or around if isinstance(m, type) and issubclass(m, BaseModel)]


def _branches(kind: Any) -> list[Any]:
    """The kinds that a value may be of, without none and without what is annotated."""
    if get_origin(kind) is Annotated:
        return _branches(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [one for branch in get_args(kind) if branch is not type(None) for one in _branches(branch)]
    return [kind]


def _inside(kind: Any, part: str | int) -> list[Any]:
    """The kinds of what stands under a key or an index."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = kind.model_fields.items()
        return [one for name, field in fields if part in (name, field.alias) for one in _branches(field.annotation)]
    inner = [one for one in get_args(kind) if one is not Ellipsis]
    return _branches(inner[-1]) if inner else []


def _meant(key: str | int, known: Sequence[str]) -> str:
    near = get_close_matches(str(key).lower(), known, 3, 0.6)
    return f", did you mean {' or '.join(near)}?" if near else ""


def _listed(known: Sequence[str]) -> str:
    return "the keys " + ", ".join([*known[:KEYS_SHOWN], *(["..."] if len(known) > KEYS_SHOWN else [])])


def _allowed(fault: ErrorDetails, models: Sequence[type[BaseModel]]) -> str:
    bounds = fault.get("ctx", {})
    if fault["type"] in _MAPPINGS:
        return f"{_listed(keys(models[0]))}, with values" if models else "keys with their values"
    if fault["type"] == "string_type":
        return "text" if fault["input"] is None else "text, in quotes if it looks like something else"
    if fault["type"] == "string_too_short":
        return "some text" if bounds["min_length"] == 1 else f"text of {bounds['min_length']} characters or more"
    if fault["type"] in _KINDS:
        return _KINDS[fault["type"]].format_map(bounds)
    return fault["msg"]


def _shown(value: Any) -> str:
    shown = "nothing" if value is None else repr(value)
    return shown if len(shown) <= SHOWN else shown[: SHOWN - 3] + "..."
