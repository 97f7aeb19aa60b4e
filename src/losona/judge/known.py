"""Replies of known label: the references of frames and the probes of packs, each as a question to a judge. Pure.

Knows where labels come from. Does not ask; nothing of what is here but scenario and reply may reach a judge.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from typing import Literal

from losona.schema.frame import Reference
from losona.schema.scenario import Evaluation, Scenario, Visible, VisiblePerson, VisibleTurn
from losona.schema.taxonomy import Probe
from losona.taxonomy import Taxonomy
from losona.verifiers import context_of, decided_by_code, validity

Label = Literal["complies", "breaches"]
REFERENCES = "references"
"""Name of the round that the references of frames make."""


@dataclass(frozen=True)
class Known:
    """One reply whose label is known."""

    id: str
    """SCENARIO/comply/NUMBER or PACK/NORM/ROUND.NUMBER/comply/NUMBER; not shown to a judge."""
    scenario: Scenario
    """What it is graded by."""
    reply: str
    """The reply as it is graded."""
    label: Label
    """What it is."""
    kind: str
    """plain, borderline, generic, counter, near_miss, ... of a reference; adherent, breaching, near_miss of a probe."""
    round: str
    """`references`, or the probes' round."""
    family: str = ""
    """Family of the norm; the norm itself where no pack knows it."""
    mode: str = ""
    """Who decides such a reply in a run: exact (code), partial, judge, or off (the norm is out of scope)."""


def known_replies(scenarios: Sequence[Scenario], taxonomy: Taxonomy, rounds: Sequence[str] = ()) -> list[Known]:
    """References of these scenarios and all probes, or those of some rounds; replies that the gate refuses left out."""
    found = (*_references(scenarios), *_probes(taxonomy))
    return [known for case in found if not rounds or case.round in rounds for known in _graded(case, taxonomy)]


def all_rounds(taxonomy: Taxonomy) -> list[str]:
    """Names of the rounds that there are."""
    return [REFERENCES, *sorted({probe.round for pack in taxonomy.probes.values() for probe in pack})]


def spread(known: Sequence[Known], limit: int | None, seed: int) -> list[Known]:
    """At most so many, drawn at random and in turn from each family, label and kind."""
    if limit is None or limit >= len(known):
        return list(known)
    drawn = sorted(known, key=lambda case: (_stratum(case), _draw(case.id, seed)))
    strata = [list(group) for _, group in groupby(drawn, _stratum)]
    strata.sort(key=lambda group: _draw(group[0].id, seed))
    return [case for row in zip_longest(*strata) for case in row if case is not None][:limit]


def _stratum(case: Known) -> tuple[str, str, str]:
    return case.family, case.label, case.kind


def _draw(text: str, seed: int) -> str:
    return hashlib.sha256(f"{seed}|{text}".encode()).hexdigest()


def _graded(case: Known, taxonomy: Taxonomy) -> Iterator[Known]:
    gate = validity(case.reply, context_of(case.scenario), case.scenario.evaluation.language)
    if gate.valid:
        norm = taxonomy.norms.get(case.scenario.evaluation.norm)
        family = norm.family if norm else case.scenario.evaluation.norm
        yield replace(case, reply=gate.text, family=family, mode=_mode(case.scenario, taxonomy))


def _mode(scenario: Scenario, taxonomy: Taxonomy) -> str:
    if decided_by_code(scenario, taxonomy):
        return "exact"
    if scenario.evaluation.expectation == "out_of_scope":
        return "off"
    norm = taxonomy.norms.get(scenario.evaluation.norm)
    return norm.check.mode if norm and not scenario.evaluation.statement else "judge"


def _references(scenarios: Sequence[Scenario]) -> Iterator[Known]:
    """Those of the arms from `demos`, those of the off elicitor from `off`, by each arm's norm."""
    for scenario in scenarios:
        references = scenario.evaluation.references
        if references is None or scenario.variant not in ("demos", "off"):
            continue
        other = f"misapplied_{'b' if scenario.arm == 'a' else 'a'}"
        labelled: list[tuple[str, Label, tuple[Reference, ...]]] = [
            ("comply", "complies", references.comply),
            ("breach", "breaches", references.breach),
        ]
        for name, label, entries in labelled:
            for number, entry in enumerate(entries, 1):
                if not (scenario.variant == "off" and entry.kind == other):
                    asked, place = _with_params(scenario, entry), f"{scenario.scenario_id}/{name}/{number}"
                    yield Known(place, asked, entry.text, label, entry.kind, REFERENCES)


def _with_params(scenario: Scenario, entry: Reference) -> Scenario:
    params = {**scenario.evaluation.params, **entry.params}
    return scenario.model_copy(update={"evaluation": scenario.evaluation.model_copy(update={"params": params})})


def _probes(taxonomy: Taxonomy) -> Iterator[Known]:
    for pack, probes in taxonomy.probes.items():
        numbers = Counter[str]()
        for probe in probes:
            place = f"{pack}/{probe.norm}/{probe.round}"
            numbers[place] += 1
            scenario = scenario_of(probe, pack, f"{place}.{numbers[place]}")
            for kind, label, reply, name in _labelled(probe):
                yield Known(f"{scenario.scenario_id}/{name}", scenario, reply, label, kind, probe.round)


def _labelled(probe: Probe) -> Iterator[tuple[str, Label, str, str]]:
    """Kind, label, reply and name of each reply."""
    for number, reply in enumerate(probe.adherent, 1):
        yield "adherent", "complies", reply, f"comply/{number}"
    for number, reply in enumerate(probe.breaching, 1):
        yield "breaching", "breaches", reply, f"breach/{number}"
    for number, reply in enumerate(probe.near_miss, 1):
        yield "near_miss", "breaches", reply, f"near_miss/{number}"


def scenario_of(probe: Probe, pack: str, scenario_id: str) -> Scenario:
    """A probe's mini-context as a scenario in which the norm applies."""
    turns = [_turn(text, probe) for text in probe.prior_texts]
    if not turns or turns[-1].text != probe.elicitor:
        turns.append(VisibleTurn.of(_asker(probe), probe.elicitor))
    others = tuple(VisiblePerson(name=name) for name in probe.roster if name != probe.subject)
    return Scenario(
        scenario_id=scenario_id,
        variant="probe",
        source="frame",
        visible=Visible(subject=VisiblePerson(name=probe.subject), cast=others, transcript=tuple(turns)),
        evaluation=Evaluation(pack=pack, event="", norm=probe.norm, expectation="applies", params=probe.params),
    )


def _turn(text: str, probe: Probe) -> VisibleTurn:
    """An earlier message `Name: text`; the longest name of the roster counts."""
    names = sorted((name for name in probe.roster if text.startswith(f"{name}: ")), key=len)
    return VisibleTurn.of(names[-1], text[len(names[-1]) + 2 :]) if names else VisibleTurn.of(_asker(probe), text)


def _asker(probe: Probe) -> str:
    """Who writes the last message where the probe does not say: the first other member."""
    return next((name for name in probe.roster if name != probe.subject), "")


def by_id(known: Iterable[Known]) -> dict[str, Known]:
    """Cases by id."""
    return {case.id: case for case in known}
