"""The report: one HTML file that needs neither script nor network. Computes no number.

Every text is foreign (a reply may be hostile): the templates escape all, and characters that could hide or reorder
text are made visible.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from losona import stats
from losona.report import wording
from losona.report.examples import Examples
from losona.report.foreign import shown
from losona.report.headline import headline
from losona.report.record import commands, configuration, facts, plain
from losona.schema.scenario import Scenario
from losona.stats import Cell, Gain, GraderUsage, NormRate, Reason, Usage, as_rows
from losona.textfiles import write_atomically

TEMPLATES = Path(__file__).parent / "templates"
HasModel = TypeVar("HasModel", Cell, Gain, Reason)
REASONS = 12
"""Longest list of reasons for each model."""


def write_report(
    path: Path,
    record: Mapping[str, Any],
    cells: pd.DataFrame,
    gains: pd.DataFrame,
    replies: pd.DataFrame,
    gradings: pd.DataFrame,
    scenarios: Mapping[str, Scenario],
    rules: Mapping[str, str] | None = None,
) -> None:
    """Write the report. `record` is the content of run.json; `rules` has norms in words, by norm id."""
    rows = wording.in_order(as_rows(Cell, cells))
    paired = wording.gains_in_order(as_rows(Gain, gains))
    page = _environment().get_template("report.html.j2")
    html = page.render(
        w=wording,
        most_reasons=REASONS,
        title=plain(record.get("name")),
        facts=facts(record, stats.track_counts(gradings)),
        headline=headline(rows, paired),
        k=max((cell.k for cell in rows), default=0),
        groups=_by_variant(rows),
        has_fits=any(cell.n_fits for cell in rows),
        has_missing=any(cell.n_missing for cell in rows),
        gains=_by_model(paired) if any(gain.n_pairs for gain in paired) else [],
        norms=_norms(rows, as_rows(NormRate, stats.norm_rates(replies, gradings))),
        cases=Examples(replies, gradings, scenarios, rules or {}).cases(rows),
        reasons=_by_model(as_rows(Reason, stats.reasons(replies, gradings))),
        usage=as_rows(Usage, stats.usage(replies, gradings)),
        graders=as_rows(GraderUsage, stats.grader_usage(gradings)),
        commands=commands(record),
        configuration=configuration(record),
    )
    write_atomically(path, html)


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _finalize(value: Any) -> Any:
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _by_variant(rows: Sequence[Cell]) -> list[tuple[str, list[tuple[str, list[Cell]]]]]:
    return [(variant, _by_model(list(group))) for variant, group in groupby(rows, lambda cell: cell.variant)]


def _by_model(rows: Sequence[HasModel]) -> list[tuple[str, list[HasModel]]]:
    return [(model, list(group)) for model, group in groupby(rows, lambda row: row.model)]


def _norms(rows: Sequence[Cell], rates: Sequence[NormRate]) -> dict[str, Any]:
    """Norms as lines and conditions as columns, a table for each model: with demonstrations, and without."""
    main = wording.main_variant(rows)
    at = {(r.model, r.pack, r.norm, r.condition, r.variant): r for r in rates}
    conditions = sorted({r.condition for r in rates}, key=wording.condition_key)
    norms = sorted({(r.pack, r.norm) for r in rates if r.variant in (main, "nodemos")})
    tables: dict[str, Any] = {}
    for model in sorted({r.model for r in rates}):
        tables[model] = [
            (norm, [(at.get((model, *norm, c, main)), at.get((model, *norm, c, "nodemos"))) for c in conditions])
            for norm in norms
        ]
    return {"conditions": conditions, "tables": tables}
