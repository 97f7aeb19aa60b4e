"""Linting of files: read, apply each rule, put the findings in order.

Knows no rule. Prints nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from losona.lint.finding import Finding
from losona.lint.reading import frame_files, read_view
from losona.lint.registry import RULES
from losona.lint.view import FrameView
from losona.taxonomy import Taxonomy


def lint_paths(paths: Iterable[Path], taxonomy: Taxonomy) -> list[Finding]:
    """Findings in frame files and in folders of them, by file and line; over a set its own rules as well.

    Raises `ContentError` for a path that does not exist.
    """
    files = frame_files(paths)
    read = [read_view(path, taxonomy) for path in files]
    views = [item for item in read if isinstance(item, FrameView)]
    findings = [finding for item in read if isinstance(item, list) for finding in item]
    findings += [finding for view in views for finding in lint_frame(view)]
    findings += lint_set(views)
    order = {path: i for i, path in enumerate(files)}
    return sorted(findings, key=lambda finding: (order[finding.file], finding.line, finding.rule))


def lint_frame(view: FrameView) -> Iterator[Finding]:
    """Findings of the rules over one frame."""
    for rule in RULES.values():
        yield from rule.check(view)


def lint_set(views: Sequence[FrameView]) -> Iterator[Finding]:
    """Findings of the rules over a set; none for a single frame."""
    if len(views) > 1:
        for rule in RULES.values():
            yield from rule.check_set(views)
