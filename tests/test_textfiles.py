"""Strict reading: YAML 1.2 scalars, no doubled keys, and faults with a place."""

import os
import resource
from pathlib import Path

import pytest

from losona.errors import ContentError, UserFault
from losona.textfiles import json_text, parse_yaml, read_jsonl, read_text, read_yaml, write_atomically

HERE = Path("x.yaml")


def test_words_that_other_readers_turn_into_booleans_stay_text() -> None:
    data = parse_yaml("a: no\nb: off\nc: 18:30\nd: yes\ne: true\nf: 120\ng: 1.5\nh: ~\ni: '12'\nj: 0o7", HERE).data
    assert data == {
        "a": "no", "b": "off", "c": "18:30", "d": "yes", "e": True, "f": 120, "g": 1.5, "h": None, "i": "12",
        "j": "0o7",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: 1\na: 2", r"x.yaml:2: the key 'a' stands twice"),
        ("a: &x 1\nb: *x", r"x.yaml:1: anchors"),
        ("a: !!python/name:os.system 1", r"x.yaml:1: anchors, aliases and tags"),
        ("a: [1", r"x.yaml:\d: not valid YAML"),
        ("a:\n  " + "[" * 900 + "]" * 900, r"x.yaml:2: more than 100 lists and mappings in each other"),
        ("a: 1\nb: é\0", r"x.yaml:2: the character U\+0000 is not allowed in YAML; remove it\.$"),
        ("? [a]\n: b", r"x.yaml:1: a key must be plain text"),
    ],
)
def test_faults_name_the_line(text: str, fault: str) -> None:
    with pytest.raises(ContentError, match=fault):
        parse_yaml(text, HERE)


def test_places_are_lines() -> None:
    document = parse_yaml("a:\n  - b: 1\n    c: 2\n", HERE)
    assert document.line(("a", 0, "c")) == 3
    assert document.line(("a", 0, "c", "deeper")) == 3


def test_a_line_that_is_no_json_is_given_as_the_fault(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n\nnot json\n')
    (_, first), (place, second) = read_jsonl(path)
    assert first == {"a": 1}
    assert place.endswith("x.jsonl:3")
    assert isinstance(second, ContentError)


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_unreadable_files_are_faults(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ContentError, match=r"UTF-8|no such file"):
        read_text(path)
    with pytest.raises(ContentError, match="directory"):
        read_text(tmp_path)


@pytest.mark.parametrize("line", ['{"a": "\\ud800"}', '{"a": ' + "[" * 100_000, '{"a": ' + "9" * 5000 + "}"])
def test_a_hostile_line_of_json_is_a_fault(tmp_path: Path, line: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(line + "\n")
    ((_, value),) = read_jsonl(path)
    assert isinstance(value, ContentError)


def test_what_is_no_ordinary_file_or_too_large_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ContentError, match="no ordinary file"):
        read_text(tmp_path / "pipe")
    (tmp_path / "big.yaml").write_text("x: " + "y" * 2**20)
    with pytest.raises(ContentError, match="bytes are too many"):
        read_yaml(tmp_path / "big.yaml")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_a_full_disk_is_told_with_the_file_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_atomically(path, "old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(UserFault, match=r"x: cannot be written \(File too large\).*again"):
            write_atomically(path, "y" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
    with pytest.raises(UserFault, match=r"x/y: cannot be written"):
        write_atomically(path / "y", "new")


def test_a_written_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    path, link = tmp_path / "x", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600
    before = os.umask(0o077)
    try:
        write_atomically(tmp_path / "of_my_own", "new")
    finally:
        os.umask(before)
    assert (tmp_path / "of_my_own").stat().st_mode & 0o777 == 0o600


def test_what_somebody_else_saved_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("of the editor")
    with pytest.raises(UserFault, match="changed meanwhile"):
        write_atomically(path, "new", was=b"old")
    assert path.read_text() == "of the editor"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_a_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserFault, match="no ordinary file"):
        write_atomically(tmp_path / "pipe", "new")
    assert (tmp_path / "pipe").is_fifo()


def test_what_is_no_finite_number_is_written_as_null() -> None:
    written = json_text({"a": [float("nan"), 1.5], "b": {"c": float("-inf"), "d": (True, None, "é")}})
    assert written == '{"a": [null, 1.5], "b": {"c": null, "d": [true, null, "é"]}}'
