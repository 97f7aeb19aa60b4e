"""Standard output and error that outlive their reader: what nobody reads any more goes nowhere, and work goes on."""

import os
import sys
from io import TextIOWrapper
from typing import Any, cast


class Lasting:
    """A stream that turns to nowhere when its pipe is closed."""

    def __init__(self, stream: "TextIOWrapper[Any]") -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """As of a stream."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._turn_away()
            return len(text)

    def flush(self) -> None:
        """As of a stream."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._turn_away()

    def _turn_away(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def make_streams_last() -> None:
    """Let standard output and error print any text, and outlive a closed pipe."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            wrapper = cast("TextIOWrapper[Any]", stream)
            wrapper.reconfigure(errors="backslashreplace")
            setattr(sys, name, Lasting(wrapper))
