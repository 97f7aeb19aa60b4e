"""`losona doctor`: is the installation fit to run? Looks, and changes nothing."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, NamedTuple

import click

from losona.errors import UserFault
from losona.frames import read_frame
from losona.run.options import DEFAULT_MODEL, NamedModel
from losona.run.preflight import KEYS, check_model, missing_for_model
from losona.scenarios import SHIPPED_FRAMES, frame_paths
from losona.taxonomy import load_taxonomy


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    """What."""
    state: Literal["ok", "note", "fault"]
    """fault: a run cannot work."""
    detail: str
    """In words."""


def examine(models: Sequence[str]) -> list[Finding]:
    """Look at Python, packages, content, keys, weights, the working folder and the given models."""
    named = [NamedModel.parse(text).id for text in models]
    return [_python(), *_packages(), *_content(), _writable(Path.cwd()), *_models(named), _keys()]


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", "ok" if sys.version_info >= (3, 11) else "fault", found)


def _packages() -> list[Finding]:
    findings: list[Finding] = []
    for name, needed in (("inspect_ai", True), ("xllamacpp", False)):
        try:
            findings.append(Finding(name, "ok", version(name)))
        except PackageNotFoundError:
            remedy = "pip install losona" if needed else "only for embedded models: pip install 'losona[embedded]'"
            findings.append(Finding(name, "fault" if needed else "note", f"not installed; {remedy}"))
    return findings


def _content() -> list[Finding]:
    try:
        taxonomy = load_taxonomy()
        frames = [read_frame(path) for path in frame_paths([SHIPPED_FRAMES])]
    except UserFault as fault:
        return [Finding("content", "fault", str(fault))]
    packs = ", ".join(f"{name} {len(pack.norms)} norms ({pack.hash})" for name, pack in taxonomy.packs.items())
    return [Finding("packs", "ok", packs), Finding("frames", "ok", f"{len(frames)} shipped")]


def _writable(folder: Path) -> Finding:
    fit = os.access(folder, os.W_OK)
    return Finding("working folder", "ok" if fit else "fault", f"{folder} {'can' if fit else 'cannot'} be written")


def _models(models: Sequence[str]) -> list[Finding]:
    return [
        Finding(model, "ok" if not faults else "fault" if model in models else "note", "; ".join(faults) or "ready")
        for model in (*models, *([] if DEFAULT_MODEL in models else [DEFAULT_MODEL]))
        for faults in (_missing(model),)
    ]


def _missing(model: str) -> list[str]:
    try:
        check_model("--model", model)
        return [f"missing {fault}" for fault in missing_for_model(model)]
    except UserFault as fault:
        return [str(fault)]


def _keys() -> Finding:
    present = sorted(provider for provider, names in KEYS.items() if any(os.environ.get(name) for name in names))
    return Finding("provider keys", "note", ", ".join(present) or "none in the environment; embedded models need none")


def print_findings(findings: Sequence[Finding]) -> None:
    """One line each."""
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        click.echo(f"{finding.state:5} {finding.what:{width}}  {finding.detail}")
