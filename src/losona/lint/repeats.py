"""Rules on what comes again across a set: names, places, openings, platforms (S02, S08 to S10).

A set of n chats may use a thing in n/20 of them, and in two at any rate: with names drawn from pools nothing comes
again within twenty.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from losona.lint.finding import Fault
from losona.lint.frameset import Found, Units, nameless, too_frequent
from losona.lint.lexicons import lexicons
from losona.lint.units import Unit, limit
from losona.lint.wording import plain, words
from losona.textfiles import Place

FIRST_WORDS, LAST_WORDS = 2, 3
"""Words that make the opening of a first message, of a last one."""
PLATFORM_SHARE = 1 / 3
"""Greatest share of one platform."""
SHOWN = 4
"""Other chats that a finding names."""
_PLACE = re.compile(
    r"(?<!\w)(?:in|at|to|from|near|via|towards?|outside|around) ([A-Z][\w'-]+(?: (?:of )?[A-Z][\w'-]+){0,2})"
)


def fresh_names(units: Units) -> Found:
    """S02: a name occurs in at most two chats, or in one of twenty."""
    yield from _repeated(units, lambda unit: [name.casefold() for name in unit.names], ("cast",), "the name")


def fresh_places(units: Units) -> Found:
    """S08: so does a place."""
    yield from _repeated(units, places, ("channel",), "the place")


def places(unit: Unit) -> Iterator[str]:
    """Places that a chat names: well-known ones, and capitalised names after a preposition of place. A heuristic."""
    text = "\n".join((*unit.standing, *unit.talk))
    yield from (plain(found) for found in _known_places().findall(text))
    taken = {plain(name) for name in unit.names} | lexicons().no_places
    for found in _PLACE.findall(text):
        name = plain(found).removesuffix("'s")
        if not {name, *name.split()} & taken and not found.isupper():
            yield name


@cache
def _known_places() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(lexicons().places)})(?!\w)", re.IGNORECASE)


def fresh_openings(units: Units) -> Found:
    """S09: chats do not all begin alike, nor do their last messages."""
    yield from _repeated(units, _first_words, ("chat",), "the first words")
    yield from _repeated(units, _last_words, ("elicitor",), "the last message opens with")


def _first_words(unit: Unit) -> list[str]:
    return _opening(unit, unit.opening, FIRST_WORDS)


def _last_words(unit: Unit) -> list[str]:
    return _opening(unit, unit.elicitor, LAST_WORDS)


def _opening(unit: Unit, text: str, count: int) -> list[str]:
    opening = words(nameless(unit, text))[:count]
    return [" ".join(opening)] if len(opening) == count else []


def spread_platforms(units: Units) -> Found:
    """S10: in a set of eight or more, no platform takes more than a third."""
    yield from too_frequent([unit.platform for unit in units], units, "platform", PLATFORM_SHARE)


def _repeated(units: Units, values: Callable[[Unit], Iterable[str]], place: Place, what: str) -> Found:
    """Each value that stands in too many units, reported at the last of them."""
    where: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        for value in dict.fromkeys(values(unit)):
            where[value].append(unit)
    most = limit(units)
    for value, found in where.items():
        if len(found) > most:
            others = ", ".join(unit.id for unit in found[-SHOWN - 1 : -1])
            told = f"{what} {value!r} in {len(found)} chats, also in {others}" + (
                "" if len(found) - 1 <= SHOWN else ", ..."
            )
            yield found[-1].document, Fault(place, told, f"at most {most} of {len(units)} chats")


CHECKS = {"S02": fresh_names, "S08": fresh_places, "S09": fresh_openings, "S10": spread_platforms}
"""Rule -> check over the set."""
