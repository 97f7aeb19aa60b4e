"""Logs -> the two result tables. Knows Inspect's logs; computes no statistic.

A sample that was answered in one log and failed in another counts as answered.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from inspect_ai.log import EvalLog, EvalLogInfo, EvalSample, list_eval_logs, read_eval_log

from losona.errors import ContentError
from losona.judge.verdict import may_answer
from losona.schema.results import Grading
from losona.schema.scenario import Scenario
from losona.schema.tables import GradingRow, ReplyRow
from losona.taxonomy import Taxonomy
from losona.textfiles import write_atomically
from losona.verifiers import grade_by_code

SCORER = "follows_norm"
"""Name of the score that holds the gradings."""
_NO_REPLY = re.compile(r"""NoReply\((['"])(.*)\1\)""", re.DOTALL)
Key = tuple[str, str, str, int]
"""Provider's model string, condition, transcript id, epoch."""


@dataclass(frozen=True)
class Result:
    """One call of a subject with its gradings."""

    key: Key
    """Which call it was."""
    reply: ReplyRow
    """The reply, or the error."""
    gradings: tuple[GradingRow, ...]
    """One or more for each scenario that has the transcript."""

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Scenarios whose grading waits for a judge that was not asked, or whose provider failed."""
        if not self.answered:
            return ()
        open_ = [row for row in self.gradings if not row.advisory and row.label == "unscored"]
        return tuple(
            row.scenario_id
            for row in open_
            if (row.grader == "verifier" and not row.error) or may_answer(row.grader, row.error)
        )

    @property
    def answered(self) -> bool:
        """There is a reply."""
        return not self.reply.error


def read_results(
    log_dir: Path, scenarios: Mapping[str, Scenario], names: Mapping[str, str], taxonomy: Taxonomy, stamp: str = ""
) -> dict[Key, Result]:
    """All calls of a run's logs. `names` gives a model the name it has in tables.

    A reply is graded by every scenario that has its transcript: as the logs say, else by code here and now. Raises
    `ContentError` for a log that cannot be read, or that carries another stamp than that of the run.
    """
    replies: dict[Key, ReplyRow] = {}
    gradings: dict[Key, dict[str, list[Grading]]] = {}
    for log in _logs(log_dir, stamp):
        try:
            for sample in log.samples or ():
                _take(log, sample, replies, gradings, names)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise _unreadable(log.location, error) from None
    having: dict[str, list[Scenario]] = {}
    for scenario in scenarios.values():
        having.setdefault(scenario.transcript_id, []).append(scenario)
    return {
        key: Result(key, reply, tuple(_rows(reply, having.get(reply.transcript_id, []), gradings[key], taxonomy)))
        for key, reply in replies.items()
    }


def _take(
    log: EvalLog,
    sample: EvalSample,
    replies: dict[Key, ReplyRow],
    gradings: dict[Key, dict[str, list[Grading]]],
    names: Mapping[str, str],
) -> None:
    """Add a sample: a reply unless there is one already, and its gradings."""
    if sample.error is not None and sample.error.message.startswith("CancelledError"):
        return
    key = _key(log, sample)
    recalled = "recalled" in sample.metadata
    if not recalled and key in replies and not replies[key].error:
        return
    if not recalled:
        replies[key] = _reply_row(log, sample, key, names)
    known = gradings.setdefault(key, {})
    for scenario_id, found in _gradings(sample).items():
        if not _failed_judging(found) or _failed_judging(known.get(scenario_id, found)):
            known[scenario_id] = found


def _failed_judging(gradings: Sequence[Grading]) -> bool:
    """A judge's provider failed: another log may hold the verdict."""
    return any(may_answer(grading.grader, grading.error) for grading in gradings)


def _logs(log_dir: Path, stamp: str) -> Iterator[EvalLog]:
    """All logs, the oldest first; each must carry the stamp, if one is given."""
    for info in sorted(_listed(log_dir), key=lambda info: (info.mtime or 0, info.name)):
        log = _log(info)
        if stamp and (log.eval.metadata or {}).get("stamp") != stamp:
            raise ContentError(f"{info.name}: this log is not of this run, or of other settings; move it away.")
        yield log


def _listed(log_dir: Path) -> list[EvalLogInfo]:
    try:
        return list_eval_logs(str(log_dir), formats=["eval"])
    except Exception as error:  # noqa: BLE001  a damaged archive raises what its codecs like
        raise _unreadable(str(log_dir), error) from None


def _unreadable(place: str, error: Exception) -> ContentError:
    said = " ".join(str(error).split())[:120] or type(error).__name__
    return ContentError(
        f"{place}: this log cannot be read ({said}); move it away, and its replies are asked for again."
    )


def check_logs(log_dir: Path) -> None:
    """Raise `ContentError` naming a log that cannot be read."""
    for path in sorted(log_dir.glob("*.eval")):
        _log(EvalLogInfo(name=str(path), type="file", size=0, mtime=None, task="", task_id="", suffix=None), True)


def _log(info: EvalLogInfo, header_only: bool = False) -> EvalLog:
    try:
        return read_eval_log(info, header_only=header_only)
    except Exception as error:  # noqa: BLE001  a damaged archive raises what its codecs like
        raise _unreadable(info.name, error) from None


def _key(log: EvalLog, sample: EvalSample) -> Key:
    metadata = sample.metadata
    if "recalled" in metadata:
        return (
            str(metadata["recalled"]),
            str(metadata["condition"]),
            str(metadata["transcript"]),
            int(metadata["epoch"]),
        )
    epochs: list[int] = (log.eval.metadata or {}).get("epochs", [])
    return log.eval.model, str(metadata["condition"]), str(sample.id), epochs[sample.epoch - 1]


def _gradings(sample: EvalSample) -> dict[str, list[Grading]]:
    """Gradings in the log, by scenario."""
    score = (sample.scores or {}).get(SCORER)
    found: dict[str, list[Grading]] = {}
    items: list[dict[str, Any]] = (score.metadata or {}).get("gradings", []) if score else []
    for item in items:
        grading = Grading.model_validate(item)
        found.setdefault(grading.scenario_id, []).append(grading)
    return found


def _rows(
    reply: ReplyRow, scenarios: Sequence[Scenario], gradings: Mapping[str, list[Grading]], taxonomy: Taxonomy
) -> Iterator[GradingRow]:
    for scenario in scenarios:
        if reply.error:
            found = [_failed(reply, scenario)]
        else:
            found = gradings.get(scenario.scenario_id) or [grade_by_code(scenario, reply.text, taxonomy)]
        yield from (grading_row(reply.reply_id, grading, scenario, taxonomy) for grading in found)


def _reply_row(log: EvalLog, sample: EvalSample, key: Key, names: Mapping[str, str]) -> ReplyRow:
    model, condition, transcript_id, epoch = key
    score = (sample.scores or {}).get(SCORER)
    usage = sample.output.usage
    meta: dict[str, Any] = dict((score.metadata if score else None) or {})
    sampling = _sampling(sample)
    error = sample.error.message if sample.error else sample.output.error or ("" if meta else "not scored")
    error = _NO_REPLY.sub(r"\2", error)
    parts = [transcript_id, str(sample.metadata["prompt_hash"]), model, sampling, str(epoch)]
    return ReplyRow(
        reply_id=hashlib.sha256("|".join(parts).encode()).hexdigest()[:16],
        transcript_id=transcript_id,
        prompt_hash=str(sample.metadata["prompt_hash"]),
        condition=condition,
        model=names.get(model, model),
        model_id=model,
        epoch=epoch,
        text="" if error else _text(sample.output.completion),
        finish_reason="" if error else str(sample.output.stop_reason),
        error=_text(error),
        valid=None if error else bool(meta["valid"]),
        invalid_reasons=",".join(meta.get("invalid_reasons", ())),
        flags=",".join(meta.get("flags", ())),
        graded_text="" if error or score is None else _text(score.answer or ""),
        input_tokens=usage.input_tokens if usage else 0,
        output_tokens=usage.output_tokens if usage else 0,
        cost=usage.total_cost if usage else None,
        latency=sample.output.time,
        sampling=sampling,
    )


def _sampling(sample: EvalSample) -> str:
    """Settings that were used, and those that the provider refused. The seed goes with the epoch."""
    used = {key: value for key, value in sample.metadata.get("sampling", {}).items() if key != "seed"}
    refused = sample.metadata.get("left_out", [])
    return json.dumps({**used, **({"left_out": refused} if refused else {})}, sort_keys=True)


def _text(value: object) -> str:
    """Text that can be stored: half of a surrogate pair becomes a question mark."""
    return str(value).encode("utf-8", "replace").decode()


def _failed(reply: ReplyRow, scenario: Scenario) -> Grading:
    return Grading(
        scenario_id=scenario.scenario_id,
        norm=scenario.evaluation.norm,
        expectation=scenario.evaluation.expectation,
        grader="none",
        label="unscored",
        error=f"no reply: {reply.error}",
    )


def grading_row(reply_id: str, grading: Grading, scenario: Scenario, taxonomy: Taxonomy) -> GradingRow:
    """A grading with what is known of its scenario."""
    norm = taxonomy.norms.get(grading.norm)
    values = grading.model_dump(exclude={"evidence", "codes"})
    return GradingRow(
        **values,
        reply_id=reply_id,
        frame=scenario.frame or "",
        arm=scenario.arm or "",
        variant=scenario.variant,
        pack=scenario.evaluation.pack,
        event=scenario.evaluation.event,
        level=norm.level if norm else None,
        mode=mode(scenario, taxonomy),
        evidence=json.dumps(list(grading.evidence), ensure_ascii=False) if grading.evidence else "",
        codes=",".join(grading.codes),
        fits=grading.fits,
    )


def grading_of(row: GradingRow) -> Grading:
    """The grading that a row of the table was made from."""
    values = {name: getattr(row, name) for name in Grading.model_fields}
    evidence = tuple(json.loads(row.evidence)) if row.evidence else ()
    codes = tuple(row.codes.split(",")) if row.codes else ()
    return Grading.model_validate({**values, "evidence": evidence, "codes": codes})


def mode(scenario: Scenario, taxonomy: Taxonomy) -> str:
    """Who can decide this scenario: exact (code), partial (code, then a judge) or judge."""
    norm = taxonomy.norms.get(scenario.evaluation.norm)
    if scenario.source == "official" or norm is None:
        return "judge"
    if scenario.evaluation.expectation == "out_of_scope":
        return "partial" if scenario.evaluation.off_code is not None else "judge"
    return norm.check.mode


def tables(results: Iterable[Result]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The replies and gradings as data frames with all columns, even when empty."""
    ordered = sorted(results, key=lambda r: r.key)
    replies = [r.reply.model_dump() for r in ordered]
    gradings = [g.model_dump() for r in ordered for g in r.gradings]
    return (
        pd.DataFrame(replies, columns=list(ReplyRow.model_fields)),
        pd.DataFrame(gradings, columns=list(GradingRow.model_fields)),
    )


def write_tables(folder: Path, replies: pd.DataFrame, gradings: pd.DataFrame) -> None:
    """`replies.parquet` and `gradings.parquet`, each replaced as a whole."""
    for name, frame, columns in (("replies", replies, ReplyRow), ("gradings", gradings, GradingRow)):
        write_atomically(folder / f"{name}.parquet", _typed(frame, columns).to_parquet(index=False))


def _typed(frame: pd.DataFrame, model: type[ReplyRow] | type[GradingRow]) -> pd.DataFrame:
    """Nullable columns keep their type when a table is empty or a column holds nothing."""
    kinds = {"bool | None": "boolean", "float | None": "Float64", "int | None": "Int64"}
    wanted = {
        name: kinds[str(field.annotation)]
        for name, field in model.model_fields.items()
        if str(field.annotation) in kinds
    }
    return frame.astype(wanted)


def read_tables(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables that `write_tables` wrote."""
    return pd.read_parquet(folder / "replies.parquet"), pd.read_parquet(folder / "gradings.parquet")


def scenario_rows(scenarios: Iterable[Scenario]) -> Iterator[str]:
    """Scenarios as JSON lines, sorted by id."""
    for scenario in sorted(scenarios, key=lambda s: s.scenario_id):
        yield scenario.model_dump_json(by_alias=True)
