"""Tables by norm and by event. Exploratory."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from losona.report import wording as w
from losona.report.material import Material
from losona.report.views import Line, View, share_of
from losona.stats import EventRate, NormGain, NormRate

Place = tuple[str, str, str, str, str]
"""Model, pack, norm or event, condition, variant."""


def norm_table(material: Material) -> View:
    """Norms as lines, conditions with and without demonstrations as columns. Exploratory."""
    rates = {(r.model, r.pack, r.norm, r.condition, r.variant): r for r in material.norms}
    table = _exploratory(material, rates, "norms", "Norm")
    tested = {(g.model, g.norm, g.condition): g for g in material.norm_gains if g.n_pairs}
    conditions = [c for c in material.conditions if any(key[2] == c for key in tested)]
    blocks = tuple(
        (model, tuple(_with_gains(line, [tested.get((model, line.label, c)) for c in conditions]) for line in lines))
        for model, lines in table.blocks
    )
    note = f"{table.note} Gain: points, with p by exact sign-flip over frames, adjusted by Benjamini and Hochberg."
    titles = (*table.titles, *(f"{condition}, gain (p)" for condition in conditions))
    return replace(table, titles=titles, blocks=blocks, note=note if conditions else table.note)


def _with_gains(line: Line, gains: Sequence[NormGain | None]) -> Line:
    shown = (f"{w.points(g.gain)} ({w.p_value(g.p_bh)})" if g else w.DASH for g in gains)
    return Line(line.label, (*line.cells, *shown))


def event_table(material: Material) -> View:
    """Events as lines. Exploratory."""
    rates = {(r.model, r.pack, r.event, r.condition, r.variant): r for r in material.events}
    return _exploratory(material, rates, "events", "Event")


def _exploratory(material: Material, rates: Mapping[Place, NormRate | EventRate], name: str, first: str) -> View:
    variants = list(dict.fromkeys((material.variant, "nodemos")))
    columns = [(c, v) for c in material.conditions for v in variants if any(k[3:] == (c, v) for k in rates)]
    blocks = [(model, tuple(_lines(rates, model, columns))) for model in material.models]
    note = "Compliance of so many scored replies. Many rows and few replies each: differences suggest where to look."
    caption = f"Compliance by {first.lower()} (exploratory)"
    return View(name, caption, note, first, tuple(f"{c}, {v}" for c, v in columns), tuple(blocks))


def _lines(
    rates: Mapping[Place, NormRate | EventRate], model: str, columns: Sequence[tuple[str, str]]
) -> Iterator[Line]:
    shown = set(columns)
    places = sorted({key[1:3] for key in rates if key[0] == model and key[3:] in shown})
    names = Counter(name for _, name in places)
    for pack, name in places:
        found = [rates.get((model, pack, name, *column)) for column in columns]
        yield Line(
            f"{name} ({pack})" if names[name] > 1 else name,
            tuple(share_of(r.compliance, r.n_scored) if r else w.DASH for r in found),
        )
