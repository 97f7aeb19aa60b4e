"""What is said of a value that a model refuses: place, value, what is allowed; in our words for every kind of fault."""

import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from losona.official import OfficialRow
from losona.providers.reply_file import Reply
from losona.schema.frame import Frame, Turn
from losona.schema.frame_record import FrameRecord
from losona.schema.scenario import Scenario
from losona.schema.taxonomy import Norm
from losona.textfiles import parse_yaml
from losona.validation import keys, told

BASE = Path(__file__).parent / "data" / "extended.factual_question.yard_film.yaml"
LIBRARY = re.compile(r"Input should|Field required|not permitted|String should|should have|valid (string|dict|integer)")
ODD: tuple[Any, ...] = (None, 12, 1.5, "", "odd one", [], ["x"], {"zz": 1}, True)


def wrong(model: Any, data: Any) -> list[str]:
    try:
        model.model_validate(data)
    except ValidationError as error:
        return [str(told(fault, model)) for fault in error.errors()]
    return []


def places(part: Any) -> Iterator[tuple[Any, Any]]:
    """Each container with each of its keys."""
    for key in list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
        yield part, key
        yield from places(part[key])


def test_no_value_at_any_place_of_a_frame_is_refused_in_words_of_the_library() -> None:
    data = parse_yaml(BASE.read_text(encoding="utf-8"), BASE).data
    seen: set[str] = set()
    for part, key in list(places(data)):
        kept = deepcopy(part[key])
        for odd in ODD:
            part[key] = odd
            seen.update(wrong(Frame, data))
        part[key] = kept
    assert len(seen) > 100
    assert not [sentence for sentence in seen if LIBRARY.search(sentence)]
    assert not [sentence for sentence in seen if "; allowed: " not in sentence]


@pytest.mark.parametrize("model", [FrameRecord, Norm, OfficialRow, Reply, Scenario])
def test_nor_is_a_row_or_record(model: Any) -> None:
    sentences = [s for key in keys(model) for odd in ODD for s in wrong(model, {key: odd})]
    assert sentences
    assert not [sentence for sentence in sentences if LIBRARY.search(sentence)]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (None, "the document: nothing; allowed: the keys from, text, demo, scope, params, with values"),
        ({"from": "Rohit"}, "text: the key is missing; allowed: the key with a value"),
        (
            {"from": "R", "text": "x", "scop": True},
            "scop: there is no such key, did you mean scope?; allowed: the keys from, text, demo, scope, params",
        ),
        (
            {"from": "R", "text": "x", "Zz": True},
            "Zz: there is no such key; allowed: the keys from, text, demo, scope, params",
        ),
        ({"from": "R", "text": 12}, "text: 12; allowed: text, in quotes if it looks like something else"),
        ({"from": "R", "text": "x", "demo": "maybe"}, "demo: 'maybe'; allowed: true or false"),
    ],
)
def test_a_fault_says_where_what_and_what_is_allowed(data: Any, sentence: str) -> None:
    assert wrong(Turn, data) == [sentence]
