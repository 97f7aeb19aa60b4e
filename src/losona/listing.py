"""What `losona list`, `show` and `derive` are about: rows, records found by id, and JSON lines. Prints nothing."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from losona.conditions import CONDITIONS
from losona.errors import UserFault
from losona.frames import derive, dropped_arms, expectation, read_frame, tell_dropped
from losona.official import to_row
from losona.presets import presets
from losona.scenarios import (
    SHIPPED,
    SHIPPED_FRAMES,
    ScenarioSet,
    Selection,
    frame_paths,
    load_scenarios,
    not_found,
    select,
)
from losona.schema.frame import Frame
from losona.schema.scenario import Scenario
from losona.schema.taxonomy import Event, Norm, Venue
from losona.taxonomy import Taxonomy
from losona.taxonomy.load import unknown
from losona.textfiles import listed

Row = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """Where scenarios are looked for."""

    name: str = SHIPPED
    """As `--scenarios` names it."""
    unnamed_subject: str = ""
    """Name for subjects of release rows that give none."""
    skip_bad_rows: bool = False
    """Leave out malformed rows of a release."""

    def load(self, taxonomy: Taxonomy) -> ScenarioSet:
        """Its scenarios."""
        return load_scenarios(self.name, taxonomy, self.unnamed_subject, self.skip_bad_rows)


def rows(kind: str, taxonomy: Taxonomy, source: Source = Source()) -> list[Row]:
    """Rows of a kind, with equal keys."""
    match kind:
        case "packs":
            return [_pack_row(name, taxonomy) for name in taxonomy.packs]
        case "events":
            return [_event_row(name, e) for name, pack in taxonomy.packs.items() for e in pack.events.values()]
        case "norms":
            return [_norm_row(name, n) for name, pack in taxonomy.packs.items() for n in pack.norms.values()]
        case "venues":
            return [
                {"id": v.id, "platform": v.platform, "kind": v.kind, "group": v.group} for v in taxonomy.venues.values()
            ]
        case "conditions":
            return [{"id": name, "hint": hint} for name, hint in CONDITIONS.items()]
        case "models":
            return [_model_row(preset.model_dump()) for preset in presets()]
        case _:
            return [_scenario_row(s, taxonomy) for s in source.load(taxonomy).scenarios]


def _pack_row(name: str, taxonomy: Taxonomy) -> Row:
    pack = taxonomy.packs[name]
    sizes = {
        "norms": len(pack.norms),
        "events": len(pack.events),
        "venues": len(pack.venues),
        "probes": len(taxonomy.probes[name]),
    }
    return {"id": name, **sizes, "version": pack.info.version, "hash": pack.hash, "title": pack.info.title}


def _event_row(pack: str, event: Event) -> Row:
    return {"pack": pack, "id": event.id, "name": event.name, "positions": "/".join(event.subject_positions)}


def _norm_row(pack: str, norm: Norm) -> Row:
    return {
        "pack": pack, "id": norm.id, "level": norm.level, "check": norm.check.mode, "counter": norm.counter or "",
        "events": len(norm.applicable_events), "name": norm.name,
    }  # fmt: skip


def _model_row(preset: Row) -> Row:
    temperature = "provider default" if preset["temperature"] is None else preset["temperature"]
    return {**preset, "temperature": temperature, "judge_not": ", ".join(preset["judge_not"])}


def _scenario_row(scenario: Scenario, taxonomy: Taxonomy) -> Row:
    norm = taxonomy.norms.get(scenario.evaluation.norm)
    return {
        "id": scenario.scenario_id, "event": scenario.evaluation.event, "norm": scenario.evaluation.norm,
        "level": norm.level if norm else "", "check": norm.check.mode if norm and scenario.frame else "judge",
        "expectation": scenario.evaluation.expectation, "turns": len(scenario.visible.transcript),
        "transcript": scenario.transcript_id,
    }  # fmt: skip


def find(name: str, taxonomy: Taxonomy, source: Source = Source()) -> Norm | Event | Venue | Frame | Scenario:
    """The record with this id, or the frame of a file. Raises `UserFault` with near ids when there is none."""
    if name.endswith(".yaml"):
        return read_frame(Path(name))
    if name in taxonomy.norms:
        return taxonomy.norms[name]
    if name in taxonomy.venues:
        return taxonomy.venues[name]
    if event := _event(name, taxonomy):
        return event
    if "/" not in name and (frame := _frame(name, source.name)):
        return frame
    loaded = source.load(taxonomy)
    scenarios = {s.scenario_id: s for s in loaded.scenarios}
    if name in scenarios:
        return scenarios[name]
    events = [event for pack in taxonomy.packs.values() for event in pack.events]
    known = [*taxonomy.norms, *taxonomy.venues, *events, *scenarios, *{s.frame for s in scenarios.values() if s.frame}]
    if fault := not_found(name, loaded):
        raise UserFault(fault)
    fault = unknown("norm, event, venue, frame or scenario", name, known, "losona list KIND")
    own = " A frame of your own: give its file, or --scenarios FOLDER." if source.name == SHIPPED else ""
    raise UserFault(fault + own)


def _event(name: str, taxonomy: Taxonomy) -> Event | None:
    """An event by `id` or `pack/id`; the core pack first where both have it."""
    pack, _, event = name.rpartition("/")
    packs = [pack] if pack in taxonomy.packs else [] if pack else list(taxonomy.packs)
    return next((taxonomy.packs[p].events[event] for p in packs if event in taxonomy.packs[p].events), None)


def _frame(name: str, source: str) -> Frame | None:
    paths = _frame_files(source)
    return next((read_frame(path) for path in paths if path.stem == name), None)


def _frame_files(source: str) -> Iterable[Path]:
    if source == SHIPPED:
        return frame_paths([SHIPPED_FRAMES])
    path = Path(source)
    return frame_paths([path]) if path.is_dir() or path.suffix == ".yaml" else ()


def derived_lines(
    frames: Sequence[Path], form: str, arms: tuple[str, ...], variants: tuple[str, ...], taxonomy: Taxonomy
) -> tuple[list[str], list[str]]:
    """Scenarios of frames as JSON lines, in our format or in the columns of the public release; and what is left out.

    Release rows mean that the norm is shown and applies, so only `demos` is exported by default, and variants in
    which it is not shown or does not apply are refused.
    """
    official = form == "official"
    if official and (odd := [v for v in variants if expectation(v) != "applies"]):
        raise UserFault(
            f"--variant {odd[0]}: a release row cannot say that its norm is not shown or does not apply; leave it out, "
            "or use --format scenario."
        )
    wanted = Selection(arms, variants or (("demos",) if official else ()))
    read = [read_frame(path) for path in frame_paths(frames)]
    gone = tell_dropped(dropped_arms(read, arms))
    chosen = select([s for frame in read for s in derive(frame, taxonomy)], wanted, taxonomy)
    if not chosen:
        raise UserFault(f"nothing is derived: {listed(gone) if gone else 'no scenario has these arms and variants.'}")
    if official:
        return [json.dumps(to_row(s, taxonomy), ensure_ascii=False) for s in chosen], gone
    return [s.model_dump_json(by_alias=True) for s in chosen], gone
