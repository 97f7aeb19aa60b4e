"""Linting of files: read, apply each rule, put the findings in order.

Knows no rule. Prints nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from losona.frames import SHIPPED_FRAMES
from losona.lint.finding import Finding
from losona.lint.lines import LineView
from losona.lint.reading import LINES, content_files, read_lines, read_view, view_of
from losona.lint.registry import RULES
from losona.lint.units import units_of
from losona.lint.view import FrameView
from losona.taxonomy import Taxonomy


def lint_paths(paths: Iterable[Path], taxonomy: Taxonomy) -> list[Finding]:
    """Findings in frames and JSON Lines files and in folders of them, by file and line; over a set its own rules too.

    Raises `ContentError` for a path that does not exist or is of another kind.
    """
    files = content_files(paths)
    findings: list[Finding] = []
    views: list[FrameView] = []
    lines: list[LineView] = []
    for path in files:
        if path.suffix == LINES:
            read = list(read_lines(path, taxonomy))
            inside = [item for item in read if isinstance(item, LineView)]
            findings += [item for item in read if isinstance(item, Finding)]
            findings += lint_lines(inside)
            lines += inside
        elif isinstance(view := read_view(path, taxonomy), FrameView):
            findings += lint_frame(view)
            views.append(view)
        else:
            findings += view
    findings += lint_set(views, lines)
    return _in_order(findings, files)


def lint_texts(texts: Mapping[Path, str], taxonomy: Taxonomy) -> list[Finding]:
    """The same for frames that were read already; the files are not looked at again."""
    read = [view_of(text, path, taxonomy) for path, text in texts.items()]
    views = [view for view in read if isinstance(view, FrameView)]
    findings = [finding for view in views for finding in lint_frame(view)]
    findings += [finding for view in read if not isinstance(view, FrameView) for finding in view]
    return _in_order([*findings, *lint_set(views)], texts)


def _in_order(findings: Iterable[Finding], files: Iterable[Path]) -> list[Finding]:
    order = {path: i for i, path in enumerate(files)}
    return sorted(findings, key=lambda finding: (order[finding.file], finding.line, finding.rule))


def lint_frame(view: FrameView) -> Iterator[Finding]:
    """Findings of the rules over one frame."""
    for rule in RULES.values():
        yield from rule.check(view)


def lint_lines(lines: Sequence[LineView]) -> Iterator[Finding]:
    """Findings of the rules over the lines of one file."""
    for rule in RULES.values():
        for line in lines:
            yield from rule.check_line(line)
        yield from rule.check_file(lines)


def lint_set(views: Sequence[FrameView], lines: Sequence[LineView] = ()) -> Iterator[Finding]:
    """Findings of the rules over a set; none for a single frame or row, but for an id that stands twice.

    What two chats share is told at the later one, in the order in which they were named; shipped frames come first,
    since whoever names them with frames of his own can only change the others.
    """
    units = units_of(sorted(views, key=lambda view: not _is_shipped(view)), lines)
    for rule in RULES.values() if len(views) + len(lines) > 1 else ():
        yield from rule.check_set(units)


def _is_shipped(view: FrameView) -> bool:
    return view.document.path.resolve().parent == SHIPPED_FRAMES.resolve()
