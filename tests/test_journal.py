"""Files that grow by a line: a crash costs the line it has cut and no other, and foreign lines are named."""

from pathlib import Path

import pytest

from losona.errors import ContentError
from losona.journal import Journal, read_journal
from losona.schema._base import Record


class Line(Record):
    """A line."""

    id: str
    """Anything."""


def read(path: Path) -> list[str]:
    return [line.id for line in read_journal(path, Line)]


def append(path: Path, *names: str) -> None:
    with Journal(path) as journal:
        for name in names:
            journal.add(Line(id=name))


@pytest.mark.parametrize("cut", [1, 2, 5, 9])
def test_a_line_that_was_cut_does_not_swallow_the_next(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "new" / "j.jsonl"
    append(path, "a", "bé")
    path.write_bytes(path.read_bytes()[:-cut])
    whole = ["a", "bé"] if cut == 1 else ["a"]
    assert read(path) == whole
    append(path, "c")
    assert read(path) == [*whole, "c"]


def test_a_line_is_there_as_soon_as_it_is_added(tmp_path: Path) -> None:
    with Journal(tmp_path / "j") as journal:
        journal.add(Line(id="a"))
        assert read(tmp_path / "j") == ["a"]


def test_a_file_of_one_cut_line_or_none_at_all_is_empty(tmp_path: Path) -> None:
    assert read(tmp_path / "none") == []
    (tmp_path / "j").write_bytes(b'{"id": "\xc3')
    assert read(tmp_path / "j") == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"id": 1}', "j:2: id: 1; allowed: text"),
        ("{}", "j:2: id: the key is missing"),
        ("[]", "j:2: the document: []; allowed: the keys id"),
        ('{"id": "b"}{"id": "c"}', "j:2: not valid JSON; remove this line"),
    ],
)
def test_a_line_of_another_shape_is_named(tmp_path: Path, line: str, fault: str) -> None:
    (tmp_path / "j").write_text(f'{{"id": "a"}}\n{line}\n')
    with pytest.raises(ContentError) as raised:
        read(tmp_path / "j")
    assert fault in str(raised.value)
