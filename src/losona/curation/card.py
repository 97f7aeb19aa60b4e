"""The card of a release: what is in it, how it was screened and checked, and by which content. Pure.

Knows frames, scenarios and records. Does not know files, nor the time: equal input makes an equal card.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from losona.curation.checks import check_name, current_checks, failed_checks
from losona.curation.decisions import current_decision
from losona.curation.frameset import FrameFile
from losona.curation.screening import Standing, standing
from losona.curation.yields import as_data, yields
from losona.schema.frame import KNOWN_ISSUE
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy

CARD_VERSION = "1"
UNKNOWN = "unscored"


@dataclass(frozen=True)
class Imprint:
    """What a release says of its use and of what made it."""

    licence: str
    """Name of the licence."""
    text: str
    """The licence."""
    canary: str
    """String by which training data that holds the release can be found."""
    benchmark_version: str
    """N-X."""
    software: str
    """Version of losona."""


def card(
    name: str, files: Sequence[FrameFile], scenarios: Sequence[Scenario], taxonomy: Taxonomy, imprint: Imprint
) -> dict[str, Any]:
    """The card as plain values. `scenarios` are all that the frames give; an arm counts where it was not dropped."""
    demos = [scenario for scenario in scenarios if scenario.variant == "demos"]
    return {
        "card_version": CARD_VERSION,
        "name": name,
        "licence": imprint.licence,
        "canary": imprint.canary,
        "benchmark_version": imprint.benchmark_version,
        "losona": imprint.software,
        "packs": {pack: taxonomy.packs[pack].hash for pack in sorted({s.evaluation.pack for s in scenarios})},
        "frames": {file.frame.frame: file.hash for file in files},
        "n": _sizes(files, scenarios, demos),
        "dropped": [
            {"frame": file.frame.frame, "arm": arm, "reason": reason}
            for file in files
            for arm, reason in sorted(file.frame.dropped.items())
        ],
        "counts": _counts(demos, scenarios, taxonomy),
        "known_issues": {f.frame.frame: f.frame.status for f in files if f.frame.status.startswith(KNOWN_ISSUE)},
        "lengths": _lengths(demos),
        "demonstrations": _spread(Counter(len(s.evaluation.demos or ()) for s in demos)),
        "references": sum(_references(scenario) for scenario in demos),
        "screening": _screening(files),
        "checks": _checks(files),
        "failed_checks": _failed(files),
        "frames_not_checked": [file.frame.frame for file in files if not current_checks(file)],
        "decisions": _spread(Counter(d.author for file in files if (d := current_decision(file)))),
    }


def _sizes(files: Sequence[FrameFile], scenarios: Sequence[Scenario], demos: Sequence[Scenario]) -> dict[str, int]:
    return {
        "frames": len(files),
        "arms": len(demos),
        "dropped_arms": sum(len(file.frame.dropped) for file in files),
        "scenarios": len(scenarios),
        "transcripts": len({scenario.transcript_id for scenario in scenarios}),
        "official_rows": len(demos),
    }


def _counts(demos: Sequence[Scenario], scenarios: Sequence[Scenario], taxonomy: Taxonomy) -> dict[str, Any]:
    """Arms by what they are about; scenarios by variant."""
    norms = [taxonomy.norm(scenario.evaluation.norm) for scenario in demos]
    return {
        "norm": _spread(Counter(norm.id for norm in norms)),
        "family": _spread(Counter(norm.family for norm in norms)),
        "event": _spread(Counter(s.evaluation.event for s in demos)),
        "venue": _spread(Counter(s.evaluation.venue for s in demos)),
        "venue_kind": _spread(Counter(taxonomy.venue(s.evaluation.venue).kind for s in demos)),
        "arm": _spread(Counter(s.arm for s in demos)),
        "level": _spread(Counter(norm.level for norm in norms)),
        "check_mode": _spread(Counter(norm.check.mode for norm in norms)),
        "language": _spread(Counter(s.evaluation.language for s in demos)),
        "variant": _spread(Counter(s.variant for s in scenarios)),
    }


def _spread(counter: Counter[Any]) -> dict[str, int]:
    return {str(key): counter[key] for key in sorted(counter, key=lambda key: (isinstance(key, str), key))}


def _lengths(demos: Sequence[Scenario]) -> dict[str, dict[str, float]]:
    texts = [[turn.text for turn in scenario.visible.transcript] for scenario in demos]
    return {
        "turns": _range([len(turns) for turns in texts]),
        "words": _range([sum(len(text.split()) for text in turns) for turns in texts]),
        "words_of_a_turn": _range([len(text.split()) for turns in texts for text in turns]),
        "members": _range([len(scenario.visible.roster) for scenario in demos]),
    }


def _range(values: Sequence[int]) -> dict[str, float]:
    return {"least": min(values), "median": median(values), "mean": round(fmean(values), 1), "greatest": max(values)}


def _references(scenario: Scenario) -> int:
    found = scenario.evaluation.references
    return len(found.comply) + len(found.breach) if found else 0


def _current(files: Iterable[FrameFile]) -> list[tuple[FrameFile, Standing]]:
    """Frames that were screened as they are, with what all their baselines say."""
    found = [(file, standing(file.record.screenings, file.hash)) for file in files]
    return [(file, screening) for file, screening in found if screening]


def _screening(files: Sequence[FrameFile]) -> dict[str, Any]:
    current = _current(files)
    screened = {file.frame.frame for file, _ in current}
    return {
        "frames_screened": len(current),
        "frames_not_screened": [name for name in (file.frame.frame for file in files) if name not in screened],
        "frames_set_aside": [file.frame.frame for file, screening in current if screening.unscreened],
        "baselines": [
            {"name": name, "model": model}
            for name, model in sorted({item for _, screening in current for item in screening.baselines.items()})
        ],
        "judges": sorted({judge for _, screening in current for judge in screening.judges}),
        "epochs": sorted({n for _, screening in current for n in screening.epochs}),
        "yields": as_data(yields((file.frame, screening) for file, screening in current)),
    }


def _checks(files: Sequence[FrameFile]) -> dict[str, dict[str, int]]:
    """Results of the last checks of the frames as they are, without dropped arms, by check."""
    found: dict[str, Counter[str]] = {}
    for file in files:
        for check in current_checks(file):
            result = {True: "passed", False: "failed", None: UNKNOWN}[check.passed]
            found.setdefault(f"{check.rule} {check.check}", Counter())[result] += 1
    return {name: {key: found[name][key] for key in ("passed", "failed", UNKNOWN)} for name in sorted(found)}


def _failed(files: Iterable[FrameFile]) -> list[dict[str, str]]:
    """Each failed check of a frame as it is, with why the frame was accepted all the same."""
    return [
        {
            "frame": file.frame.frame,
            "check": check_name(check),
            "found": check.found,
            "judge": check.judge,
            "accepted": decision.reason if (decision := current_decision(file)) else "",
        }
        for file in files
        for check in failed_checks(file)
    ]
