"""Compliance of every norm under every model and condition. Exploratory."""

# pyright: reportUnknownMemberType=false
from math import isnan, nan

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from losona.report import wording as w
from losona.report.figures.choice import few
from losona.report.figures.drawing import Drawing
from losona.report.figures.style import INK, QUIET, ROW, name, styled
from losona.report.material import Material
from losona.stats import NormRate

LETTER = 0.08
"""Inches of a letter."""
FIELDS = 600
"""With more fields their numbers are left to the table."""
SHADES = LinearSegmentedColormap.from_list("blues", ["#f7fbff", "#9ecae1", "#08519c"])


def draw(material: Material) -> Drawing | None:
    """A field for each norm and column, with its number; an empty one has a stroke."""
    scored = [r for r in material.norms if r.variant == material.variant and r.n_scored]
    chosen, left_out = few(scored, len({(r.model, r.condition) for r in scored}))
    rates = {(r.pack, r.norm, r.model, r.condition): r for r in chosen}
    found = {key[2:] for key in rates}
    columns = [(m, c) for m in material.models for c in material.conditions if (m, c) in found]
    norms = sorted({key[:2] for key in rates})
    if not norms:
        return None
    with styled():
        figure = _figure(rates, norms, columns)
    return Drawing(
        name="heat",
        title="Norms by model (exploratory)",
        caption="Compliance in per cent; darker is more. A stroke or an empty field: nothing was scored." + left_out,
        alt=f"Compliance of {w.plural(len(norms), 'norm')}: "
        + "; ".join(_said(rates, norms, column) for column in columns)
        + ". The table by norm has every number.",
        figure=figure,
        wide=len(columns) > 4,
    )


def _figure(
    rates: dict[tuple[str, str, str, str], NormRate], norms: list[tuple[str, str]], columns: list[tuple[str, str]]
) -> Figure:
    labels = [f"{name(model)}, {condition}" for model, condition in columns]
    top, left = (LETTER * max(map(len, texts)) for texts in (labels, [name(norm) for _, norm in norms]))
    size = (left + 0.4 + 0.5 * len(columns), top + 0.4 + ROW * len(norms))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    shares = [[rates[(*n, *c)].compliance if (*n, *c) in rates else nan for c in columns] for n in norms]
    axes.pcolormesh(shares, cmap=SHADES, vmin=0, vmax=1, edgecolors=QUIET, linewidth=0.4)
    if len(norms) * len(columns) <= FIELDS:
        for y, row in enumerate(shares):
            for x, share in enumerate(row):
                axes.text(x + 0.5, y + 0.5, w.bare(share), color=_ink(share), ha="center", va="center")
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(norms), 0)
    axes.set_yticks([y + 0.5 for y in range(len(norms))], [name(norm) for _, norm in norms])
    axes.set_xticks([x + 0.5 for x in range(len(columns))], labels, rotation=90)
    axes.tick_params(length=0)
    axes.xaxis.tick_top()
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure


def _ink(share: float) -> str:
    """Legible on its field; the page changes the colour of what stands on no field only."""
    return INK if isnan(share) else "#fffffe" if share > 0.6 else "#1c1e20"


def _said(
    rates: dict[tuple[str, str, str, str], NormRate], norms: list[tuple[str, str]], column: tuple[str, str]
) -> str:
    shares = [rates[(*norm, *column)].compliance for norm in norms if (*norm, *column) in rates]
    model, condition = column
    if not shares:
        return f"{model}, {condition}: nothing scored"
    whole, none = sum(share == 1 for share in shares), sum(share == 0 for share in shares)
    return f"{model}, {condition}: {len(shares)} norms scored, {whole} always followed, {none} never"
