"""Writes what a run leaves in its folder: tables, the list for people, record and report. Carries out nothing."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from losona.clock import now
from losona.errors import RunRefused
from losona.report.html import write_html
from losona.report.material import gather
from losona.results import Key, Result, tables, write_tables
from losona.run.judges import write_for_people
from losona.run.record import RunRecord, read_record, read_scenarios, write_record
from losona.run.rejudge import read_with_added
from losona.schema.scenario import Scenario
from losona.stored import StoredRun, read_calibration
from losona.taxonomy import Taxonomy, load_taxonomy


def write_all(
    folder: Path,
    record: RunRecord,
    scenarios: Mapping[str, Scenario],
    taxonomy: Taxonomy,
    done: Mapping[Key, Result],
    k: int | None = None,
) -> RunRecord:
    """Write everything and give back the record as it stands; `k` replies for a prompt are shown, else the record's."""
    replies, gradings = tables(done.values())
    write_tables(folder, replies, gradings)
    if record.identity.judge:
        write_for_people(folder, done.values())
    record = record.model_copy(update={"changed": now()})
    write_record(folder, record, scenarios)
    content = json.loads(record.model_dump_json())
    stored = StoredRun(record.name, content, replies, gradings, scenarios, read_calibration(folder))
    write_html(folder / "report.html", gather([stored], taxonomy, k))
    return record


def refresh(run: Path, packs: Sequence[Path]) -> None:
    """Write tables and report of a run anew, from what lies in its folder."""
    record = read_record(run)
    if record is None:
        raise RunRefused(f"{run}: there is no run in it; give a folder that `losona run` has written.")
    taxonomy, scenarios = load_taxonomy(packs), read_scenarios(run)
    write_all(run, record, scenarios, taxonomy, read_with_added(run, record, scenarios, taxonomy))
