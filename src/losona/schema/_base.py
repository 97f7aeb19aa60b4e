"""What all models share: frozen, strict about unknown keys, docstrings as field descriptions."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of every content and result model."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, populate_by_name=True)
