"""Labels of people as a file: CSV or JSON Lines, read strictly, and what they come to. Knows no runs.

The columns are `reply_id, scenario_id, annotator, label`, and maybe `note` and `weight` (as `losona judge sample`
writes it). The label of an item is the adjudicator's where there is one, else that of most annotators; where they are
split it is open. Nobody contradicts themself, and an item has one weight: what does not agree is named, never chosen
from.
"""

import csv
import difflib
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import Field, ValidationError

from losona.errors import ContentError
from losona.schema._base import Record
from losona.textfiles import first_fault, read_jsonl, read_text

ADJUDICATOR = "adjudicator"
MOST_WEIGHT = 1e6
NEEDED = ("reply_id", "scenario_id", "annotator", "label")
COLUMNS = (*NEEDED, "note", "weight")
Item = tuple[str, str]
"""Reply and scenario."""


class PersonLabel(Record):
    """What one person says of one reply under one scenario."""

    reply_id: str
    """Reply, as in the tables of a run."""
    scenario_id: str
    """Scenario by which it is graded."""
    annotator: str
    """Who says so."""
    label: Literal["complies", "breaches"]
    """What they say."""
    note: str = ""
    """Anything."""
    weight: float | None = Field(default=None, gt=0, le=MOST_WEIGHT, allow_inf_nan=False)
    """Inverse of the chance with which the reply was drawn, above 0 and at most a million; none: as for the others of
    this reply, or 1."""


@dataclass(frozen=True)
class People:
    """All labels of a file."""

    labels: dict[Item, dict[str, bool]]
    """Item -> annotator -> complies; the adjudicator is none of them."""
    decided: dict[Item, bool]
    """Item -> label that counts."""
    open_: tuple[Item, ...]
    """Items on which the annotators are split and nobody has adjudicated."""
    weights: dict[Item, float]
    """Item -> weight."""


def read_people(path: Path, adjudicator: str = ADJUDICATOR) -> People:
    """Read a file of labels strictly; rows without a label are left out. A `ContentError` names line and fault."""
    labels: dict[Item, dict[str, bool]] = {}
    final: dict[Item, bool] = {}
    weights: dict[Item, float] = {}
    for place, row in _rows(path):
        item, complies = (row.reply_id, row.scenario_id), row.label == "complies"
        said = labels.setdefault(item, {})
        known = final.setdefault(item, complies) if row.annotator == adjudicator else said.setdefault(
            row.annotator, complies
        )  # fmt: skip
        if known != complies:
            raise ContentError(
                f"{place}: {row.annotator!r} labels {item[0]!r} under {item[1]!r} twice, and differently; keep one."
            )
        if row.weight is not None and weights.setdefault(item, row.weight) != row.weight:
            raise ContentError(
                f"{place}: weight {row.weight:g}, but {item[0]!r} under {item[1]!r} had {weights[item]:g} further up; "
                "a reply has one weight."
            )
    if not labels:
        raise ContentError(f"{path}: there is no label in it; fill in the columns annotator and label.")
    decided = {item: found for item in labels if (found := final.get(item, _majority(labels[item]))) is not None}
    open_ = tuple(item for item in labels if item not in decided)
    return People(labels, decided, open_, {item: weights.get(item, 1.0) for item in labels})


def _majority(said: Mapping[str, bool]) -> bool | None:
    yes = sum(said.values())
    return None if 2 * yes == len(said) else 2 * yes > len(said)


def _rows(path: Path) -> Iterator[tuple[str, PersonLabel]]:
    for place, data in read_jsonl(path) if path.suffix == ".jsonl" else _csv(path):
        if isinstance(data, ContentError):
            raise data
        if not isinstance(data, dict):
            raise ContentError(f"{place}: an object is expected on each line (found {data!r:.80}).")
        row = cast(dict[str, Any], data)
        _check_names(row, place)
        filled = {key: row[key] for key in COLUMNS if row.get(key) not in (None, "")}
        if "label" in filled:
            yield place, _label(filled, place)


def _label(filled: dict[str, Any], place: str) -> PersonLabel:
    if missing := [name for name in NEEDED if name not in filled]:
        raise ContentError(f"{place}: there is a label and no {missing[0]}; fill it in, or empty the label.")
    try:
        return PersonLabel.model_validate(filled)
    except ValidationError as error:
        raise ContentError(f"{place}: {first_fault(error, PersonLabel)}.") from None


def _check_names(names: Mapping[str, Any], place: str) -> None:
    """Raise `ContentError` for a column that is probably another; further columns of one's own are let pass."""
    for name in names:
        meant = difflib.get_close_matches(name.strip().casefold(), COLUMNS, 1, 0.8)
        if name not in COLUMNS and meant:
            raise ContentError(f"{place}: unknown column {name!r}; {meant[0]!r} is probably meant.")


def _csv(path: Path) -> Iterator[tuple[str, Any]]:
    """Place and cells of each row; the place is the line on which a row begins."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    columns, begins = _next(reader, path, 1), 1
    _check_header(columns or [], path)
    while columns:
        begins = reader.line_num + 1
        if (cells := _next(reader, path, begins)) is None:
            return
        if len(cells) > len(columns):
            raise ContentError(f"{path}:{begins}: {len(cells)} cells for {len(columns)} columns; put text in quotes.")
        yield f"{path}:{begins}", dict(zip(columns, cells, strict=False))


def _next(reader: "Iterator[list[str]]", path: Path, line: int) -> list[str] | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        raise ContentError(f"{path}:{line}: this row cannot be read as CSV ({error}); mend it.") from None


def _check_header(columns: Sequence[str], path: Path) -> None:
    if doubled := [name for name, n in Counter(columns).items() if n > 1 and name in COLUMNS]:
        raise ContentError(f"{path}:1: the column {doubled[0]!r} stands twice; keep one.")
    if missing := [name for name in NEEDED if name not in columns]:
        has = ", ".join(map(repr, columns))[:200] or "nothing"
        raise ContentError(
            f"{path}:1: missing columns: {', '.join(missing)}; the first line must name {', '.join(NEEDED)}, "
            f"with commas between them (found {has})."
        )
