"""Both tables of a run joined into one, as Parquet, CSV or JSON Lines, with the columns of `ExportRow`."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pandas as pd

from losona.errors import UserFault
from losona.report.escaping import csv
from losona.report.record import find, plain
from losona.schema.tables import EXPORT_VERSION, ExportRow
from losona.stored import StoredRun
from losona.textfiles import write_atomically

Format = Literal["parquet", "csv", "jsonl"]
_OF_REPLY = {"error": "reply_error", "input_tokens": "reply_input_tokens", "output_tokens": "reply_output_tokens"}
_OF_GRADING = {
    **{name: new.replace("reply", "grading") for name, new in _OF_REPLY.items()},
    **{name: f"grading_{name}" for name in ("cost", "prompt_hash", "shared")},
}
_KINDS = {"bool | None": "boolean", "float | None": "Float64", "int | None": "Int64", "int": "int64"}


def export_table(run: StoredRun) -> pd.DataFrame:
    """One row a grading; the columns and their order are those of `ExportRow`."""
    left = run.replies.drop(columns="schema_version").rename(columns=_OF_REPLY)
    right = run.gradings.drop(columns="schema_version").rename(columns=_OF_GRADING)
    joined = left.merge(right, on="reply_id", how="left", sort=False)
    joined = joined.assign(
        export_version=EXPORT_VERSION,
        run=run.name,
        benchmark_version=run.benchmark_version,
        judge=plain(judge) if (judge := find(run.record, "judge")) else "",
    )
    table = joined[list(ExportRow.model_fields)]
    kinds = {name: str(field.annotation) for name, field in ExportRow.model_fields.items()}
    return table.astype({name: _KINDS[kind] for name, kind in kinds.items() if kind in _KINDS})


def export(run: StoredRun, form: Format) -> bytes:
    """The content of the file. In CSV, text that a spreadsheet could take for a formula has an apostrophe in front."""
    return _WRITERS[form](export_table(run))


def write_export(run: StoredRun, form: Format, path: Path, force: bool) -> int:
    """Write the file and return the number of rows. Raises `UserFault` where it exists and `force` is not set."""
    if path.exists() and not path.is_file():
        raise UserFault(f"--out {path}: this is no ordinary file; give the name of a file.")
    if path.exists() and not force:
        raise UserFault(f"--out {path}: the file exists; give another name, or --force to replace it.")
    table = export_table(run)
    write_atomically(path.resolve(), _WRITERS[form](table))
    return len(table)


def _parquet(table: pd.DataFrame) -> bytes:
    return table.to_parquet(index=False)


def _csv(table: pd.DataFrame) -> bytes:
    return csv(table).encode()


def _jsonl(table: pd.DataFrame) -> bytes:
    return table.to_json(orient="records", lines=True, force_ascii=False, double_precision=15).encode()


_WRITERS: dict[Format, Callable[[pd.DataFrame], bytes]] = {"parquet": _parquet, "csv": _csv, "jsonl": _jsonl}
