"""The record beside a frame: how it was made, screened, checked and decided on. Nothing in it reaches a subject."""

from typing import Any, Literal

from losona.schema._base import VERSION, Record, Released, Version
from losona.schema.frame import Arm

ArmDecision = Literal["keep", "drop", "undecided"]
"""`undecided`: too few scored replies to tell."""


class Generation(Record):
    """How a frame was generated."""

    created: str
    """ISO 8601, UTC."""
    model: str
    """The provider's string."""
    prompts: dict[str, str]
    """Template name -> hash."""
    taxonomy: dict[str, str]
    """Pack id -> hash of its content."""
    seed: int
    """Base of the seeds of its calls."""
    calls: dict[str, int]
    """Stage -> calls, repairs included."""
    repairs: int
    """Calls that repaired findings."""
    tokens: int
    """Read and written."""
    cost: float | None
    """US dollars, where known."""
    seconds: float
    """Wall time."""
    plan: str = ""
    """Key of what was asked for (tuple, number, model, seed, language); the same command skips it."""


class BaselineReply(Record):
    """A baseline's reply to the control without demonstrations, graded by an arm's norm."""

    baseline: str
    """Name of the baseline."""
    epoch: int
    """Repeat, from 1."""
    text: str
    """The reply; empty where the call failed."""
    label: str
    """complies, breaches or unscored."""
    grader: str
    """verifier, or the judge model."""
    reason: str = ""
    """Deciding node of the check, the judge's reasoning, or why it is unscored."""


class ArmScreening(Record):
    """What screening found of one arm."""

    arm: Arm
    """a or b."""
    norm: str
    """Norm id."""
    decision: ArmDecision
    """`drop` when a baseline follows the norm though nothing shows it."""
    reason: str
    """In words, with the counts."""
    replies: tuple[BaselineReply, ...]
    """All replies of all baselines."""


class Screening(Record):
    """The no-demonstration control of a frame (Q24)."""

    created: str
    """ISO 8601, UTC."""
    frame_hash: str
    """Hash of the frame that was screened."""
    benchmark_version: str
    """N-X."""
    baselines: dict[str, str]
    """Name -> the provider's string."""
    judge: str | None
    """Judge model; none: code alone."""
    epochs: int
    """Replies of each baseline."""
    unscreened: bool
    """In the part that was set aside at random: screened, but never dropped."""
    arms: tuple[ArmScreening, ...]
    """Decision for each arm."""


class CheckVote(Record):
    """One model's answer to one question of a check."""

    judge: str
    """The provider's string."""
    epoch: int
    """Number of the vote, from 1."""
    unit: str = ""
    """What of the frame was asked about, where it is a part: a reference."""
    prompt: str
    """Hash of the prompt; an answer to an equal one is not asked for again."""
    right: bool | None
    """The answer speaks for the frame; none: unscored."""
    found: str = ""
    """What the answer says, in short."""
    answer: dict[str, Any] = {}
    """The answer as it was read."""
    error: str = ""
    """Why it is unscored."""


class ModelCheck(Record):
    """One of the checks by models (Q19 to Q23)."""

    created: str
    """ISO 8601, UTC."""
    frame_hash: str
    """Hash of the frame that was checked."""
    check: str
    """inferability, non_statement, closed_evidence, answerability or gold_audit."""
    rule: str
    """Number of the quality rule, `Q19`."""
    judge: str
    """The provider's string; of several, with commas."""
    prompt_hash: str
    """Hash of the templates and of the shape of an answer."""
    arm: Arm | None
    """None: the control, in which nothing shows a norm."""
    passed: bool | None
    """None: unscored, the judge gave no valid answer."""
    found: str
    """In words."""
    votes: tuple[CheckVote, ...] = ()
    """All answers."""


class Decision(Record):
    """What a person decided of a frame."""

    created: str
    """ISO 8601, UTC."""
    author: str
    """Who decided."""
    frame_hash: str
    """Hash of the frame that was decided on; a later change makes the decision stale."""
    decision: Literal["accept", "reject"]
    """What was decided."""
    reason: str = ""
    """Why; needed for a rejection, and to accept in spite of a failed check."""
    despite: tuple[str, ...] = ()
    """Failed checks in spite of which it was accepted, `Q22 answerability b`."""
    by_hand: dict[str, str] = {}
    """Marks by hand that the frame had: dropped arms with the reason, and the `status` of a known issue."""


class FrameRecord(Released):
    """Everything known of a frame that is not the frame. Each stage appends; nothing is taken out."""

    schema_version: Version = VERSION
    """Version of this format."""
    frame: str
    """Frame id."""
    generation: Generation | None = None
    """None: written by hand."""
    screenings: tuple[Screening, ...] = ()
    """In order; of each baseline the last decisive replies to the frame as it is count."""
    checks: tuple[ModelCheck, ...] = ()
    """In order; the last of a check and arm counts."""
    decisions: tuple[Decision, ...] = ()
    """In order; the last one counts."""

    def accepted(self, frame_hash: str) -> bool:
        """The last decision accepts the frame as it now is."""
        last = self.decisions[-1] if self.decisions else None
        return last is not None and last.decision == "accept" and last.frame_hash == frame_hash
