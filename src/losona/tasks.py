"""The Inspect task: transcripts under one condition, answered by a subject, graded by code and by a judge.

Knows Inspect. Does not know runs, folders or reports: `inspect eval losona/losona` and `losona run` share it.
A sample is transcript x condition; epochs are Inspect epochs; a reply is graded once by each scenario that has
the transcript.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    ScoreReducer,
    Target,
    metric,
    score_reducer,
    scorer,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError

from losona import BENCHMARK_VERSION, __version__
from losona.conditions import Message, PromptStyle, prompt_hash, render
from losona.errors import NoReply
from losona.judge.ask import judge_reply
from losona.prompts import Templates
from losona.providers.epoch import EPOCH
from losona.scenarios import SHIPPED, Selection, load_scenarios, select, verifiable
from losona.schema.results import Grading
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy, load_taxonomy
from losona.verifiers import context_of, grade_by_code, validity

OPTIONAL_SETTINGS = ("seed", "temperature", "top_p")
"""Settings that are left out, and recorded, when a provider refuses them."""

REFUSALS = (
    "unsupported",
    "not support",
    "does not allow",
    "deprecated",
    "only the default",
    "not permitted",
    "unknown parameter",
)
ERROR_LENGTH = 500

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
    judge: Model | None = None
    """None: code alone grades."""
    seed: int = 0
    """Base of the seeds; epoch k uses seed + k - 1."""
    sampling: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Settings of the subject: temperature, max_tokens, ..."""
    watch: Watcher | None = None
    """Told of every finished call."""


def group(scenarios: Sequence[Scenario]) -> tuple[Transcript, ...]:
    """Scenarios by transcript, in order."""
    groups: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        groups.setdefault(scenario.transcript_id, []).append(scenario)
    return tuple(Transcript(tuple(members)) for members in groups.values())


def build_task(
    transcripts: Sequence[Transcript], condition: str, epochs: Sequence[int], setup: Setup, model: Model | None = None
) -> Task:
    """The task for some transcripts under one condition; `epochs` are the repeats that are wanted."""
    scenarios = {s.scenario_id: s for t in transcripts for s in t.scenarios}
    samples = [_sample(t, condition, setup.style) for t in transcripts]
    return Task(
        dataset=MemoryDataset(samples, name=f"losona-{condition}"),
        solver=answer(list(epochs), setup),
        scorer=follows_norm(scenarios, setup),
        model=model,
        epochs=Epochs(len(epochs), "every_grading"),
        name="losona",
        display_name=f"losona {condition}",
        version=BENCHMARK_VERSION,
        metadata={"condition": condition, "epochs": list(epochs), "losona": __version__},
    )


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


def build_recall_task(replies: Sequence[Recalled], setup: Setup) -> Task:
    """The task that grades replies again without asking a subject."""
    scenarios = {s.scenario_id: s for reply in replies for s in reply.scenarios}
    samples = [
        Sample(
            id=f"{reply.subject}|{reply.condition}|{reply.scenarios[0].transcript_id}|{reply.epoch}",
            input=reply.text,
            metadata={
                "recalled": reply.subject,
                "condition": reply.condition,
                "transcript": reply.scenarios[0].transcript_id,
                "epoch": reply.epoch,
                "scenarios": [s.scenario_id for s in reply.scenarios],
            },
        )
        for reply in replies
    ]
    return Task(
        dataset=MemoryDataset(samples, name="losona-recalled"),
        solver=recall(),
        scorer=follows_norm(scenarios, setup),
        model=get_model("none/none"),
        name="losona_recalled",
        display_name="losona, replies graded again",
        version=BENCHMARK_VERSION,
    )


@solver
def recall() -> Solver:
    """The reply as it stands; no subject is asked."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content(str(state.metadata["recalled"]), state.input_text)
        return state

    return solve


def _sample(transcript: Transcript, condition: str, style: PromptStyle) -> Sample:
    messages = render(transcript.scenarios[0].visible, condition, style)
    return Sample(
        id=transcript.id,
        input=[_chat_message(message) for message in messages],
        target=[s.evaluation.norm for s in transcript.scenarios],
        metadata={
            "condition": condition,
            "prompt_hash": prompt_hash(messages),
            "scenarios": [s.scenario_id for s in transcript.scenarios],
        },
    )


def _chat_message(message: Message) -> ChatMessage:
    match message.role:
        case "system":
            return ChatMessageSystem(content=message.content)
        case "assistant":
            return ChatMessageAssistant(content=message.content)
        case "user":
            return ChatMessageUser(content=message.content)


@solver
def answer(epochs: list[int], setup: Setup) -> Solver:
    """One call of the subject. A setting that the provider refuses is left out and recorded."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        epoch = epochs[state.epoch - 1]
        EPOCH.set(epoch)
        settings: dict[str, Any] = {**setup.sampling, "seed": setup.seed + epoch - 1}
        state.metadata.update(epoch=epoch, left_out=[], sampling=settings)
        while True:
            try:
                state = await generate(state, **settings)
                _refuse_no_reply(state.output)
                break
            except LimitExceededError:
                raise  # by this Inspect ends a sample
            except Exception as error:  # providers raise classes of their own; what is no refused setting goes on
                message = str(getattr(error, "provider_message", None) or error or type(error).__name__)
                refused = refused_setting(message, settings)
                if refused is None:
                    _tell(setup, state, message)
                    raise NoReply(" ".join(message.split())[:ERROR_LENGTH]) from error
                del settings[refused]
                state.metadata["left_out"].append(refused)
        _tell(setup, state)
        return state

    return solve


def _refuse_no_reply(output: ModelOutput) -> None:
    """What a provider gives in place of a reply is missing, not an empty reply."""
    if output.error or not output.choices:
        raise NoReply(output.error or "the provider gave no reply")
    if output.stop_reason == "content_filter":
        raise NoReply("withheld by the provider's content filter")


def refused_setting(message: str, settings: Mapping[str, Any]) -> str | None:
    """The optional setting that an error message says is not supported, if it is one that was given."""
    text = message.lower()
    if not any(word in text for word in REFUSALS):
        return None
    return next((name for name in OPTIONAL_SETTINGS if name in text and name in settings), None)


def _tell(setup: Setup, state: TaskState, error: str = "") -> None:
    if setup.watch is not None:
        usage = state.output.usage if not error else None
        tokens, cost = (usage.total_tokens, usage.total_cost) if usage else (0, None)
        setup.watch(Done(str(state.model), str(state.metadata["condition"]), tokens, cost, error))


@score_reducer(name="every_grading")
def every_grading() -> ScoreReducer:
    """Over epochs: the mean, with the gradings of all of them, so that counts count replies."""

    def reduce(scores: list[Score]) -> Score:
        values = [value for score in scores if (value := score.as_float()) == value]
        metadata = [score.metadata or {} for score in scores]
        return Score(
            value=sum(values) / len(values) if values else float("nan"),
            metadata={
                "gradings": [g for m in metadata for g in m.get("gradings", [])],
                "invalid": sum(not m.get("valid", True) for m in metadata),
            },
        )

    return reduce


@metric
def compliance() -> Metric:
    """Share of scored gradings that comply."""

    def compute(scores: list[SampleScore]) -> float:
        labels = [label for label in _labels(scores) if label != "unscored"]
        return labels.count("complies") / len(labels) if labels else float("nan")

    return compute


@metric
def scored() -> Metric:
    """Number of scored gradings: the denominator of compliance."""

    def compute(scores: list[SampleScore]) -> float:
        return float(sum(label != "unscored" for label in _labels(scores)))

    return compute


@metric
def unscored() -> Metric:
    """Number of gradings that could not be made."""

    def compute(scores: list[SampleScore]) -> float:
        return float(_labels(scores).count("unscored"))

    return compute


@metric
def invalid() -> Metric:
    """Number of invalid replies; each is a breach."""

    def compute(scores: list[SampleScore]) -> float:
        return float(sum((s.score.metadata or {}).get("invalid", 0) for s in scores))

    return compute


def _labels(scores: Sequence[SampleScore]) -> list[str]:
    return [str(g["label"]) for s in scores for g in (s.score.metadata or {}).get("gradings", []) if not g["advisory"]]


@scorer(metrics=[compliance(), scored(), unscored(), invalid()], name="follows_norm")
def follows_norm(scenarios: dict[str, Scenario], setup: Setup) -> Scorer:
    """Validity gate, then code, then the judge where code does not decide; one grading for each scenario."""

    async def score(state: TaskState, target: Target) -> Score:
        reply = state.output.completion
        gradings: list[Grading] = []
        for scenario_id in state.metadata["scenarios"]:
            gradings.extend(await _grade(scenarios[scenario_id], reply, setup))
        return _as_score(state, reply, gradings, scenarios)

    return score


async def _grade(scenario: Scenario, reply: str, setup: Setup) -> list[Grading]:
    by_code = grade_by_code(scenario, reply, setup.taxonomy)
    if by_code.label != "unscored" or by_code.error or setup.judge is None:
        return [by_code]
    text = validity(reply, context_of(scenario), scenario.evaluation.language).text
    judged = await judge_reply(setup.judge, scenario, setup.taxonomy, text, setup.style.templates, setup.seed)
    return [by_code.model_copy(update={"advisory": True}), judged]


def _as_score(state: TaskState, reply: str, gradings: list[Grading], scenarios: dict[str, Scenario]) -> Score:
    first = scenarios[state.metadata["scenarios"][0]]
    gate = validity(reply, context_of(first), first.evaluation.language)
    labels = [g.label for g in gradings if not g.advisory and g.label != "unscored"]
    value = labels.count("complies") / len(labels) if labels else float("nan")
    return Score(
        value=value,
        answer=gate.text,
        explanation="\n".join(
            f"{g.scenario_id}: {g.label} ({g.grader}) {g.node or g.reasoning or g.error}" for g in gradings
        ),
        metadata={
            "valid": gate.valid,
            "invalid_reasons": list(gate.reasons),
            "flags": list(gate.flags),
            "invalid": int(not gate.valid),
            "gradings": [g.model_dump() for g in gradings],
        },
    )


@task
def losona(
    condition: str = "naive",
    scenarios: str = SHIPPED,
    pack: str = "",
    arms: str = "a,b",
    variants: str = "demos,nodemos",
    limit: int | None = None,
    epochs: int = 3,
    temperature: float = 0.9,
    max_tokens: int = 400,
    judge: str = "",
    prompts: str = "",
    unnamed_subject: str = "",
    seed: int = 0,
) -> Task:
    """LoSoNA under one condition.

    Args:
        condition: naive, elicitor_only, style_adaptation, norm_informed or oracle.
        scenarios: shipped, a frame, a folder of frames, a .jsonl file, or hf:OWNER/NAME.
        pack: folder of a further pack.
        arms: a, b or both, with commas.
        variants: variants of frames, with commas.
        limit: at most so many frames (or rows of a release).
        epochs: replies for each transcript.
        temperature: sampling temperature.
        max_tokens: bound on the reply.
        judge: model that grades what code cannot decide, or `grader` for the model of that role; empty: the
            verifiable track alone.
        prompts: folder with templates that replace shipped ones.
        unnamed_subject: name for the subject of rows that give none.
        seed: base of the seeds.
    """
    taxonomy = load_taxonomy([Path(pack)] if pack else [])
    found = load_scenarios(scenarios, taxonomy, unnamed_subject).scenarios
    wanted = Selection(arms=_split(arms), variants=_split(variants), limit=limit)
    candidates = found if judge else verifiable(found, taxonomy)
    setup = Setup(
        taxonomy=taxonomy,
        style=PromptStyle(Templates(Path(prompts) if prompts else None)),
        judge=_judge(judge),
        seed=seed,
        sampling={"temperature": temperature, "max_tokens": max_tokens},
    )
    return build_task(group(select(candidates, wanted, taxonomy)), condition, range(1, epochs + 1), setup)


def _judge(name: str) -> Model | None:
    if not name:
        return None
    return get_model(role="grader", required=True) if name == "grader" else get_model(name)


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in str(text).split(",") if part.strip())
