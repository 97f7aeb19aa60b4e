"""What the numbers say, in two sentences. Takes them from the statistics and computes none.

A difference is named only where its p value, adjusted for the number of comparisons, is at most 5 %; all else is a tie
and is called one. The second sentence never begins with a name: names are shown as they are, with their first letter.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from losona.frames import CONFLICTING
from losona.report.material import Material
from losona.report.wording import DASH, condition_key, interval, listed, p_value, percent, plural, points
from losona.stats import Cell, Delta, Followed, Gain, ModelPair

LITTLE = 20
"""Below so many pairs or scenarios a 95 % interval is some 40 points wide, and the report says so."""
NAMED = 3
"""At most so many models are named in one part of a sentence."""
IN_FULL = 2
"""At most so many conditions are told one by one."""
ALPHA = 0.05
CEILING = "oracle"
"""A condition that tells the model what to do: a bound, no subject of a headline."""


def headline(material: Material) -> tuple[str, str]:
    """Who adapts and by how much, under every condition; and which differences are more than chance."""
    gains = [gain for gain in material.gains if gain.n_pairs and gain.condition != CEILING]
    if gains:
        return _adaptation(gains), _differences(material, min(gain.n_pairs for gain in gains), "pair")
    scored = [cell for cell in material.main if cell.n_scored]
    if material.variant in CONFLICTING and (seen := [row for row in material.followed if row.n_scenarios]):
        return _conflict(seen), "Which of two norms is right there is a convention, so this is no accuracy."
    if not scored:
        return (
            "Not one reply was scored, so nothing can be said about any model.",
            "The counts below tell why replies are unscored.",
        )
    return _compliance(scored), _differences(material, min(c.n_decided for c in scored), "decided scenario")


def _conflict(rows: Sequence[Followed]) -> str:
    """Which norm models follow that have seen both."""
    texts = [
        f"under {row.condition} and {row.variant} evidence {row.model} follows the norm that counts in "
        f"{percent(row.counted)} of {plural(row.n_scenarios, 'scenario')}, the other in {percent(row.other)}, both in "
        f"{percent(row.both)} and neither in {percent(row.neither)}"
        for row in rows[: 2 * NAMED]
    ]
    more = len(rows) - len(texts)
    rest = [f"the tables have {plural(more, 'more row')}"] if more > 0 else []
    return f"Where both norms were shown, {'; '.join([*texts, *rest])}."


def _adaptation(gains: Sequence[Gain]) -> str:
    """Each model with what is shown for it; those that gain most first."""
    models = [list(group) for _, group in groupby(gains, lambda gain: gain.model)]
    models.sort(key=lambda rows: -max(row.gain for row in rows))
    parts = [_model(rows) for rows in models[:NAMED]]
    return "; ".join([*parts, *_rest(len(models))]) + "."


def _model(rows: Sequence[Gain]) -> str:
    """`m adapts under ... and shows no gain beyond chance under ...`."""
    told = [row for row in rows if row.p_holm <= ALPHA]
    above, below = ([row for row in told if sign * row.gain > 0] for sign in (1, -1))
    open_ = [row for row in rows if row not in told]
    parts = [
        *([f"adapts under {_under(above)}"] if above else []),
        *([f"complies less with demonstrations than without under {_under(below)}"] if below else []),
        *([f"shows no gain beyond chance under {_under(open_)}"] if open_ else []),
    ]
    return f"{rows[0].model} {listed(parts)}"


def _under(rows: Sequence[Gain]) -> str:
    """Conditions with their gains, one by one or as a range."""
    if len(rows) <= IN_FULL:
        return listed(
            f"{g.condition} (from {percent(g.without_demos)} to {percent(g.with_demos)}, {_gain(g)}, "
            f"{plural(g.n_pairs, 'pair')})"
            for g in rows
        )
    least, most = min(rows, key=lambda g: g.gain), max(rows, key=lambda g: g.gain)
    fewest = min(g.n_pairs for g in rows)
    if points(least.gain) == points(most.gain):
        return f"{plural(len(rows), 'condition')} ({points(most.gain)} points each, at least {plural(fewest, 'pair')})"
    return (
        f"{plural(len(rows), 'condition')} (from {_gain(least)} under {least.condition} to {_gain(most)} under "
        f"{most.condition}, at least {plural(fewest, 'pair')} each)"
    )


def _gain(g: Gain) -> str:
    ends = interval(g.gain_low, g.gain_high, points)
    return f"{points(g.gain)} points" + (f" [{ends}]" if ends != DASH else "")


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
        f"{'; '.join([*texts, *_rest(len(models))])}; whether that is adaptation stays open, because no scenario was "
        "scored both with and without demonstrations."
    )


def _replies(n: int) -> str:
    return plural(n, "scored reply", "scored replies")


def _differences(material: Material, least: int, unit: str) -> str:
    """Between conditions, between models, and how much data that rests on."""
    found = [*_conditions(material.main_deltas), *_models(material.model_pairs)] or [_nothing(material)]
    parts = [*_little(least, unit), *found]
    return f"{parts[0][0].upper()}{'; '.join(parts)[1:]}."


def _little(least: int, unit: str) -> list[str]:
    if least >= LITTLE:
        return []
    return [f"with so little data (as few as {plural(least, unit)}) this is a first look and no finding"]


def _nothing(material: Material) -> str:
    """Why there is no comparison."""
    conditions = [name for name in material.conditions if name != CEILING]
    if len(material.models) == 1 and len(conditions) == 1:
        return f"one model was run under {conditions[0]} alone, so there is nothing to compare it with"
    return "no two models or conditions have a scored scenario in common, so there is nothing to compare"


def _conditions(deltas: Iterable[Delta]) -> list[str]:
    """The conditions against the first control that was run; ties are called ties."""
    rows = [delta for delta in deltas if delta.condition != CEILING]
    control = min((row.against for row in rows), key=condition_key, default=DASH)
    rows = [row for row in rows if row.against == control]
    if not rows:
        return []
    told = [row for row in rows if row.p_holm <= ALPHA]
    if not told:
        return [_tied(rows, control)]
    moves = [(verb, [row for row in told if sign * row.compliance_delta > 0]) for verb, sign in _VERBS]
    texts = [f"{verb} under {_first(_moved(group))}" for verb, group in moves if group]
    return [f"against {control}, compliance {listed(texts)}", *_other(len(rows) - len(told), f"with {control}")]


_VERBS = (("rises", 1), ("falls", -1))


def _tied(rows: Sequence[Delta], control: str) -> str:
    conditions = listed(dict.fromkeys(row.condition for row in rows))
    whom = " for any model" if len({row.model for row in rows}) > 1 else ""
    return f"compliance under {conditions} does not differ from that under {control} by more than chance{whom}"


def _moved(rows: Sequence[Delta]) -> list[str]:
    return [
        f"{row.condition} for {row.model} ({points(row.compliance_delta)} points, p {_p(row.p_holm)})"
        for row in sorted(rows, key=lambda row: -abs(row.compliance_delta))
    ]


def _models(pairs: Iterable[ModelPair]) -> list[str]:
    """Models against each other, under every condition but the ceiling."""
    rows = [pair for pair in pairs if pair.n_pairs and pair.condition != CEILING]
    if not rows:
        return []
    told = [row for row in rows if row.p_holm <= ALPHA]
    if not told:
        n = len({name for row in rows for name in (row.first, row.second)})
        who = "the two models cannot" if n == 2 else f"no two of the {n} models can"
        return [f"{who} be told apart" + (" under any condition" if len({row.condition for row in rows}) > 1 else "")]
    texts = [
        f"{first} is ahead of {second} under {listed(row.condition for row in group)}"
        for (first, second), group in _grouped(told)
    ]
    return [f"between models, {_first(texts)}", *_other(len(rows) - len(told), "of models")]


def _first(texts: Sequence[str]) -> str:
    """At most so many of them as are named."""
    return listed([*texts[:NAMED], *([f"{len(texts) - NAMED} more"] if len(texts) > NAMED else [])])


def _other(n: int, what: str) -> list[str]:
    if not n:
        return []
    return [f"{plural(n, 'other comparison')} {what} {'shows' if n == 1 else 'show'} no difference beyond chance"]


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
