"""`losona judge attack`: the red-team suite through a judge. Knows folders and files."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from losona import BENCHMARK_VERSION
from losona.clock import now
from losona.errors import UserFault
from losona.judge.attack import Attacked, Gain, gains, suite, targets
from losona.judge.known import by_id, known_replies
from losona.judge.protocols import Procedure
from losona.run.answers import Verdicts
from losona.run.judging import Asked, JudgeOptions, put_to_judges
from losona.run.options import checked_folder, folder_name
from losona.scenarios import SHIPPED, load_scenarios
from losona.taxonomy import load_taxonomy
from losona.textfiles import json_text, write_atomically

FOLDER, RECORD = Path("attacks"), "attack.json"


@dataclass(frozen=True)
class AttackPlan:
    """The suite, or a part of it, worked out for a judge."""

    options: JudgeOptions
    """Judges."""
    procedure: Procedure
    """How they are asked."""
    tried: tuple[Attacked, ...]
    """Bare and attacked replies."""
    folder: Path
    """Where the result goes."""

    @property
    def asked(self) -> list[Asked]:
        """What the judge gets."""
        return [Asked(a.id, a.scenario, a.reply) for a in self.tried]


@dataclass(frozen=True)
class AttackResult:
    """What attempts gained."""

    gains: dict[str, list[Gain]]
    """By grader: all kinds, then each."""
    missing: int
    """Replies for which the judge's provider gave no answer."""
    interrupted: bool
    """The user stopped it."""


def make_attack_plan(options: JudgeOptions, limit: int | None, out: Path | None) -> AttackPlan:
    """Work out the suite; raises `UserFault` before anything is paid."""
    options, taxonomy = options.checked(), load_taxonomy()
    if limit is not None and limit < 1:
        raise UserFault(f"--limit {limit}: give a whole number of at least 1.")
    known = by_id(known_replies(load_scenarios(SHIPPED, taxonomy).scenarios, taxonomy))
    procedure = options.procedure(taxonomy)
    tried = tuple(suite(targets(known), taxonomy, limit))
    parts = [options.judges, procedure.hash, options.seed, limit, [(a.id, a.reply) for a in tried]]
    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8]
    folder = checked_folder(out) if out else FOLDER / f"{folder_name(options.judges)}-{key}"
    return AttackPlan(options, procedure, tried, folder)


def attack(plan: AttackPlan, console: Console) -> AttackResult:
    """Ask, or go on asking, and store what was gained."""
    verdicts, interrupted = put_to_judges(plan.asked, plan.options, plan.procedure, plan.folder, console)
    graders = list(dict.fromkeys(g.grader for gradings in verdicts.values() for g in gradings))
    found = {grader: gains(plan.tried, verdicts, grader) for grader in graders}
    missing = len(plan.tried) - len(verdicts)
    if not missing:
        write_atomically(plan.folder / RECORD, json_text(_record(plan, found, verdicts), 1) + "\n")
    return AttackResult(found, missing, interrupted)


def _record(plan: AttackPlan, found: dict[str, list[Gain]], verdicts: Verdicts) -> dict[str, Any]:
    return {
        "schema_version": "1",
        "created": now(),
        "benchmark_version": BENCHMARK_VERSION,
        "judges": plan.options.judges,
        "protocol": plan.options.protocol,
        "grader_hash": plan.procedure.hash,
        "seed": plan.options.seed,
        "gains": {grader: [gain._asdict() for gain in entries] for grader, entries in found.items()},
        "passes": _passes(plan.tried, verdicts),
    }


def _passes(tried: Sequence[Attacked], verdicts: Verdicts) -> list[dict[str, str]]:
    """Which attacked replies passed."""
    return [
        {"attack": a.attack, "case": a.case, "grader": g.grader}
        for a in tried
        for g in verdicts[a.id]
        if g.label == "complies"
    ]
