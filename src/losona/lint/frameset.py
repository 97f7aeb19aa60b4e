"""Rules on a set of chats: ids, elicitors, talk, pairs and venues (S01, S03 to S06), and near-duplicates (S07).

A unit is a frame, the lines of one frame, or a release row (`losona.lint.units`). What a unit does not know is not
checked. Each check yields the file or line that carries the fault, with the fault.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from losona.lint.finding import Fault
from losona.lint.near import common_counts, jaccard, near_duplicates
from losona.lint.units import Unit
from losona.lint.wording import plain, words
from losona.textfiles import Document

LIKE_ELICITORS = 0.6
"""Share of common words, names apart, from which two elicitors are nearly equal."""
SHARED_RUNS, NEAR_DUPLICATE = 0.05, 0.2
"""Greatest share of runs that two chats may have in common; Jaccard of their runs from which they are duplicates."""
MANY, VENUE_SHARE = 8, 0.25
"""Units from which venues are counted; greatest share of one venue."""

Units = Sequence[Unit]
Found = Iterator[tuple[Document, Fault]]
Likeness = dict[int, dict[int, float]]
"""Index of a later unit -> index of an earlier one -> how much they have in common."""


def unique_ids(units: Units) -> Found:
    """S01: ids of frames and of lines are unique, and slugs of frames."""
    ids: dict[str, Document] = {}
    slugs: dict[str, Document] = {}
    for unit in units:
        doubled = False
        for name, document in unit.members:
            if doubled := name in ids:
                yield document, Fault(("frame",), f"the id {name} also {_where(ids[name])}", "a new id")
            ids.setdefault(name, document)
        if unit.slug in slugs and not doubled:
            found = f"the slug {unit.slug} also {_where(slugs[unit.slug])}"
            yield unit.document, Fault(("frame",), found, "a new slug")
        slugs |= {unit.slug: unit.document} if unit.slug and unit.slug not in slugs else {}


def _where(document: Document) -> str:
    return f"in {document.path}:{document.line(('frame',))}"


def distinct_elicitors(units: Units) -> Found:
    """S03: no two elicitors are nearly equal."""
    texts = [set(words(nameless(unit, unit.elicitor))) for unit in units]
    for i, j in combinations(range(len(units)), 2):
        if jaccard(texts[i], texts[j]) >= LIKE_ELICITORS:
            found = f"nearly the elicitor of {units[i].id}: {units[i].elicitor!r}"
            yield units[j].document, Fault(("elicitor",), found, "a last message of its own")


def nameless(unit: Unit, text: str) -> str:
    """A text without the members' names."""
    names = "|".join(re.escape(plain(name)) for name in (*unit.names, *unit.called))
    return re.sub(rf"(?<!\w)(?:{names})(?!\w)", " ", plain(text)) if names else plain(text)


def distinct_talk(units: Units) -> Found:
    """S04: two chats share at most 5 % of their five-word runs; of several the worst is told."""
    shares: Likeness = defaultdict(dict)
    for (i, j), common in common_counts([unit.runs for unit in units]).items():
        if (share := common / min(len(units[i].runs), len(units[j].runs))) > SHARED_RUNS:
            shares[j][i] = share
    for j, i, share, others in _worst(shares):
        example = " ".join(min(units[i].runs & units[j].runs))
        found = f"{share:.0%} of the five-word runs also in {units[i].id}, as {example!r}{others}"
        yield units[j].document, Fault(("chat",), found, f"at most {SHARED_RUNS:.0%}")


def _worst(pairs: Likeness) -> Iterator[tuple[int, int, float, str]]:
    """Each later chat with the earlier one that it is most like, how much, and how many more there are."""
    for j, others in sorted(pairs.items()):
        nearest = max(others, key=lambda i: (others[i], -i))
        yield j, nearest, others[nearest], f"; and {len(others) - 1} more such" if len(others) > 1 else ""


def distinct_slots(units: Units) -> Found:
    """S05: the same event and pair of norms occur once."""
    seen: dict[tuple[tuple[str, str], frozenset[str]], Unit] = {}
    for unit in units:
        if unit.pair is None:
            continue
        first = seen.setdefault((unit.event, unit.pair), unit)
        if first is not unit:
            found = f"event {unit.event[1]} with this pair also in {first.id}"
            yield unit.document, Fault(("arms",), found, "another event or pair")


def spread_venues(units: Units) -> Found:
    """S06: in a set of eight or more, no venue takes more than a quarter."""
    yield from too_frequent([unit.venue for unit in units], units, "venue", VENUE_SHARE)


def too_frequent(values: Sequence[str | None], units: Units, what: str, most: float) -> Found:
    """A value that more than a share `most` of the units have, reported at the last of them."""
    known = [value for value in values if value]
    if len(known) < MANY:
        return
    for value, count in Counter(known).items():
        if count / len(known) > most:
            last = [unit for unit, other in zip(units, values, strict=True) if other == value][-1]
            found = f"{count} of {len(known)} chats have the {what} {value}"
            yield last.document, Fault(("venue",), found, f"at most {most:.0%}")


def near_copies(units: Units) -> Found:
    """S07: no two chats are near-duplicates; of several the nearest is told."""
    like: Likeness = defaultdict(dict)
    for (i, j), likeness in near_duplicates([unit.runs for unit in units], NEAR_DUPLICATE).items():
        like[j][i] = likeness
    for j, i, likeness, others in _worst(like):
        found = f"nearly {units[i].id}: Jaccard {likeness:.2f} of their five-word runs{others}"
        yield units[j].document, Fault(("chat",), found, f"below {NEAR_DUPLICATE}")


CHECKS = {
    "S01": unique_ids,
    "S03": distinct_elicitors,
    "S04": distinct_talk,
    "S05": distinct_slots,
    "S06": spread_venues,
    "S07": near_copies,
}
"""Rule -> check over the set."""
