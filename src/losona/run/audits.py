"""`losona judge audit`: replies of known label through a judge, stored so that runs find it. Knows files."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from losona import BENCHMARK_VERSION
from losona.clock import now
from losona.errors import RunRefused, UserFault
from losona.judge.audit import AuditRow, audit_rows, groups
from losona.judge.known import Known, all_rounds, by_id, known_replies, spread
from losona.judge.protocols import PROTOCOLS, Procedure
from losona.run.judging import Asked, JudgeOptions, put_to_judges
from losona.run.options import checked_folder, folder_name
from losona.scenarios import load_scenarios
from losona.schema._base import VERSION, Record, Version
from losona.schema.results import PANEL
from losona.taxonomy import load_taxonomy
from losona.textfiles import read_json, read_records, write_atomically

FOLDER = Path("audits")
"""Where audits lie, and where runs look for them."""
RECORD, ROWS = "audit.json", "verdicts.jsonl"


class AuditRecord(Record):
    """What an audit was of. Its verdicts stand beside it, one a line (`AuditRow`)."""

    schema_version: Version = VERSION
    """Version of this format."""
    created: str
    """ISO 8601, UTC: when the last verdict came."""
    benchmark_version: str
    """N-X."""
    judges: tuple[str, ...]
    """One, or several as a panel."""
    protocol: str
    """losona or paper."""
    grader_hash: str
    """Hash of the judge's prompts and of the shape of an answer."""
    seed: int
    """Decides the words around the data, and what was drawn."""
    packs: dict[str, str]
    """Pack id -> hash of its content."""
    scenarios: str
    """Source of the references."""
    scenarios_hash: str
    """Hash over its scenarios."""
    rounds: tuple[str, ...]
    """Rounds that were asked about; empty: all."""
    limit: int | None
    """Greatest number of replies, drawn in turn from family, label and kind; none: all."""
    n_known: int
    """Replies of known label that there are."""
    n_asked: int
    """Replies that the judge was to be asked about."""
    n_void: int
    """Of those, without a verdict."""


@dataclass(frozen=True)
class AuditPlan:
    """An audit worked out."""

    options: JudgeOptions
    """Judges."""
    procedure: Procedure
    """How they are asked."""
    chosen: tuple[Known, ...]
    """Replies."""
    record: AuditRecord
    """What is stored of it."""
    folder: Path
    """Where."""

    @property
    def asked(self) -> list[Asked]:
        """What the judge gets: nothing that tells a label."""
        return [Asked(case.id, case.scenario, case.reply) for case in self.chosen]


@dataclass(frozen=True)
class Audit:
    """An audit that has ended."""

    folder: Path
    """Where it lies."""
    record: AuditRecord
    """What it was of."""
    rows: tuple[AuditRow, ...]
    """All verdicts."""
    missing: int = 0
    """Replies for which the judge's provider gave no answer."""
    interrupted: bool = False
    """The user stopped it."""

    def of(self, grader: str) -> list[AuditRow]:
        """Verdicts of one grader."""
        return [row for row in self.rows if row.grader == grader]

    @property
    def graders(self) -> list[str]:
        """All graders, in order; of a panel the verdict last."""
        return list(dict.fromkeys(row.grader for row in self.rows))


def make_audit_plan(
    options: JudgeOptions,
    source: str,
    packs: Sequence[Path],
    rounds: Sequence[str],
    limit: int | None,
    out: Path | None,
) -> AuditPlan:
    """Work out an audit; raises `UserFault` before anything is paid."""
    options, taxonomy = options.checked(), load_taxonomy(packs)
    if unknown := [name for name in rounds if name not in all_rounds(taxonomy)]:
        raise UserFault(f"--round {unknown[0]}: unknown; known are {', '.join(all_rounds(taxonomy))}.")
    if limit is not None and limit < 1:
        raise UserFault(f"--limit {limit}: give a whole number of at least 1.")
    scenarios = load_scenarios(source, taxonomy)
    has_question = PROTOCOLS[options.protocol].has_question
    known = [case for case in known_replies(scenarios.scenarios, taxonomy, rounds) if has_question(case.scenario)]
    if not known:
        raise UserFault(
            f"--scenarios {source}: there is no reply of known label in it that this judge can be asked about."
        )
    chosen, procedure = tuple(spread(known, limit, options.seed)), options.procedure(taxonomy)
    record = AuditRecord(
        created="", benchmark_version=BENCHMARK_VERSION, judges=options.judges, protocol=options.protocol,
        grader_hash=procedure.hash, seed=options.seed, packs={n: pack.hash for n, pack in taxonomy.packs.items()},
        scenarios=source, scenarios_hash=scenarios.hash, rounds=tuple(rounds), limit=limit,
        n_known=len(known), n_asked=len(chosen), n_void=0,
    )  # fmt: skip
    folder = checked_folder(out) if out else FOLDER / f"{folder_name(options.judges)}-{_key(record)}"
    return AuditPlan(options, procedure, chosen, record, folder)


def _key(record: AuditRecord) -> str:
    parts = record.model_dump(exclude={"created", "n_void"})
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:8]


def audit(plan: AuditPlan, console: Console) -> Audit:
    """Ask, or go on asking, and store. An audit that is not whole is not stored as one."""
    if (old := read_audit_record(plan.folder)) and _key(old) != _key(plan.record):
        raise RunRefused(f"{plan.folder} holds an audit of something else; choose another --out.")
    verdicts, interrupted = put_to_judges(plan.asked, plan.options, plan.procedure, plan.folder, console)
    rows = tuple(audit_rows(by_id(plan.chosen), verdicts))
    missing = len(plan.chosen) - len(verdicts)
    deciding = [verdicts[name][-1] for name in verdicts]
    void = sum(grading.label == "unscored" for grading in deciding)
    record = plan.record.model_copy(update={"created": now(), "n_void": void})
    if not missing:
        write_atomically(plan.folder / ROWS, "".join(row.model_dump_json() + "\n" for row in rows))
        write_atomically(plan.folder / RECORD, record.model_dump_json(indent=2) + "\n")
    return Audit(plan.folder, record, rows, missing, interrupted)


def read_audit_record(folder: Path) -> AuditRecord | None:
    """The record of an audit; none where there is none."""
    path = folder / RECORD
    return read_json(path, AuditRecord, "move it away, or choose another folder") if path.is_file() else None


def read_audit(folder: Path) -> Audit | None:
    """An audit with its verdicts."""
    record = read_audit_record(folder)
    if record is None:
        return None
    remedy = "the same `losona judge audit` command again writes the file anew"
    return Audit(folder, record, tuple(read_records(folder / ROWS, AuditRow, remedy)))


def newest(folder: Path, judges: Sequence[str], grader_hash: str) -> dict[str, Audit]:
    """The newest audit with these prompts for each judge, and of several for `panel`; what is not there is left out."""
    found: dict[str, Audit] = {}
    for record, place in sorted(_records(folder), key=lambda item: item[0].created):
        if record.grader_hash != grader_hash or not set(record.judges) & set(judges):
            continue
        stored = read_audit(place)
        graders = set(judges) | ({PANEL} if set(record.judges) == set(judges) else set[str]())
        if stored:
            found.update({grader: stored for grader in stored.graders if grader in graders})
    return found


def _records(folder: Path) -> Iterator[tuple[AuditRecord, Path]]:
    for path in sorted(folder.glob(f"*/{RECORD}")):
        record = read_audit_record(path.parent)
        if record:
            yield record, path.parent


def shown_in_run(audits: dict[str, Audit], judges: Sequence[str]) -> dict[str, Any]:
    """What a run's record keeps of the audits of its judges: counts and where they are; none where there is none."""
    wanted = [*judges, *([PANEL] if len(judges) > 1 else [])]
    return {
        name: {
            "folder": str(audits[name].folder),
            "created": audits[name].record.created,
            "n_known": audits[name].record.n_known,
            "counts": groups(audits[name].of(name))[0].counts._asdict(),
            "families": {g.name: g.counts._asdict() for g in groups(audits[name].of(name)) if g.by == "family"},
        }
        if name in audits
        else None
        for name in wanted
    }
