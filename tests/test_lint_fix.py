"""`losona lint --fix` mends what has one remedy, keeps all else of the file, and mends nothing twice."""

import json
import resource
from pathlib import Path

import pytest

from losona.cli import cli
from losona.errors import UserFault
from losona.frames import SHIPPED_FRAMES
from losona.lint import fix_paths, lint_paths
from losona.lint.fix import sound_edits
from losona.taxonomy import Taxonomy

BASE = Path(__file__).parent / "data" / "extended.factual_question.yard_film.yaml"
TEXT = BASE.read_text(encoding="utf-8")


def write(folder: Path, *changes: tuple[str, str]) -> Path:
    """The base frame with each first passage replaced by the second."""
    path, text = folder / BASE.name, TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_bytes(text.encode())
    return path


MENDED = [
    ("F01", 'text: "no", demo: true', 'text: "no", demo: yes'),
    ("F11", "- slot: 2", "- slot: 7"),
    ("F29", "helps", "helps — a bit"),
    ("F39", 'near_miss, text: "yes, both machines"', 'near_miss, text: "yes, both machines", judge: true'),
    (
        "F39",
        '{kind: near_miss, text: "yes, both machines"',
        '{judge: true, kind: near_miss, text: "yes, both machines"',
    ),
    ("F46", "good mood", "good \u00a0 mood"),
    ("F46", 'good mood"', 'good mood "'),
]


@pytest.mark.parametrize(("rule", "good", "bad"), MENDED)
def test_a_defect_is_mended_once_and_told(rule: str, good: str, bad: str, tmp_path: Path, taxonomy: Taxonomy) -> None:
    path = write(tmp_path, (good, bad))
    assert rule in {finding.rule for finding in lint_paths([path], taxonomy)}
    (fixed,) = fix_paths([path], taxonomy)
    assert fixed.render().startswith(f"{path}:{fixed.line}: {rule} fixed: ")
    assert path.read_text("utf-8") == TEXT.replace(good, "helps, a bit" if rule == "F29" else good)
    assert fix_paths([path], taxonomy) == []
    assert lint_paths([path], taxonomy) == []


def test_a_mark_on_a_line_of_its_own_goes_with_its_line(tmp_path: Path, taxonomy: Taxonomy) -> None:
    line = '      - {kind: near_miss, text: "yes, both machines"}\n'
    block = '      - kind: near_miss\n        judge: true\n        text: "yes, both machines"\n'
    path = write(tmp_path, (line, block))
    assert [finding.rule for finding in fix_paths([path], taxonomy)] == ["F39"]
    assert path.read_text("utf-8") == TEXT.replace(line, block.replace("        judge: true\n", ""))


def test_layout_comments_line_ends_and_byte_order_mark_stay(tmp_path: Path, taxonomy: Taxonomy) -> None:
    path = write(tmp_path, ("- slot: 1", "- slot: 3   # the first"))
    raw = b"\xef\xbb\xbf# kept\r\n" + path.read_bytes().replace(b"\n", b"\r\n")
    path.write_bytes(raw)
    assert len(fix_paths([path], taxonomy)) == 1
    assert path.read_bytes() == raw.replace(b"slot: 3   #", b"slot: 1   #")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('under the leg helps"', 'under the leg, 3—4 times"'),  # a range
        ('under the leg helps"', 'under the leg—"'),  # somebody breaks off
        ('under the leg helps"', 'under the\n    leg  helps"'),  # a text of several lines
        ('text: "yes, both machines"', 'text: "yes", judge: true'),  # code does not fail this breach
    ],
)
def test_what_has_no_single_remedy_is_left(old: str, new: str, tmp_path: Path, taxonomy: Taxonomy) -> None:
    path = write(tmp_path, (old, new))
    before = path.read_bytes()
    assert fix_paths([path], taxonomy) == []
    assert path.read_bytes() == before


def test_an_edit_that_brings_another_finding_is_left_and_others_are_made(tmp_path: Path, taxonomy: Taxonomy) -> None:
    path = write(tmp_path, ("Keeps the list.", "Keeps a one-wo\u200brd list."), ("- slot: 2", "- slot: 7"))
    assert [finding.rule for finding in fix_paths([path], taxonomy)] == ["F11"]
    assert [finding.rule for finding in lint_paths([path], taxonomy)] == ["F46"]  # mended, F32 would find "one-word"


def test_a_file_that_cannot_be_read_is_left(tmp_path: Path, taxonomy: Taxonomy) -> None:
    path = write(tmp_path, ("pack: extended\n", "pack: extended\npack: core\n"))
    assert fix_paths([path], taxonomy) == []


def test_what_was_mended_is_told_where_a_later_file_ends_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, ("- slot: 2", "- slot: 7"))
    other = tmp_path / "later" / path.name
    other.parent.mkdir()
    other.write_bytes(TEXT.replace("- slot: 2", f"# {'x' * 20_000}\n  - slot: 7").encode())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(UserFault, match=f"{other}: cannot be written"):
            cli.main(["lint", str(path), str(other), "--fix"], standalone_mode=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert f"{path}:" in (told := capsys.readouterr().err)
    assert "F11 fixed" in told


def test_rows_are_not_touched(tmp_path: Path, taxonomy: Taxonomy) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("{}\n")
    assert fix_paths([path], taxonomy) == []
    assert path.read_text() == "{}\n"


def test_the_command_tells_what_is_fixed_beside_what_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, ("- slot: 2", "- slot: 7"), ("helps", "helps—3—4"))
    assert cli.main(["lint", str(path), "--fix", "--json"], standalone_mode=False) is None
    out, err = capsys.readouterr()
    assert [(f["rule"], f["severity"]) for f in json.loads(out)] == [("F11", "fixed"), ("F29", "warning")]
    assert err == "1 fixed, 0 errors, 1 warning\n"


def test_nothing_is_to_be_mended_in_a_shipped_frame(taxonomy: Taxonomy) -> None:
    path = SHIPPED_FRAMES / "core.standup.wash_buffer.yaml"
    assert sound_edits(path.read_text("utf-8"), path, taxonomy) == []
