"""Foreign text made harmless for each kind of file. Knows what each kind obeys, and nothing of what the text means."""

import re

import pandas as pd
from pandas.api.types import is_numeric_dtype

from losona.report.foreign import shown

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#|~$])")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\symbol{34}", "\u00a0": "~", "\u202f": r"\,", "–": "--", "−": "$-$",
    "…": r"\ldots{}", "“": "``", "”": "''", "\n": " ", "\t": " ",
}  # fmt: skip
_NOT_IN_OT1 = "«»ÐðÞþ"
"""Letters of Latin-1 that stop LaTeX under its default encoding of fonts."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet may take for the start of a formula."""


def markdown(text: str) -> str:
    """One line of Markdown in which nothing is a mark, a tag or a link."""
    flat = " ".join(shown(text).split())
    escaped = _MARKDOWN.sub(r"\\\1", flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    escaped = escaped.replace("://", r"\://").replace("www.", r"www\.")
    return re.sub(r"^([-+=]|\d+(?=[.)]))", r"\\\1" if not flat[:1].isdigit() else r"\1\\", escaped)


def latex(text: str) -> str:
    """Text that LaTeX prints as it is; letters beyond Latin-1 by their number, since a font may lack them."""
    return "".join(_LATEX.get(c) or (c if _printed(c) else f"[U+{ord(c):04X}]") for c in text)


def _printed(c: str) -> bool:
    return 31 < ord(c) < 127 or (160 < ord(c) < 256 and c not in _NOT_IN_OT1)


def fenced(text: str) -> str:
    """A block of code, with a fence that the text cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown(text).rstrip()}\n{fence}"


def csv_cell(value: object) -> object:
    """A cell that no spreadsheet takes for a formula: text that looks like one gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and value.lstrip(" \u00a0").startswith(FORMULA) else value


def csv(table: pd.DataFrame) -> str:
    """A table as CSV, with text in it that is only text."""
    texts = [str(name) for name in table.columns if not is_numeric_dtype(table[name])]
    safe = pd.DataFrame({name: [csv_cell(value) for value in table[name].tolist()] for name in texts})
    rest = table.drop(columns=texts).reset_index(drop=True)
    return pd.concat([safe, rest], axis=1)[list(table.columns)].to_csv(index=False, lineterminator="\n")
