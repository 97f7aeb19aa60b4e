"""A frame as YAML that a person likes to read: one line a turn, in the order of the format. Pure.

Knows the layout of frame files. Reads what it wrote, so that no text changes on the way.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from losona.errors import LosonaError
from losona.schema.frame import Frame, Reference, Slot, Turn
from losona.textfiles import Document, parse_yaml, validate

PLAIN = re.compile(r"[^\W\d_](?:[\w.' -]*[\w.)])?")
"""Texts that need no quotation marks anywhere."""
RESERVED = frozenset({"true", "false", "null"})
UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON leaves as they are and YAML reads otherwise, or not at all."""
QUOTED = frozenset({"text", "bio", "note", "fact", "why", "channel", "end_goal", "notes"})
"""Keys of prose, which always has quotation marks."""


def frame_text(frame: Frame, header: Iterable[str] = ()) -> str:
    """The file of a frame, with comment lines on top."""
    lines = [*(f"# {' '.join(line.split())}" for line in header), *_lines(frame)]
    text = "\n".join(lines) + "\n"
    if validate(Frame, document(text, frame)) != frame:
        raise LosonaError(f"{frame.frame}: the file would not read as the frame that was written.")
    return text


def document(text: str, frame: Frame, folder: Path = Path()) -> Document:
    """The file as it reads, with its lines, under the name that it will have in a folder."""
    return parse_yaml(text, folder / f"{frame.frame}.yaml")


def _lines(frame: Frame) -> Iterator[str]:
    for key in ("frame", "pack", "event", "venue", "channel"):
        yield f"{key}: {_scalar(getattr(frame, key), key)}"
    yield from ("subject:", f"  name: {_scalar(frame.subject.name)}", f"  bio: {_scalar(frame.subject.bio, 'bio')}")
    if frame.subject.also:
        yield f"  also: {_flow(frame.subject.also)}"
    yield from ("cast:", *(f"  - {_flow(_given(person))}" for person in frame.cast))
    yield f"end_goal: {_scalar(frame.end_goal, 'end_goal')}"
    yield f"goal_markers: {_flow(frame.goal_markers)}"
    if frame.dropped:
        yield f"dropped: {_flow(frame.dropped)}"
    yield f"arms: {_flow(frame.arms.model_dump())}"
    yield from ("", "chat:", *(line for item in frame.chat for line in _item(item)), "")
    yield from _last(frame)
    yield from ("", "references:", *_references(frame), "known_facts:")
    yield from (f"  - {_flow(fact.model_dump())}" for fact in frame.known_facts)
    if frame.notes:
        yield f"notes: {_scalar(frame.notes, 'notes')}"
    if frame.language != "en":
        yield f"language: {_scalar(frame.language)}"


def _item(item: Turn | Slot) -> Iterator[str]:
    if isinstance(item, Turn):
        yield f"  - {_flow(_given(item))}"
        return
    yield f"  - slot: {item.slot}"
    for name, turns in (("a", item.a), ("b", item.b), ("none", item.none)):
        yield f"    {name}:"
        yield from (f"      - {_flow(_given(turn))}" for turn in turns)


def _last(frame: Frame) -> Iterator[str]:
    off = frame.off_elicitor
    yield f"elicitor: {_flow(_given(frame.elicitor))}"
    yield from ("off_elicitor:", f"  from: {_scalar(off.sender)}", f"  text: {_scalar(off.text, 'text')}")
    yield f"  why: {_scalar(off.why, 'why')}"
    if off.code is not None:
        yield f"  code: {_flow(_given(off)['code'])}"
    yield "params:"
    for key in ("a", "b", "off_trigger"):
        yield f"  {key}: {_flow(getattr(frame.params, key))}"


def _references(frame: Frame) -> Iterator[str]:
    for key in ("a", "b", "off_trigger"):
        lists = getattr(frame.references, key)
        yield f"  {key}:"
        for label in ("comply", "breach"):
            found: tuple[Reference, ...] = getattr(lists, label)
            yield f"    {label}:" + ("" if found else " []")
            yield from (f"      - {_flow(_given(reference))}" for reference in found)


def _given(record: Any) -> dict[str, Any]:
    """What differs from the defaults, under the names of the format."""
    return record.model_dump(by_alias=True, exclude_defaults=True)


def _flow(value: Any, key: str = "") -> str:
    if isinstance(value, Mapping):
        pairs: Mapping[str, Any] = value
        return "{" + ", ".join(f"{name}: {_flow(item, name)}" for name, item in pairs.items()) + "}"
    if isinstance(value, list | tuple):
        items: Iterable[Any] = value
        return "[" + ", ".join(_flow(item) for item in items) + "]"
    return _scalar(value, key)


def _scalar(value: Any, key: str = "") -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if key not in QUOTED and PLAIN.fullmatch(value) and value.lower() not in RESERVED and value.isascii():
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
