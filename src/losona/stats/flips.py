"""Two sets of scores side by side: which scenarios flipped, how far apart the two are, and whether that may be chance.

Pure. Does not know where the two sets come from: two runs, two models or two judges.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, nan

from losona.stats.intervals import clustered_mean, holm, p_value
from losona.stats.outcomes import group_by
from losona.stats.paired import mcnemar
from losona.stats.scores import Pair, Score, groups, n_norms, norm_clusters

Names = tuple[str, str]


@dataclass(frozen=True)
class Change:
    """The second set minus the first, over the scenarios that both scored. Shares and differences of shares."""

    first: str
    """Name of the first set: mostly a model of the earlier run."""
    second: str
    """Name of the second set."""
    condition: str
    """Condition of the prompt."""
    variant: str
    """Variant of the scenarios."""
    n_pairs: int
    """Scenarios with a label on both sides: the denominator of compliance."""
    n_only_first: int
    """Scenarios that only the first scored."""
    n_only_second: int
    """Scenarios that only the second scored."""
    n_norms: int
    """Norms among the pairs: the clusters."""
    compliance_first: float
    """Mean of the scenarios' mean labels in the first."""
    compliance_second: float
    """The same in the second."""
    difference: float
    """Second minus first."""
    low: float
    """Lower end of its 95 % interval, clustered by norm."""
    high: float
    """Upper end."""
    p: float
    """p value of no difference: sign-flip of norms below 30 norms, else the clustered t test."""
    p_holm: float
    """The same, adjusted by Holm over the rows of the variant."""
    n_decided: int
    """Scenarios with a majority on both sides: the denominator of what follows."""
    gained: int
    """Scenarios that breach in the first and comply in the second."""
    lost: int
    """The reverse."""
    p_mcnemar: float
    """Exact McNemar on these; takes scenarios as independent."""

    @property
    def n_first(self) -> int:
        """Scenarios that the first scored."""
        return self.n_pairs + self.n_only_first


@dataclass(frozen=True)
class Flip:
    """One scenario on both sides."""

    first: str
    """Name of the first set."""
    second: str
    """Name of the second set."""
    condition: str
    """Condition of the prompt."""
    variant: str
    """Variant of the scenario."""
    scenario_id: str
    """The scenario."""
    norm: str
    """Its norm."""
    kind: str
    """gained, lost, same (both decide alike), or undecided (one side has no majority)."""
    mean_first: float
    """Share of the first's scored replies that comply; NaN where none is scored."""
    mean_second: float
    """The same of the second."""


def changes(first: Sequence[Score], second: Sequence[Score], names: Iterable[Names]) -> list[Change]:
    """One row a pair of names x condition x variant of either set. A name is the `model` of the scores."""
    rows = [
        _change((*key, *cell), both, only)
        for key in names
        for cell, both, only in _cells(first, second, key)
    ]  # fmt: skip
    adjusted: dict[int, Change] = {}
    for group in group_by(enumerate(rows), lambda item: item[1].variant).values():
        for (i, row), p in zip(group, holm([row.p for _, row in group]), strict=True):
            adjusted[i] = replace(row, p_holm=p)
    return [adjusted[i] for i in range(len(rows))]


def flips(first: Sequence[Score], second: Sequence[Score], names: Iterable[Names]) -> list[Flip]:
    """One row a scenario that stands on both sides, in the order of their ids."""
    return [
        Flip(*key, *cell, a.scenario_id, a.norm, _kind(a, b), a.mean, b.mean)
        for key in names
        for cell, both, _ in _cells(first, second, key)
        for a, b in both
    ]


def least_gain(rows: Sequence[Change]) -> Change | None:
    """The row whose difference is least, one without a pair before all others; none without rows."""
    return min(rows, key=lambda row: -inf if isnan(row.difference) else row.difference, default=None)


def uncovered(rows: Sequence[Change], allowed: float) -> list[Change]:
    """Rows that are too thin for a conclusion: no pair, or more than this share of what the first scored is missing."""
    return [row for row in rows if row.n_first and (not row.n_pairs or row.n_only_first > allowed * row.n_first)]


def regressions(rows: Sequence[Change], alpha: float) -> list[Change]:
    """Rows in which the second complies less often and Holm's p value is at most `alpha`."""
    return [row for row in rows if row.difference < 0 and row.p_holm <= alpha]


def _cells(
    first: Sequence[Score], second: Sequence[Score], names: Names
) -> list[tuple[Names, list[Pair], tuple[int, int]]]:
    """Every condition and variant of either side, pairs of scores, and how many scenarios only one of them scored."""
    own, other = (_by_cell(side, name) for side, name in zip((first, second), names, strict=True))
    found: list[tuple[Names, list[Pair], tuple[int, int]]] = []
    for cell in dict.fromkeys([*own, *other]):
        one, two = own.get(cell, {}), other.get(cell, {})
        both = [(score, two[name]) for name, score in one.items() if name in two]
        scored = [{name for name, score in side.items() if score.n_scored} for side in (one, two)]
        found.append((cell, both, (len(scored[0] - scored[1]), len(scored[1] - scored[0]))))
    return found


def _by_cell(scores: Iterable[Score], model: str) -> dict[Names, dict[str, Score]]:
    """Condition and variant -> scenario -> score of one model."""
    own = [s for s in scores if s.model == model]
    return {cell: {s.scenario_id: s for s in group} for cell, group in groups(own, lambda s: (s.condition, s.variant))}


def _kind(first: Score, second: Score) -> str:
    if first.passes is None or second.passes is None:
        return "undecided"
    return {(False, True): "gained", (True, False): "lost"}.get((first.passes, second.passes), "same")


def _change(key: tuple[str, str, str, str], both: Sequence[Pair], only: tuple[int, int]) -> Change:
    scored = [(a, b) for a, b in both if a.n_scored and b.n_scored]
    difference, norms = [b.mean - a.mean for a, b in scored], norm_clusters(a for a, _ in scored)
    gap = clustered_mean(difference, norms)
    sides = [clustered_mean([pair[i].mean for pair in scored], norms).mean for i in (0, 1)]
    kinds = [_kind(a, b) for a, b in both]
    gained, lost = kinds.count("gained"), kinds.count("lost")
    return Change(
        *key, gap.n, *only, n_norms(a for a, _ in scored), sides[0], sides[1], gap.mean, gap.low, gap.high,
        p_value(difference, norms), nan, len(kinds) - kinds.count("undecided"), gained, lost, mcnemar(gained, lost),
    )  # fmt: skip
