"""From the text of a model's answer to one typed record, or to a fault. Pure.

Knows JSON objects and how strictly they are read. Does not know what is asked.
There is no default: an answer that leaves a doubt about any part is a fault.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import AfterValidator, BaseModel, ValidationError

from losona.errors import LosonaError
from losona.verifiers.gate import says_something

Model = TypeVar("Model", bound=BaseModel)

_THINKING = re.compile(r"\A<(think|thinking)>(?:(?!<think(?:ing)?>).)*?</\1>", re.DOTALL)
_THINK_TAG = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"\A```(?:json)?\s*(.*)```\Z", re.DOTALL | re.IGNORECASE)
_BYTE_ORDER_MARK = "\ufeff"
_QUOTE_STYLES = str.maketrans(
    {**dict.fromkeys("‘’‚‛ʼ´`‹›", "'"), **dict.fromkeys("“”„‟«»", '"'), "…": "...", "\ufe0e": None, "\ufe0f": None}
)
_QUOTE_MARKS = "\"'"


class AnswerFault(LosonaError):
    """A model's answer cannot be used; the message says why, in words that the model can act on."""


def _without_control(text: str) -> str:
    if any(unicodedata.category(char) == "Cc" and char not in "\n\r\t" for char in text):
        raise ValueError("it holds control characters")
    return text


Prose = Annotated[str, AfterValidator(_without_control)]
"""Text of the model's own, for people to read."""


def one_object(text: str, *, prose: bool = False) -> dict[str, Any]:
    """The one JSON object of an answer.

    Around it stands nothing but white space, one code fence and, in front, one closed block of thinking: what is said
    around an object may take it back, and no list of words knows how. With `prose` other text is let pass around it,
    for answers that decide nothing; no braces, lists or further thinking.
    """
    body = text.removeprefix(_BYTE_ORDER_MARK).strip()
    body = _THINKING.sub("", body).strip()
    if not prose and (fenced := _FENCE.match(body)):
        body = fenced.group(1).strip()
    start = body.find("{")
    if start < 0:
        raise AnswerFault("it holds no JSON object" if body else "it is empty")
    try:
        data, end = _DECODER.raw_decode(body, start)
    except (ValueError, RecursionError):
        raise AnswerFault("the JSON object is cut off or not valid JSON") from None
    _check_around(body[:start], body[end:], prose)
    return data


def _check_around(before: str, after: str, prose: bool) -> None:
    """Raise `AnswerFault` for text around the object that may not be there."""
    around = before + after
    listed = before.rstrip().endswith(("[", ",")) or after.lstrip().startswith(("]", ","))
    if listed or any(brace in around for brace in "{}"):
        raise AnswerFault("it must hold one JSON object and no other braces or list around it")
    if _THINK_TAG.search(around):
        raise AnswerFault("thinking must stand at the start, in one block that is closed")
    if around and not prose:
        side = "before" if before.strip() else "after"
        raise AnswerFault(f"text stands {side} the JSON object; nothing may stand around it")


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
        place, said = ".".join(str(part) for part in first["loc"])[:60], first["msg"].removeprefix("Value error, ")
        raise AnswerFault(f"key {place!r}: {said}" if place else said) from None


def check_evidence(evidence: Sequence[str], text: str) -> None:
    """Raise `AnswerFault` for a quotation that the graded text does not hold, or that says nothing."""
    for number, quotation in enumerate(evidence, 1):
        if not is_quoted(quotation, text):
            raise AnswerFault(
                f"evidence {number} is not a word-for-word passage of the graded message with a letter, digit or "
                "emoji in it"
            )


def is_quoted(quotation: str, text: str) -> bool:
    """Whether a quotation stands in a text word for word, but for white space and styles of quotation marks.

    Bare punctuation quotes nothing.
    """
    shown = _plain(text)
    return any(reading in shown and says_something(reading) for reading in _readings(quotation))


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
