"""The files of a release: built in memory, refused while anything is wrong, written as a whole.

Knows what must hold before something is released. Does not know who asks for it.
"""

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from losona.curation.card import Imprint, card
from losona.curation.decisions import current_decision
from losona.curation.frameset import FrameFile, read_frames
from losona.errors import UserFault
from losona.frame_records import SUFFIX
from losona.frames import ARMS, derive
from losona.lint import lint_paths
from losona.official import to_row
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy
from losona.textfiles import json_text, listed, read_text

CONTENT_LICENCE = Path(__file__).parents[1] / "content" / "LICENSE"
TEMPLATE = Path(__file__).parent / "card.md.j2"
SHIPPED_LICENCE = "CC BY 4.0"
_CANARY = re.compile(r"^losona canary \S+$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def build_release(paths: Sequence[Path], name: str, out: Path | None, taxonomy: Taxonomy, imprint: Imprint) -> Path:
    """Write a release into a new folder, and return the folder.

    Raises `UserFault` while a frame fails the lint, lacks an acceptance as it now is, or has no arm left, and where
    the folder exists.
    """
    if not _NAME.fullmatch(name):
        raise UserFault(f"--name {name!r}: use letters, digits, dots, dashes and underscores, at most 80.")
    folder = out or Path("releases") / name
    if folder.exists():
        raise UserFault(f"{folder}: the folder exists, and a release is never changed; choose another --name or --out.")
    files = sorted(read_frames(paths), key=lambda file: file.frame.frame)
    if faults := [*_unfit(files), *_lint(files, taxonomy)]:
        raise UserFault(f"no release is built: {listed(faults)}")
    _write(folder, release_files(name, files, taxonomy, imprint))
    return folder


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
        elif set(file.frame.dropped) >= set(ARMS):
            yield f"{file.frame.frame} has no arm left, both were dropped; leave it out."


def _lint(files: Sequence[FrameFile], taxonomy: Taxonomy) -> Iterator[str]:
    for finding in lint_paths([file.path for file in files], taxonomy):
        if finding.severity == "error":
            yield finding.render()


def release_files(name: str, files: Sequence[FrameFile], taxonomy: Taxonomy, imprint: Imprint) -> dict[str, bytes]:
    """Path in the release -> content; equal input makes equal bytes."""
    scenarios = [scenario for file in files for scenario in derive(file.frame, taxonomy)]
    made = card(name, files, scenarios, taxonomy, imprint)
    content = {
        **_frames(files),
        "scenarios.jsonl": _lines(scenario.model_dump_json(by_alias=True) for scenario in scenarios),
        "official.jsonl": _lines(_official(scenarios, taxonomy)),
        "card.json": _json(made),
        "card.md": render_card(made).encode(),
        "LICENSE": imprint.text.encode(),
        "CANARY": f"{imprint.canary}\n".encode(),
    }
    hashes = {path: hashlib.sha256(data).hexdigest() for path, data in sorted(content.items())}
    return {**content, "manifest.json": _json({"name": name, "sha256": hashes})}


def _frames(files: Iterable[FrameFile]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for file in files:
        found[f"frames/{file.path.name}"] = file.path.read_bytes()
        found[f"frames/{file.path.stem}{SUFFIX}"] = (file.record.model_dump_json(indent=1) + "\n").encode()
    return found


def _official(scenarios: Iterable[Scenario], taxonomy: Taxonomy) -> Iterator[str]:
    """A release row means that the norm is shown and applies."""
    for scenario in scenarios:
        if scenario.variant == "demos":
            yield json_text(to_row(scenario, taxonomy))


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


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


def _write(folder: Path, content: dict[str, bytes]) -> None:
    """All files, or none: they are written beside the folder and then moved as a whole."""
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    for path, data in content.items():
        (partial / path).parent.mkdir(parents=True, exist_ok=True)
        (partial / path).write_bytes(data)
    partial.rename(folder)
