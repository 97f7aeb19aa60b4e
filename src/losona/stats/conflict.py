"""Replies under conflicting evidence: which of the two norms in the chat they follow. Pure.

Majority (`mixed`) and latest (`shift`) are conventions: nothing here is an accuracy, or is pooled with one. A reply
that the norm of the other arm has graded as well follows one norm, the other, both or neither.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from losona.stats.intervals import Estimate, clustered_mean, clustered_share
from losona.stats.outcomes import Outcome, group_by
from losona.stats.scores import Score, by_place, groups, norm_clusters, pairs, scored, where

VARIANTS = ("mixed", "shift")


@dataclass(frozen=True)
class Evidence:
    """Replies under conflicting evidence. The convention is ours, so the share is no accuracy."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    variant: str
    """shift (the latest counts) or mixed (the majority counts)."""
    n_scenarios: int
    """Scenarios with a scored reply: the denominator."""
    share: float
    """Mean share of replies that follow the latest (shift) or the majority (mixed)."""
    low: float
    """Lower end of its 95 % interval, clustered by norm."""
    high: float
    """Upper end."""
    n_pairs: int
    """Of these, scenarios that also have `demos` scored."""
    change: float
    """The share less compliance in `demos`, over these."""
    change_low: float
    """Lower end of its 95 % interval, clustered by norm."""
    change_high: float
    """Upper end."""


@dataclass(frozen=True)
class Followed:
    """Which norm replies follow that saw both. The counted norm is the majority's in mixed and the latest in shift."""

    model: str
    """Subject."""
    condition: str
    """Condition of the prompt."""
    variant: str
    """mixed or shift."""
    n_replies: int
    """Replies that were wanted."""
    n_unknown: int
    """Of these, replies that were not graded by both norms; in no share."""
    n_scenarios: int
    """Scenarios with a reply graded by both: the denominator of each share, which is a mean over scenarios."""
    n_norm_pairs: int
    """Pairs of norms among them: the clusters, since a reply's place depends on both norms."""
    counted: float
    """Mean share that follows the counted norm alone."""
    counted_low: float
    """Lower end of its 95 % interval, clustered by pair of norms."""
    counted_high: float
    """Upper end."""
    other: float
    """Mean share that follows the other norm alone: the minority's, or the earlier one."""
    other_low: float
    """Lower end of its 95 % interval."""
    other_high: float
    """Upper end."""
    both: float
    """Mean share that follows both."""
    both_low: float
    """Lower end of its 95 % interval."""
    both_high: float
    """Upper end."""
    neither: float
    """Mean share that follows neither; the four shares add up to 1."""
    neither_low: float
    """Lower end of its 95 % interval."""
    neither_high: float
    """Upper end."""
    lean: float
    """counted - other: above 0 where the weight or the order of evidence moves replies."""
    lean_low: float
    """Lower end of its 95 % interval, clustered by pair of norms."""
    lean_high: float
    """Upper end."""


class _Seen(NamedTuple):
    """One scenario: shares over its replies that both norms have graded."""

    norms: frozenset[tuple[str, str]]
    """Both norms with their packs: the cluster."""
    shares: tuple[float, float, float, float]
    """The counted norm alone, the other alone, both, neither."""


def evidence(found: Sequence[Score]) -> list[Evidence]:
    """One row a model x condition x variant shift or mixed, where these were run."""
    rows: list[Evidence] = []
    for key, group in groups((s for s in found if s.frame), lambda s: (s.model, s.condition)):
        demos = where(group, variant="demos")
        for variant in reversed(VARIANTS):
            if own := scored(where(group, variant=variant)):
                share = clustered_share([s.mean for s in own], norm_clusters(own))
                change = _change(own, demos)
                rows.append(Evidence(*key, variant, share.n, *share[:3], change.n, *change[:3]))
    return rows


def followed(joined: Iterable[Outcome], crossed: Iterable[Outcome]) -> list[Followed]:
    """One row a model x condition x variant mixed or shift, from outcomes and those by the norm of the other arm."""
    again = {o.reply_id: o for o in crossed}
    own = [o for o in joined if o.frame and o.variant in VARIANTS]
    cells = group_by(own, lambda o: (o.model, o.condition, o.variant))
    return [_followed(key, cells[key], again) for key in sorted(cells)]


def _followed(key: tuple[str, str, str], group: Sequence[Outcome], again: dict[str, Outcome]) -> Followed:
    known = [(o, again[o.reply_id]) for o in group if o.scored and o.reply_id in again and again[o.reply_id].scored]
    seen = [_seen(both) for both in group_by(known, lambda both: both[0].scenario_id).values()]
    clusters = [scenario.norms for scenario in seen]
    counted, other, both, neither = (clustered_share([s.shares[i] for s in seen], clusters) for i in range(4))
    lean = clustered_mean([s.shares[0] - s.shares[1] for s in seen], clusters)
    return Followed(
        *key, len(group), len(group) - len(known), lean.n, lean.n_clusters,
        *counted[:3], *other[:3], *both[:3], *neither[:3], *lean[:3],
    )  # fmt: skip


def _seen(both: Sequence[tuple[Outcome, Outcome]]) -> _Seen:
    places = [(own.complies, other.complies) for own, other in both]
    counted, other, all_, none = (
        places.count(place) / len(places) for place in ((True, False), (False, True), (True, True), (False, False))
    )
    norms = frozenset((o.pack, o.norm) for o in both[0])
    return _Seen(norms, (counted, other, all_, none))


def _change(own: Sequence[Score], demos: Sequence[Score]) -> Estimate:
    """Mean over pairs of the score under conflicting evidence less that in `demos`."""
    both = pairs(own, demos, by_place)
    return clustered_mean([a.mean - b.mean for a, b in both], norm_clusters(a for a, _ in both))
