"""What `run.json` says, as lines for a reader. Every key may be missing: then a dash stands there."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from losona.report.wording import DASH, count, listed
from losona.stats import TrackCounts

Record = Mapping[str, Any]


def plain(value: Any) -> str:
    """Any value of a record as one line."""
    if value is None or value in ("", [], (), {}):
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {plain(entry)}" for key, entry in _items(value))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(plain(entry) for entry in _entries(value))
    return str(value)


def facts(record: Record, counts: TrackCounts) -> list[tuple[str, str]]:
    """What was run: names and values in the order of reading."""
    return [
        ("Models", _models(record.get("models"))),
        ("Conditions", plain(record.get("conditions"))),
        ("Variants", plain(record.get("variants"))),
        ("Arms", plain(record.get("arms"))),
        ("Replies for each prompt", plain(record.get("epochs"))),
        ("Graded by", _grader(record)),
        ("Scenarios", _scenarios(record, counts)),
        ("Left out", _left_out(record)),
        ("Source", plain(_scenario_facts(record).get("source"))),
        ("Attribution", plain(_scenario_facts(record).get("attribution"))),
        ("Benchmark version", plain(find(record, "benchmark_version"))),
        ("Run", plain(record.get("created"))),
    ]


def find(record: Record, key: str) -> Any:
    """A value at the top of the record or in its identity."""
    identity = record.get("identity")
    return record.get(key) or (_mapping(identity).get(key) if identity else None)


def commands(record: Record) -> list[str]:
    """Commands that made the run, each as one line for a shell."""
    found = record.get("commands") or record.get("command")
    if isinstance(found, str):
        return [found]
    entries = _entries(found) if isinstance(found, Sequence) else []
    whole = record.get("commands") is not None
    return [str(entry) for entry in entries] if whole else [shlex.join(str(entry) for entry in entries)] * bool(entries)


def configuration(record: Record) -> str:
    """The whole record as JSON."""
    return json.dumps(dict(record), indent=2, ensure_ascii=False, default=str)


def _models(models: Any) -> str:
    if isinstance(models, Mapping):
        return _named([(str(name), str(id_)) for name, id_ in _items(models)])
    if isinstance(models, Sequence) and not isinstance(models, str):
        pairs = [_mapping(m) if isinstance(m, Mapping) else {"name": m} for m in _entries(models)]
        return _named([(plain(m.get("name")), plain(m.get("id") or m.get("name"))) for m in pairs])
    return plain(models)


def _named(models: list[tuple[str, str]]) -> str:
    return listed(name if name == id_ else f"{name} ({id_})" for name, id_ in models)


def _grader(record: Record) -> str:
    judge = find(record, "judge")
    if judge:
        name = plain(_mapping(judge).get("model") or judge) if isinstance(judge, Mapping) else plain(judge)
        return f"code where it decides, else the judge {name}"
    if record.get("track") == "verifiable":
        return "verifiable track: code only, no judge"
    return DASH


def _scenario_facts(record: Record) -> Record:
    return _mapping(record.get("scenarios"))


def _scenarios(record: Record, counts: TrackCounts) -> str:
    planned = _scenario_facts(record).get("n")
    verifiable = f"code alone decides {count(counts.n_verifiable)} of them"
    if isinstance(planned, int) and planned != counts.n_scenarios:
        return f"{count(planned)}, with replies to {count(counts.n_scenarios)}; {verifiable}"
    return f"{count(counts.n_scenarios)}; {verifiable}"


def _left_out(record: Record) -> str:
    left_out = _scenario_facts(record).get("left_out")
    return "none" if left_out in (0, {}, []) else plain(left_out)


def _mapping(value: Any) -> Record:
    return dict(_items(value)) if isinstance(value, Mapping) else {}


def _items(value: Any) -> list[tuple[str, Any]]:
    return [(str(key), entry) for key, entry in value.items()]


def _entries(value: Any) -> list[Any]:
    return list(value)
