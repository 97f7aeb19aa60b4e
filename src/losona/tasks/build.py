"""The tasks: samples from transcripts, the solver, the scorer."""

from collections.abc import Sequence
from pathlib import Path

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import Model, get_model

from losona import BENCHMARK_VERSION, __version__
from losona.conditions import PromptStyle, prompt_hash, render
from losona.judge.ask import Panel
from losona.judge.line import chat_message
from losona.judge.protocols import Procedure
from losona.prompts import Templates
from losona.scenarios import SHIPPED, Selection, crossings, load_scenarios, select, verifiable
from losona.tasks.scorer import follows_norm
from losona.tasks.setup import Recalled, Setup, Transcript, group
from losona.tasks.solver import answer, recall
from losona.taxonomy import load_taxonomy


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
        metadata={"condition": condition, "epochs": list(epochs), "losona": __version__, "stamp": setup.stamp},
    )


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
        metadata={"losona": __version__, "stamp": setup.stamp},
    )


def _sample(transcript: Transcript, condition: str, style: PromptStyle) -> Sample:
    messages = render(transcript.scenarios[0].visible, condition, style)
    return Sample(
        id=transcript.id,
        input=[chat_message(message) for message in messages],
        target=[s.evaluation.norm for s in transcript.scenarios],
        metadata={
            "condition": condition,
            "prompt_hash": prompt_hash(messages),
            "scenarios": [s.scenario_id for s in transcript.scenarios],
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
        judge: model that grades what code cannot decide, or `grader` for the model of that role; several,
            with commas, make a panel; empty: the verifiable track alone.
        prompts: folder with templates that replace shipped ones.
        unnamed_subject: name for the subject of rows that give none.
        seed: base of the seeds.
    """
    taxonomy = load_taxonomy([Path(pack)] if pack else [])
    found = load_scenarios(scenarios, taxonomy, unnamed_subject).scenarios
    wanted = Selection(arms=_split(arms), variants=_split(variants), limit=limit)
    candidates = found if judge else verifiable(found, taxonomy)
    chosen = select(candidates, wanted, taxonomy)
    again = crossings(chosen, found)
    style = PromptStyle(Templates(Path(prompts) if prompts else None))
    judges = [_judge(name) for name in _split(judge)]
    setup = Setup(
        taxonomy=taxonomy,
        style=style,
        panel=Panel(judges, Procedure(taxonomy, style.templates, seed=seed)) if judges else None,
        seed=seed,
        sampling={"temperature": temperature, "max_tokens": max_tokens},
    )
    graded = (*chosen, *(again if judge else verifiable(again, taxonomy)))
    return build_task(group(graded), condition, range(1, epochs + 1), setup)


def _judge(name: str) -> Model:
    return get_model(role="grader", required=True) if name == "grader" else get_model(name)


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in str(text).split(",") if part.strip())
