"""Mending of frame files: what a rule finds and can be put right in one way, without touching what is said.

    F01   demo: "yes"               -> demo: true
    F11   slots out of order        -> numbered in order
    F29   an em dash between words  -> a comma
    F39   a stale `judge: true`     -> removed, where code fails the breach
    F46   odd white space           -> single spaces; unseen characters removed

Edits the text, so that layout and comments stay. An edit is kept only if the file then parses to the old data with that
one value changed, and no rule finds more than before. Does not touch JSON Lines files.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from losona.errors import ContentError
from losona.lint.finding import Finding
from losona.lint.reading import FRAME, content_files, view_of
from losona.lint.references import stale_marks
from losona.lint.registry import RULES
from losona.lint.run import lint_frame
from losona.lint.spacing import tidy
from losona.lint.structure import BOOLEANS
from losona.lint.view import FrameView
from losona.taxonomy import Taxonomy
from losona.textfiles import YAML_LIMIT, Place, decoded, parse_yaml, read_bytes, write_atomically

DASH = re.compile(r"(?<=[^\W\d]) *— *(?=[^\W\d])")
"""An em dash between two letters; between figures it may be a range, and at the end a breaking off."""
MENDED = ("F01", "F11", "F29", "F39", "F46")
"""Rules whose findings can be mended."""
_TRUE, _FALSE = frozenset({"yes", "true", "on", "y"}), frozenset({"no", "false", "off", "n"})


@dataclass(frozen=True)
class Node:
    """A value of the file with its key, as stretches of the text."""

    start: int
    """Where the value begins."""
    end: int
    """Where it ends, exclusive."""
    key: int
    """Where its key begins; -1 in a list."""


@dataclass(frozen=True)
class Edit:
    """One stretch of text to be replaced, and what the data then are."""

    start: int
    """Where it begins."""
    end: int
    """Where it ends, exclusive."""
    text: str
    """What is put there."""
    place: Place
    """Place in the data."""
    value: Any
    """What stands there afterwards; none: the key is gone."""
    fixed: tuple[Finding, ...]
    """What is told of it."""


def fix_paths(paths: Iterable[Path], taxonomy: Taxonomy) -> list[Finding]:
    """Mend frame files in place and say what was mended. Raises `ContentError` for a wrong path."""
    return list(mended(paths, taxonomy))


def mended(paths: Iterable[Path], taxonomy: Taxonomy) -> Iterator[Finding]:
    """The same, told as soon as it is done: a later file may be one that cannot be written."""
    for path in content_files(paths):
        if path.suffix == FRAME:
            yield from fix_file(path, taxonomy)


def fix_file(path: Path, taxonomy: Taxonomy) -> list[Finding]:
    """Mend one frame file in place, as a whole or not at all; a file that cannot be read is left alone."""
    try:
        raw = read_bytes(path, YAML_LIMIT)
        text = decoded(raw, path)
    except ContentError:
        return []
    kept = sound_edits(text, path, taxonomy)
    if kept:
        write_atomically(path, raw[: len(raw) - len(text.encode())] + applied(text, kept).encode(), was=raw)
    return [finding for edit in kept for finding in edit.fixed]


def sound_edits(text: str, path: Path, taxonomy: Taxonomy) -> list[Edit]:
    """The edits of a frame that change nothing else and bring no new finding, in the order of the text."""
    view = view_of(text, path, taxonomy)
    if not isinstance(view, FrameView) or not any(finding for rule in MENDED for finding in RULES[rule].check(view)):
        return []
    edits = sorted(_edits(view, text), key=lambda edit: edit.start)
    if _sound(edits, text, view):
        return edits
    kept: list[Edit] = []
    for edit in edits:
        kept += [edit] if _sound([*kept, edit], text, view) else []
    return kept


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits made."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _sound(edits: Sequence[Edit], text: str, before: FrameView) -> bool:
    wanted = deepcopy(before.document.data)
    for edit in edits:
        part = wanted
        for key in edit.place[:-1]:
            part = part[key]
        if edit.value is None:
            del part[edit.place[-1]]
        else:
            part[edit.place[-1]] = edit.value
    path, new = before.document.path, applied(text, edits)
    try:
        same = parse_yaml(new, path).data == wanted
    except ContentError:
        return False
    after = view_of(new, path, before.taxonomy) if same else None
    return isinstance(after, FrameView) and _rules(after) <= _rules(before)


def _rules(view: FrameView) -> Counter[str]:
    return Counter(finding.rule for finding in lint_frame(view))


def _edits(view: FrameView, text: str) -> Iterator[Edit]:
    nodes = dict(_nodes(yaml.compose(text, Loader=yaml.SafeLoader), (), -1))
    yield from _booleans(view, nodes, view.document.data, ())
    yield from _slot_numbers(view, nodes)
    yield from _texts(view, nodes, text)
    yield from _marks(view, nodes, text)


def _nodes(node: Any, place: Place, key: int) -> Iterator[tuple[Place, Node]]:
    yield place, Node(node.start_mark.index, node.end_mark.index, key)
    if isinstance(node, yaml.MappingNode):
        for name, value in cast("list[tuple[Any, Any]]", node.value):
            yield from _nodes(value, (*place, name.value), name.start_mark.index)
    elif isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(cast("list[Any]", node.value)):
            yield from _nodes(item, (*place, i), -1)


def _fixed(view: FrameView, rule: str, place: Place, found: str, now: str) -> Finding:
    document = view.document
    return Finding(rule, "fixed", document.path, document.line(place), found, now)


def _booleans(view: FrameView, nodes: dict[Place, Node], data: Any, place: Place) -> Iterator[Edit]:
    """Words for true and false where the value itself is meant."""
    if isinstance(data, list):
        for i, item in enumerate(cast("list[Any]", data)):
            yield from _booleans(view, nodes, item, (*place, i))
    for key, value in cast("dict[str, Any]", data).items() if isinstance(data, dict) else ():
        here = (*place, key)
        if key in BOOLEANS and isinstance(value, str) and value.lower() in _TRUE | _FALSE:
            meant = value.lower() in _TRUE
            told = _fixed(view, "F01", here, f"{key}: {value!r}", f"{key}: {str(meant).lower()}")
            yield Edit(nodes[here].start, nodes[here].end, str(meant).lower(), here, meant, (told,))
        yield from _booleans(view, nodes, value, here)


def _slot_numbers(view: FrameView, nodes: dict[Place, Node]) -> Iterator[Edit]:
    for number, slot in enumerate(view.frame.slots, 1):
        place = (*view.slot_place(slot), "slot")
        if slot.slot != number:
            told = _fixed(view, "F11", place, f"slot {slot.slot} in place {number}", f"slot {number}")
            yield Edit(nodes[place].start, nodes[place].end, str(number), place, number, (told,))


def _texts(view: FrameView, nodes: dict[Place, Node], text: str) -> Iterator[Edit]:
    """White space and dashes of visible texts that stand on one line of the file."""
    for passage in view.passages:
        place = passage.place
        if place not in nodes or (place[0] in ("chat", "elicitor") and place[-1] != "text"):
            place = (*place, "text")
        node = nodes[place]
        raw, quote = text[node.start : node.end], text[node.start] if text[node.start] in "\"'" else ""
        new = DASH.sub(", ", tidy(passage.text))
        if new == passage.text or "\n" in raw or not new:
            continue
        told = [_fixed(view, "F46", place, "odd white space", "single spaces")] * (tidy(passage.text) != passage.text)
        told += [_fixed(view, "F29", place, "an em dash between words", "a comma")] * bool(DASH.search(passage.text))
        inner = raw[len(quote) : len(raw) - len(quote)]
        yield Edit(node.start, node.end, f"{quote}{DASH.sub(', ', tidy(inner))}{quote}", place, new, tuple(told))


def _marks(view: FrameView, nodes: dict[Place, Node], text: str) -> Iterator[Edit]:
    for item in stale_marks(view):
        place = (*item.place, "judge")
        node = nodes[place]
        start, end = _pair(text, node.key, node.end)
        told = _fixed(view, "F39", place, f"{item.shown} is marked judge: true, and code fails it", "no mark")
        yield Edit(start, end, "", place, None, (told,))


def _pair(text: str, start: int, end: int) -> tuple[int, int]:
    """A key with its value and one comma, or with its line where it stands alone on one."""
    if after := re.compile(r" *, *").match(text, end):
        return start, after.end()
    before = re.compile(r" *, *$").search(text[:start])
    if before:
        return before.start(), end
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text)
    alone = not text[line_start:start].strip() and not text[end:line_end].strip()
    return (line_start, line_end) if alone else (start, end)


__all__ = ["Edit", "applied", "fix_file", "fix_paths", "mended", "sound_edits"]
