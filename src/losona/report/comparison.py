"""What `losona compare` says: a verdict in words, the table, the scenarios that flipped, the gates. Computes no number.

A `Comparison` is made of two sets of scores. It does not know whether these come from two runs, or from one that was
graded in two ways.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from losona import stats
from losona.report import wording as w
from losona.report.views import Column, View, view
from losona.stats import Change, Flip, Score

ALPHA = 0.05
ALLOWED_MISSING = 0.05
"""Share of what the earlier side scored under a condition that the later side may lack for a gate to pass."""
FEWEST = 6
"""Below so many norms the sign-flip test cannot give a p value of 5 %, whatever the data."""


@dataclass(frozen=True)
class Comparison:
    """The second against the first."""

    first: str
    """Name of the earlier side."""
    second: str
    """Name of the later side."""
    changes: Sequence[Change]
    """By pair of models, condition and variant, in the order of reading."""
    flips: Sequence[Flip]
    """Every scenario of both sides."""

    @property
    def main(self) -> list[Change]:
        """Rows of the variant that verdict and gates are about: `demos`, or the first one where there is none."""
        variants = {row.variant for row in self.changes}
        wanted = "demos" if "demos" in variants or not variants else min(variants)
        return [row for row in self.changes if row.variant == wanted]


@dataclass(frozen=True)
class Gate:
    """A gate and what came of it."""

    name: str
    """As it was asked for."""
    passed: bool
    """Whether it holds."""
    found: str
    """What was found, in words."""

    @property
    def line(self) -> str:
        """For the terminal."""
        return f"gate {self.name}: {self.found}, {'passed' if self.passed else 'FAILED'}"


def compared(
    sides: tuple[str, str], first: Sequence[Score], second: Sequence[Score], models: Sequence[tuple[str, str]]
) -> Comparison:
    """Compare two sets of scores, pairing the models that are given."""
    changes = sorted(
        stats.changes(first, second, models),
        key=lambda r: (w.variant_key(r.variant), r.first, w.condition_key(r.condition)),
    )
    return Comparison(*sides, changes, stats.flips(first, second, models))


def min_gain(comparison: Comparison, least: float, allowed: float = ALLOWED_MISSING) -> Gate:
    """Every difference of the main variant is at least this; what the later side has not scored does not pass."""
    name = f"--min-gain {least:g}"
    row = stats.least_gain(_gated(comparison))
    if thin := _thin(comparison, allowed):
        return Gate(name, False, thin)
    assert row is not None
    found = f"the least difference is {row.difference:+.3f} ({_place(row)}, {_interval(row)} points)"
    return Gate(name, stats.passes(row.difference, least), found)


def no_regression(comparison: Comparison, alpha: float, allowed: float = ALLOWED_MISSING) -> Gate:
    """No condition of the main variant is worse by a test at this level, adjusted for their number."""
    name = f"--no-regression {alpha:g}"
    worse = stats.regressions(_gated(comparison), alpha)
    if not worse and (thin := _thin(comparison, allowed)):
        return Gate(name, False, thin)
    if not worse:
        room = min(row.low for row in comparison.main if not isnan(row.low)) if _bounded(comparison) else -1.0
        return Gate(
            name, True, f"no condition is demonstrably worse (the intervals reach down to {w.points(room)} points)"
        )
    return Gate(name, False, "; ".join(f"worse under {_place(row)} (p {_p(row.p_holm)})" for row in worse))


def _gated(comparison: Comparison) -> list[Change]:
    """Rows that gates are about: those of which the earlier side scored anything."""
    return [row for row in comparison.main if row.n_first]


def _thin(comparison: Comparison, allowed: float) -> str:
    """Why there is too little to pass a gate; empty where there is enough."""
    if not any(row.n_pairs for row in comparison.main):
        return "there are no scenarios that both scored"
    missing = [
        f"{row.n_only_first} of {row.n_first} under {_place(row)}"
        for row in stats.uncovered(_gated(comparison), allowed)
    ]
    return f"{comparison.second} has not scored {', '.join(missing)} that {comparison.first} scored" if missing else ""


def _bounded(comparison: Comparison) -> bool:
    return any(not isnan(row.low) for row in comparison.main)


def verdict(comparison: Comparison) -> str:
    """Better, worse, or not to be told apart: first in one word, then the numbers, for each pair of models."""
    pairs = dict.fromkeys((row.first, row.second) for row in comparison.main)
    if not any(row.n_pairs or row.n_decided for row in comparison.main):
        return "There is nothing to compare: the two share no scenario under one condition and variant."
    return " ".join(_sentence(comparison, pair) for pair in pairs)


def _sentence(comparison: Comparison, pair: tuple[str, str]) -> str:
    rows = [row for row in comparison.main if (row.first, row.second) == pair]
    told = [row for row in rows if row.p_holm <= ALPHA]
    better, worse = ([row for row in told if sign * row.difference > 0] for sign in (1, -1))
    open_ = [row for row in rows if row not in told and row.n_pairs]
    empty = [row.condition for row in rows if not row.n_pairs]
    parts = [
        *(
            f"{word} under {w.listed(map(_gap, found))}"
            for word, found in (("better", better), ("worse", worse))
            if found
        ),
        *([f"no demonstrable difference under {w.listed(map(_gap, open_))}"] if open_ else []),
        *([f"nothing scored on both sides under {w.listed(empty)}"] if empty else []),
    ]
    first, second = _sides(comparison, pair)
    said = "; ".join(parts) if len(parts) > 1 else parts[0].partition(" under ")[2]
    return f"{_word(better, worse, open_)}: {second} against {first}{', ' if len(parts) > 1 else ' under '}{said}."


def _word(better: Sequence[Change], worse: Sequence[Change], open_: Sequence[Change]) -> str:
    if better and worse:
        return "Mixed"
    if better or worse:
        return ("Better" if better else "Worse") + (" in part" if open_ else "")
    return "No demonstrable difference" if open_ else "Not comparable"


def _sides(comparison: Comparison, pair: tuple[str, str]) -> tuple[str, str]:
    if pair[0] != pair[1]:
        return pair
    return f"{pair[0]} in {comparison.first}", f"{pair[1]} in {comparison.second}"


def _gap(row: Change) -> str:
    return f"{row.condition} ({w.points(row.difference)} points, 95 % interval {_interval(row)}, p {_p(row.p_holm)})"


def remarks(comparison: Comparison) -> Iterator[str]:
    """What the numbers rest on, and what they cannot tell."""
    rows = [row for row in comparison.main if row.n_pairs]
    fewest = min((row.n_norms for row in rows), default=FEWEST)
    if fewest < FEWEST:
        yield (
            f"Only {w.some(fewest, 'norm')}: below {FEWEST} norms no difference can be told from chance, however large."
        )
    only = [
        max((getattr(row, side) for row in comparison.main), default=0) for side in ("n_only_first", "n_only_second")
    ]
    if any(only):
        yield (
            f"Left out, since one side did not score them: up to {w.some(only[0], 'scenario')} of {comparison.first} "
            f"and {only[1]:,} of {comparison.second} under a condition."
        )


def change_table(comparison: Comparison) -> View:
    """Every pair of models, condition and variant."""
    columns: list[Column[Change]] = [
        Column("pairs", lambda r: w.count(r.n_pairs)),
        Column(comparison.first, lambda r: w.percent(r.compliance_first)),
        Column(comparison.second, lambda r: w.percent(r.compliance_second)),
        Column("points", lambda r: w.points(r.difference)),
        Column("95 % interval", _interval),
        Column("p (Holm)", lambda r: w.p_value(r.p_holm)),
        Column("gained", lambda r: w.count(r.n_decided and r.gained)),
        Column("lost", lambda r: w.count(r.n_decided and r.lost)),
        Column("of decided", lambda r: w.count(r.n_decided)),
    ]
    note = (
        "Compliance over the scenarios that both scored; intervals at 95 %, clustered by norm; p: sign-flip of norms "
        "below 30 norms, else clustered t, adjusted by Holm over the conditions of a variant. Gained: breached in the "
        "first and complies in the second by majority; lost: the reverse."
    )
    return view(
        comparison.changes, columns, lambda r: f"{r.condition}, {r.variant}",
        lambda r: r.first if r.first == r.second else f"{r.second} against {r.first}",
        ("changes", "Paired by scenario", note, "Condition, variant"),
    )  # fmt: skip


def flipped(comparison: Comparison) -> list[Flip]:
    """Scenarios of the main variant whose majority changed, the lost ones first."""
    variants = {row.variant for row in comparison.main}
    rows = [flip for flip in comparison.flips if flip.variant in variants and flip.kind in ("lost", "gained")]
    return sorted(rows, key=lambda f: (f.kind != "lost", w.condition_key(f.condition), f.scenario_id))


def told(flip: Flip) -> str:
    """A flip as one line."""
    model = "" if flip.first == flip.second else f", {flip.second}"
    return (
        f"{flip.kind}: {flip.scenario_id} ({flip.norm}), {flip.condition}{model}: "
        f"{w.percent(flip.mean_first)} of replies complied, now {w.percent(flip.mean_second)}"
    )


def _place(row: Change) -> str:
    return row.condition if row.first == row.second else f"{row.condition}, {row.second} against {row.first}"


def _interval(row: Change) -> str:
    return w.interval(row.low, row.high, w.points)


def _p(p: float) -> str:
    """With its sign: `= 0.03`, `< 0.001`."""
    shown = w.p_value(p)
    return f"< {shown[1:]}" if shown.startswith("<") else f"= {shown}"
