"""Strict reading of content files: YAML and JSON Lines, with the place of every fault.

Knows files and lines. Does not know what the files mean, nor how a fault is worded (`losona.validation`).

YAML is read by the 1.2 core rules, so `no`, `off` and `18:30` are text; a key given twice, an alias or a tag
is an error.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar, cast

import yaml
from pydantic import BaseModel, ValidationError
from yaml.reader import ReaderError

from losona.errors import ContentError, UserFault
from losona.validation import told

TEXT_LIMIT = 512 * 2**20
YAML_LIMIT = 2**20
FAULTS_SHOWN = 20
DEPTH_LIMIT = 100
"""Bounds: bytes of a file, faults that one error lists, lists and mappings in each other."""

Model = TypeVar("Model", bound=BaseModel)
Place = tuple[str | int, ...]

_OPENING = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
_CLOSING = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}


@dataclass(frozen=True)
class Document:
    """A parsed file: its data, and the line on which each part stands."""

    path: Path
    """Where it was read."""
    data: Any
    """Plain dicts, lists and scalars."""
    lines: dict[Place, int]
    """Place in the data -> line, from 1."""

    def line(self, place: Place) -> int:
        """Line of a place, or of the nearest part around it."""
        for length in range(len(place), -1, -1):
            if place[:length] in self.lines:
                return self.lines[place[:length]]
        return 1


def read_text(path: Path, limit: int = TEXT_LIMIT) -> str:
    """Text of a UTF-8 file, a line feed after each line.

    Raises `ContentError` when the file cannot be read or is larger than `limit` bytes.
    """
    return decoded(read_bytes(path, limit), path).replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path, limit: int = TEXT_LIMIT) -> bytes:
    """Content of an ordinary file; a `ContentError` when it cannot be read or is larger than `limit` bytes."""
    try:
        if not path.exists():
            raise ContentError(f"{path}: there is no such file; check the path.")
        if path.is_dir():
            raise ContentError(f"{path}: this is a directory, a file was expected.")
        if not path.is_file():
            raise ContentError(f"{path}: this is no ordinary file.")
        if (size := path.stat().st_size) > limit:
            raise ContentError(f"{path}: {size:,} bytes are too many; at most {limit:,} are read, so split the file.")
        return path.read_bytes()
    except OSError as error:
        raise ContentError(f"{path}: cannot be read ({error.strerror}).") from None


def decoded(raw: bytes, path: Path) -> str:
    """Text of a UTF-8 file without its byte order mark; line ends stay. Raises `ContentError`."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ContentError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8.") from None


def read_yaml(path: Path) -> Document:
    """Parse one YAML document strictly."""
    return parse_yaml(read_text(path, YAML_LIMIT), path)


def parse_yaml(text: str, path: Path) -> Document:
    """Parse YAML text; `path` is what faults name."""
    try:
        _check_tokens(text, path)
        node = cast(object, yaml.compose(text, Loader=yaml.CSafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise ContentError(f"{path}:{line}: not valid YAML: {error.problem}.") from None
    except ReaderError as error:
        line = text.encode("utf-8", "replace")[: error.position].count(b"\n") + 1
        raise ContentError(
            f"{path}:{line}: the character U+{int(error.character):04X} is not allowed in YAML; remove it."
        ) from None
    lines: dict[Place, int] = {}
    return Document(path, _plain(node, (), lines, path), lines)


def _check_tokens(text: str, path: Path) -> None:
    """Raise `ContentError` for what a content file may not use, before anything is built of it."""
    depth = 0
    for token in cast(Iterable[Any], yaml.scan(text, Loader=yaml.CSafeLoader)):
        line = token.start_mark.line + 1
        if isinstance(token, yaml.AliasToken | yaml.AnchorToken | yaml.TagToken):
            raise ContentError(f"{path}:{line}: anchors, aliases and tags are not allowed; write the value out.")
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if depth > DEPTH_LIMIT:
            raise ContentError(f"{path}:{line}: more than {DEPTH_LIMIT} lists and mappings in each other; flatten it.")


def _plain(node: Any, place: Place, lines: dict[Place, int], path: Path) -> Any:
    if node is None:
        return None
    lines[place] = node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*place, i), lines, path) for i, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, place, lines, path)
    if not is_unicode(node.value):
        raise ContentError(f"{path}:{lines[place]}: half of a surrogate pair is no text; write the character itself.")
    return node.value if node.style else _scalar(node.value)


def _mapping(node: Any, place: Place, lines: dict[Place, int], path: Path) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise ContentError(f"{path}:{line}: a key must be plain text.")
        if key.value in result:
            raise ContentError(f"{path}:{line}: the key {key.value!r} stands twice; keep one.")
        result[key.value] = _plain(value, (*place, key.value), lines, path)
        lines[(*place, key.value)] = line
    return result


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text) if len(text) < 18 else text
    return float(text) if _FLOAT.fullmatch(text) and len(text) < 40 else text


def read_jsonl(path: Path, shown: str = "") -> Iterator[tuple[str, Any]]:
    """Place and value of each non-empty line of a JSON Lines file.

    The value of a line that is no JSON is the `ContentError` itself: the caller raises it or counts it.
    """
    for number, line in enumerate(read_text(path).split("\n"), 1):
        place = f"{shown or path}:{number}"
        if line.strip():
            yield place, _json(line, place)


def read_records(path: Path, model: type[Model], remedy: str) -> Iterator[Model]:
    """Each line of a JSON Lines file as a record. A `ContentError` names the line that is none, and the remedy."""
    for place, data in read_jsonl(path):
        if isinstance(data, ContentError):
            raise data
        try:
            yield model.model_validate_json(json.dumps(data))
        except ValidationError as error:
            raise ContentError(f"{place}: {first_fault(error, model)}; {remedy}.") from None


def read_json(path: Path, model: type[Model], remedy: str) -> Model:
    """A JSON file as one record. A `ContentError` names the file, what is wrong and the remedy."""
    try:
        return model.model_validate_json(read_text(path))
    except ValidationError as error:
        raise ContentError(f"{path}: {first_fault(error, model)}; {remedy}.") from None


def first_fault(error: ValidationError, model: type[BaseModel]) -> str:
    """The first fault of a validation error as one sentence, for data that has no lines to name."""
    first = error.errors()[0]
    return "not valid JSON" if first["type"] == "json_invalid" else str(told(first, model))


def _json(line: str, place: str) -> Any:
    try:
        value = json.loads(line, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        return ContentError(f"{place}: not valid JSON ({error}).")
    if "\\ud" in line.lower() and not is_unicode(json.dumps(value, ensure_ascii=False)):
        return ContentError(f"{place}: half of a surrogate pair is no text; write the character itself.")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in an object; keep one")
    return found


def is_unicode(text: str) -> bool:
    """It can be written as UTF-8: it holds no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def validate(model: type[Model], document: Document, place: Place = ()) -> Model:
    """Read a part of a document as a model; the fault names file, line, key, value and what is allowed."""
    data = document.data
    for key in place:
        data = data[key]
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ContentError(listed(faults(error, model, document, place))) from None


def listed(sentences: Sequence[str]) -> str:
    """The first faults, one a line, and how many more there are."""
    more = [f"... and {len(sentences) - FAULTS_SHOWN} more."] if len(sentences) > FAULTS_SHOWN else []
    return "\n".join([*sentences[:FAULTS_SHOWN], *more])


def faults(error: ValidationError, model: type[BaseModel], document: Document, place: Place = ()) -> list[str]:
    """One line for each fault of a validation error."""
    found = (told(fault, model) for fault in error.errors())
    return [f"{document.path}:{document.line((*place, *fault.place))}: {fault}" for fault in found]


def hash_files(paths: Iterable[Path], root: Path) -> str:
    """Hash (16 hex digits) over names and contents of files, in the order of their names."""
    digest = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON as it is written to files, which any reader takes: what is no finite number is null."""
    return json.dumps(_finite(value), ensure_ascii=False, indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(entry) for key, entry in cast(Mapping[Any, Any], value).items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in cast(Sequence[Any], value)]
    return value


def write_atomically(path: Path, content: str | bytes, was: bytes | None = None) -> None:
    """Replace a file as a whole: a reader, or a crash, sees the old content or the new.

    A link stays one, and a file keeps its mode. Where `was` is given and no longer stands there, nothing is written.
    Raises `UserFault` naming a file that cannot be written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise UserFault(f"{path}: this is no ordinary file, so it is not replaced; give another name.")
    data = content.encode() if isinstance(content, str) else content
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data, was)
    except OSError as error:
        raise UserFault(
            f"{path}: cannot be written ({error.strerror}); the file is as it was. Make room, or name a folder that "
            "can be written, and give the command again."
        ) from None


def _replace(target: Path, data: bytes, was: bytes | None) -> None:
    temporary = target.with_name(f".{target.name}.{token_hex(4)}")
    file = temporary.open("xb")
    try:
        with file:
            file.write(data)
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        if was is not None and target.read_bytes() != was:
            raise UserFault(f"{target}: the file was changed meanwhile, so it was not written; give the command again.")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
