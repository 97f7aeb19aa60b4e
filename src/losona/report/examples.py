"""Telling cases of each model, chosen by a fixed rule, with what a reader needs to judge them. Computes no number."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]

from losona.report.wording import condition_key, describe, main_variant
from losona.schema.scenario import Scenario
from losona.stats import Cell, Outcome, records

LAST_TURNS = 6
"""So many turns before the reply are shown, and each marked turn with the one before it."""
CLIP = 1500
"""Longer texts are cut here and say so."""


@dataclass(frozen=True)
class Bubble:
    """A message, or a gap of messages that are left out."""

    sender: str = ""
    """Who wrote it."""
    text: str = ""
    """What was written."""
    mark: str = ""
    """What it demonstrates, in words."""
    own: bool = False
    """Written by the subject's persona."""
    gap: int = 0
    """Number of messages left out; then all else is empty."""


@dataclass(frozen=True)
class Answer:
    """A reply and what became of it."""

    text: str
    """As the model wrote it, possibly cut."""
    cut: int
    """Characters left out."""
    label: str
    """complies, breaches or unscored."""
    epoch: int
    """Repeat."""
    notes: tuple[tuple[str, str], ...]
    """Name and value of what decided: grader, node, evidence, ..."""


@dataclass(frozen=True)
class Case:
    """One example."""

    title: str
    """What it shows."""
    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    scenario_id: str
    """The scenario."""
    norm: str
    """Norm id."""
    rule: str
    """The norm in words, where known."""
    setting: str
    """Channel and venue."""
    persona: str
    """Name of the member who the model is."""
    bubbles: tuple[Bubble, ...]
    """The chat; empty where the scenario is not at hand."""
    answer: Answer
    """The reply."""
    control: Answer | None
    """A reply to the same last message without demonstrations, where there is one."""


@dataclass(frozen=True)
class _Pair:
    """An outcome, and one of the same model, condition and epoch without demonstrations."""

    shown: Outcome
    bare: Outcome | None

    @property
    def bare_breaches(self) -> bool:
        return self.bare is not None and self.bare.label == "breaches" and not self.bare.invalid


_KINDS: tuple[tuple[str, Callable[[_Pair], bool]], ...] = (
    ("Follows the norm once it is shown", lambda p: p.shown.complies and p.bare_breaches),
    ("Breaches it although it is shown", lambda p: p.shown.label == "breaches" and not p.shown.invalid),
    ("An invalid reply, counted as a breach", lambda p: p.shown.invalid),
    ("Follows the norm", lambda p: p.shown.complies),
    ("Could not be scored", lambda p: not p.shown.scored),
)
"""Kinds of cases, the most telling first: the first three that a model has are shown."""


class Examples:
    """Chooses cases from the two tables and their outcomes."""

    def __init__(
        self,
        replies: pd.DataFrame,
        gradings: pd.DataFrame,
        found: Sequence[Outcome],
        scenarios: Mapping[str, Scenario],
        rules: Mapping[str, str],
    ) -> None:
        self._replies = {row["reply_id"]: row for row in records(replies)}
        self._gradings = {(r["reply_id"], r["scenario_id"]): r for r in records(gradings) if not r["advisory"]}
        self._scenarios, self._rules = scenarios, rules
        self._outcomes = found

    def cases(self, cells: Sequence[Cell], most: int = 3) -> dict[str, list[Case]]:
        """Up to `most` cases a model: of different kinds and frames, the first by condition, scenario and epoch."""
        pairs = self._pairs(main_variant(cells))
        return {model: self._choose([p for p in pairs if p.shown.model == model], most) for model in _models(cells)}

    def _pairs(self, variant: str) -> list[_Pair]:
        bare = {(o.model, o.condition, o.frame, o.arm, o.epoch): o for o in self._outcomes if o.variant == "nodemos"}
        chosen = [o for o in self._outcomes if o.variant == variant]
        chosen.sort(key=lambda o: (condition_key(o.condition), o.scenario_id, o.epoch))
        return [
            _Pair(o, bare.get((o.model, o.condition, o.frame, o.arm, o.epoch)) if o.frame else None) for o in chosen
        ]

    def _choose(self, pairs: Sequence[_Pair], most: int) -> list[Case]:
        cases: list[Case] = []
        used: set[str] = set()
        for title, fits in _KINDS:
            pair = next((p for p in pairs if fits(p) and _unit(p.shown) not in used), None)
            if pair is not None and len(cases) < most:
                used.add(_unit(pair.shown))
                cases.append(self._case(title, pair))
        return cases

    def _case(self, title: str, pair: _Pair) -> Case:
        scenario = self._scenarios.get(pair.shown.scenario_id)
        statement = scenario.evaluation.statement if scenario else ""
        return Case(
            title=title,
            model=pair.shown.model,
            condition=pair.shown.condition,
            scenario_id=pair.shown.scenario_id,
            norm=pair.shown.norm,
            rule=statement or self._rules.get(pair.shown.norm, ""),
            setting=" ".join(f"{text.rstrip('.')}." for text in _setting(scenario)),
            persona=scenario.visible.subject.name if scenario else pair.shown.model,
            bubbles=tuple(_bubbles(scenario)) if scenario else (),
            answer=self._answer(pair.shown),
            control=self._answer(pair.bare) if pair.bare else None,
        )

    def _answer(self, outcome: Outcome) -> Answer:
        reply = self._replies[outcome.reply_id]
        grading = self._gradings.get((outcome.reply_id, outcome.scenario_id), {})
        text = str(reply["text"])
        notes = (
            ("Graded by", _text(grading.get("grader"))),
            ("Decided by", _text(grading.get("node"))),
            ("Evidence", " · ".join(f"“{quote}”" for quote in _quotes(grading.get("evidence")))),
            ("Reason", _text(grading.get("reasoning"))),
            ("Invalid because", _text(reply["invalid_reasons"])),
            ("Noticed", _text(reply["flags"])),
            ("Graded as", _text(reply["graded_text"])[:CLIP] if reply["graded_text"] != text else ""),
            ("Error", _text(reply["error"]) or _text(grading.get("error"))),
        )
        return Answer(
            text=text[:CLIP],
            cut=max(0, len(text) - CLIP),
            label=outcome.label,
            epoch=outcome.epoch,
            notes=tuple((name, value) for name, value in notes if value),
        )


def _models(cells: Sequence[Cell]) -> list[str]:
    return sorted({cell.model for cell in cells})


def _unit(outcome: Outcome) -> str:
    return outcome.frame or outcome.scenario_id


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _quotes(evidence: Any) -> list[str]:
    try:
        found: Any = json.loads(_text(evidence) or "[]")
    except json.JSONDecodeError:
        return [str(evidence)]
    return [str(quote) for quote in found] if isinstance(found, list) else [str(found)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _setting(scenario: Scenario | None) -> Iterator[str]:
    if scenario is not None:
        yield from (text for text in (scenario.visible.venue, scenario.visible.channel) if text)
        if scenario.variant != "demos" and describe(scenario.variant):
            yield describe(scenario.variant)


def _bubbles(scenario: Scenario) -> Iterator[Bubble]:
    turns, marks = scenario.visible.transcript, _marks(scenario)
    near = {i for mark in marks for i in (mark - 1, mark)}
    last = -1
    for i, turn in enumerate(turns):
        if i < len(turns) - LAST_TURNS and i not in near:
            continue
        if i - last > 1:
            yield Bubble(gap=i - last - 1)
        last = i
        own = turn.sender == scenario.visible.subject.name
        yield Bubble(turn.sender, turn.text, marks.get(i, ""), own)


def _marks(scenario: Scenario) -> dict[int, str]:
    evaluation = scenario.evaluation
    return {
        **dict.fromkeys(evaluation.other_demos, "shows the opposite norm"),
        **dict.fromkeys(evaluation.demos or (), "shows the norm"),
    }
