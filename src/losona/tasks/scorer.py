"""Gradings of a reply as an Inspect score, and metrics that count gradings."""

from collections.abc import Sequence

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
from inspect_ai.solver import TaskState

from losona.providers.epoch import EPOCH
from losona.schema.results import Grading
from losona.schema.scenario import Scenario
from losona.tasks.setup import Setup
from losona.verifiers import context_of, grade_by_code, validity


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
    """Share of scored gradings that comply, where the norm is shown and applies."""

    def compute(scores: list[SampleScore]) -> float:
        return _share(_labels(scores, "applies"))

    return compute


@metric
def floor() -> Metric:
    """The same where nothing shows the norm: what is no adaptation."""

    def compute(scores: list[SampleScore]) -> float:
        return _share(_labels(scores, "none"))

    return compute


@metric
def ordinary() -> Metric:
    """Share of ordinary replies where the norm does not apply."""

    def compute(scores: list[SampleScore]) -> float:
        return _share(_labels(scores, "out_of_scope"))

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


def _labels(scores: Sequence[SampleScore], expectation: str = "") -> list[str]:
    return [
        str(g["label"])
        for s in scores
        for g in (s.score.metadata or {}).get("gradings", [])
        if not g["advisory"] and expectation in ("", g["expectation"])
    ]


def _share(labels: Sequence[str]) -> float:
    known = [label for label in labels if label != "unscored"]
    return known.count("complies") / len(known) if known else float("nan")


@scorer(metrics=[compliance(), floor(), ordinary(), scored(), unscored(), invalid()], name="follows_norm")
def follows_norm(scenarios: dict[str, Scenario], setup: Setup) -> Scorer:
    """Validity gate, then code, then the judge where code does not decide; one grading for each scenario."""

    async def score(state: TaskState, target: Target) -> Score:
        reply = state.output.completion
        EPOCH.set(1)  # a judge is asked once, whatever the repeat of the subject
        gradings: list[Grading] = []
        for scenario_id in state.metadata["scenarios"]:
            gradings.extend(await _grade(scenarios[scenario_id], reply, setup))
        return _as_score(state, reply, gradings, scenarios)

    return score


async def _grade(scenario: Scenario, reply: str, setup: Setup) -> list[Grading]:
    by_code = grade_by_code(scenario, reply, setup.taxonomy)
    gate = validity(reply, context_of(scenario), scenario.evaluation.language)
    decided = by_code.label != "unscored" or bool(by_code.error)
    if setup.panel is None or (decided and not (setup.panel.validity and gate.valid and not by_code.error)):
        return [by_code]
    if decided:
        return await setup.panel.look(by_code, scenario, gate.text)
    return [by_code.model_copy(update={"advisory": True}), *await setup.panel.grade(scenario, gate.text)]


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
