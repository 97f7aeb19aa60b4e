"""The files of a release: built in memory, refused while anything is wrong, written as a whole.

Knows what must hold before something is released. Does not know who asks for it.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jinja2 import Environment, StrictUndefined

from losona.curation.card import Imprint, card
from losona.curation.checks import check_name, current_checks, failed_checks
from losona.curation.decisions import current_decision, new_failures
from losona.curation.frameset import FrameFile, read_frames
from losona.curation.screening import MARK, marks, standing
from losona.errors import UserFault
from losona.frame_records import SUFFIX
from losona.frames import ARMS, derive
from losona.lint import lint_texts
from losona.official import to_row
from losona.schema._base import CANARY_KEY
from losona.schema.frame import KNOWN_ISSUE
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy
from losona.textfiles import json_text, listed, read_text

CONTENT_LICENCE = Path(__file__).parents[1] / "content" / "LICENSE"
TEMPLATE = Path(__file__).parent / "card.md.j2"
SHIPPED_LICENCE = "CC BY 4.0"
_CANARY = re.compile(r"^losona canary \S+$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def build_release(
    paths: Sequence[Path], name: str, out: Path | None, taxonomy: Taxonomy, imprint: Imprint
) -> tuple[Path, list[str]]:
    """Write a release into a new folder; the folder, and what whoever releases it should know.

    Raises `UserFault` while a frame fails the lint, lacks an acceptance as it now is, or has no arm left, and where
    the folder exists.
    """
    if not _NAME.fullmatch(name):
        raise UserFault(f"--name {name!r}: use letters, digits, dots, dashes and underscores, at most 80.")
    folder = _new_folder(out or Path("releases") / name)
    files = sorted(read_frames(paths), key=lambda file: file.frame.frame)
    if faults := [*_unfit(files), *_lint(files, taxonomy)]:
        raise UserFault(f"no release is built: {listed(faults)}")
    _write(folder, release_files(name, files, taxonomy, imprint))
    return folder, list(_notices(files))


def read_imprint(licence: Path | None, benchmark_version: str, software: str) -> Imprint:
    """The licence of the shipped content, or a file in its place; the canary is always the same."""
    shipped = read_text(CONTENT_LICENCE)
    found = _CANARY.search(shipped)
    canary = found[0] if found else ""
    if licence is None:
        return Imprint(SHIPPED_LICENCE, shipped, canary, benchmark_version, software)
    text = read_text(licence)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if not first:
        raise UserFault(f"--licence {licence}: the file is empty; give the text of a licence.")
    return Imprint(first[:120], f"{text.rstrip()}\n\n{canary}\n", canary, benchmark_version, software)


def _unfit(files: Iterable[FrameFile]) -> Iterator[str]:
    for file in files:
        decision = current_decision(file)
        if decision is None:
            had = "its decision is on an earlier state" if file.record.decisions else "nobody has decided on it"
            yield f"{file.frame.frame} is not accepted as it is: {had}; see losona curate {file.path}."
        elif decision.decision == "reject":
            yield f"{file.frame.frame} was rejected by {decision.author}: {decision.reason}; leave it out."
        elif failed := new_failures(file):
            told = ", ".join(failed)
            yield f"{file.frame.frame} was accepted before it failed {told}; decide again: losona curate {file.path}."
        elif unmarked := _unmarked(file):
            yield f"{file.frame.frame}: {unmarked}; screen it again, and the frame gets the mark."
        elif set(file.frame.dropped) >= set(ARMS):
            yield f"{file.frame.frame} has no arm left, both were dropped; leave it out."


def _unmarked(file: FrameFile) -> str:
    """Where its screenings say of an arm that it is dropped, and the frame does not, or the other way round."""
    last = file.record.screenings[-1:]
    if not last or last[0].frame_hash != file.hash:
        return ""
    wanted, found = marks(file.frame, file.record, last[0]), file.frame.dropped
    told = [
        f"its screening drops arm {arm} ({why.removeprefix(MARK)}), but the frame has no mark"
        for arm, why in wanted.items()
        if arm not in found
    ]
    told += [f"its screening keeps arm {arm}, but the frame drops it" for arm in found if arm not in wanted]
    return ", ".join(told)


def _notices(files: Sequence[FrameFile]) -> Iterator[str]:
    """What may go into a release, and should not do so unnoticed."""
    for file in files:
        if file.frame.status.startswith(KNOWN_ISSUE):
            yield f"{file.frame.frame} has a {file.frame.status}."
        if standing(file.record.screenings, file.hash) is None:
            yield f"{file.frame.frame} is not screened as it is."
        if not current_checks(file):
            yield f"{file.frame.frame} was not checked by models as it is."
        for check in failed_checks(file):
            yield f"{file.frame.frame} failed {check_name(check)}, and was accepted all the same."


def _lint(files: Sequence[FrameFile], taxonomy: Taxonomy) -> Iterator[str]:
    """Of the texts that are released: a file may be saved anew at any time."""
    for finding in lint_texts({file.path: file.text for file in files}, taxonomy):
        if finding.severity == "error":
            yield finding.render()


def release_files(name: str, files: Sequence[FrameFile], taxonomy: Taxonomy, imprint: Imprint) -> dict[str, bytes]:
    """Path in the release -> content; equal input makes equal bytes."""
    scenarios = [scenario for file in files for scenario in derive(file.frame, taxonomy)]
    made = card(name, files, scenarios, taxonomy, imprint)
    content = {
        **_frames(files, imprint.canary),
        "scenarios.jsonl": _lines(
            (scenario.model_dump(mode="json", by_alias=True) for scenario in scenarios), imprint.canary
        ),
        "official.jsonl": _lines(_official(scenarios, taxonomy), imprint.canary),
        "card.json": _json(made),
        "card.md": render_card(made).encode(),
        "LICENSE": imprint.text.encode(),
        "CANARY": f"{imprint.canary}\n".encode(),
    }
    hashes = {path: hashlib.sha256(data).hexdigest() for path, data in sorted(content.items())}
    return {**content, "manifest.json": _json({CANARY_KEY: imprint.canary, "name": name, "sha256": hashes})}


def _frames(files: Iterable[FrameFile], canary: str) -> dict[str, bytes]:
    """Frames, each with a comment that holds the canary unless it has one; and their records."""
    found: dict[str, bytes] = {}
    for file in files:
        text = file.text if canary in file.text else f"# {canary}\n{file.text}"
        found[f"frames/{file.path.name}"] = text.encode()
        record = {CANARY_KEY: canary, **file.record.model_dump(mode="json")}
        found[f"frames/{file.path.stem}{SUFFIX}"] = _json(record)
    return found


def _official(scenarios: Iterable[Scenario], taxonomy: Taxonomy) -> Iterator[dict[str, Any]]:
    """A release row means that the norm is shown and applies."""
    return (to_row(scenario, taxonomy) for scenario in scenarios if scenario.variant == "demos")


def _lines(rows: Iterable[dict[str, Any]], canary: str) -> bytes:
    """JSON Lines, the canary first in each: rows get parted from their file, and a line can hold no comment."""
    return "".join(f"{json_text({CANARY_KEY: canary, **row})}\n" for row in rows).encode()


def _json(value: dict[str, Any]) -> bytes:
    return (json_text(value, 1) + "\n").encode()


def render_card(made: dict[str, Any]) -> str:
    """The card for readers, as Markdown."""
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    text = environment.from_string(read_text(TEMPLATE)).render(card=made, cell=_cell)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _cell(text: str) -> str:
    """Foreign text in a cell of a table: on one line, without marks that Markdown or HTML would read."""
    line = " ".join(text.split())
    return "".join(f"&#{ord(c)};" if c in "|<>&[]`*~\\" else c for c in line if c.isprintable())


def _new_folder(folder: Path) -> Path:
    """Raise `UserFault` where a release cannot be made here."""
    if os.path.lexists(folder):
        what = "this is a link" if folder.is_symlink() else "the folder exists"
        raise UserFault(f"{folder}: {what}, and a release is never changed; choose another --name or --out.")
    if ".." in folder.parts:
        raise UserFault(f"--out {folder}: name the new folder itself, without `..`.")
    return folder


def _write(folder: Path, content: dict[str, bytes]) -> None:
    """All files, or none: they are written in a folder beside it that nobody else has, and then moved as a whole."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as beside:
            new = Path(beside) / folder.name
            for path, data in content.items():
                (new / path).parent.mkdir(parents=True, exist_ok=True)
                (new / path).write_bytes(data)
            new.rename(_new_folder(folder))
    except OSError as error:
        raise UserFault(
            f"{folder}: the release cannot be written ({error.strerror}), and nothing is left of it; make room, or "
            "choose another --out."
        ) from None
