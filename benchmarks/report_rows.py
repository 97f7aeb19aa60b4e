"""How long a report of many rows takes, and how much memory: synthetic replies to the shipped scenarios.

    python benchmarks/report_rows.py [ROWS]

Makes a run folder with about ROWS gradings (default 100,000: 19 models, four conditions, K = 3) in a process of its
own. Then does what `losona report` does, and prints the seconds of each part and the peak memory.
On a busy machine the processor time is what can be compared.
"""

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from losona import BENCHMARK_VERSION
from losona.conditions import PAPER_CONDITIONS
from losona.report.files import write_files
from losona.report.material import gather
from losona.scenarios import SHIPPED, load_scenarios
from losona.schema.scenario import Scenario
from losona.schema.tables import GradingRow, ReplyRow
from losona.stored import read_runs
from losona.taxonomy import load_taxonomy

EPOCHS = 3
WORDS = ("ok", "the", "shed", "by", "noon", "seven", "jars", "of", "plum", "jam")


def main(rows: int) -> None:
    """Measure and print."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, __file__, "--make", name, str(rows)], check=True)
        start, cpu = time.perf_counter(), time.process_time()
        runs = read_runs([folder])
        read = time.perf_counter()
        material = gather(runs, load_taxonomy())
        computed = time.perf_counter()
        write_files(folder, material)
        written, used = time.perf_counter(), time.process_time() - cpu
        size = (folder / "report.html").stat().st_size / 2**20
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(runs[0].replies):,} replies, {len(runs[0].gradings):,} gradings, {len(material.models)} models")
    print(f"read {read - start:.1f} s, compute {computed - read:.1f} s, draw and write {written - computed:.1f} s")
    print(f"in all {written - start:.1f} s ({used:.1f} s of processor time), peak memory {peak:.0f} MiB")
    print(f"report.html {size:.1f} MiB")


def make(folder: Path, rows: int) -> None:
    """Write a run folder with about so many gradings."""
    scenarios = load_scenarios(SHIPPED, load_taxonomy()).scenarios
    models = max(1, round(rows / (len(scenarios) * len(PAPER_CONDITIONS) * EPOCHS)))
    replies, gradings = tables(scenarios, models)
    pd.DataFrame(replies, columns=list(ReplyRow.model_fields)).to_parquet(folder / "replies.parquet")
    pd.DataFrame(gradings, columns=list(GradingRow.model_fields)).to_parquet(folder / "gradings.parquet")
    lines = [scenario.model_dump_json(by_alias=True) + "\n" for scenario in scenarios]
    (folder / "scenarios.jsonl").write_text("".join(lines), "utf-8")
    record = {"name": "synthetic", "epochs": EPOCHS, "identity": {"benchmark_version": BENCHMARK_VERSION}}
    (folder / "run.json").write_text(json.dumps(record), "utf-8")


def tables(scenarios: list[Scenario], models: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of both tables: better models comply more often, and without demonstrations hardly any."""
    draw = random.Random(0)
    sharing: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        sharing.setdefault(scenario.transcript_id, []).append(scenario)
    replies: list[dict[str, Any]] = []
    gradings: list[dict[str, Any]] = []
    for model, condition, transcript, epoch in product(range(models), PAPER_CONDITIONS, sharing, range(1, EPOCHS + 1)):
        reply = _reply(len(replies), model, condition, transcript, epoch, draw)
        replies.append(reply)
        gradings.extend(_gradings(reply["reply_id"], sharing[transcript], 0.2 + 0.6 * model / models, draw))
    return replies, gradings


def _reply(number: int, model: int, condition: str, transcript: str, epoch: int, draw: random.Random) -> dict[str, Any]:
    text = " ".join(draw.choices(WORDS, k=draw.randint(3, 40)))
    return ReplyRow(
        reply_id=f"{number:016x}", transcript_id=transcript, prompt_hash=f"{number // EPOCHS:016x}",
        condition=condition, model=f"model-{model:02}", model_id=f"lab/model-{model:02}", epoch=epoch, text=text,
        finish_reason="stop", valid=True, graded_text=text, input_tokens=900, output_tokens=40, latency=1.5,
    ).model_dump()  # fmt: skip


def _gradings(reply_id: str, scenarios: list[Scenario], share: float, draw: random.Random) -> Iterator[dict[str, Any]]:
    for scenario in scenarios:
        complies = draw.random() < (0.1 if scenario.variant == "nodemos" else share)
        yield GradingRow(
            reply_id=reply_id, scenario_id=scenario.scenario_id, frame=scenario.frame or "", arm=scenario.arm or "",
            variant=scenario.variant, pack=scenario.evaluation.pack, event=scenario.evaluation.event,
            norm=scenario.evaluation.norm, mode="exact", expectation=scenario.evaluation.expectation,
            grader="verifier", label="complies" if complies else "breaches", node="any > lex",
        ).model_dump()  # fmt: skip


if __name__ == "__main__":
    if "--make" in sys.argv:
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
