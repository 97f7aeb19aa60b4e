"""Tables of rates: model by condition, the gain from demonstrations, floor and ceiling."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from losona.report import wording as w
from losona.report.material import Material
from losona.report.views import Bar, Column, View, share_of, view
from losona.stats import Ceiling, Cell, Gain

CLUSTERED = "Intervals: 95 %, clustered by norm."


def main_table(material: Material) -> View:
    """Model by condition, in the main variant."""
    return _cells(material, material.main, "main", f"Model by condition, {_variant(material.variant)}")


def other_variants(material: Material) -> list[View]:
    """The same for each other variant."""
    rest = [cell for cell in material.cells if cell.variant != material.variant]
    return [
        _cells(material, list(group), f"variant_{variant}", f"Model by condition, {_variant(variant)}")
        for variant, group in groupby(rest, lambda cell: cell.variant)
    ]


def gain_table(material: Material) -> View:
    """The floor, and what demonstrations add to it."""
    columns: list[Column[Gain]] = [
        Column("pairs", lambda g: w.count(g.n_pairs)),
        Column("norms", lambda g: w.count(g.n_norms)),
        Column("with", lambda g: w.percent(g.with_demos)),
        Column("without (floor)", lambda g: w.percent(g.without_demos)),
        Column("gain, points", lambda g: w.points(g.gain)),
        Column("95 % interval", lambda g: w.interval(g.gain_low, g.gain_high, w.points)),
        Column("−100 to +100", lambda g: Bar(g.gain_low, g.gain, g.gain_high, signed=True)),
        Column("p (Holm)", lambda g: w.p_value(g.p_holm)),
    ]
    note = (
        "Compliance with the demonstrations minus compliance in the same chat with neutral messages in their place, "
        "over scenarios with a scored reply on both sides. A model that happens to have the norm as its own style "
        f"complies without adapting; the gain takes that off. {CLUSTERED} p: no gain; sign-flip of norms below 30 "
        "norms, else clustered t; adjusted by Holm over the models."
    )
    rows = [gain for gain in material.gains if gain.n_pairs]
    texts = ("gains", "Gain from demonstrations: demos minus nodemos", note, "Condition")
    return view(rows, columns, lambda g: g.condition, lambda g: g.model, texts)


def ceiling_table(material: Material) -> View:
    """How much of the way from floor to ceiling a model goes."""
    columns: list[Column[Ceiling]] = [
        Column("pairs", lambda c: w.count(c.n)),
        Column("floor", lambda c: w.percent(c.floor)),
        Column("reached", lambda c: w.percent(c.compliance)),
        Column("ceiling", lambda c: w.percent(c.ceiling)),
        Column("gap, points", lambda c: w.points(c.gap)),
        Column("share of the gap closed", lambda c: w.percent(c.closed)),
        Column("95 % interval", lambda c: w.interval(c.closed_low, c.closed_high, w.bare)),
    ]
    note = (
        "Floor: without demonstrations. Ceiling: with them under the oracle prompt. Over scenarios that have all "
        f"three. The share is given only where the gap is above zero. {CLUSTERED}"
    )
    texts = ("ceilings", "From floor to ceiling", note, "Condition")
    return view(material.ceilings, columns, lambda c: c.condition, lambda c: c.model, texts)


def _cells(material: Material, rows: Sequence[Cell], name: str, caption: str) -> View:
    note = (
        f"Acc@{material.k}: share of the decided scenarios that comply{_by_majority(material.k)}. A scenario is "
        "undecided when too many of its replies are unscored or missing; then it is in no rate. Compliance: mean over "
        "scored replies."
    )
    if material.k > 1:
        note += " Consistency: share of scenarios with all replies scored in which all agree."
    if any(cell.n_fits for cell in material.cells):
        note += " Fits: complies, in character and responsive, where a judge looked."
    texts = (name, caption, f"{note} {CLUSTERED}", "Condition")
    return view(rows, list(_cell_columns(material)), lambda c: c.condition, lambda c: c.model, texts)


def _cell_columns(material: Material) -> Iterator[Column[Cell]]:
    yield Column(f"Acc@{material.k}", lambda c: w.percent(c.acc_at_k))
    yield Column("95 % interval", lambda c: w.interval(c.acc_low, c.acc_high, w.bare))
    yield Column("0 to 100 %", lambda c: Bar(c.acc_low, c.acc_at_k, c.acc_high))
    yield Column("decided of scenarios", lambda c: f"{w.count(c.n_decided)} of {w.count(c.n_scenarios)}")
    yield Column("norms", lambda c: w.count(c.n_norms))
    yield Column("compliance of scored", lambda c: share_of(c.compliance, c.n_scored))
    if material.k > 1:
        yield Column("consistency", lambda c: share_of(c.consistency, c.n_consistency))
    if any(cell.n_fits for cell in material.cells):
        yield Column("fits", lambda c: share_of(c.fits, c.n_fits))
    yield Column("unscored", lambda c: w.count(c.n_unscored))
    yield Column("invalid", lambda c: w.count(c.n_invalid))


def _by_majority(k: int) -> str:
    return f", by the majority of {k} replies" if k > 1 else ""


def _variant(name: str) -> str:
    words = w.describe(name)
    return f"{name}: {words}" if words else name
