"""A frame in the making: answers so far, what went wrong, what it has used. Shapes only.

It is written after every stage, so that a killed command goes on in the middle of a frame.
"""

from typing import Any, Literal

from losona.generate.answers import SHAPES, Answer, Draft, Stage
from losona.generate.budget import Spent
from losona.schema._base import VERSION, Record, Version
from losona.schema.frame import Frame
from losona.schema.frame_record import Generation

Status = Literal["accepted", "rejected", "failed", "stopped"]
"""`failed`: the provider failed; `stopped`: a bound was reached. Both are taken up by the next command."""


class Failure(Record):
    """An answer that could not be used, or a call that failed."""

    stage: Stage
    """The stage."""
    kind: str
    """Name of the failure: no_json, wrong_shape, wrong_count, wrong_names, parameters, refusal, cut_off,
    content_filter, empty; for calls timeout or provider."""
    fault: str
    """In words."""
    answer: str = ""
    """What the model wrote."""


class Work(Record):
    """Everything that is known of a frame that is not finished."""

    schema_version: Version = VERSION
    """Version of this format."""
    plan: str
    """Key of what was asked for."""
    tuple_id: str
    """Event, norms and venue, for readers."""
    slug: str = ""
    """Third part of the frame id, once it is settled."""
    answers: dict[Stage, dict[str, Any]] = {}
    """Usable answers."""
    repairs: dict[Stage, int] = {}
    """Stage -> times that it was asked again, for an unusable answer or for findings."""
    calls: dict[str, int] = {}
    """Stage -> calls."""
    failures: tuple[Failure, ...] = ()
    """In order."""
    read: int = 0
    """Tokens of prompts."""
    written: int = 0
    """Tokens of answers."""
    cost: float | None = 0.0
    """US dollars, where known."""
    seconds: float = 0.0
    """Wall time."""

    @property
    def draft(self) -> Draft:
        """The answers in the shapes of their stages."""
        return {stage: SHAPES[stage].model_validate(data) for stage, data in self.answers.items()}

    def with_answer(self, stage: Stage, answer: Answer) -> "Work":
        """With the answer of a stage."""
        return self.model_copy(update={"answers": {**self.answers, stage: answer.model_dump()}})

    def with_failure(self, failure: Failure) -> "Work":
        """With one more failure."""
        return self.model_copy(update={"failures": (*self.failures, failure)})

    def with_repair(self, stage: Stage) -> "Work":
        """With one more repair of a stage."""
        return self.model_copy(update={"repairs": {**self.repairs, stage: self.repairs.get(stage, 0) + 1}})

    def with_call(self, stage: Stage, used: Spent, seconds: float) -> "Work":
        """With one more call of a stage, and what it used."""
        total = Spent(self.read, self.written, self.cost) + used
        return self.model_copy(
            update={
                "calls": {**self.calls, stage: self.calls.get(stage, 0) + 1},
                "read": total.read,
                "written": total.written,
                "cost": total.cost,
                "seconds": round(self.seconds + seconds, 3),
            }
        )


class Finished(Record):
    """What has become of a planned frame."""

    status: Status
    """What became of it."""
    name: str
    """Frame id; for one that could not be put together, a name made from the plan."""
    work: Work
    """How it got there."""
    generation: Generation
    """Provenance."""
    frame: Frame | None = None
    """None: it could not be put together."""
    text: str = ""
    """The frame's file as it was linted."""
    findings: tuple[dict[str, Any], ...] = ()
    """What the linter found at last, errors and warnings."""
    reason: str = ""
    """Why it is not accepted."""
