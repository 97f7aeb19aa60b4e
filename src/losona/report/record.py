"""What `run.json` says, as lines for a reader. Every key may be missing: then a dash stands there."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from losona.report.wording import DASH, count, describe, listed, plural
from losona.stats import TrackCounts

Record = Mapping[str, Any]
Fact = tuple[str, Callable[[Record], str]]
PROMPT_CLIP = 300
"""Characters of a system prompt that the overview shows; the configuration has it whole."""


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


def facts(records: Mapping[str, Record], counts: TrackCounts) -> list[tuple[str, str]]:
    """What was run: names and values in the order of reading; where runs differ, each with its value."""
    replied = f"{count(counts.n_scenarios)}; code alone decides {_verifiable(counts)}"
    found = [
        *((name, _joined(show, records)) for name, show in _WHO),
        ("Scenarios with replies", replied),
        *((name, _joined(show, records)) for name, show in _HOW),
    ]
    return [(name, value) for name, value in found if name not in OPTIONAL or value not in (DASH, "none")]


def _verifiable(counts: TrackCounts) -> str:
    every = counts.n_verifiable == counts.n_scenarios and counts.n_scenarios > 0
    return "all of them" if every else f"{count(counts.n_verifiable)} of them"


def _joined(show: Callable[[Record], str], records: Mapping[str, Record]) -> str:
    values = {run: show(record) for run, record in records.items()}
    if len(set(values.values())) == 1:
        return next(iter(values.values()))
    return "; ".join(f"{run}: {value}" for run, value in values.items())


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


def _models(record: Record) -> str:
    models = record.get("models")
    if isinstance(models, Mapping):
        return _named([(str(name), str(id_)) for name, id_ in _items(models)])
    if isinstance(models, Sequence) and not isinstance(models, str):
        pairs = [_mapping(m) if isinstance(m, Mapping) else {"name": m} for m in _entries(models)]
        return _named([(plain(m.get("name")), plain(m.get("id") or m.get("name"))) for m in pairs])
    return plain(models)


def _named(models: list[tuple[str, str]]) -> str:
    return listed(name if name == id_ else f"{name} ({id_})" for name, id_ in models)


def _variants(record: Record) -> str:
    found = record.get("variants")
    names = [str(name) for name in _entries(found)] if isinstance(found, Sequence) else []
    shown = [f"{name} ({describe(name)})" if describe(name) else name for name in names]
    return "; ".join(shown) if shown else DASH


def _grader(record: Record) -> str:
    judge = find(record, "judge")
    if judge:
        name = plain(_mapping(judge).get("model") or judge) if isinstance(judge, Mapping) else plain(judge)
        bound, protocol = find(record, "judge_max_tokens"), find(record, "judge_protocol")
        panel = isinstance(judge, Sequence) and not isinstance(judge, str) and len(_entries(judge)) > 1
        who = f"the majority of the judges {name}" if panel else f"the judge {name}"
        how = ", asked by the paper's procedure" * (protocol == "paper")
        return f"code where it decides, else {who}{how}" + f" (verdicts of at most {bound} tokens)" * bool(bound)
    if record.get("track") == "verifiable":
        return "verifiable track: code only, no judge"
    return DASH


def _temperature(record: Record) -> str:
    identity = _mapping(record.get("identity"))
    if "temperature" not in identity:
        return DASH
    value = identity["temperature"]
    own = [str(name) for name in _entries(record.get("provider_default") or ())]
    if value is None:
        return "the provider's default"
    return f"{value}" + (f"; the provider's default for {listed(own)}" if own else "")


def _system_prompt(record: Record) -> str:
    identity = _mapping(record.get("identity"))
    text = " ".join(str(identity.get("system_prompt") or "").split())
    if not text:
        return "none" if identity else DASH
    return f"“{text[:PROMPT_CLIP]}{'…' if len(text) > PROMPT_CLIP else ''}”"


def _rendering(record: Record) -> str:
    words = {"text": "the chat as one text", "turns": "the chat as turns"}
    return words.get(str(find(record, "rendering")), plain(find(record, "rendering")))


def _planned(record: Record) -> str:
    scenarios = _mapping(record.get("scenarios"))
    wanted = scenarios.get("n")
    limit = record.get("limit")
    return (count(wanted) if isinstance(wanted, int) else DASH) + (f" (--limit {limit})" if limit else "")


def _left_out(record: Record) -> str:
    left_out = _mapping(record.get("scenarios")).get("left_out")
    if isinstance(left_out, Mapping):
        return listed(f"{plain(n)} {reason}" for reason, n in _items(left_out)) if left_out else "none"
    return "none" if left_out in (0, []) else plain(left_out)


def _skipped(record: Record) -> str:
    skipped = _mapping(record.get("scenarios")).get("skipped")
    return plural(len(_entries(skipped)), "malformed row") if skipped else "none"


def _mapping(value: Any) -> Record:
    return dict(_items(value)) if isinstance(value, Mapping) else {}


def _items(value: Any) -> list[tuple[str, Any]]:
    return [(str(key), entry) for key, entry in value.items()]


def _entries(value: Any) -> list[Any]:
    return list(value)


def _entry(key: str) -> Callable[[Record], str]:
    return lambda record: plain(record.get(key))


def _identity(key: str) -> Callable[[Record], str]:
    return lambda record: plain(_mapping(record.get("identity")).get(key))


def _source(key: str) -> Callable[[Record], str]:
    return lambda record: plain(_mapping(record.get("scenarios")).get(key))


def _arms(record: Record) -> str:
    return plain(sorted(str(arm) for arm in _entries(record.get("arms") or ())))


def _longest(record: Record) -> str:
    bound = find(record, "max_tokens")
    return f"{bound} tokens" if bound else DASH


def _version(record: Record) -> str:
    return plain(find(record, "benchmark_version"))


_WHO: tuple[Fact, ...] = (
    ("Models", _models),
    ("Conditions", _entry("conditions")),
    ("Variants", _variants),
    ("Arms", _arms),
    ("Replies for each prompt (K)", _entry("epochs")),
    ("Graded by", _grader),
    ("Scenarios planned", _planned),
)
_HOW: tuple[Fact, ...] = (
    ("Left out", _left_out),
    ("Malformed rows left out", _skipped),
    ("Source", _source("source")),
    ("Attribution", _source("attribution")),
    ("Temperature", _temperature),
    ("Longest reply", _longest),
    ("Seed", _identity("seed")),
    ("Chat rendered as", _rendering),
    ("System prompt", _system_prompt),
    ("Benchmark version", _version),
    ("Software", _entry("versions")),
    ("Revision", _entry("git")),
    ("Run", _entry("created")),
)
"""Names and how their values are found: who and what was run, then how."""
OPTIONAL = ("Malformed rows left out", "Attribution", "Revision")
"""Left out where there is nothing to say."""
