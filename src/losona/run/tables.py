"""The two result tables of a run that is there. Reads files, computes nothing."""

from pathlib import Path

import pandas as pd

from losona.errors import ContentError, UserFault
from losona.run.record import RunRecord, read_record

NAMES = ("replies.parquet", "gradings.parquet")


def read_run(folder: Path) -> tuple[RunRecord, pd.DataFrame, pd.DataFrame]:
    """Record, replies and gradings. Raises `UserFault` for a folder that is no finished run."""
    record = read_record(folder) if folder.is_dir() else None
    if record is None:
        raise UserFault(f"{folder}: this is no folder of a run (it has no run.json); give one such as runs/first.")
    if absent := [name for name in NAMES if not (folder / name).is_file()]:
        raise UserFault(f"{folder}: {' and '.join(absent)} missing; give the run's command again, which writes them.")
    replies, gradings = (_read(folder / name) for name in NAMES)
    return record, replies, gradings


def _read(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise ContentError(
            f"{path}: this table cannot be read ({error}); give the run's command again, which writes it anew."
        ) from None
