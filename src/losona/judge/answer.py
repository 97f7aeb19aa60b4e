"""From the text of a model's answer to one typed record, or to a fault. Pure.

Knows JSON objects and how strictly they are read. Does not know what is asked.
There is no default: an answer that leaves a doubt about any part is a fault.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from losona.errors import LosonaError

Model = TypeVar("Model", bound=BaseModel)

_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_QUOTE_STYLES = str.maketrans(
    {**dict.fromkeys("‘’‚‛ʼ´`‹›", "'"), **dict.fromkeys("“”„‟«»", '"'), "…": "...", "\ufe0e": None, "\ufe0f": None}
)
_QUOTE_MARKS = "\"'"


class AnswerFault(LosonaError):
    """A model's answer cannot be used; the message says why, in words that the model can act on."""


def one_object(text: str) -> tuple[dict[str, Any], str]:
    """The one JSON object of an answer, and the text after it; prose or a code fence around it is let pass."""
    body = _THINKING.sub("", text).strip()
    start = body.find("{")
    if start < 0:
        raise AnswerFault("it holds no JSON object" if body else "it is empty")
    try:
        data, end = _DECODER.raw_decode(body, start)
    except (ValueError, RecursionError):
        raise AnswerFault("the JSON object is cut off or not valid JSON") from None
    before, after = body[:start].rstrip(), body[end:]
    if before.endswith("[") or any(brace in before + after for brace in "{}"):
        raise AnswerFault("it must hold one JSON object and no other braces or list around it")
    return data, after


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise AnswerFault("a key stands twice in the JSON object")
    return dict(pairs)


def _no_constant(_: str) -> NoReturn:
    raise ValueError


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def typed(model: type[Model], data: dict[str, Any]) -> Model:
    """An object as a record: every key there, none unknown, each of its type."""
    try:
        return model.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])[:60]
        raise AnswerFault(f"key {place!r}: {first['msg']}" if place else first["msg"]) from None


def is_quoted(quotation: str, text: str) -> bool:
    """Whether a quotation stands in a text word for word, but for white space and styles of quotation marks."""
    shown = _plain(text)
    return any(reading and reading in shown for reading in _readings(quotation))


def _readings(quotation: str) -> Iterator[str]:
    """The quotation as it stands, without quotation marks around it, and with JSON escapes that were written twice."""
    plain = _plain(quotation)
    yield plain
    if len(plain) > 2 and plain[0] == plain[-1] and plain[0] in _QUOTE_MARKS:
        yield plain[1:-1].strip()
    if "\\" in quotation:
        try:
            yield _plain(json.loads(f'"{quotation}"'))
        except ValueError:
            return


def _plain(text: str) -> str:
    """Text without differences of white space, quotation marks and invisible characters."""
    composed = unicodedata.normalize("NFC", text).translate(_QUOTE_STYLES)
    return " ".join("".join(char for char in composed if unicodedata.category(char) != "Cf").split())
