"""What all models share: frozen, strict about unknown keys, docstrings as field descriptions."""

from typing import Any, cast

from pydantic import BaseModel, ConfigDict, model_validator

CANARY_KEY = "canary"
"""Key under which what is released carries the string to search training data for; nothing else depends on it."""


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
