"""One process at a time in a folder. Knows the folder and its lock file, and nothing of what is done there."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from losona.errors import RunRefused

LOCK = ".lock"


class FolderInUse(RunRefused):
    """Another process has the folder."""


@contextmanager
def alone(folder: Path, remedy: str = "wait for it or choose another --out") -> Generator[None]:
    """Make the folder where there is none, and hold it. Raises `RunRefused` where that cannot be."""
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise FolderInUse(f"{folder}: another process is running here; {remedy}.") from None
    except OSError as error:
        said = error.strerror or "no permission"
        raise RunRefused(f"{folder}: no folder can be made or written there ({said}); choose another --out.") from None
    try:
        yield
    finally:
        lock.release()
