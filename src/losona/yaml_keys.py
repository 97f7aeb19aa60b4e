"""A key at the top of a YAML file set or taken out, by the places of its nodes: layout and comments stay.

Knows YAML in block, flow and JSON style. Does not know what a key means, and does not look whether the outcome is
what was wanted: whoever asks for it reads it again.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

import yaml

_UNPRINTED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What JSON may hold and YAML may not, or reads as the end of a line."""


def with_key(text: str, key: str, value: Any, before: str) -> str:
    """The text with a key set where it stands, or else in front of the key `before`; an empty value takes it out.

    In a file in flow style, which may be JSON, what is set is JSON as well.
    """
    root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = {name.value: (name, node) for name, node in cast("list[tuple[Any, Any]]", root.value)}
    shown = quoted(value, _text if root.flow_style else str)
    if key not in pairs:
        pair = f"{_text(key) if root.flow_style else key}: {shown}"
        return _inserted(text, pairs[before][0], pair, root) if value else text
    name, node = pairs[key]
    start, end = node.start_mark.index, _end(text, node)
    return text[:start] + shown + text[end:] if value else _without(text, name.start_mark.index, end, root)


def quoted(value: Any, name: Callable[[str], str] = str) -> str:
    """A text, or texts by key, on one line; `name` writes a key."""
    if isinstance(value, Mapping):
        entries = sorted(cast("Mapping[str, Any]", value).items())
        return f"{{{', '.join(f'{name(key)}: {_text(item)}' for key, item in entries)}}}"
    return _text(value)


def _text(value: str) -> str:
    return _UNPRINTED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _inserted(text: str, name: Any, pair: str, root: Any) -> str:
    at, line_end = name.start_mark.index, "\r\n" if "\r\n" in text else "\n"
    return text[:at] + pair + (", " if root.flow_style else line_end + " " * name.start_mark.column) + text[at:]


def _end(text: str, node: Any) -> int:
    """Where a value ends, without the lines after it that a node in block style takes along."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    start, end = node.start_mark.index, node.end_mark.index
    return start + len(text[start:end].rstrip())


def _without(text: str, start: int, end: int, root: Any) -> str:
    """Without a key and its value: with one comma in flow style, else with the rest of its last line."""
    if not root.flow_style:
        line_end = text.find("\n", end) + 1 or len(text)
        return text[: text.rfind("\n", 0, start) + 1] + text[line_end:]
    if after := re.compile(r"\s*,\s*").match(text, end):
        return text[:start] + text[after.end() :]
    return re.sub(r"\s*,\s*\Z", "", text[:start]) + text[end:]
