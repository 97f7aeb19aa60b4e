"""Which tables a report has and what their columns are. Takes every number from the statistics."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from losona.report import wording as w
from losona.report.material import Material
from losona.report.views import Bar, Column, Line, View, share_of, view
from losona.stats import Cell, EventRate, Gain, GraderUsage, NormRate, Reason, Usage

OPTIONAL = ("main", "gains", "reasons")
"""Tables that a report may lack."""
MOST_REASONS = 12
"""Longest list of reasons for each model."""
Place = tuple[str, str, str, str, str]
"""Model, pack, norm or event, condition, variant."""
WILSON = "Intervals: Wilson, 95 %, with scenarios taken as independent."


def results(material: Material) -> list[View]:
    """The tables of the main part; empty where there are no outcomes."""
    if not material.cells:
        return []
    found = [main_table(material), gain_table(material), *other_variants(material)]
    return [table for table in found if table is not None]


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


def gain_table(material: Material) -> View | None:
    """The floor and what demonstrations add to it."""
    rows = [gain for gain in material.gains if gain.n_pairs]
    if not rows:
        return None
    columns: list[Column[Gain]] = [
        Column("pairs", lambda g: w.count(g.n_pairs)),
        Column("with", lambda g: w.percent(g.with_demos)),
        Column("without (floor)", lambda g: w.percent(g.without_demos)),
        Column("gain, points", lambda g: w.points(g.gain)),
        Column("95 % interval", lambda g: w.interval(g.gain_low, g.gain_high, w.points)),
        Column("−100 to +100", lambda g: Bar(g.gain_low, g.gain, g.gain_high, signed=True)),
    ]
    note = (
        "Compliance with the demonstrations minus compliance in the same chat with neutral messages in their place, "
        "over scenarios with a scored reply on both sides. A model that happens to have the norm as its own style "
        "complies without adapting; the gain takes that off. Intervals: Newcombe, 95 %, pairing ignored and scenarios "
        "taken as independent."
    )
    texts = ("gains", "Gain from demonstrations: demos minus nodemos", note, "Condition")
    return view(rows, columns, lambda g: g.condition, lambda g: g.model, texts)


def counts_table(material: Material) -> View:
    """What became of every outcome."""
    columns: list[Column[Cell]] = [
        Column("scenarios", lambda c: w.count(c.n_scenarios)),
        Column("undecided", lambda c: w.count(c.n_undecided)),
        Column("scored", lambda c: w.count(c.n_scored)),
        Column("of these invalid", lambda c: w.count(c.n_invalid)),
        Column("unscored", lambda c: w.count(c.n_unscored)),
        Column("of these errors", lambda c: w.count(c.n_errors)),
        Column("missing", lambda c: w.count(c.n_missing)),
    ]
    note = (
        "Outcomes: a reply that two scenarios share counts once for each. Unscored outcomes are neither a pass nor a "
        "breach and are in no rate; errors are among them. Invalid replies (empty, refusals as an AI and the like) "
        "count as breaches. Missing ones are wanted and not there: the same command again asks for them."
    )
    texts = ("counts", "What became of every outcome", note, "Condition, variant")
    rows = sorted(material.cells, key=lambda c: material.models.index(c.model))
    return view(rows, columns, lambda c: f"{c.condition}, {c.variant}", lambda c: c.model, texts)


def reason_table(material: Material) -> View | None:
    """Why replies are missing, invalid or unscored."""
    if not material.reasons:
        return None
    rows = [row for _, group in groupby(material.reasons, lambda r: r.model) for row in list(group)[:MOST_REASONS]]
    columns: list[Column[Reason]] = [
        Column("reason", lambda r: r.reason if len(r.reason) <= 300 else r.reason[:299] + "…"),
        Column("count", lambda r: w.count(r.n)),
    ]
    note = f"The {MOST_REASONS} first of each model. Errors and invalid: replies; unscored: outcomes."
    texts = ("reasons", "Why replies are missing, invalid or unscored", note, "Kind")
    return view(rows, columns, lambda r: r.kind, lambda r: r.model, texts)


def usage_table(material: Material) -> View:
    """Tokens, cost and time of subjects."""
    columns: list[Column[Usage]] = [
        Column("calls", lambda u: w.count(u.n_calls)),
        Column("failed", lambda u: w.count(u.n_errors)),
        Column("invalid", lambda u: w.count(u.n_invalid)),
        Column("cut at the token limit", lambda u: w.count(u.n_cut)),
        Column("not graded", lambda u: w.count(u.n_ungraded)),
        Column("tokens read", lambda u: w.count(u.input_tokens)),
        Column("tokens written", lambda u: w.count(u.output_tokens)),
        Column("cost (calls)", lambda u: f"{w.dollars(u.cost)} ({w.count(u.n_cost)})"),
        Column("median time (calls)", lambda u: f"{w.seconds(u.latency)} ({w.count(u.n_latency)})"),
    ]
    note = "Cost in US dollars and time only over the calls for which they are known (in brackets)."
    return view(
        material.usage, columns, lambda u: u.model, lambda _: "", ("usage", "Tokens, cost and time", note, "Model")
    )


def grader_table(material: Material) -> View:
    """What graders did."""
    columns: list[Column[GraderUsage]] = [
        Column("gradings", lambda g: w.count(g.n_gradings)),
        Column("of these advisory", lambda g: w.count(g.n_advisory)),
        Column("unscored", lambda g: w.count(g.n_unscored)),
        Column("tokens read", lambda g: w.count(g.input_tokens)),
        Column("tokens written", lambda g: w.count(g.output_tokens)),
    ]
    texts = ("graders", "Graders", "An advisory grading stands beside the one that sets the label.", "Grader")
    return view(material.graders, columns, lambda g: g.grader, lambda _: "", texts)


def norm_table(material: Material) -> View:
    """Norms as lines, conditions with and without demonstrations as columns. Exploratory."""
    rates = {(r.model, r.pack, r.norm, r.condition, r.variant): r for r in material.norms}
    return _exploratory(material, rates, "norms", "Norm")


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
    for pack, name in sorted({key[1:3] for key in rates if key[0] == model and key[3:] in shown}):
        found = [rates.get((model, pack, name, *column)) for column in columns]
        yield Line(name, tuple(share_of(r.compliance, r.n_scored) if r else w.DASH for r in found))


def _cells(material: Material, rows: Sequence[Cell], name: str, caption: str) -> View:
    columns = list(_cell_columns(material))
    note = (
        f"Acc@{material.k}: share of the decided scenarios that comply{_by_majority(material.k)}. A scenario is "
        "undecided when too many of its replies are unscored or missing; then it is in no rate. Compliance: mean over "
        "scored replies."
    )
    if material.k > 1:
        note += " Consistency: share of scenarios with all replies scored in which all agree."
    if any(cell.n_fits for cell in material.cells):
        note += " Fits: complies, in character and responsive, where a judge looked."
    return view(
        rows, columns, lambda c: c.condition, lambda c: c.model, (name, caption, f"{note} {WILSON}", "Condition")
    )


def _cell_columns(material: Material) -> Iterator[Column[Cell]]:
    yield Column(f"Acc@{material.k}", lambda c: w.percent(c.acc_at_k))
    yield Column("95 % interval", lambda c: w.interval(c.acc_low, c.acc_high, w.bare))
    yield Column("0 to 100 %", lambda c: Bar(c.acc_low, c.acc_at_k, c.acc_high))
    yield Column("decided of scenarios", lambda c: f"{w.count(c.n_decided)} of {w.count(c.n_scenarios)}")
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


def every(material: Material) -> list[View]:
    """All tables of a report."""
    found = [
        *results(material), norm_table(material), event_table(material), counts_table(material),
        reason_table(material), usage_table(material), grader_table(material),
    ]  # fmt: skip
    return [table for table in found if table is not None]
