"""Tables of tests: conditions against a control, models against each other, places of models."""

from losona.report import wording as w
from losona.report.material import Material
from losona.report.views import Bar, Column, View, view
from losona.stats import Delta, ModelPair, Rank

TESTED = "p: sign-flip of norms below 30 norms, else clustered t"


def delta_table(material: Material) -> View:
    """Conditions minus naive, and minus elicitor_only."""
    columns: list[Column[Delta]] = [
        Column("pairs", lambda d: w.count(d.n_pairs)),
        Column("points", lambda d: w.points(d.compliance_delta)),
        Column("95 % interval", lambda d: w.interval(d.delta_low, d.delta_high, w.points)),
        Column("−100 to +100", lambda d: Bar(d.delta_low, d.compliance_delta, d.delta_high, signed=True)),
        Column("p (Holm)", lambda d: w.p_value(d.p_holm)),
        Column("recovered", lambda d: w.count(d.recovered)),
        Column("regressed", lambda d: w.count(d.regressed)),
        Column("of decided", lambda d: w.count(d.n_decided)),
        Column("p, McNemar (Holm)", lambda d: w.p_value(d.p_mcnemar_holm)),
    ]
    note = (
        "Difference of compliance on the same scenarios; intervals at 95 %, clustered by norm. Recovered: breached "
        "under the control and complies under the condition, by majority; regressed: the reverse. "
        f"{TESTED}; McNemar: exact, scenarios taken as independent; both adjusted by Holm over the models."
    )
    texts = ("deltas", f"Conditions against a control, {material.variant}", note, "Condition minus control")
    rows = material.main_deltas
    return view(rows, columns, lambda d: f"{d.condition} − {d.against}", lambda d: d.model, texts)


def rank_table(material: Material) -> View | None:
    """Places of models; none where there is one model only."""
    if len(material.models) < 2:
        return None
    columns: list[Column[Rank]] = [
        Column("compliance", lambda r: w.percent(r.compliance)),
        Column("scenarios", lambda r: w.count(r.n_scenarios)),
        Column(
            "place", lambda r: f"{r.rank_best}" if r.rank_best == r.rank_worst else f"{r.rank_best} to {r.rank_worst}"
        ),
        Column("group", lambda r: r.group),
    ]
    note = "Models that share a letter cannot be told apart (Holm, 5 %); places are those that the data leave open."
    texts = ("ranking", f"Places of models, {material.variant}", note, "Model")
    return view(material.ranks, columns, lambda r: r.model, lambda r: r.condition, texts, "Condition")


def model_table(material: Material) -> View:
    """Models against each other on the same scenarios."""
    columns: list[Column[ModelPair]] = [
        Column("pairs", lambda p: w.count(p.n_pairs)),
        Column("norms", lambda p: w.count(p.n_norms)),
        Column("points", lambda p: w.points(p.difference)),
        Column("95 % interval", lambda p: w.interval(p.low, p.high, w.points)),
        Column("−100 to +100", lambda p: Bar(p.low, p.difference, p.high, signed=True)),
        Column("p (Holm)", lambda p: w.p_value(p.p_holm)),
        Column("superiority", lambda p: w.percent(p.superiority)),
        Column("its interval", lambda p: w.interval(p.superiority_low, p.superiority_high, w.bare)),
        Column("ties", lambda p: w.percent(p.ties)),
    ]
    note = (
        "Difference of compliance on the same scenarios; intervals at 95 %, clustered by norm. Superiority: share of "
        f"scenarios that the first does better on, ties counting half. {TESTED}; adjusted by Holm over all pairs of a "
        "condition."
    )
    rows = [pair for pair in material.model_pairs if pair.n_pairs]
    texts = ("model_pairs", f"Models against each other, {material.variant}", note, "First minus second")
    return view(rows, columns, lambda p: f"{p.first} − {p.second}", lambda p: p.condition, texts, "Condition")
