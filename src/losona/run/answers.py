"""What judges have said, as it lies in a folder: a line a reply, and beside it whose words they are. Asks nobody."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import Field

from losona.errors import RunRefused
from losona.journal import read_journal
from losona.judge.verdict import may_answer
from losona.schema._base import Record
from losona.schema.results import PANEL, Grading
from losona.textfiles import read_json, write_atomically

ANSWERS, ASKED = "answers.jsonl", "asked.json"
Verdicts = dict[str, tuple[Grading, ...]]
"""Id -> gradings, votes first, the deciding one last."""


class Answered(Record):
    """A line of the answers."""

    id: str
    """What was asked about."""
    gradings: tuple[Grading, ...] = Field(min_length=1)
    """Votes first, the deciding one last."""


class AskedOf(Record):
    """Whose answers a folder holds, and to which questions; written before the first one is asked."""

    schema_version: str = "1"
    """Version of this format."""
    begun: str
    """ISO 8601, UTC: when the first question was asked."""
    judges: tuple[str, ...]
    """One, or several as a panel."""
    protocol: str
    """losona or paper."""
    grader_hash: str
    """Hash of the judge's prompts and of the shape of an answer."""
    seed: int
    """Decides the words around the data."""


def read_answers(path: Path) -> Verdicts:
    """What judges have said, the last word on each reply.

    Where a provider failed, there is nothing: its judge is asked again. Raises `ContentError` for a line that is no
    answer, but for one that a crash has cut.
    """
    found: Verdicts = {}
    for line in read_journal(path, Answered):
        if not any(may_answer(g.grader, g.error) for g in line.gradings):
            found[line.id] = line.gradings
    return found


def answers_to(keys: Mapping[str, Sequence[str]], path: Path) -> Verdicts:
    """Of these answers the ones to these very questions: id -> keys of the questions, one a judge."""
    return {
        name: gradings
        for name, gradings in read_answers(path).items()
        if name in keys and [g.prompt_hash for g in gradings if g.grader != PANEL] == list(keys[name])
    }


def read_asked(folder: Path) -> AskedOf | None:
    """Whose answers the folder holds; none where nobody was asked yet."""
    path = folder / ASKED
    return read_json(path, AskedOf, "restore the file, or choose another folder") if path.exists() else None


def claim(folder: Path, asked: AskedOf) -> None:
    """Take the folder for these answers. Raises `RunRefused` where it holds those of others."""
    refuse_others(folder, asked)
    if read_asked(folder) is None:
        write_atomically(folder / ASKED, asked.model_dump_json(indent=1) + "\n")


def refuse_others(folder: Path, asked: AskedOf) -> None:
    """Raise `RunRefused` where the folder holds answers of other judges or to other questions."""
    old = read_asked(folder)
    if old is None and (folder / ANSWERS).exists():
        raise RunRefused(f"{folder} holds answers and does not say whose ({ASKED} is missing); choose another --out.")
    before, now = _compared(old or asked), _compared(asked)
    if changed := [f"{key} {before[key]}, not {now[key]}" for key in before if before[key] != now[key]]:
        raise RunRefused(f"{folder} holds answers of something else ({'; '.join(changed)}); choose another --out.")


def _compared(asked: AskedOf) -> dict[str, str]:
    return {
        "judges": ", ".join(asked.judges),
        "protocol": asked.protocol,
        "grader_hash": asked.grader_hash,
        "seed": str(asked.seed),
    }
