"""Model presets: names, provider strings and sampling of known subjects. Content is `content/models.yaml`."""

from importlib.resources import files
from pathlib import Path

from losona.schema._base import Record
from losona.textfiles import read_yaml, validate

FILE = Path(str(files("losona"))) / "content" / "models.yaml"


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
