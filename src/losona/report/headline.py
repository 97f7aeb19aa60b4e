"""What the numbers say, in two sentences. Takes them from the statistics and computes none."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from losona.report.material import Material
from losona.report.wording import DASH, condition_key, interval, listed, p_value, percent, plural, points
from losona.stats import Cell, Delta, Gain, ModelPair

LITTLE = 20
"""Below so many pairs or scenarios a 95 % interval is some 40 points wide, and the report says so."""
NAMED = 3
"""At most so many models are named in one part of a sentence."""
ALPHA = 0.05
CEILING = "oracle"
"""A condition that tells the model what to do: a bound, no subject of a headline."""


def headline(material: Material) -> tuple[str, str]:
    """Who adapts and by how much, under every condition; and which differences are more than chance."""
    gains = [gain for gain in material.gains if gain.n_pairs and gain.condition != CEILING]
    if gains:
        return _adaptation(gains), _differences(material, min(gain.n_pairs for gain in gains), "pair")
    scored = [cell for cell in material.main if cell.n_scored]
    if not scored:
        return (
            "Not one reply was scored, so nothing can be said about any model.",
            "The counts below tell why replies are unscored.",
        )
    return _compliance(scored), _differences(material, min(c.n_decided for c in scored), "decided scenario")


def _adaptation(gains: Sequence[Gain]) -> str:
    """Each model with what is shown for it; those that gain most first."""
    models = [list(group) for _, group in groupby(gains, lambda gain: gain.model)]
    models.sort(key=lambda rows: -max(row.gain for row in rows))
    parts = [_model(rows) for rows in models[:NAMED]]
    return "; ".join([*parts, *_rest(len(models))]) + "."


def _model(rows: Sequence[Gain]) -> str:
    """`m adapts under ...; no gain can be told from zero under ...`."""
    told = [row for row in rows if row.p_holm <= ALPHA]
    above, below = ([row for row in told if sign * row.gain > 0] for sign in (1, -1))
    open_ = [row for row in rows if row not in told]
    parts = [
        *([f"adapts under {_under(above)}"] if above else []),
        *([f"complies less once it sees demonstrations under {_under(below)}"] if below else []),
        *([f"shows no gain that can be told from zero under {_under(open_)}"] if open_ else []),
    ]
    return f"{rows[0].model} {listed(parts)}"


def _under(rows: Sequence[Gain]) -> str:
    return listed(
        f"{g.condition} (from {percent(g.without_demos)} to {percent(g.with_demos)}, {points(g.gain)} points "
        f"[{interval(g.gain_low, g.gain_high, points)}], {plural(g.n_pairs, 'pair')})"
        for g in rows
    )


def _rest(n: int) -> list[str]:
    return [f"the tables have {plural(n - NAMED, 'more model')}"] if n > NAMED else []


def _compliance(scored: Sequence[Cell]) -> str:
    models = [list(group) for _, group in groupby(scored, lambda cell: cell.model)]
    models.sort(key=lambda rows: -max(row.compliance for row in rows))
    texts = [
        f"{rows[0].model} complies in "
        + listed(f"{percent(c.compliance)} of {_replies(c.n_scored)} under {c.condition}" for c in rows)
        for rows in models[:NAMED]
    ]  # fmt: skip
    return (
        f"{listed([*texts, *_rest(len(models))])}; whether that is adaptation stays open, because no scenario was "
        "scored both with and without demonstrations."
    )


def _replies(n: int) -> str:
    return plural(n, "scored reply", "scored replies")


def _differences(material: Material, least: int, unit: str) -> str:
    """Between conditions, between models, and how much data that rests on."""
    parts = [*_little(least, unit), *_conditions(material.main_deltas), *_models(material.model_pairs)]
    if not parts:
        return "One model was run under one condition, so there is nothing to compare it with."
    return f"{'; '.join(parts)}.".replace(parts[0][0], parts[0][0].upper(), 1)


def _little(least: int, unit: str) -> list[str]:
    if least >= LITTLE:
        return []
    return [f"this is little data ({plural(least, unit)} where there are fewest), a first look and no finding"]


def _conditions(deltas: Iterable[Delta]) -> list[str]:
    """The conditions against the first control that was run; ties are called ties."""
    rows = [delta for delta in deltas if delta.condition != CEILING]
    control = min((row.against for row in rows), key=condition_key, default=DASH)
    rows = [row for row in rows if row.against == control]
    told = [row for row in rows if row.p_holm <= ALPHA]
    if not rows:
        return []
    if not told:
        return [f"no condition can be told from {control}"]
    texts = [
        f"{row.condition} for {row.model} ({points(row.compliance_delta)} points, p {_p(row.p_holm)})" for row in told
    ]
    more = f" and {len(texts) - NAMED} more" if len(texts) > NAMED else ""
    rest = "the others cannot be told from it" if len(told) < len(rows) else ""
    return [f"against {control} a difference is shown for {listed(texts[:NAMED])}{more}", *([rest] if rest else [])]


def _models(pairs: Iterable[ModelPair]) -> list[str]:
    """Models against each other, under every condition but the ceiling."""
    rows = [pair for pair in pairs if pair.n_pairs and pair.condition != CEILING]
    told = [row for row in rows if row.p_holm <= ALPHA]
    if not rows:
        return []
    if not told:
        return ["no two models can be told apart"]
    texts = [
        f"{first} is ahead of {second} under {listed(row.condition for row in group)}"
        for (first, second), group in _grouped(told)
    ]
    more = f" and {len(texts) - NAMED} more" if len(texts) > NAMED else ""
    rest = "other pairs of models cannot be told apart" if len(told) < len(rows) else ""
    return [f"{listed(texts[:NAMED])}{more}", *([rest] if rest else [])]


def _grouped(rows: Sequence[ModelPair]) -> list[tuple[tuple[str, str], list[ModelPair]]]:
    """Rows by who is ahead of whom."""
    found: dict[tuple[str, str], list[ModelPair]] = {}
    for row in rows:
        ahead = (row.first, row.second) if row.difference > 0 else (row.second, row.first)
        found.setdefault(ahead, []).append(row)
    return list(found.items())


def _p(p: float) -> str:
    text = p_value(p)
    return f"< {text[1:]}" if text.startswith("<") else f"= {text}"
