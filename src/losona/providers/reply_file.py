"""Answers in a file: from one's own agent, from people, or from a judge.

A row is {"prompt_hash": 16 hex digits, "epoch": from 1, "text": "..."}; `finish_reason`, `model`, `date` and `note` may
stand beside them, and columns of the user's own. Knows the file and its key. Knows no Inspect.
"""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from losona.errors import ContentError, UserFault
from losona.textfiles import read_jsonl
from losona.validation import ALLOWED, told

Key = tuple[str, int]
"""Prompt hash and epoch."""
_HASH = re.compile("[0-9a-f]{16}")
FinishReason = Literal["stop", "max_tokens", "length", "model_length", "content_filter", "unknown"]


class MissingReply(UserFault):
    """The file has no reply for a prompt and epoch; nothing was made up in its place."""


class Reply(BaseModel):
    """One row of the file."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    prompt_hash: str
    """Hash of the prompt that was answered (`losona.conditions.prompt_hash`)."""
    epoch: int = Field(ge=1)
    """Repeat, from 1."""
    text: str
    """The reply as it was given; an empty one is a reply."""
    finish_reason: FinishReason = "stop"
    """Why it ended; `length` means `max_tokens`."""
    model: str | None = None
    """Who answered."""
    date: str | None = None
    """When, as the user writes it."""
    note: str | None = None
    """Anything."""

    @field_validator("prompt_hash")
    @classmethod
    def _is_hash(cls, key: str) -> str:
        if not _HASH.fullmatch(key):
            raise ValueError(f"this is no hash of a prompt{ALLOWED}the 16 digits (0-9, a-f) that came with the prompt")
        return key

    @field_validator("text")
    @classmethod
    def _is_unicode(cls, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair is no text; write the character itself") from None
        return text


@dataclass(frozen=True)
class Replies:
    """The answers of a file."""

    path: Path
    """Where they were read."""
    rows: dict[Key, Reply]
    """Key -> answer."""

    def missing(self, keys: Iterable[Key]) -> list[Key]:
        """Those of the keys that have no reply, in their order."""
        return [key for key in keys if key not in self.rows]

    def get(self, prompt: str, epoch: int) -> Reply:
        """The reply to a prompt in an epoch; `MissingReply` when there is none."""
        if (prompt, epoch) in self.rows:
            return self.rows[prompt, epoch]
        epochs = sorted(e for p, e in self.rows if p == prompt)
        has = f"it has epoch {', '.join(map(str, epochs))} of it" if epochs else "it has no row for this prompt"
        raise MissingReply(f"{self.path}: no reply to prompt {prompt}, epoch {epoch}; {has}.")


def read_replies(path: Path) -> Replies:
    """Read a file of answers strictly; a `ContentError` names line, column and value. It may be empty as yet."""
    if not path.exists():
        raise ContentError(
            f"{path}: there is no such file; in `replies/{path}` the file is what follows `replies/`, seen from the "
            "current folder."
        )
    rows: dict[Key, Reply] = {}
    places: dict[Key, str] = {}
    for place, data in read_jsonl(path):
        row = _row(data, place)
        key = (row.prompt_hash, row.epoch)
        if key in rows and rows[key].text != row.text:
            raise ContentError(
                f"{place}: prompt {key[0]}, epoch {key[1]} has another text at {places[key]}; keep one of them."
            )
        rows.setdefault(key, row)
        places.setdefault(key, place)
    return Replies(path, rows)


def _row(data: Any, place: str) -> Reply:
    if isinstance(data, ContentError):
        raise data
    if not isinstance(data, dict):
        raise ContentError(f"{place}: an object is expected on each line (found {data!r:.80}).")
    columns = cast(dict[str, Any], data)
    for column in columns.keys() - Reply.model_fields.keys():
        meant = difflib.get_close_matches(column, Reply.model_fields, 1, 0.8)
        if meant:
            raise ContentError(f"{place}: unknown column {column!r}; {meant[0]!r} is probably meant.")
    try:
        return Reply.model_validate(columns)
    except ValidationError as error:
        raise ContentError("\n".join(f"{place}: {told(fault, Reply)}" for fault in error.errors())) from None
