"""What all models share: strictness, docstrings as field descriptions, versions of formats and tags of languages."""

import re
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from losona.validation import ALLOWED

CANARY_KEY = "canary"
"""Key under which what is released carries the string to search training data for; nothing else depends on it."""
VERSION = "1"
"""The version of every format that this losona reads and writes."""


class Record(BaseModel):
    """Base of every content and result model."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, populate_by_name=True)


class Released(Record):
    """A record that a release writes with a canary beside its keys, which is passed over in reading."""

    @model_validator(mode="before")
    @classmethod
    def _without_canary(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return cast(object, data)
        return {key: value for key, value in cast(dict[str, Any], data).items() if key != CANARY_KEY}


def _known(version: str) -> str:
    if version != VERSION:
        raise ValueError(
            f"this losona does not read that version{ALLOWED}'{VERSION}', else use the losona that wrote it"
        )
    return version


Version = Annotated[str, AfterValidator(_known)]
"""Version of a format; another one than ours is refused, since its keys may mean something else."""


LANGUAGE_TAG = "a language tag by BCP 47, such as en, pt-BR or sr-Latn-RS"
_TAG = re.compile(
    r"[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*", re.ASCII | re.IGNORECASE
)


def language_tag(tag: str) -> str:
    """The tag, if it has the shape of one; else a `ValueError`. Which languages there are is not looked up."""
    if not _TAG.fullmatch(tag):
        raise ValueError(f"this is no language tag{ALLOWED}{LANGUAGE_TAG}")
    return tag


Language = Annotated[str, AfterValidator(language_tag)]
"""Language of a chat. Code's word lists are English: of other languages it sees little."""
