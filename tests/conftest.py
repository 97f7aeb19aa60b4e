"""What all tests share: a closed network, a place to find the reference material, and small content."""

import json
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from losona.cli import main
from losona.conditions import PromptStyle, prompt_hash, render
from losona.frames import SHIPPED_FRAMES, derive, read_frame
from losona.schema.frame import Frame
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy, load_taxonomy

SHARED = Path(__file__).parents[2] / "shared"


def pytest_report_header() -> str:
    return f"reference material: {SHARED if SHARED.is_dir() else 'absent, tests against it are skipped by name'}"


@pytest.fixture(autouse=True)
def _closed_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this machine can be reached, but for tests marked `network`."""
    if "network" in request.keywords:
        return
    connect = socket.socket.connect

    def local_only(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"the network is closed in tests: {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", local_only)


@pytest.fixture(scope="session")
def taxonomy() -> Taxonomy:
    return load_taxonomy()


@pytest.fixture(scope="session")
def shipped_frames() -> list[Frame]:
    return [read_frame(path) for path in sorted(SHIPPED_FRAMES.glob("*.yaml"))]


@pytest.fixture(scope="session")
def shipped_scenarios(shipped_frames: list[Frame], taxonomy: Taxonomy) -> list[Scenario]:
    return [scenario for frame in shipped_frames for scenario in derive(frame, taxonomy)]


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


Answer = Callable[[Scenario, str, int], str]


def write_replies(
    path: Path,
    scenarios: Sequence[Scenario],
    conditions: Sequence[str],
    epochs: int,
    answer: Answer,
) -> Path:
    """A replies file with `answer(scenario, condition, epoch)`; the first scenario of a transcript wins."""
    style = PromptStyle()
    rows: dict[tuple[str, int], str] = {}
    for scenario in scenarios:
        for condition in conditions:
            key = prompt_hash(render(scenario.visible, condition, style))
            for epoch in range(1, epochs + 1):
                rows.setdefault((key, epoch), answer(scenario, condition, epoch))
    path.write_text("".join(json.dumps({"prompt_hash": h, "epoch": e, "text": t}) + "\n" for (h, e), t in rows.items()))
    return path


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], in_folder: Path) -> Command:
    """A `losona` command in this process, in an empty folder; lines of input and environment variables as keywords."""

    def call(*arguments: str, lines: str = "", **environment: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["losona", *arguments])
        monkeypatch.setattr(sys, "stdin", StringIO(lines))
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        streams = capsys.readouterr()
        return Ended(code, streams.out, streams.err)

    return call
