"""What --scenarios may name, and selection from it."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from losona.api import grade
from losona.errors import ContentError, UserFault
from losona.frames import SHIPPED_FRAMES
from losona.scenarios import RELEASE_REVISION, SHIPPED, Selection, load_scenarios, select, verifiable
from losona.schema.frame import Frame
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy
from test_official import row

FRAME = SHIPPED_FRAMES / "core.standup.wash_buffer.yaml"


def test_sources_of_frames(taxonomy: Taxonomy, tmp_path: Path) -> None:
    one = load_scenarios(str(FRAME), taxonomy)
    (tmp_path / FRAME.name).write_text(FRAME.read_text())
    assert len(one.scenarios) == 16
    assert load_scenarios(str(tmp_path), taxonomy).hash == one.hash
    lines = tmp_path / "x.jsonl"
    lines.write_text("".join(s.model_dump_json(by_alias=True) + "\n" for s in one.scenarios))
    assert load_scenarios(str(lines), taxonomy).scenarios == one.scenarios


def test_faults_of_sources(taxonomy: Taxonomy, tmp_path: Path) -> None:
    for source, fault in (("nowhere", "no such file"), (str(tmp_path), "holds no frame"), ("hf:x", "OWNER/NAME")):
        with pytest.raises(UserFault, match=fault):
            load_scenarios(source, taxonomy)
    (tmp_path / "x.jsonl").write_text("")
    with pytest.raises(ContentError, match="holds no row"):
        load_scenarios(str(tmp_path / "x.jsonl"), taxonomy)


def test_a_bad_line_of_our_own_format_is_named(taxonomy: Taxonomy, tmp_path: Path) -> None:
    good = load_scenarios(str(FRAME), taxonomy).scenarios[0].model_dump(mode="json", by_alias=True)
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(good) + "\n" + json.dumps({**good, "variant": 3}) + "\n")
    with pytest.raises(ContentError, match=r"x\.jsonl:2: variant"):
        load_scenarios(str(path), taxonomy)


class Hub(BaseHTTPRequestHandler):
    """As much of a hub as reading one data set needs."""

    def __init__(self, files: dict[str, bytes], *args: object) -> None:
        self.files = files
        super().__init__(*args)  # type: ignore[arg-type]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        if "/revision/" in self.path and self.path.split("?")[0].endswith(RELEASE_REVISION):
            listing = [{"rfilename": name} for name in self.files]
            body = json.dumps({"id": "Humalike-ai/LoSoNA", "sha": RELEASE_REVISION, "siblings": listing}).encode()
        elif "/tree/" in self.path:
            body = json.dumps(
                [{"type": "file", "path": n, "size": len(b), "oid": "a" * 40} for n, b in self.files.items()]
            ).encode()
        elif name in self.files and RELEASE_REVISION in self.path:
            body = self.files[name]
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"etag"')
        self.send_header("X-Repo-Commit", RELEASE_REVISION)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment that makes the hub's own library talk to a server on this machine."""
    data = (json.dumps(row()) + "\n").encode()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Hub, {"data.jsonl": data, "README.md": b"x"}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    yield {**os.environ, "HF_ENDPOINT": address, "HF_HUB_CACHE": str(tmp_path / "hub"), "HF_HUB_DISABLE_XET": "1"}
    server.shutdown()
    thread.join()
    server.server_close()


def list_release(revision: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "losona",
        "list",
        "scenarios",
        "--json",
        "--scenarios",
        f"hf:Humalike-ai/LoSoNA{revision}",
    ]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_the_public_release_comes_from_a_hub_at_its_pinned_revision(hub: dict[str, str]) -> None:
    first = list_release("", hub)
    assert [item["id"] for item in json.loads(first.stdout)] == [row()["scenario_id"]], first.stderr
    offline = list_release("", {**hub, "HF_HUB_OFFLINE": "1", "HF_ENDPOINT": "http://127.0.0.1:9"})
    assert offline.stdout == first.stdout


def test_a_revision_that_is_not_there_is_a_fault(hub: dict[str, str]) -> None:
    done = list_release("@nope", hub)
    assert done.returncode == 2
    assert "revision nope cannot be had from the hub" in done.stderr
    assert "Traceback" not in done.stderr


def test_selection(shipped_scenarios: list[Scenario], taxonomy: Taxonomy) -> None:
    chosen = select(shipped_scenarios, Selection(("a",), ("demos", "off")), taxonomy)
    assert {(s.arm, s.variant) for s in chosen} == {("a", "demos"), ("a", "off")}
    with pytest.raises(UserFault, match=r"--variant demo: no scenario has it; there are demos, dose1"):
        select(shipped_scenarios, Selection(variants=("demo",)), taxonomy)


def test_a_limit_counts_frames_and_spreads_them(shipped_scenarios: list[Scenario], taxonomy: Taxonomy) -> None:
    code_only = verifiable(shipped_scenarios, taxonomy)
    chosen = select(code_only, Selection(limit=4), taxonomy)
    frames = list(dict.fromkeys(s.frame for s in chosen))
    families = {taxonomy.norm(s.evaluation.norm).family for s in chosen}
    assert len(frames) == 4
    assert len(families) == 4
    for frame in frames:
        assert [s for s in chosen if s.frame == frame] == [s for s in code_only if s.frame == frame]


def test_the_verifiable_track_is_what_code_decides(taxonomy: Taxonomy) -> None:
    everything = load_scenarios(SHIPPED, taxonomy).scenarios
    for scenario in verifiable(everything, taxonomy):
        assert taxonomy.norm(scenario.evaluation.norm).check.mode == "exact"
        assert scenario.evaluation.expectation != "out_of_scope"


def test_a_shipped_frame_is_found_by_its_id(taxonomy: Taxonomy) -> None:
    found = load_scenarios("core.standup.wash_buffer", taxonomy).scenarios
    assert {s.frame for s in found} == {"core.standup.wash_buffer"}


@pytest.mark.parametrize("name", ["rows.csv", "rows.json", "rows.parquet", "frame.yml"])
def test_a_file_of_another_kind_is_refused_by_its_name(taxonomy: Taxonomy, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("{}")
    with pytest.raises(UserFault, match=r"this is no source of scenarios; give a frame"):
        load_scenarios(str(path), taxonomy)


def test_a_program_that_grades_by_a_dropped_arm_is_told_so(shipped_frames: list[Frame]) -> None:
    frame = next(frame for frame in shipped_frames if frame.dropped)
    arm, reason = next(iter(frame.dropped.items()))
    with pytest.raises(UserFault, match=re.escape(f"{frame.frame}/{arm} is dropped ({reason})")):
        grade(f"{frame.frame}/{arm}/demos", "yes")
