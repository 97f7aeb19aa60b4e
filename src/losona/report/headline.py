"""What the numbers say, in two sentences. Takes them from the statistics and computes none."""

from collections.abc import Iterable, Sequence

from losona.report.wording import DASH, condition_key, interval, listed, main_variant, percent, plural, points
from losona.stats import Cell, Gain

LITTLE = 20
"""Below so many pairs or scenarios a 95 % interval is some 40 points wide, and the report says so."""
NAMED = 3
"""At most so many models are named in one part of a sentence."""


def headline(cells: Sequence[Cell], gains: Sequence[Gain]) -> tuple[str, str]:
    """Who adapts, by gain where there are pairs and else by compliance; and how far that can be trusted."""
    if any(g.n_pairs for g in gains):
        condition = _first(g.condition for g in gains if g.n_pairs)
        paired = sorted((g for g in gains if g.condition == condition and g.n_pairs), key=lambda g: -g.gain)
        return _adaptation(condition, paired), _trust_gains(paired)
    variant = main_variant(cells)
    condition = _first(c.condition for c in cells if c.n_scored and c.variant == variant)
    scored = [c for c in cells if c.condition == condition and c.variant == variant and c.n_scored]
    scored.sort(key=lambda c: -c.compliance)
    if not scored:
        return (
            "Not one reply was scored, so nothing can be said about any model.",
            "The counts below tell why replies are unscored.",
        )
    return _compliance(condition, scored), _trust_cells(scored)


def _first(conditions: Iterable[str]) -> str:
    """naive, where it is among them."""
    return min(conditions, key=condition_key, default=DASH)


def _adaptation(condition: str, paired: Sequence[Gain]) -> str:
    """Gains above zero, below zero, and those that zero lies within."""
    above = [g for g in paired if g.gain_low > 0]
    below = [g for g in paired if g.gain_high < 0]
    unclear = [g for g in paired if g not in above and g not in below]
    parts: list[str] = []
    if above:
        parts.append(f"seeing demonstrations raises compliance for {_named(above)}")
    if below:
        parts.append(f"they lower it for {_named(below)}" if above else f"demonstrations lower it for {_named(below)}")
    if unclear:
        zero = f"no gain can be told from zero for {_named(unclear)}"
        parts.append(zero if not parts else f"for {_names(unclear)} the interval of the gain includes zero")
    return f"Under {condition}, {'; '.join(parts)}."


def _named(gains: Sequence[Gain]) -> str:
    texts = [
        f"{g.model} (from {percent(g.without_demos)} to {percent(g.with_demos)}, {points(g.gain)} points "
        f"[{interval(g.gain_low, g.gain_high, points)}] over {plural(g.n_pairs, 'pair')})"
        for g in gains[:NAMED]
    ]
    return listed([*texts, *_rest(len(gains))])


def _names(gains: Sequence[Gain]) -> str:
    return listed([*(g.model for g in gains[:NAMED]), *_rest(len(gains))])


def _rest(n: int) -> list[str]:
    return [plural(n - NAMED, "more model")] if n > NAMED else []


def _trust_gains(paired: Sequence[Gain]) -> str:
    least = min(g.n_pairs for g in paired)
    if least < LITTLE:
        return _little(plural(least, "pair"))
    if len(paired) == 1:
        return "Only one model was run, so there is nothing to compare it with."
    first, second = paired[:2]
    return _order(first.model, second.model, first.gain_low <= second.gain_high, "the gains")


def _compliance(condition: str, scored: Sequence[Cell]) -> str:
    texts = [
        f"{c.model} complies in {percent(c.compliance)} of {plural(c.n_scored, 'scored reply', 'scored replies')}"
        for c in scored[:NAMED]
    ]
    return (
        f"Under {condition}, {listed([*texts, *_rest(len(scored))])}; whether that is adaptation stays open, "
        "because no scenario was scored both with and without demonstrations."
    )


def _trust_cells(scored: Sequence[Cell]) -> str:
    least = min(c.n_decided for c in scored)
    if least < LITTLE:
        return _little(plural(least, "decided scenario"))
    if len(scored) == 1:
        return "Only one model was run, so there is nothing to compare it with."
    first, second = sorted(scored, key=lambda c: -c.acc_at_k)[:2]
    return _order(first.model, second.model, first.acc_low <= second.acc_high, f"the Acc@{first.k}")


def _little(least: str) -> str:
    return f"This is little data ({least} where there are fewest): take it as a first look, not as a finding."


def _order(first: str, second: str, overlap: bool, what: str) -> str:
    if overlap:
        return f"The intervals of {what} of {first} and {second} overlap, so their order may be chance."
    return (
        f"The intervals of {what} of {first} and {second} do not overlap, also when scenarios of one norm are "
        f"counted together: {first} is ahead."
    )
