"""Rules on a set of frames (S01 to S06): what must not repeat from frame to frame.

Each check yields the view that carries the fault, with the fault.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from losona.lint.finding import Fault
from losona.lint.view import FrameView
from losona.lint.wording import likeness, plain, runs

FRAMES_PER_NAME = 2
"""Frames in which a name may occur."""
LIKE_ELICITORS = 0.6
"""Share of common words, names apart, from which two elicitors are nearly equal."""
RUN_WORDS, SHARED_RUNS = 5, 0.05
"""Length of a run of words; greatest share of runs that two frames may have in common."""
MANY, VENUE_SHARE = 8, 0.25
"""Frames from which venues are counted; greatest share of one venue."""

Views = Sequence[FrameView]
Found = Iterator[tuple[FrameView, Fault]]


def unique_ids(views: Views) -> Found:
    """S01: frame ids and slugs are unique."""
    ids: dict[str, FrameView] = {}
    slugs: dict[str, FrameView] = {}
    for view in views:
        frame = view.frame
        if frame.frame in ids:
            other = ids[frame.frame].document.path
            yield view, Fault(("frame",), f"frame id {frame.frame} also in {other}", "a new id")
        elif frame.slug in slugs:
            other = slugs[frame.slug].document.path
            yield view, Fault(("frame",), f"slug {frame.slug} also in {other}", "a new slug")
        ids.setdefault(frame.frame, view)
        slugs.setdefault(frame.slug, view)


def fresh_names(views: Views) -> Found:
    """S02: a name occurs in at most two frames."""
    where: dict[str, list[FrameView]] = defaultdict(list)
    for view in views:
        for name in dict.fromkeys(name.casefold() for name in view.roster):
            where[name].append(view)
    for name, found in where.items():
        if len(found) > FRAMES_PER_NAME:
            others = ", ".join(view.frame.slug for view in found[:-1])
            yield found[-1], Fault(("cast",), f"the name {name} also in {others}", f"at most {FRAMES_PER_NAME} frames")


def distinct_elicitors(views: Views) -> Found:
    """S03: no two elicitors are nearly equal."""
    texts = [_nameless(view) for view in views]
    for i, j in combinations(range(len(views)), 2):
        if likeness(texts[i], texts[j]) >= LIKE_ELICITORS:
            found = f"nearly the elicitor of {views[i].frame.frame}: {views[i].frame.elicitor.text!r}"
            yield views[j], Fault(("elicitor",), found, "a last message of its own")


def _nameless(view: FrameView) -> str:
    names = "|".join(re.escape(plain(name)) for name in (*view.roster, *view.frame.subject.also))
    return re.sub(rf"(?<!\w)(?:{names})(?!\w)", " ", plain(view.frame.elicitor.text))


def distinct_talk(views: Views) -> Found:
    """S04: two frames share at most 5 % of their five-word runs."""
    talk = [runs((passage.text for passage in view.talk), RUN_WORDS) for view in views]
    for i, j in combinations(range(len(views)), 2):
        fewer = min(len(talk[i]), len(talk[j]))
        common = talk[i] & talk[j]
        if fewer and len(common) / fewer > SHARED_RUNS:
            found = f"{len(common) / fewer:.0%} of the five-word runs also in {views[i].frame.frame}"
            found += f", as {' '.join(min(common))!r}"
            yield views[j], Fault(("chat",), found, f"at most {SHARED_RUNS:.0%}")


def distinct_slots(views: Views) -> Found:
    """S05: the same event and pair of norms occur once."""
    seen: dict[tuple[str, str, frozenset[str]], FrameView] = {}
    for view in views:
        frame = view.frame
        key = (frame.pack, frame.event, frozenset({frame.arms.a, frame.arms.b}))
        if key in seen:
            found = f"event {frame.event} with this pair also in {seen[key].frame.frame}"
            yield view, Fault(("arms",), found, "another event or pair")
        seen.setdefault(key, view)


def spread_venues(views: Views) -> Found:
    """S06: in a set of eight or more, no venue takes more than a quarter."""
    if len(views) < MANY:
        return
    for venue, count in Counter(view.frame.venue for view in views).items():
        if count / len(views) > VENUE_SHARE:
            last = [view for view in views if view.frame.venue == venue][-1]
            yield last, Fault(("venue",), f"{count} of {len(views)} frames in {venue}", f"at most {VENUE_SHARE:.0%}")


CHECKS = {
    "S01": unique_ids,
    "S02": fresh_names,
    "S03": distinct_elicitors,
    "S04": distinct_talk,
    "S05": distinct_slots,
    "S06": spread_venues,
}
"""Rule -> check over the set."""
