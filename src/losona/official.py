"""Rows of the public release <-> scenarios.

Knows the 13 columns and what may be derived where one is empty. What a row cannot say stays unknown.
Source of the columns: Humalike-ai/LoSoNA (Winiarek, Bilski, Jacniacki; CC BY 4.0).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field, ValidationError

from losona.errors import ContentError
from losona.schema._base import Record, Released
from losona.schema.scenario import Evaluation, Scenario, Visible, VisiblePerson, VisibleTurn
from losona.schema.taxonomy import Norm
from losona.taxonomy import Taxonomy
from losona.validation import told

ATTRIBUTION = "Humalike-ai/LoSoNA, CC BY 4.0 (Winiarek, Bilski, Jacniacki)"
OPENERS = frozenset(
    """actually ah also alright and anyway argh aw awesome btw but cool damn everyone fine folks fyi good great guys ha
    haha hello hey hi hmm hm honestly huh i just lol look man nah nice no nope oh ok okay omg oof oops perfect please
    quick right seriously so sorry sure team thanks ugh uh wait well whoa wow yeah yep yes yikes yo monday tuesday
    wednesday thursday friday saturday sunday january february march april may june july august september october
    november december today tomorrow tonight""".split()  # noqa: SIM905  (a list of words reads best as words)
)
"""Words that open a message and name nobody."""
_MENTION = re.compile(r"@(\w[\w'-]*)")
_VOCATIVE = re.compile(r"^(?:(?:hey|hi|hello|so|ok|okay|and|oh),?\s+)?([A-Z]\w[\w'-]*),\s", re.IGNORECASE)
_GREETED = re.compile(r"^(?:hey|hi|hello)\s+([A-Z]\w[\w'-]*)\b", re.IGNORECASE)


class RowPerson(Record):
    """A member in a row."""

    name: str
    """As shown in the chat; may be empty for the subject."""
    bio: str = ""
    """May be empty."""


class RowTurn(Record):
    """A message in a row."""

    turn_id: int | None = None
    """Number in the release; missing: the running number, from 1."""
    actor: str = Field(min_length=1)
    """Name of a member."""
    content: str
    """What was written."""
    is_norm_demonstration: bool = False
    """Demonstrates this row's norm."""
    is_elicitor: bool = False
    """The last message to be answered."""


class OfficialRow(Released):
    """One row of the public release."""

    scenario_id: str = Field(min_length=1)
    """`event__norm__variant__slug`."""
    event_id: str = ""
    """Event; empty: first part of the id."""
    norm_id: str = ""
    """Norm; empty: second part of the id."""
    norm_statement: str = Field(min_length=1)
    """The norm in the release's words: authoritative for grading."""
    channel_description: str = ""
    """May be empty."""
    venue: str = ""
    """`workplace` or another value; may be empty."""
    subject: RowPerson
    """Whose message is asked for."""
    cast: tuple[RowPerson, ...]
    """Everybody else."""
    transcript: tuple[RowTurn, ...] = Field(min_length=1)
    """The chat with the elicitor."""
    norm_demo_turn_ids: tuple[int, ...] = ()
    """Turn ids of the demonstrations; empty means unknown."""
    elicitor_turn_id: int | None = None
    """Turn id of the elicitor."""
    elicitor_actor: str = ""
    """Who wrote it."""
    elicitor_content: str = ""
    """What it says."""


@dataclass(frozen=True)
class Import:
    """What reading a release gave."""

    scenarios: tuple[Scenario, ...]
    """Rows that can be run."""
    skipped: tuple[str, ...] = ()
    """Faults of rows that were left out."""
    counts: dict[str, int] = field(default_factory=dict[str, int])
    """How many rows carry each note."""


def read_rows(
    rows: Iterable[tuple[str, Any]],
    taxonomy: Taxonomy,
    unnamed_subject: str = "",
    skip_bad_rows: bool = False,
) -> Import:
    """Scenarios from (place, row) pairs; a row may be the `ContentError` that reading it raised.

    Raises `ContentError` naming place, column and value of every bad row, unless `skip_bad_rows`; always when an
    id stands twice.
    """
    scenarios: list[Scenario] = []
    faults: list[str] = []
    places: dict[str, str] = {}
    for place, data in rows:
        try:
            scenario = _read_row(data, place, taxonomy, unnamed_subject)
        except ContentError as error:
            faults.append(str(error))
            continue
        if scenario.scenario_id in places:
            first = places[scenario.scenario_id]
            raise ContentError(f"{place}: scenario_id {scenario.scenario_id!r} stands at {first} too; ids are unique.")
        places[scenario.scenario_id] = place
        scenarios.append(scenario)
    if faults and not skip_bad_rows:
        hint = "" if len(faults) == 1 else f" ({len(faults)} bad rows)"
        raise ContentError("\n".join([*faults[:20], f"correct the rows or leave them out with --skip-bad-rows{hint}."]))
    counts = Counter(note for scenario in scenarios for note in scenario.notes)
    return Import(tuple(scenarios), tuple(faults), dict(counts))


def _read_row(data: Any, place: str, taxonomy: Taxonomy, unnamed_subject: str) -> Scenario:
    if isinstance(data, ContentError):
        raise data
    try:
        row = OfficialRow.model_validate(data)
    except ValidationError as error:
        raise ContentError("\n".join(f"{place}: column {told(e, OfficialRow)}" for e in error.errors())) from None
    return to_scenario(row, taxonomy, place, unnamed_subject)


def to_scenario(row: OfficialRow, taxonomy: Taxonomy, place: str = "", unnamed_subject: str = "") -> Scenario:
    """A row as a scenario; `notes` say what was missing or derived."""
    notes: list[str] = []
    elicitor = _elicitor_index(row, place)
    turns = row.transcript[: elicitor + 1]
    if len(turns) < len(row.transcript):
        notes.append("turns after the elicitor left out")
    subject = _subject(row, turns, place, unnamed_subject, notes)
    event, norm = _ids(row, taxonomy, notes)
    for missing, what in (
        (not row.channel_description, "channel missing"),
        (not row.venue, "venue missing"),
        (not any(person.bio for person in (row.subject, *row.cast)), "bios missing"),
        (subject not in turns[-1].content, "elicitor does not name the subject"),
    ):
        if missing:
            notes.append(what)
    return Scenario(
        scenario_id=row.scenario_id,
        variant=_variant(row),
        source="official",
        visible=_visible(row, turns, subject),
        evaluation=Evaluation(
            pack=taxonomy.pack_of(norm).info.id if norm in taxonomy.norms else "core",
            event=event,
            norm=norm,
            venue=row.venue,
            expectation="applies",
            demos=_demos(row, turns, notes),
            statement=row.norm_statement,
        ),
        notes=tuple(notes),
    )


def _variant(row: OfficialRow) -> str:
    parts = row.scenario_id.split("__")
    return parts[2] if len(parts) > 3 and parts[2] else "demos"


def _turn_id(turn: RowTurn, index: int) -> int:
    return turn.turn_id if turn.turn_id is not None else index + 1


def _elicitor_index(row: OfficialRow, place: str) -> int:
    marked = [i for i, turn in enumerate(row.transcript) if turn.is_elicitor]
    by_id = [i for i, turn in enumerate(row.transcript) if _turn_id(turn, i) == row.elicitor_turn_id]
    if len(marked) > 1:
        raise ContentError(
            f"{place}: column transcript: {len(marked)} turns are marked is_elicitor; exactly one is allowed."
        )
    if row.elicitor_turn_id is not None and not by_id:
        raise ContentError(
            f"{place}: column elicitor_turn_id: no turn has the id {row.elicitor_turn_id}; name one that exists."
        )
    if marked and by_id and marked != by_id[:1]:
        raise ContentError(
            f"{place}: column elicitor_turn_id: {row.elicitor_turn_id} is not the turn that is_elicitor marks; "
            "make them agree."
        )
    index = (marked or by_id or [len(row.transcript) - 1])[0]
    turn = row.transcript[index]
    for column, given, found in (
        ("elicitor_actor", row.elicitor_actor, turn.actor),
        ("elicitor_content", row.elicitor_content, turn.content),
    ):
        if given and given != found:
            raise ContentError(
                f"{place}: column {column}: {given[:60]!r} differs from the elicitor turn ({found[:60]!r})."
            )
    return index


def _subject(row: OfficialRow, turns: Sequence[RowTurn], place: str, unnamed: str, notes: list[str]) -> str:
    if row.subject.name:
        return row.subject.name
    known = {person.name.casefold() for person in row.cast} | {turn.actor.casefold() for turn in row.transcript}
    if derived := derive_subject(turns[-1].content, known):
        notes.append("subject name derived from the elicitor")
        return derived
    if unnamed:
        if not unnamed.isprintable() or unnamed != unnamed.strip():
            raise ContentError(f"--unnamed-subject {unnamed!r}: give a plain name on one line.")
        if unnamed.casefold() in known:
            raise ContentError(f"{place}: --unnamed-subject {unnamed!r} is a member of this chat; choose another name.")
        notes.append("subject unnamed in the row")
        return unnamed
    raise ContentError(
        f"{place}: column subject: the name is empty and the elicitor names nobody new; "
        'give such rows a name with --unnamed-subject "NAME".'
    )


def derive_subject(elicitor: str, known: set[str]) -> str:
    """Name of somebody whom the elicitor addresses and who never speaks and is not in the cast; else empty."""
    found = [m.group(1) for pattern in (_MENTION, _VOCATIVE, _GREETED) for m in pattern.finditer(elicitor)]
    new = {
        name for name in found if name.casefold() not in known and name.casefold() not in OPENERS and name[0].isupper()
    }
    return new.pop() if len(new) == 1 else ""


def _ids(row: OfficialRow, taxonomy: Taxonomy, notes: list[str]) -> tuple[str, str]:
    parts = [*row.scenario_id.split("__"), "", ""]
    event, norm = row.event_id or parts[0], row.norm_id or parts[1]
    if norm not in taxonomy.norms:
        notes.append("unknown norm id")
    if not any(event in pack.events for pack in taxonomy.packs.values()):
        notes.append("unknown event id")
    return event, norm


def _visible(row: OfficialRow, turns: Sequence[RowTurn], subject: str) -> Visible:
    cast = {person.name: person.bio for person in row.cast if person.name != subject}
    for turn in turns:
        if turn.actor != subject:
            cast.setdefault(turn.actor, "")
    return Visible(
        subject=VisiblePerson(name=subject, bio=row.subject.bio),
        channel=row.channel_description,
        venue=row.venue,
        cast=tuple(VisiblePerson(name=name, bio=bio) for name, bio in cast.items()),
        transcript=tuple(VisibleTurn.of(turn.actor, turn.content) for turn in turns),
    )


def _demos(row: OfficialRow, turns: Sequence[RowTurn], notes: list[str]) -> tuple[int, ...] | None:
    ids = set(row.norm_demo_turn_ids)
    marked = {_turn_id(turn, i) for i, turn in enumerate(row.transcript) if turn.is_norm_demonstration}
    if ids and marked and ids != marked:
        notes.append("demonstrations marked in two ways that differ: both taken")
    demos = tuple(i for i, turn in enumerate(turns) if turn.is_norm_demonstration or _turn_id(turn, i) in ids)
    if not demos:
        notes.append("demonstrations unknown")
    return demos or None


def to_row(scenario: Scenario, taxonomy: Taxonomy) -> dict[str, Any]:
    """A derived scenario in the columns of the release; the norm statement is ours."""
    visible, evaluation = scenario.visible, scenario.evaluation
    demos = set(evaluation.demos or ())
    last = len(visible.transcript) - 1
    slug = scenario.scenario_id.split("/")[0].rsplit(".", 1)[-1]
    norm_id = evaluation.norm
    return {
        "scenario_id": f"{evaluation.event}__{norm_id}__{scenario.variant}__{slug}",
        "event_id": evaluation.event,
        "norm_id": norm_id,
        "norm_statement": statement(taxonomy.norm(norm_id)),
        "channel_description": visible.channel,
        "venue": taxonomy.venue(evaluation.venue).kind,
        "subject": visible.subject.model_dump(),
        "cast": [person.model_dump() for person in visible.cast],
        "transcript": [
            {
                "turn_id": i + 1,
                "actor": turn.sender,
                "content": turn.text,
                "is_norm_demonstration": i in demos,
                "is_elicitor": i == last,
            }
            for i, turn in enumerate(visible.transcript)
        ],
        "norm_demo_turn_ids": [i + 1 for i in sorted(demos)],
        "elicitor_turn_id": last + 1,
        "elicitor_actor": visible.elicitor.sender,
        "elicitor_content": visible.elicitor.text,
    }


def statement(norm: Norm) -> str:
    """Rule, trigger, limits and criteria of a norm as one text."""
    parts = [
        norm.rule,
        f"It applies when: {norm.trigger.applies_when}",
        "It does not apply in these cases: " + "; ".join(norm.trigger.out_of_scope) + ".",
        "What makes a reply pass: " + "; ".join(norm.pass_criteria) + ".",
        "What makes a reply fail: " + "; ".join(norm.fail_criteria) + ".",
    ]
    return "\n".join(parts)
