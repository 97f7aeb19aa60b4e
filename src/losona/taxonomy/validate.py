"""What must hold between the records of packs. Each fault names file, id and remedy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

import regex

from losona.errors import ContentError
from losona.schema.check import Lexicon, Operation, ParamsInside, Pattern, StartsParam, needed_params, walk
from losona.schema.taxonomy import Norm, Pack, Probe
from losona.textfiles import listed

ROLES = {"exact": "decides", "partial": "necessary", "judge": "advisory"}


def validate_packs(packs: Mapping[str, Pack], sources: Mapping[str, Path]) -> None:
    """Raise one `ContentError` that lists every fault of the packs, if there is one."""
    _raise((sources[name], *fault) for name in packs for fault in pack_faults(name, packs))


def validate_probes(
    probes: Mapping[str, Sequence[Probe]], packs: Mapping[str, Pack], sources: Mapping[str, Path]
) -> None:
    """Raise one `ContentError` that lists every fault of the packs' probes, if there is one."""
    _raise((sources[name], *fault) for name in probes for fault in probe_faults(probes[name], packs[name]))


def _raise(faults: Iterable[tuple[Path, str, str]]) -> None:
    if found := [f"{_place(folder, item)}: {sentence}" for folder, item, sentence in faults]:
        raise ContentError(listed(found))


def _place(folder: Path, item: str) -> str:
    """The file of a pack in which an id stands, with its line."""
    for path in sorted(path for path in folder.rglob("*.yaml") if path.is_file()):
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if line.strip() in (f"- id: {item}", f"id: {item}", f"- norm: {item}") or line.startswith(f"{item}:"):
                return f"{path}:{number}"
    return str(folder)


def pack_faults(name: str, packs: Mapping[str, Pack]) -> Iterator[tuple[str, str]]:
    """Faults of one pack, as (id of the record, sentence)."""
    pack = packs[name]
    for source in pack.info.lexicons_from:
        if source not in packs:
            yield name, f"lexicons_from names the pack {source!r}, which is not loaded; {_choose(source, packs)}"
    norms = {norm.id: norm for p in packs.values() for norm in p.norms.values()}
    lexicons = {
        key: value
        for source in (*pack.info.lexicons_from, name)
        if source in packs
        for key, value in packs[source].lexicons.items()
    }
    for norm in pack.norms.values():
        for sentence in (*_references(norm, pack, packs, norms), *_check(norm, lexicons)):
            yield norm.id, f"norm {norm.id!r}: {sentence}"
    for key, pattern in pack.lexicons.items():
        if fault := _pattern(pattern):
            yield key, f"lexicon {key!r}: {fault}"
    yield from _duplicates(name, packs)
    yield from _unused(pack, packs)


def probe_faults(probes: Iterable[Probe], pack: Pack) -> Iterator[tuple[str, str]]:
    """Faults of the probes of a pack, as (norm id, sentence)."""
    for probe in probes:
        if probe.norm not in pack.norms:
            yield probe.norm, f"a probe is for the unknown norm {probe.norm!r}; {_choose(probe.norm, pack.norms)}"
        yield from ((probe.norm, f"a probe of {probe.norm}: {fault}") for fault in _round(probe, pack))


def _round(probe: Probe, pack: Pack) -> Iterator[str]:
    rounds = pack.info.probe_rounds
    if rounds and probe.round not in rounds:
        yield f"unknown round {probe.round!r}; {_choose(probe.round, rounds)}"
    replies = (*probe.adherent, *probe.breaching, *probe.near_miss)
    for reply in probe.first_run.wrong if probe.first_run else ():
        if reply not in replies:
            yield f"first_run.wrong holds {reply!r}, which is none of its replies; write it as it stands there."


def _choose(value: str, known: Iterable[str]) -> str:
    near = get_close_matches(value, list(known), 3, 0.5)
    return f"did you mean {', '.join(near)}?" if near else f"known are {', '.join(sorted(known)[:12])}."


def _references(norm: Norm, pack: Pack, packs: Mapping[str, Pack], norms: Mapping[str, Norm]) -> Iterator[str]:
    families = [family.id for family in pack.info.families]
    if norm.family not in families:
        yield f"unknown family {norm.family!r}; {_choose(norm.family, families)}"
    ineligible = [event for entry in norm.ineligible for event in entry.events]
    for event in (*norm.applicable_events, *ineligible):
        if event not in pack.events:
            yield f"unknown event {event!r}; {_choose(event, pack.events)}"
    for event in sorted(set(norm.applicable_events) & set(ineligible)):
        yield f"event {event!r} is both applicable and ineligible; remove it from one list."
    yield from _counter(norm, pack, packs, norms)


def _counter(norm: Norm, pack: Pack, packs: Mapping[str, Pack], norms: Mapping[str, Norm]) -> Iterator[str]:
    if norm.counter is None:
        if norm.contrast.type != "none":
            yield f"contrast type {norm.contrast.type!r} needs counter_norm or cross_pack_counter; name one, or 'none'."
        return
    if norm.counter_norm and norm.counter_norm not in pack.norms:
        yield f"counter_norm {norm.counter_norm!r} does not exist in the pack; {_choose(norm.counter_norm, pack.norms)}"
        return
    counter = norms.get(norm.counter)
    if counter is None:
        yield f"cross_pack_counter {norm.counter!r} does not exist; {_choose(norm.counter, norms)}"
        return
    if not _shared_events(norm, counter, pack, packs):
        yield f"its counter-norm {counter.id!r} shares no event with it; add a common event to both or choose another."


def _shared_events(norm: Norm, counter: Norm, pack: Pack, packs: Mapping[str, Pack]) -> bool:
    own = set(norm.applicable_events)
    if counter.id in pack.norms:
        return bool(own & set(counter.applicable_events))
    near = {n for event in own if event in pack.events for n in pack.events[event].near}
    return bool((own | near) & set(counter.applicable_events))


def _check(norm: Norm, lexicons: Mapping[str, str]) -> Iterator[str]:
    check = norm.check
    if check.code_role != ROLES[check.mode]:
        yield f"check mode {check.mode!r} goes with code_role {ROLES[check.mode]!r}, not {check.code_role!r}."
    if check.code is None:
        if check.mode != "judge":
            yield f"check mode {check.mode!r} needs code; write a check or use mode 'judge'."
        return
    for operation in walk(check.code):
        if isinstance(operation, Lexicon) and operation.name not in lexicons:
            yield f"unknown lexicon {operation.name!r}; {_choose(operation.name, lexicons)}"
        if fault := _pattern(_pattern_of(operation)):
            yield f"operation {operation.op!r}: {fault}"
    for key in sorted(needed_params(check.code) - set(check.params)):
        yield f"the check uses the parameter {key!r}, which check.params does not list; add it there."


def _pattern_of(operation: Operation) -> str:
    match operation:
        case Pattern():
            return operation.p
        case StartsParam():
            return operation.sep
        case ParamsInside():
            return operation.span
        case _:
            return ""


def _pattern(pattern: str) -> str:
    try:
        regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE | regex.UNICODE)
    except (regex.error, ValueError) as error:
        return f"the regular expression {pattern[:60]!r} does not compile ({error}); correct it."
    return ""


def _duplicates(name: str, packs: Mapping[str, Pack]) -> Iterator[tuple[str, str]]:
    for other, pack in packs.items():
        if other >= name:
            continue
        for norm in sorted(set(pack.norms) & set(packs[name].norms)):
            yield norm, f"norm {norm!r} exists in the pack {other!r} too; norm ids are unique over packs, rename it."
        for venue in sorted(set(pack.venues) & set(packs[name].venues)):
            yield (
                venue,
                f"venue {venue!r} exists in the pack {other!r} too; venue ids are unique over packs, rename it.",
            )


def _unused(pack: Pack, packs: Mapping[str, Pack]) -> Iterator[tuple[str, str]]:
    used = {event for norm in pack.norms.values() for event in norm.applicable_events}
    for event in pack.events.values():
        if event.id not in used:
            yield event.id, f"event {event.id!r} is used by no norm; add it to a norm's applicable_events or remove it."
    for norm in pack.norms.values():
        if not norm.applicable_events:
            yield norm.id, f"norm {norm.id!r} applies to no event; give it applicable_events or remove it."
    known = {event for p in packs.values() for event in p.events}
    for venue in pack.venues.values():
        for event in venue.suits_events:
            if event not in known:
                yield venue.id, f"venue {venue.id!r}: unknown event {event!r}; {_choose(event, known)}"
        for norm in venue.avoid_norms:
            if not any(norm in p.norms for p in packs.values()):
                yield venue.id, f"venue {venue.id!r}: unknown norm {norm!r} in avoid_norms; remove or correct it."
