"""Tables of what became of every call: counts, reasons, tokens, cost and time."""

from itertools import groupby

from losona.report import wording as w
from losona.report.material import Material
from losona.report.views import Column, View, view
from losona.stats import Cell, GraderUsage, Reason, Usage

MOST_REASONS = 12
"""Longest list of reasons for each model."""


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
