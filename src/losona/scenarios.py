"""What `--scenarios` names -> scenarios: the shipped set, frame files, JSON Lines, or the public release on a hub.

Knows sources and selection. Does not know what a run does with them.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from losona.errors import ContentError, UserFault
from losona.frames import CONFLICTING, SHIPPED_FRAMES, crossing, derive, dropped_arms, read_frame, tell_dropped
from losona.official import ATTRIBUTION, Import, read_rows
from losona.schema.scenario import Scenario
from losona.schema.taxonomy import Norm
from losona.taxonomy import Taxonomy
from losona.textfiles import read_jsonl, read_text
from losona.validation import told
from losona.verifiers import decided_by_code

SHIPPED = "shipped"
RELEASE_FILE, MANIFEST = "scenarios.jsonl", "manifest.json"
"""Files of a release."""
RELEASE_REVISION = "88d0846588c967e990157de06477595224f427da"


@dataclass(frozen=True)
class ScenarioSet:
    """Scenarios from one source."""

    source: str
    """What was named."""
    scenarios: tuple[Scenario, ...]
    """In the order of the source."""
    skipped: tuple[str, ...] = ()
    """Faults of rows that were left out."""
    notes: dict[str, int] = field(default_factory=dict[str, int])
    """How many scenarios carry each note."""
    attribution: str = ""
    """To be shown with every result from it."""
    dropped: dict[str, str] = field(default_factory=dict[str, str])
    """`FRAME/ARM` -> why it gives no scenario."""

    @property
    def hash(self) -> str:
        """Hash (16 hex digits) over all scenarios."""
        digest = hashlib.sha256()
        for scenario in sorted(self.scenarios, key=lambda s: s.scenario_id):
            digest.update(scenario.model_dump_json(by_alias=True).encode() + b"\n")
        return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Selection:
    """Which scenarios of a set are wanted. Empty means all."""

    arms: tuple[str, ...] = ()
    """a, b."""
    variants: tuple[str, ...] = ()
    """Variant names."""
    limit: int | None = None
    """At most so many frames (or rows of a release), spread over norm families."""


def load_scenarios(
    source: str, taxonomy: Taxonomy, unnamed_subject: str = "", skip_bad_rows: bool = False
) -> ScenarioSet:
    """Scenarios of a source: `shipped`, a frame file, a folder of frames or of a release, a `.jsonl` file, or
    `hf:OWNER/NAME[@REV]`.

    Raises `ContentError` naming file, line and what is wrong.
    """
    if source.startswith("hf:"):
        rows = list(_hub_rows(source))
        return _from_import(source, read_rows(rows, taxonomy, unnamed_subject, skip_bad_rows))
    path = SHIPPED_FRAMES if source == SHIPPED else Path(source)
    if not path.exists() and source in shipped_frames():
        path = shipped_frames()[source]
    if not path.exists() or (path.is_file() and path.suffix not in (".yaml", ".jsonl")):
        fault = "this is no source of scenarios" if path.exists() else "there is no such file or folder"
        raise UserFault(
            f"--scenarios {source}: {fault}; give a frame (.yaml, or the id of a shipped one), a folder of frames, a "
            ".jsonl file, hf:OWNER/NAME, or leave it out for the shipped frames."
        )
    if path.is_dir() and all((path / name).is_file() for name in (RELEASE_FILE, MANIFEST)):
        path = _released(path)
    if path.suffix == ".jsonl":
        return _from_jsonl(path, taxonomy, unnamed_subject, skip_bad_rows)
    frames = [read_frame(found) for found in frame_paths([path])]
    scenarios = _unique(scenario for frame in frames for scenario in derive(frame, taxonomy))
    return ScenarioSet(source, scenarios, dropped=dropped_arms(frames))


def not_found(scenario_id: str, source: ScenarioSet) -> str | None:
    """Why there is no scenario with this id, where its arm is dropped."""
    arm = scenario_id.rpartition("/")[0]
    return f"{scenario_id}: {tell_dropped({arm: source.dropped[arm]})[0]}." if arm in source.dropped else None


def shipped_frames() -> dict[str, Path]:
    """Frame id -> file, for the frames that the package ships."""
    return {path.stem: path for path in sorted(SHIPPED_FRAMES.glob("*.yaml"))}


def _released(folder: Path) -> Path:
    """The scenarios of a release, if they are as they were released; else a `ContentError`."""
    path, manifest = folder / RELEASE_FILE, folder / MANIFEST
    try:
        listed = json.loads(read_text(manifest))["sha256"][RELEASE_FILE]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise ContentError(f"{manifest}: this is no manifest of a release; name {path} itself.") from None
    if hashlib.sha256(path.read_bytes()).hexdigest() != listed:
        raise ContentError(
            f"{path}: changed since the release, as {MANIFEST} says; restore it, or name the file itself."
        )
    return path


def frame_paths(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Frame files among files and folders, sorted; a `UserFault` when there is none."""
    found: list[Path] = []
    for path in paths:
        found.extend(sorted(path.glob("*.yaml")) if path.is_dir() else [path])
        if path.is_dir() and not any(path.glob("*.yaml")):
            inside = next((path / name for name in ("frames", RELEASE_FILE) if (path / name).exists()), None)
            hint = f"did you mean {inside}? " if inside else ""
            raise UserFault(f"{path}: this folder holds no frame; {hint}A frame is a file ending in .yaml.")
    return tuple(dict.fromkeys(found))


def _unique(scenarios: Iterable[Scenario]) -> tuple[Scenario, ...]:
    result: dict[str, Scenario] = {}
    for scenario in scenarios:
        if scenario.scenario_id in result:
            raise ContentError(f"scenario_id {scenario.scenario_id!r} exists twice in the source; ids are unique.")
        result[scenario.scenario_id] = scenario
    return tuple(result.values())


def _from_import(source: str, imported: Import) -> ScenarioSet:
    return ScenarioSet(source, imported.scenarios, imported.skipped, imported.counts, ATTRIBUTION)


def _from_jsonl(path: Path, taxonomy: Taxonomy, unnamed_subject: str, skip_bad_rows: bool) -> ScenarioSet:
    rows = list(read_jsonl(path))
    if not rows:
        raise ContentError(f"{path}: the file holds no row.")
    if any(isinstance(data, dict) and "visible" in data for _, data in rows):
        return ScenarioSet(str(path), _unique(_derived(rows)))
    return _from_import(str(path), read_rows(rows, taxonomy, unnamed_subject, skip_bad_rows))


def _derived(rows: Iterable[tuple[str, Any]]) -> Iterator[Scenario]:
    for place, data in rows:
        if isinstance(data, ContentError):
            raise data
        try:
            yield Scenario.model_validate(data)
        except ValidationError as error:
            raise ContentError(f"{place}: {told(error.errors()[0], Scenario)}") from None


def _hub_rows(source: str) -> Iterator[tuple[str, Any]]:
    """Rows of a data set on the hub: its .jsonl, .json and .parquet files, at a pinned revision."""
    import pandas as pd
    from huggingface_hub import snapshot_download  # pyright: ignore[reportUnknownVariableType]
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    name, _, revision = source.removeprefix("hf:").partition("@")
    if name.count("/") != 1:
        raise UserFault(f"--scenarios {source}: write hf:OWNER/NAME or hf:OWNER/NAME@REVISION.")
    revision = revision or (RELEASE_REVISION if name == "Humalike-ai/LoSoNA" else "main")
    try:
        folder = snapshot_download(
            name, repo_type="dataset", revision=revision, allow_patterns=["*.jsonl", "*.json", "*.parquet"]
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserFault(f"--scenarios {source}: revision {revision} cannot be had from the hub: {reason}") from None
    files = sorted(path for path in Path(folder).rglob("*") if path.suffix in (".jsonl", ".json", ".parquet"))
    if not files:
        raise UserFault(f"--scenarios {source}: revision {revision} holds no .jsonl, .json or .parquet file.")
    for path in files:
        shown = f"{source}:{path.relative_to(folder)}"
        if path.suffix == ".jsonl":
            yield from read_jsonl(path, shown)
        elif path.suffix == ".json":
            yield from _json_rows(path, shown)
        else:
            try:
                frame = pd.read_parquet(path)
            except (OSError, ValueError) as error:
                raise ContentError(f"{shown}: this is no parquet file that can be read ({error}).") from None
            text = frame.to_json(orient="records", lines=True, force_ascii=False)
            yield from ((f"{shown}:{i}", json.loads(line)) for i, line in enumerate(text.split("\n"), 1) if line)


def _json_rows(path: Path, shown: str) -> Iterator[tuple[str, Any]]:
    try:
        data = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ContentError(f"{shown}: not valid JSON ({error}).") from None
    if isinstance(data, list):
        yield from ((f"{shown}:{i}", row) for i, row in enumerate(cast(list[Any], data), 1))


def select(scenarios: Sequence[Scenario], selection: Selection, taxonomy: Taxonomy) -> tuple[Scenario, ...]:
    """The wanted scenarios, in order.

    Raises `UserFault` when an arm or variant is wanted that no scenario has.
    """
    known = {s.variant for s in scenarios if s.source == "frame"}
    for variant in selection.variants:
        if known and variant not in known:
            raise UserFault(f"--variant {variant}: no scenario has it; there are {', '.join(sorted(known))}.")
    chosen = [
        s
        for s in scenarios
        if (not selection.arms or s.arm is None or s.arm in selection.arms)
        and (not selection.variants or s.source == "official" or s.variant in selection.variants)
    ]
    if selection.limit is not None:
        units = set(_spread(chosen, taxonomy)[: selection.limit])
        chosen = [s for s in chosen if _unit(s) in units]
    return tuple(chosen)


def crossings(chosen: Sequence[Scenario], every: Sequence[Scenario]) -> tuple[Scenario, ...]:
    """The chosen scenarios under conflicting evidence once more, to be graded by the norm of the frame's other arm.

    `every` holds the scenarios of the source: a frame without that arm has no crossing.
    """
    other = {(s.frame, s.variant, s.arm): s for s in every if s.frame and s.variant in CONFLICTING}
    found = ((s, other.get((s.frame or "", s.variant, "b" if s.arm == "a" else "a"))) for s in chosen)
    return tuple(crossing(shown, norm) for shown, norm in found if norm is not None)


def _unit(scenario: Scenario) -> str:
    return scenario.frame or scenario.scenario_id


def _spread(scenarios: Sequence[Scenario], taxonomy: Taxonomy) -> list[str]:
    """Frames (or rows), those with most arms first, one from each norm family in turn."""
    arms: dict[str, set[str | None]] = {}
    families: dict[str, list[str]] = {}
    for scenario in scenarios:
        unit = _unit(scenario)
        if unit not in arms:
            families.setdefault(_family(scenario, taxonomy), []).append(unit)
        arms.setdefault(unit, set()).add(scenario.arm)
    columns = [sorted(units, key=lambda unit: -len(arms[unit])) for units in families.values()]
    columns.sort(key=lambda units: -len(arms[units[0]]))
    return [unit for row in zip_longest(*columns) for unit in row if unit is not None]


def _family(scenario: Scenario, taxonomy: Taxonomy) -> str:
    norm: Norm | None = taxonomy.norms.get(scenario.evaluation.norm)
    return norm.family if norm else scenario.evaluation.norm


def verifiable(scenarios: Sequence[Scenario], taxonomy: Taxonomy) -> tuple[Scenario, ...]:
    """The verifiable track: scenarios that code alone decides."""
    return tuple(s for s in scenarios if decided_by_code(s, taxonomy))
