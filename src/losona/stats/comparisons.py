"""Conditions against a control, and models against each other: paired by scenario, tested, and ranked. Pure."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from statistics import fmean
from typing import Any, TypeVar

from losona.stats.intervals import Estimate, benjamini_hochberg, clustered_mean, holm, p_value
from losona.stats.outcomes import group_by
from losona.stats.paired import bootstrap_mean, mcnemar
from losona.stats.rates import gain_pairs
from losona.stats.scores import (
    Pair,
    Score,
    by_scenario,
    groups,
    main_variant,
    n_norms,
    norm_clusters,
    pairs,
    scored,
    where,
)

CONTROLS = ("naive", "elicitor_only")
"""The paper's control, and the one that differs from the upper conditions by the hint alone."""
Row = TypeVar("Row")


@dataclass(frozen=True)
class Delta:
    """A condition minus a control condition, same model, same scenarios. Shares and differences of shares."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    against: str
    """The control: naive or elicitor_only."""
    variant: str
    """Variant of the scenarios."""
    n_pairs: int
    """Scenarios with a scored reply on both sides: the denominator of the compliance difference."""
    compliance_delta: float
    """Mean difference of the scenarios' mean labels."""
    delta_low: float
    """Lower end of its 95 % interval, clustered by norm."""
    delta_high: float
    """Upper end."""
    delta_frame_low: float
    """Lower end of the interval clustered by frame."""
    delta_frame_high: float
    """Upper end."""
    delta_boot_low: float
    """Lower end of the percentile bootstrap over scenarios, as in the paper."""
    delta_boot_high: float
    """Upper end."""
    p: float
    """p value of no difference: sign-flip of norms below 30 norms, else the clustered t test."""
    p_holm: float
    """The same, adjusted by Holm over the models for this condition and control."""
    n_decided: int
    """Scenarios with a majority on both sides: the denominator of what follows."""
    acc_delta: float
    """Difference of Acc@K over these."""
    recovered: int
    """Scenarios that breach under the control and comply under the condition."""
    regressed: int
    """The reverse."""
    p_mcnemar: float
    """Exact McNemar on recovered and regressed; takes scenarios as independent."""
    p_mcnemar_holm: float
    """The same, adjusted by Holm over the models."""
    n_norms: int
    """Norms among the pairs."""


@dataclass(frozen=True)
class ModelPair:
    """One model minus another, same condition, same scenarios."""

    condition: str
    """Condition of the prompt."""
    variant: str
    """Variant of the scenarios."""
    first: str
    """Subject."""
    second: str
    """The other subject."""
    n_pairs: int
    """Scenarios with a scored reply of both."""
    n_norms: int
    """Norms among them."""
    difference: float
    """Mean difference of the scenarios' mean labels, first minus second."""
    low: float
    """Lower end of its 95 % interval, clustered by norm."""
    high: float
    """Upper end."""
    p: float
    """p value of no difference: sign-flip of norms below 30 norms, else the clustered t test."""
    p_holm: float
    """The same, adjusted by Holm over all pairs of models under this condition."""
    superiority: float
    """Probability of superiority: share of scenarios that the first does better on, ties counting half."""
    superiority_low: float
    """Lower end of its 95 % interval, clustered by norm."""
    superiority_high: float
    """Upper end."""
    ties: float
    """Share of scenarios on which both do equally well."""


@dataclass(frozen=True)
class Rank:
    """A model's place under a condition, and which places it cannot be told apart from."""

    condition: str
    """Condition of the prompt."""
    variant: str
    """Variant of the scenarios."""
    model: str
    """Subject."""
    compliance: float
    """Mean of the scenarios' mean labels."""
    n_scenarios: int
    """Its denominator."""
    rank_best: int
    """1 + models that are told apart above it: the best place that the data leave open."""
    rank_worst: int
    """Models less those that are told apart below it: the worst place."""
    group: str
    """Letters: models that share one cannot be told apart (Holm, 5 %)."""


@dataclass(frozen=True)
class NormGain:
    """One norm of one model under one condition, with minus without demonstrations. Exploratory."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    pack: str
    """Pack of the norm."""
    norm: str
    """Norm id."""
    n_pairs: int
    """Pairs of scenarios."""
    gain: float
    """Mean difference."""
    p: float
    """Exact sign-flip over frames."""
    p_bh: float
    """The same, adjusted by Benjamini and Hochberg over the norms of this model and condition."""


def deltas(found: Sequence[Score]) -> list[Delta]:
    """One row a model x condition x control x variant; none of a control against itself."""
    rows: list[Delta] = []
    for (model, variant), group in groups(found, lambda s: (s.model, s.variant)):
        for control in CONTROLS:
            base = where(group, condition=control)
            for condition, wanted in groups(group, lambda s: s.condition):
                if base and condition != control and not (condition == "naive" and control == "elicitor_only"):
                    rows.append(_delta((model, condition, control, variant), pairs(wanted, base, by_scenario), wanted))
    rows = adjust(rows, lambda r: (r.condition, r.against, r.variant), "p", "p_holm", holm)
    return adjust(rows, lambda r: (r.condition, r.against, r.variant), "p_mcnemar", "p_mcnemar_holm", holm)


def model_pairs(found: Sequence[Score]) -> list[ModelPair]:
    """One row a condition x pair of models, on the main variant."""
    main = where(found, variant=(variant := main_variant(found)))
    rows: list[ModelPair] = []
    for condition, group in groups(main, lambda s: s.condition):
        by_model = group_by(group, lambda s: s.model)
        for first, second in combinations(sorted(by_model), 2):
            both = pairs(by_model[first], by_model[second], by_scenario)
            rows.append(_model_pair((condition, variant, first, second), both))
    return adjust(rows, lambda r: r.condition, "p", "p_holm", holm)


def ranking(found: Sequence[Score]) -> list[Rank]:
    """One row a condition x model, the best first; a place never stands without its group."""
    apart = {(r.condition, r.first, r.second): r for r in model_pairs(found)}
    main = where(found, variant=(variant := main_variant(found)))
    rows: list[Rank] = []
    for condition, group in groups(main, lambda s: s.condition):
        means = {m: fmean(s.mean for s in g) for m, g in groups(scored(group), lambda s: s.model)}
        names = sorted(means, key=lambda m: (-means[m], m))
        told = {
            (a, b) for (c, *two), r in apart.items() if c == condition and r.p_holm < 0.05 for a, b in [_order(r, *two)]
        }
        letters = _letters(names, told)
        rows.extend(
            Rank(
                condition, variant, name, means[name], len(scored(where(group, model=name))),
                1 + sum((other, name) in told for other in names),
                len(names) - sum((name, other) in told for other in names), letters[name],
            )
            for name in names
        )  # fmt: skip
    return rows


def norm_gains(found: Sequence[Score]) -> list[NormGain]:
    """One row a model x condition x norm that has pairs. For exploring: few pairs each, many tests."""
    rows: list[NormGain] = []
    for (model, condition), group in groups(found, lambda s: (s.model, s.condition)):
        for (pack, norm), both in sorted(group_by(gain_pairs(group), lambda p: p[0].norm_key).items()):
            change = [a.mean - b.mean for a, b in both]
            p = p_value(change, [a.unit for a, _ in both])
            rows.append(NormGain(model, condition, pack, norm, len(both), fmean(change), p, nan))
    return adjust(rows, lambda r: (r.model, r.condition), "p", "p_bh", benjamini_hochberg)


def adjust(
    rows: Sequence[Row],
    family: Callable[[Row], Any],
    given: str,
    wanted: str,
    method: Callable[[Sequence[float]], list[float]],
) -> list[Row]:
    """Rows with the field `wanted` set to the field `given`, adjusted within each family of tests."""
    adjusted: dict[int, Row] = {}
    for group in group_by(enumerate(rows), lambda item: family(item[1])).values():
        for (i, row), p in zip(group, method([getattr(row, given) for _, row in group]), strict=True):
            adjusted[i] = replace(row, **{wanted: p})  # type: ignore[type-var]
    return [adjusted[i] for i in range(len(rows))]


def _delta(key: tuple[str, str, str, str], both: Sequence[Pair], wanted: Iterable[Score]) -> Delta:
    change, norms = [a.mean - b.mean for a, b in both], norm_clusters(a for a, _ in both)
    norm, frame = clustered_mean(change, norms), clustered_mean(change, [a.unit for a, _ in both])
    boot = bootstrap_mean(change)
    decided = [(a.passes, b.passes) for a, b in both if a.passes is not None and b.passes is not None]
    recovered, regressed = decided.count((True, False)), decided.count((False, True))
    n = len(decided)
    return Delta(
        *key, len(both), norm.mean, norm.low, norm.high, frame.low, frame.high, *boot, p_value(change, norms), nan,
        n, (recovered - regressed) / n if n else nan, recovered, regressed,
        mcnemar(recovered, regressed) if n else nan, nan, n_norms(a for a, _ in both),
    )  # fmt: skip


def _model_pair(key: tuple[str, str, str, str], both: Sequence[Pair]) -> ModelPair:
    change, norms = [a.mean - b.mean for a, b in both], norm_clusters(a for a, _ in both)
    gap = clustered_mean(change, norms)
    better = _superiority(change, norms)
    return ModelPair(
        *key, gap.n, n_norms(a for a, _ in both), gap.mean, gap.low, gap.high, p_value(change, norms), nan,
        better.mean, better.low, better.high, fmean(c == 0 for c in change) if change else nan,
    )  # fmt: skip


def _superiority(change: Sequence[float], norms: Sequence[Hashable]) -> Estimate:
    """P(better) + P(tie) / 2, by way of the mean sign."""
    sign = clustered_mean([(c > 0) - (c < 0) for c in change], norms)
    return sign._replace(mean=(1 + sign.mean) / 2, low=(1 + sign.low) / 2, high=(1 + sign.high) / 2)


def _order(pair: ModelPair, first: str, second: str) -> tuple[str, str]:
    return (first, second) if pair.difference > 0 else (second, first)


def _letters(names: Sequence[str], told: set[tuple[str, str]]) -> dict[str, str]:
    """Compact letter display by insertion and absorption (Piepho 2004). `names` are sorted, the best first."""
    columns: list[set[str]] = [set(names)] if names else []
    for a, b in sorted(told):
        split = [c for c in columns if {a, b} <= c]
        columns = [c for c in columns if c not in split] + [c - {gone} for c in split for gone in (a, b)]
        columns = [
            c for i, c in enumerate(columns) if not any(c < d or (c == d and i > j) for j, d in enumerate(columns))
        ]
    columns.sort(key=lambda c: min(names.index(name) for name in c))
    return {n: "".join(_letter(i) for i, c in enumerate(columns) if n in c) for n in names}


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"({i + 1})"
