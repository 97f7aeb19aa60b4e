"""LoSoNA: the benchmark of local social norm adaptation in group conversations.

Public names are loaded when they are first used, so that importing the package is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from losona.api import grade
    from losona.frames import derive, read_frame
    from losona.scenarios import load_scenarios
    from losona.taxonomy import load_taxonomy

__version__ = "0.1.0"
BENCHMARK_VERSION = "1-A"
"""N-X: N changes when content, prompts or judging change scores; X when the interface changes."""

_HOME = {
    "derive": "losona.frames",
    "grade": "losona.api",
    "load_scenarios": "losona.scenarios",
    "load_taxonomy": "losona.taxonomy",
    "read_frame": "losona.frames",
}

__all__ = ["BENCHMARK_VERSION", "__version__", "derive", "grade", "load_scenarios", "load_taxonomy", "read_frame"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'losona' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
