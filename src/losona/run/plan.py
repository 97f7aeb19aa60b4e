"""What a run has to call: transcripts x conditions x epochs x models, less what is there already.

Knows no provider and calls nothing.
"""

import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from losona import BENCHMARK_VERSION
from losona.clock import now
from losona.conditions import PromptStyle, prompt_hash, render
from losona.errors import UserFault
from losona.frames import tell_dropped
from losona.judge.protocols import PROTOCOLS, Procedure
from losona.numbers import some
from losona.presets import related
from losona.run.options import NamedModel, RunOptions
from losona.run.preflight import check_model
from losona.run.record import Identity, RunRecord, git_revision, versions
from losona.scenarios import ScenarioSet, crossings, load_scenarios, select, verifiable
from losona.schema.scenario import Scenario
from losona.secrets import argument_without_secrets, without_secrets
from losona.taxonomy import Taxonomy, load_taxonomy
from losona.verifiers import gate_hash

BEYOND_LIMIT = "beyond --limit"
"""Why scenarios of the track are left out."""
CHARACTERS_PER_TOKEN = 4
"""For estimates before a call; English text."""


@dataclass(frozen=True)
class Call:
    """One reply that is wanted."""

    model: NamedModel
    """Subject."""
    condition: str
    """Condition."""
    transcript_id: str
    """Transcript."""
    epoch: int
    """Repeat, from 1."""


@dataclass(frozen=True)
class Plan:
    """A run worked out: its content and all its calls."""

    options: RunOptions
    """As asked."""
    taxonomy: Taxonomy
    """Packs."""
    style: PromptStyle
    """Prompts."""
    source: ScenarioSet
    """All scenarios of the source."""
    selected: tuple[Scenario, ...]
    """Those that are run, with the crossings of those under conflicting evidence."""
    left_out: dict[str, int]
    """Why others of the wanted arms and variants are not run -> how many."""

    @property
    def track(self) -> str:
        """`verifiable` or `judged`."""
        return "judged" if self.options.judge else "verifiable"

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """Those that are run, without crossings."""
        return tuple(s for s in self.selected if not s.crossed)

    @property
    def transcripts(self) -> dict[str, Scenario]:
        """One scenario for each distinct transcript."""
        return {s.transcript_id: s for s in reversed(self.selected)}

    def calls(self) -> list[Call]:
        """All calls, in order."""
        ids = list(dict.fromkeys(s.transcript_id for s in self.selected))
        return [
            Call(model, condition, transcript, epoch)
            for model in self.options.models
            for condition in self.options.conditions
            for epoch in range(1, self.options.epochs + 1)
            for transcript in ids
        ]

    def prompt_keys(self) -> list[tuple[str, int]]:
        """(prompt hash, epoch) of every call of one model."""
        return [
            (prompt_hash(render(scenario.visible, condition, self.style)), epoch)
            for condition in self.options.conditions
            for scenario in self.transcripts.values()
            for epoch in range(1, self.options.epochs + 1)
        ]

    def prompt_tokens(self) -> int:
        """Estimated tokens read by one model in one epoch."""
        return sum(
            len(message.content) // CHARACTERS_PER_TOKEN
            for condition in self.options.conditions
            for scenario in self.transcripts.values()
            for message in render(scenario.visible, condition, self.style)
        )

    def judge_calls(self) -> int:
        """Greatest number of judge calls for one model: gradings that code alone cannot decide, for each judge."""
        decided = set[str]()
        if not self.options.judge_validity:
            decided = {s.scenario_id for s in verifiable(self.selected, self.taxonomy)}
        open_ = sum(s.scenario_id not in decided for s in self.selected)
        return open_ * len(self.options.conditions) * self.options.epochs * len(self.options.judges)

    @property
    def procedure(self) -> Procedure:
        """How judges are asked."""
        protocol = PROTOCOLS[self.options.judge_protocol]
        return Procedure(self.taxonomy, self.style.templates, protocol, self.options.seed)

    def warnings(self) -> list[str]:
        """Judges that should not judge a subject of this run, in words."""
        return [
            f"--judge {judge} should not judge --model {model.id}: {reason}"
            for judge in self.options.judges
            for model in self.options.models
            if (reason := related(judge, model.id))
        ]

    def record(self) -> RunRecord:
        """The record of this run."""
        options = self.options
        stamp = now()
        return RunRecord(
            name=options.folder().name,
            created=stamp,
            changed=stamp,
            commands=(command_line(),),
            identity=_identity(self),
            models={model.name: model.id for model in options.models},
            provider_default=tuple(model.name for model in options.models if model.provider_default),
            conditions=options.conditions,
            variants=tuple(dict.fromkeys(s.variant for s in self.scenarios)),
            arms=tuple(dict.fromkeys(s.arm for s in self.scenarios if s.arm)),
            epochs=options.epochs,
            track=self.track,
            scenarios={
                "source": options.scenarios,
                "hash": self.source.hash,
                "n": len(self.scenarios),
                "crossings": len(self.selected) - len(self.scenarios),
                "transcripts": len(self.transcripts),
                "left_out": self.left_out,
                "skipped": list(self.source.skipped),
                "notes": dict(Counter(note for s in self.scenarios for note in s.notes)),
                "attribution": self.source.attribution,
            },
            versions=versions(),
            git=git_revision(Path.cwd()),
            limit=options.selection.limit,
        )


def _identity(plan: Plan) -> Identity:
    options = plan.options
    prompts = plan.style.templates.hashes()
    return Identity(
        benchmark_version=BENCHMARK_VERSION,
        packs={name: pack.hash for name, pack in plan.taxonomy.packs.items()},
        grading=_grading_hashes(plan),
        prompts={name: value for name, value in prompts.items() if _is_used(name, options.judge)},
        system_prompt=plan.style.system_prompt,
        rendering=options.rendering,
        judge=options.judges,
        judge_protocol=options.judge_protocol if options.judges else "",
        judge_validity=options.judge_validity,
        judge_max_tokens=options.judge_max_tokens if options.judges else None,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        model_args=without_secrets(options.model_args),
        seed=options.seed,
        unnamed_subject=options.unnamed_subject,
    )


def _is_used(template: str, judge: str | None) -> bool:
    """A template that subjects or the judge get."""
    return template == "subject" or template.startswith(("conditions/", "judge") if judge else "conditions/")


def _grading_hashes(plan: Plan) -> dict[str, str]:
    judge = {"judge": plan.procedure.hash} if plan.options.judges else {}
    return {"gate": gate_hash(), **judge}


def make_plan(options: RunOptions) -> Plan:
    """Work out a run. Raises `UserFault` where nothing could be run."""
    options = _checked(options)
    taxonomy = load_taxonomy(options.packs)
    source = load_scenarios(options.scenarios, taxonomy, options.unnamed_subject, options.skip_bad_rows)
    selected, left_out = _select(source, options, taxonomy)
    again = crossings(selected, source.scenarios)
    selected = (*selected, *(again if options.judge else verifiable(again, taxonomy)))
    return _with_prompts(Plan(options, taxonomy, options.style(), source, selected, left_out))


def plan_of(options: RunOptions, scenarios: Sequence[Scenario], taxonomy: Taxonomy) -> Plan:
    """A plan for scenarios that were chosen already, whoever can grade them."""
    options = _checked(options)
    source = ScenarioSet(options.scenarios, tuple(scenarios))
    return _with_prompts(Plan(options, taxonomy, options.style(), source, source.scenarios, {}))


def _checked(options: RunOptions) -> RunOptions:
    options = options.checked()
    for model in options.models:
        check_model(options.model_option, model.id)
    for judge in options.judges:
        check_model("--judge", judge)
    return options


def _with_prompts(plan: Plan) -> Plan:
    """The same; what is wrong with a judge, its template or a norm is said before anything is paid."""
    if plan.options.strict_judge and (found := plan.warnings()):
        raise UserFault(f"{found[0]}; choose another judge, or leave out --strict-judge to run all the same.")
    for scenario in plan.selected if plan.options.judges else ():
        _ = plan.procedure.question(scenario, "ok").messages
    return plan


def _select(
    source: ScenarioSet, options: RunOptions, taxonomy: Taxonomy
) -> tuple[tuple[Scenario, ...], dict[str, int]]:
    """The scenarios that are run, and how many of the wanted ones are not, by reason.

    The limit counts frames of the track that is run, so that a small run is not an empty one.
    """
    unlimited = type(options.selection)(options.selection.arms, options.selection.variants)
    wanted = select(source.scenarios, unlimited, taxonomy)
    track = wanted if options.judge else verifiable(wanted, taxonomy)
    chosen = select(track, options.selection, taxonomy)
    if not chosen:
        raise UserFault(f"--scenarios {options.scenarios}: {_nothing_to_run(source, len(wanted), options)}.")
    reasons = {"need a judge": len(wanted) - len(track), BEYOND_LIMIT: len(track) - len(chosen)}
    return chosen, {reason: n for reason, n in reasons.items() if n}


def _nothing_to_run(source: ScenarioSet, wanted: int, options: RunOptions) -> str:
    """Why nothing can be run: the wanted arms are dropped, there is nothing of the kind, or code cannot decide it."""
    arms = options.selection.arms
    if wanted:
        hint = "" if options.judge else ": code alone decides none of them; give --judge MODEL"
        return f"of {some(wanted, 'scenario')} with these arms and variants none can be run{hint}"
    gone = [name for name in source.dropped if not arms or name.rpartition("/")[2] in arms]
    told = "; ".join(tell_dropped({name: source.dropped[name] for name in gone}))
    return f"nothing of it can be run: {told}" if gone else "no scenario has these arms and variants"


def pending(calls: Sequence[Call], done: Mapping[tuple[str, str, str, int], bool]) -> list[Call]:
    """Calls without a reply. `done` tells for each key whether there is a reply (false: an error)."""
    return [c for c in calls if not done.get((c.model.id, c.condition, c.transcript_id, c.epoch))]


def command_line() -> str:
    """The command that was typed."""
    arguments = [argument_without_secrets(argument) for argument in sys.argv[1:]]
    return shlex.join(["losona", *arguments])


def prompt_rows(plan: Plan) -> list[dict[str, Any]]:
    """Every prompt with its key, for answers from elsewhere. Says nothing that a subject may not see."""
    return [
        {
            "prompt_hash": prompt_hash(messages),
            "epoch": epoch,
            "condition": condition,
            "transcript_id": transcript_id,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
        }
        for condition in plan.options.conditions
        for transcript_id, scenario in plan.transcripts.items()
        for messages in (render(scenario.visible, condition, plan.style),)
        for epoch in range(1, plan.options.epochs + 1)
    ]
