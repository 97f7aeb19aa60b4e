"""The head of a GGUF file: is it one, and how long a context was the model trained for.

Knows the layout of the head (GGUF version 2 and 3, little-endian). Knows no tensors and no engine.
"""

import struct
from pathlib import Path
from typing import BinaryIO

from losona.errors import UserFault

_STRING, _ARRAY = 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Value type -> bytes."""
_INTEGERS = {4: "<I", 5: "<i", 10: "<Q", 11: "<q"}
_LONGEST = 1 << 24
"""No string of a head is longer, in bytes; what is longer is damage."""


def trained_context(path: Path) -> int | None:
    """Tokens of context that the model was trained for, or None when the head does not say.

    Raises `UserFault`, naming the file, when it is missing, unreadable, no GGUF, or cut off in its head.
    """
    try:
        with path.open("rb") as file:
            return _context_length(file, path)
    except FileNotFoundError:
        raise UserFault(f"{path}: there is no such model file; check the path.") from None
    except IsADirectoryError:
        raise UserFault(f"{path}: this is a directory; name the .gguf file in it.") from None
    except OSError as error:
        raise UserFault(f"{path}: cannot be read ({error.strerror}).") from None
    except (struct.error, ValueError):
        raise UserFault(f"{path}: this GGUF file is damaged or cut off; fetch it again.") from None


def _context_length(file: BinaryIO, path: Path) -> int | None:
    magic = file.read(4)
    if magic != b"GGUF":
        raise UserFault(f"{path}: not a GGUF file (it begins with {magic!r}); llama.cpp reads .gguf models only.")
    version, _, pairs = _unpack(file, "<IQQ")
    if version not in (2, 3):
        raise UserFault(f"{path}: GGUF version {version} is not supported; convert the model with a newer llama.cpp.")
    for _ in range(pairs):
        key, (kind,) = _string(file), _unpack(file, "<I")
        if key.endswith(b".context_length") and kind in _INTEGERS:
            return _unpack(file, _INTEGERS[kind])[0]
        _skip(file, kind)
    return None


def _unpack(file: BinaryIO, layout: str) -> tuple[int, ...]:
    return struct.unpack(layout, file.read(struct.calcsize(layout)))


def _string(file: BinaryIO) -> bytes:
    (length,) = _unpack(file, "<Q")
    if length > _LONGEST:
        raise ValueError(length)
    return file.read(length)


def _skip(file: BinaryIO, kind: int) -> None:
    if kind == _STRING:
        _string(file)
    elif kind == _ARRAY:
        item, length = _unpack(file, "<IQ")
        if item in _SIZES:
            file.seek(_SIZES[item] * length, 1)
        else:
            for _ in range(length):
                _skip(file, item)
    elif kind in _SIZES:
        file.seek(_SIZES[kind], 1)
    else:
        raise ValueError(kind)
