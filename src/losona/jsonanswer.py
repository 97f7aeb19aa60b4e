"""The one JSON object in a model's answer, or why there is none that could be trusted. Pure.

Knows how models wrap JSON: thinking in front, prose or a code fence around. Does not know what the object means.
"""

import json
import re
from typing import Any, NoReturn

from losona.errors import LosonaError

_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


class AnswerFault(LosonaError):
    """An answer cannot be used; the message says why, in words that the model can act on."""


def only_object(text: str) -> tuple[dict[str, Any], str]:
    """The one JSON object of an answer, and the text after it; prose or a code fence around it is let pass.

    Raises `AnswerFault` where there is none, it is cut off, or other braces leave a doubt which one is meant.
    """
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
