"""A noun agrees with its number, wherever the package counts something for a reader."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import losona
from losona.numbers import some

NOUNS = "frame arm scenario error warning file row line call answer question grading block turn slot word number"
COUNTED = re.compile(
    r"^ (?:judge )?(?:replies|retries|"
    + "|".join(f"{noun}s" for noun in NOUNS.split())
    + r")\b(?! of | from | their | open | have the id | would be| are marked)"
)
KNOWN = re.compile(r"[A-Z_]+\b|some\(|k$|written$|read$")
"""Bounds, what agrees already, and what is never one where it is shown."""


def bare_counts(path: Path) -> Iterator[str]:
    """Places where a number stands in front of a plural, whatever the number is. Bounds, in capitals, are known."""
    strings = (
        node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.JoinedStr)
    )
    for node in strings:
        for value, text in pairwise(node.values):
            if not (isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant)):
                continue
            counted = COUNTED.match(str(text.value)) and not KNOWN.match(ast.unparse(value.value))
            if counted and ".1f" not in ast.unparse(value):
                yield f"{path.name}:{node.lineno}: {{{ast.unparse(value.value)}}}{str(text.value)[:30]}"


def test_one_is_one() -> None:
    assert (some(1, "frame"), some(2, "frame"), some(0, "reply", "replies")) == ("1 frame", "2 frames", "0 replies")


def test_no_number_is_put_before_a_plural_as_it_comes() -> None:
    root = Path(losona.__file__).parent
    assert [place for path in sorted(root.rglob("*.py")) for place in bare_counts(path)] == []
