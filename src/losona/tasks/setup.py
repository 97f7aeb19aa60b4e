"""What the tasks of a run share: content, prompts, judge, sampling, and who is told of finished calls."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from losona.conditions import PromptStyle
from losona.judge.ask import Panel
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy

Watcher = Callable[["Done"], None]


@dataclass(frozen=True)
class Done:
    """What a watcher learns of a finished call."""

    model: str
    """The provider's string."""
    condition: str
    """Condition of the prompt."""
    tokens: int
    """Read and written."""
    cost: float | None
    """US dollars, where known."""
    error: str = ""
    """Empty for a reply."""


@dataclass(frozen=True)
class Transcript:
    """A transcript with all scenarios that have it."""

    scenarios: tuple[Scenario, ...]
    """At least one; all have the same visible part."""

    @property
    def id(self) -> str:
        """Hash of everything visible."""
        return self.scenarios[0].transcript_id


@dataclass(frozen=True)
class Setup:
    """What all tasks of a run share."""

    taxonomy: Taxonomy
    """Packs."""
    style: PromptStyle = field(default_factory=PromptStyle)
    """Prompts."""
    panel: Panel | None = None
    """The judges; none: code alone grades."""
    seed: int = 0
    """Base of the seeds; epoch k uses seed + k - 1."""
    sampling: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Settings of the subject: temperature, max_tokens, ..."""
    watch: Watcher | None = None
    """Told of every finished call."""
    stamp: str = ""
    """Marks the logs as those of one run."""


def group(scenarios: Sequence[Scenario]) -> tuple[Transcript, ...]:
    """Scenarios by transcript, in order."""
    groups: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        groups.setdefault(scenario.transcript_id, []).append(scenario)
    return tuple(Transcript(tuple(members)) for members in groups.values())


@dataclass(frozen=True)
class Recalled:
    """A reply that is there already, to be graded by scenarios that it was not graded by."""

    subject: str
    """The provider's string."""
    condition: str
    """Condition of the prompt."""
    epoch: int
    """Repeat."""
    text: str
    """The reply."""
    scenarios: tuple[Scenario, ...]
    """Scenarios with its transcript."""
