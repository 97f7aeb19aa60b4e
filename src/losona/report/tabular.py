"""A table as LaTeX: rules of the package booktabs, `longtable` where it does not fit on a page. Computes no number."""

from collections.abc import Iterator, Sequence

from losona.report.escaping import latex
from losona.report.views import View

PAGE = 40
"""Rows that fit on a page."""


def tabular(view: View) -> str:
    """Source to be read by `\\input`; needs booktabs, and longtable for long ones."""
    lines = list(_lines(view))
    kind = "longtable" if sum(len(rows) for _, rows in view.blocks) > PAGE else "tabular"
    columns = "l" + "r" * len(view.plain_titles)
    head = _row([view.first, *view.plain_titles])
    return "\n".join(
        [
            f"% {' '.join(view.caption.split())}. Needs \\usepackage{{booktabs,longtable,textcomp}}.",
            f"% {' '.join(view.note.split())}",
            f"\\begin{{{kind}}}{{{columns}}}",
            "\\toprule",
            head,
            "\\midrule" + (" \\endhead" if kind == "longtable" else ""),
            *lines,
            "\\bottomrule",
            f"\\end{{{kind}}}",
            "",
        ]
    )


def _lines(view: View) -> Iterator[str]:
    width = 1 + len(view.plain_titles)
    for head, rows in view.blocks:
        if head:
            yield f"\\multicolumn{{{width}}}{{l}}{{\\textbf{{{latex(head)}}}}} \\\\"
        for row in rows:
            yield _row([row.label, *(cell for cell in row.cells if isinstance(cell, str))])


def _row(cells: Sequence[str]) -> str:
    """A line; one that begins with a bracket or a star is kept from being an option of the line above."""
    line = " & ".join(latex(cell) for cell in cells)
    return ("{}" if line.startswith(("[", "*")) else "") + line + r" \\"
