"""Model presets: names, provider strings and sampling of known subjects; and who trained a model.

Content is `content/models.yaml` and `content/families.yaml`. Calls no model.
"""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from losona.schema._base import Record
from losona.textfiles import read_yaml, validate

FILE = Path(str(files("losona"))) / "content" / "models.yaml"
FAMILIES = FILE.with_name("families.yaml")


class Preset(Record):
    """A subject that is known by name."""

    name: str
    """In the paper's tables."""
    id: str
    """The provider's string."""
    temperature: float | None
    """None: the provider's default."""
    family: str
    """Who trained it."""
    judge_not: tuple[str, ...]
    """Families that should not judge it."""


def presets() -> tuple[Preset, ...]:
    """All presets, in order."""
    document = read_yaml(FILE)
    return tuple(validate(Preset, document, (i,)) for i in range(len(document.data)))


class FamilyParts(Record):
    """How a family of models is known by name."""

    family: str
    """Who trained it."""
    parts: tuple[str, ...]
    """What stands in the names of its models."""


def family(model: str) -> str:
    """Who trained a model, by its provider's string; empty where that is not known."""
    known = next((preset.family for preset in presets() if preset.id == model), "")
    return known or next((entry.family for entry in _families() if _has_part(model, entry.parts)), "")


def related(judge: str, subject: str) -> str:
    """Why a judge should not judge a subject, in words; empty where nothing is known against it."""
    if judge == subject:
        return "it is the subject itself"
    own = family(judge)
    barred = next((preset.judge_not for preset in presets() if preset.id == subject), ())
    if own and (own == family(subject) or own in barred):
        return f"both are of the family {own}"
    return ""


@cache
def _families() -> tuple[FamilyParts, ...]:
    document = read_yaml(FAMILIES)
    return tuple(validate(FamilyParts, document, (i,)) for i in range(len(document.data)))


def _has_part(model: str, parts: tuple[str, ...]) -> bool:
    provider, _, name = model.lower().partition("/")
    if provider == "replies":
        return False
    return provider in parts or any(re.search(rf"(?<![a-z]){re.escape(part)}(?![a-z])", name) for part in parts)
