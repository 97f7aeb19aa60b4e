"""`run.json`: everything that is needed to repeat a run, and what must not change when it goes on.

Knows the file. Does not know how a run is carried out.
"""

import hashlib
import json
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from pydantic import Field

from losona import __version__
from losona.errors import RunRefused
from losona.schema._base import Record
from losona.schema.scenario import Scenario
from losona.textfiles import read_json, read_records, write_atomically

FILE = "run.json"
SCENARIOS_FILE = "scenarios.jsonl"
SCHEMA_VERSION = "1"
TABLES_OF_HASHES = ("packs", "grading", "prompts")
"""Parts of an identity that may gain entries when a run goes on."""


class Identity(Record):
    """What makes replies comparable. A run goes on only with an equal one."""

    benchmark_version: str
    """N-X; N is the comparability number."""
    packs: dict[str, str]
    """Pack id -> hash of its content."""
    grading: dict[str, str]
    """Hash of the validity gate's content, and of the judge's prompts and protocol where there is a judge."""
    prompts: dict[str, str]
    """Template name -> hash, for templates that subjects or the judge get."""
    system_prompt: str = ""
    """Text of the user's own agent."""
    rendering: str
    """text or turns."""
    judge: tuple[str, ...]
    """Judge models, several as a panel; none: code alone grades."""
    judge_protocol: str = ""
    """losona or paper; empty without a judge."""
    judge_validity: bool = False
    """Judges were asked about replies that code decided whether a member could have sent them."""
    judge_max_tokens: int | None
    """Bound on a verdict; none without a judge."""
    temperature: float | None
    """None: the provider's default."""
    max_tokens: int
    """Bound on a reply."""
    model_args: dict[str, Any]
    """Passed to every subject's provider."""
    seed: int
    """Base of the seeds."""
    unnamed_subject: str = ""
    """Name for subjects of rows that give none."""


class Unit(Record):
    """One block of scenarios that a sequential test has looked at."""

    block: str
    """Its norms."""
    difference: float
    """Mean label of the first model less that of the second."""
    e_first: float
    """e-value after it, against "the first is not ahead"."""
    e_second: float
    """The same against "the second is not ahead"."""


class Decision(Record):
    """How far a sequential test of one claim has come."""

    claim: str
    """FIRST>SECOND on CONDITION:VARIANT."""
    first: str
    """Name of the model that is said to be ahead."""
    second: str
    """Name of the other."""
    condition: str
    """Condition of the prompts."""
    variant: str
    """Variant of the scenarios."""
    said: str
    """first, second or undecided."""
    e_first: float
    """e-value at the decision, or now."""
    e_second: float
    """The same for the reverse."""
    bound: float
    """What an e-value must reach."""
    mean: float
    """Mean difference over the blocks."""
    low: float
    """Lower end of its anytime-valid interval."""
    high: float
    """Upper end."""
    part: int
    """Pass that decided, or that the numbers are from: 1 looks at a frame of each block, 2 at whole blocks."""
    steps: int
    """Steps that were taken."""
    units: int
    """Blocks that were looked at until the decision."""
    scenarios: int
    """Scenarios that were asked."""
    available: int
    """Scenarios that the budget would have allowed."""
    calls: int
    """Replies of both models."""
    seed: int
    """Draws the order of blocks."""
    path: tuple[Unit, ...]
    """Blocks in the order in which they came."""


class RunRecord(Record):
    """The record of a run."""

    schema_version: str = SCHEMA_VERSION
    """Version of this format."""
    name: str
    """Name of its folder."""
    created: str
    """ISO 8601, UTC."""
    changed: str
    """ISO 8601, UTC."""
    commands: tuple[str, ...]
    """Commands that made it, in order."""
    identity: Identity
    """What must stay equal."""
    models: dict[str, str]
    """Name in tables -> the provider's string."""
    provider_default: tuple[str, ...] = ()
    """Names of models that used the provider's own temperature."""
    conditions: tuple[str, ...]
    """Conditions run so far."""
    variants: tuple[str, ...]
    """Variants run so far."""
    arms: tuple[str, ...]
    """Arms run so far."""
    epochs: int
    """Greatest number of replies for each transcript and condition."""
    track: str
    """`verifiable`: code alone grades; `judged`."""
    scenarios: dict[str, Any]
    """Source, hash, n, n left out and why, notes, attribution."""
    versions: dict[str, str]
    """Of losona, Inspect and Python."""
    audits: dict[str, Any] = {}
    """Judge, or `panel` -> its newest audit with the prompts of this run; none where there is none."""
    git: str = ""
    """Revision of the working folder, where it is a repository."""
    limit: int | None = Field(default=None)
    """Greatest number of frames or rows; none: all."""
    decisions: dict[str, Decision] = {}
    """Claims that the run was to decide, and how far they are."""


def versions() -> dict[str, str]:
    """Versions of what the run depends on."""
    import platform

    return {"losona": __version__, "inspect_ai": version("inspect_ai"), "python": platform.python_version()}


def git_revision(folder: Path) -> str:
    """Revision of the repository that holds a folder, `+` when it has changes; empty without one."""
    try:
        revision = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=12"],
            cwd=folder, capture_output=True, text=True, timeout=5, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return revision.stdout.strip()


def read_record(folder: Path) -> RunRecord | None:
    """The record of a run folder; none when there is no run yet."""
    path = folder / FILE
    if not path.exists():
        return None
    record = read_json(path, RunRecord, "restore the file or take another folder")
    if record.schema_version != SCHEMA_VERSION:
        raise RunRefused(
            f"{path}: schema_version {record.schema_version!r} is not {SCHEMA_VERSION!r}, which this losona reads; "
            "use the losona that wrote it, or take another folder."
        )
    return record


def read_scenarios(folder: Path) -> dict[str, Scenario]:
    """The scenarios that a run has used so far, by id."""
    remedy = "restore the file, or take another folder"
    return {scenario.scenario_id: scenario for scenario in read_records(folder / SCENARIOS_FILE, Scenario, remedy)}


def write_record(folder: Path, record: RunRecord, scenarios: Mapping[str, Scenario]) -> None:
    """Write scenarios, then the record."""
    lines = [scenarios[name].model_dump_json(by_alias=True) + "\n" for name in sorted(scenarios)]
    write_atomically(folder / SCENARIOS_FILE, "".join(lines))
    write_atomically(folder / FILE, record.model_dump_json(indent=2) + "\n")


def stamp(identity: Identity) -> str:
    """Hash (16 hex digits) of what must be equal in all logs of a run; each log carries it."""
    kept = identity.model_dump(exclude=set(TABLES_OF_HASHES))
    return hashlib.sha256(json.dumps(kept, sort_keys=True, default=str).encode()).hexdigest()[:16]


def record_decision(folder: Path, decision: Decision) -> RunRecord:
    """Put a decision into the record of a run that is there."""
    record = read_record(folder)
    assert record is not None
    record = record.model_copy(update={"decisions": {**record.decisions, decision.claim: decision}})
    write_atomically(folder / FILE, record.model_dump_json(indent=2) + "\n")
    return record


def refuse_mixture(
    folder: Path,
    old: RunRecord,
    new: RunRecord,
    old_scenarios: Mapping[str, Scenario],
    scenarios: Mapping[str, Scenario],
) -> None:
    """Raise `RunRefused`, naming the difference, when going on would mix replies that cannot be compared."""
    before, after = old.identity.model_dump(), new.identity.model_dump()
    changed = [
        f"{key}: was {_short(before[key], after[key])}" for key in before if _differs(key, before[key], after[key])
    ]
    for name, model in new.models.items():
        if old.models.get(name, model) != model:
            changed.append(f"model {name}: was {old.models[name]}, is now {model}")
        changed.extend(
            f"model {model}: was named {other}, is now {name}"
            for other, known in old.models.items()
            if known == model and other != name
        )
    changed.extend(
        f"scenario {name}: its content has changed"
        for name in sorted(scenarios)
        if name in old_scenarios and old_scenarios[name] != scenarios[name]
    )
    if changed:
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        raise RunRefused(
            f"{folder} holds a run that differs: {'; '.join(changed[:5])}{more}. "
            "Replies of both cannot be compared: choose another --out, or give the options of that run."
        )


def _differs(key: str, old: Any, new: Any) -> bool:
    """Values differ; of two tables of hashes, those of a common name."""
    one, two = _hashes(old), _hashes(new)
    if key in TABLES_OF_HASHES and one is not None and two is not None:
        return any(one[key] != two[key] for key in one.keys() & two.keys())
    return old != new


def _hashes(value: Any) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    table = cast(dict[str, Any], value)
    return table if table and all(isinstance(entry, str) for entry in table.values()) else None


def _short(old: Any, new: Any) -> str:
    one, two = _hashes(old), _hashes(new)
    if one is not None and two is not None:
        changed = [key for key in sorted(one.keys() & two.keys()) if one[key] != two[key]]
        return "; ".join(f"{key} {one[key]}, is now {two[key]}" for key in changed[:3])
    return f"{str(old)[:60]!r}, is now {str(new)[:60]!r}"


def merged(old: RunRecord | None, new: RunRecord) -> RunRecord:
    """The record after going on: what was run before, and what is new."""
    if old is None:
        return new
    return new.model_copy(
        update={
            "created": old.created,
            "commands": tuple(dict.fromkeys((*old.commands, *new.commands))),
            "models": {**old.models, **new.models},
            "conditions": tuple(dict.fromkeys((*old.conditions, *new.conditions))),
            "variants": tuple(dict.fromkeys((*old.variants, *new.variants))),
            "arms": tuple(dict.fromkeys((*old.arms, *new.arms))),
            "epochs": max(old.epochs, new.epochs),
            "limit": max(old.limit, new.limit) if old.limit is not None and new.limit is not None else None,
            "decisions": {**old.decisions, **new.decisions},
        }
    )
