"""What others wrote, as a block that a judge reads as data. Pure.

Whatever a member or a subject wrote goes in as JSON strings between two lines with a word (the nonce) that does
not occur in it, so that nothing written in a chat can close the block.
"""

import hashlib
import json
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from losona.schema.scenario import Visible, VisiblePerson, VisibleTurn

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINER = "\u200d"


def setting(visible: Visible) -> dict[str, Any]:
    """Chat, subject and members, each piece as one line of JSON."""
    return {
        "chat": json_line(_given(description=visible.channel, venue=visible.venue)),
        "sender": json_line(_person(visible.subject)),
        "members": [json_line(_person(person)) for person in visible.cast],
    }


def turn_line(turn: VisibleTurn) -> str:
    """A message as one line of JSON."""
    return json_line({"from": turn.sender, "text": turn.text})


def json_line(value: object) -> str:
    """JSON on one line; letters and emoji as they are, control, format and line-separating characters escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(json.dumps(char)[1:-1] if _is_hidden(char) else char for char in text)


def nonce(key: Sequence[object], data: dict[str, Any]) -> str:
    """A word that does not occur in the data; the same for the same question."""
    written = json.dumps(data)
    return next(word for word in _words(json.dumps(key)) if word not in written)


def _person(person: VisiblePerson) -> dict[str, str]:
    return _given(name=person.name, bio=person.bio)


def _given(**fields: str) -> dict[str, str]:
    """Fields that say something."""
    return {name: text for name, text in fields.items() if text}


def _is_hidden(char: str) -> bool:
    return char != _JOINER and unicodedata.category(char) in _HIDDEN


def _words(key: str) -> Iterator[str]:
    while True:
        key = hashlib.sha256(key.encode()).hexdigest()
        yield key[:16]
