"""A run that lies in a folder: its record, its two tables and its scenarios, and several of them side by side.

Knows the files. Does not know how a run is carried out, and computes nothing. Does not import the engine.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pandas as pd

from losona.errors import ContentError, UserFault
from losona.schema.scenario import Scenario
from losona.schema.tables import TABLES_VERSION, GradingRow, ReplyRow
from losona.textfiles import read_records, read_text

RECORD_FILE, SCENARIOS_FILE, CALIBRATION_FILE = "run.json", "scenarios.jsonl", "calibration.json"
NEEDED = ("name", "identity")
"""Keys without which a record is none of a run."""


@dataclass(frozen=True)
class StoredRun:
    """What a run folder holds."""

    name: str
    """Name in reports; unique among the runs that are read together."""
    record: Mapping[str, Any]
    """Content of run.json."""
    replies: pd.DataFrame
    """Columns of `ReplyRow`."""
    gradings: pd.DataFrame
    """Columns of `GradingRow`."""
    scenarios: Mapping[str, Scenario]
    """By id; empty where they are not at hand."""
    calibration: Mapping[str, Any] | None = None
    """The errors of its judge as measured on labels of people; none where nobody has measured them."""

    @property
    def benchmark_version(self) -> str:
        """`N-X`, or empty where the record does not say."""
        return str(_mapping(self.record.get("identity")).get("benchmark_version", ""))

    @property
    def epochs(self) -> int | None:
        """Replies for each prompt that were wanted, where the record says so."""
        wanted = self.record.get("epochs")
        return wanted if isinstance(wanted, int) and wanted > 0 else None


def read_run(folder: Path) -> StoredRun:
    """Read a folder. Raises `ContentError` naming the file that is missing or cannot be read."""
    if not (folder / RECORD_FILE).is_file():
        raise ContentError(f"{folder}: there is no run here ({RECORD_FILE} is missing); {_choices()}.")
    record = _record(folder / RECORD_FILE)
    if absent := [key for key in NEEDED if key not in record]:
        raise ContentError(
            f"{folder / RECORD_FILE}: {absent[0]}: the key is missing; restore the file or take another folder."
        )
    return StoredRun(
        name=str(record.get("name") or folder.resolve().name),
        record=record,
        replies=_table(folder / "replies.parquet", ReplyRow),
        gradings=_table(folder / "gradings.parquet", GradingRow),
        scenarios=_scenarios(folder / SCENARIOS_FILE),
        calibration=read_calibration(folder),
    )


def read_calibration(folder: Path) -> dict[str, Any] | None:
    """What `losona judge calibrate` has stored with a run; none where nothing was."""
    path = folder / CALIBRATION_FILE
    return _record(path, "remove the file or calibrate again") if path.is_file() else None


def read_runs(folders: Sequence[Path], mix_versions: bool = False) -> list[StoredRun]:
    """Several runs with names of their own. Raises `UserFault` where their benchmark versions cannot be compared."""
    if doubled := [path for path, n in Counter(folder.resolve() for folder in folders).items() if n > 1]:
        raise UserFault(f"{doubled[0]} is given twice; give each run once.")
    runs = [read_run(folder) for folder in folders]
    if not mix_versions:
        refuse_other_benchmark(runs)
    names = Counter(run.name for run in runs)
    shown = [str(folder) if names[run.name] > 1 else run.name for folder, run in zip(folders, runs, strict=True)]
    return [replace(run, name=name) for name, run in zip(shown, runs, strict=True)]


def refuse_other_benchmark(runs: Sequence[StoredRun]) -> None:
    """Raise `UserFault` when the comparability numbers (N of N-X) differ."""
    numbers = {run.benchmark_version.partition("-")[0] for run in runs}
    if len(numbers) > 1:
        listed = ", ".join(f"{run.name} has {run.benchmark_version or 'none'}" for run in runs)
        raise UserFault(
            f"the runs have different benchmark versions ({listed}), so their scores cannot be compared; run the older "
            "one again, or give --mix-versions to put them side by side nevertheless."
        )


def side_by_side(runs: Sequence[StoredRun]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables of several runs as two. Reply ids and models that two runs share get the run's name.

    Equal ids of two runs are still two replies: the same prompt, asked twice.
    """
    if len(runs) == 1:
        return runs[0].replies, runs[0].gradings
    named = Counter(model for run in runs for model in _models(run))
    replies: list[pd.DataFrame] = []
    gradings: list[pd.DataFrame] = []
    for run in runs:
        rename = {model: f"{model} ({run.name})" for model in _models(run) if named[model] > 1}
        ids = run.name + ":" + run.replies["reply_id"].astype("str")
        replies.append(run.replies.assign(reply_id=ids, model=run.replies["model"].replace(rename)))
        gradings.append(run.gradings.assign(reply_id=run.name + ":" + run.gradings["reply_id"].astype("str")))
    return pd.concat(replies, ignore_index=True), pd.concat(gradings, ignore_index=True)


def paired_models(first: StoredRun, second: StoredRun, given: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Which model of the first run is compared with which of the second.

    As `given` (OLD=NEW), else by equal names, else the only one of each. Raises `UserFault` where none of it works.
    """
    old, new = _models(first), _models(second)
    if given:
        return [_named_pair(text, old, new) for text in given]
    if common := [model for model in old if model in new]:
        return [(model, model) for model in common]
    if len(old) == len(new) == 1:
        return [(old[0], new[0])]
    raise UserFault(
        f"{first.name} has the models {', '.join(old)} and {second.name} has {', '.join(new)}, so no name "
        "stands on both sides; say which to compare with --pair OLD=NEW."
    )


def _named_pair(text: str, old: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    cuts = [(text[:i], text[i + 1 :]) for i, letter in enumerate(text) if letter == "="]
    if found := [cut for cut in cuts if cut[0] in old and cut[1] in new]:
        return found[0]
    raise UserFault(
        f"--pair {text}: write OLD=NEW with a model of the first run ({', '.join(old)}) and one of the second "
        f"({', '.join(new)})."
    )


def _models(run: StoredRun) -> list[str]:
    return sorted({str(model) for model in run.replies["model"].tolist()})


def _choices() -> str:
    found = sorted(str(path.parent) for path in Path("runs").glob(f"*/{RECORD_FILE}"))
    return f"runs here are {', '.join(found[:8])}" if found else "give a folder that `losona run` wrote"


def _record(path: Path, remedy: str = "restore the file or run again") -> dict[str, Any]:
    try:
        record: Any = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ContentError(f"{path}: not valid JSON ({error}); {remedy}.") from None
    if not isinstance(record, dict):
        raise ContentError(f"{path}: an object was expected; {remedy}.")
    return _mapping(cast(Any, record))


def _mapping(value: Any) -> dict[str, Any]:
    return {str(key): entry for key, entry in value.items()} if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _table(path: Path, model: type[ReplyRow] | type[GradingRow]) -> pd.DataFrame:
    if not path.is_file():
        raise ContentError(f"{path} is missing; the same `losona run` command again writes it from the logs.")
    try:
        table = pd.read_parquet(path)
    except (OSError, ValueError) as error:  # pyarrow's faults are among these
        raise ContentError(
            f"{path}: cannot be read ({' '.join(str(error).split())[:120]}); the same `losona run` command again "
            "writes it from the logs."
        ) from None
    if missing := [name for name in model.model_fields if name not in table.columns]:
        raise ContentError(
            f"{path}: the column {missing[0]!r} is missing (tables version {TABLES_VERSION} has it); the same "
            "`losona run` command again writes the file anew."
        )
    return table


def _scenarios(path: Path) -> dict[str, Scenario]:
    """Scenarios by id; none where the file is missing, since examples can do without."""
    lines = read_records(path, Scenario, "restore the file or run again") if path.is_file() else ()
    return {scenario.scenario_id: scenario for scenario in lines}
