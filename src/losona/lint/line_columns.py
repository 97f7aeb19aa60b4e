"""Rules on what the columns of a release row say of themselves (P02, P06 to P08).

Looks at no wording. What an empty column holds is unknown, not none.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from losona.lint.finding import Fault
from losona.lint.lines import LineView
from losona.numbers import some
from losona.official import OfficialRow
from losona.textfiles import Document


def subject_named(line: LineView) -> Iterator[Fault]:
    """P02: the row names its subject."""
    if line.row and not line.row.subject.name:
        found = f"no name; the last message gives it as {line.subject}" if line.subject else "no name"
        yield Fault(("subject",), f"subject has {found}", "a name (losona run takes one from --unnamed-subject)")


def marks_agree(line: LineView) -> Iterator[Fault]:
    """P06: both columns of marks name the same turns, which exist, are numbered once, and are not the elicitor."""
    if line.row is None:
        return
    ids = [_id(line.row, i) for i in range(len(line.row.transcript))]
    flagged = [ids[i] for i, turn in enumerate(line.row.transcript) if turn.is_norm_demonstration]
    listed = line.row.norm_demo_turn_ids
    for number, count in Counter(ids).items():
        if count > 1:
            yield Fault(("chat",), f"{count} turns have the id {number}", "each turn_id once", turn=number)
    for number in sorted(set(listed) - set(ids)):
        yield Fault(("chat",), f"norm_demo_turn_ids has {number}, which is no turn", f"{min(ids)} to {max(ids)}")
    if flagged and listed and set(flagged) != set(listed) & set(ids):
        found = f"is_norm_demonstration marks {_some(flagged)}, norm_demo_turn_ids {_some(listed)}"
        yield Fault(("chat",), found, "the same turns in both")
    if line.turn_id(len(line.talk) - 1) in {*flagged, *listed}:
        found = "the elicitor is marked as a demonstration"
        yield Fault(("elicitor",), found, "earlier turns only", turn=line.talk[-1].turn)


def _id(row: OfficialRow, index: int) -> int:
    given = row.transcript[index].turn_id
    return index + 1 if given is None else given


def _some(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in sorted(set(numbers)))


def ids_known(line: LineView) -> Iterator[Fault]:
    """P08: a pack knows norm and event, and the id's parts say the same as the columns."""
    row, evaluation = line.row, line.scenario.evaluation
    if line.norm is None:
        allowed = "an id of a pack; the row is judged by its own statement, and no rule on the norm applies"
        yield Fault(("arms",), f"norm {evaluation.norm!r} is in no pack", allowed)
    if line.event is None:
        yield Fault(("event",), f"event {evaluation.event!r} is in no pack", "an id of a pack")
    parts = row.scenario_id.split("__") if row else []
    for column, given, part in zip(("event_id", "norm_id"), (evaluation.event, evaluation.norm), parts, strict=False):
        if given != part:
            yield Fault(("frame",), f"{column} is {given!r}, the scenario_id says {part!r}", "the same in both")


def empty_columns(lines: Sequence[LineView]) -> Iterator[tuple[Document, Fault]]:
    """P07: what is empty throughout a file, or in some rows, told once a file; what follows from it is not checked."""
    rows = [(line.document, line.row) for line in lines if line.row]
    for what, follows in EMPTY.items():
        lacking = [document for document, row in rows if _lacks(row, what)]
        if lacking:
            found = f"{what} empty in {len(lacking)} of {some(len(rows), 'row')}"
            yield lacking[0], Fault(("frame",), found, f"values; empty means unknown, so {follows}")


EMPTY = {
    "demonstration marks": "F14, F20 and F22 are not checked there",
    "channel_description": "the prompt goes without it",
    "venue": "no rule on the venue is checked there",
    "bios": "P04 cannot know what they would say",
}
"""What may be empty -> what follows."""


def _lacks(row: OfficialRow, what: str) -> bool:
    match what:
        case "demonstration marks":
            return not row.norm_demo_turn_ids and not any(turn.is_norm_demonstration for turn in row.transcript)
        case "bios":
            return not any(person.bio for person in (row.subject, *row.cast))
        case _:
            return not getattr(row, what)


CHECKS = {"P02": subject_named, "P06": marks_agree, "P08": ids_known}
"""Rule -> check."""
FILE_CHECKS = {"P07": empty_columns}
"""Rule -> check over the rows of a file."""
