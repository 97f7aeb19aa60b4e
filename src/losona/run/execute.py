"""Carries out a run: resume, call, grade, write tables and report. The one place that knows their order."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.model import Model, get_model
from rich.console import Console

from losona import stats
from losona.errors import RunRefused
from losona.judge.ask import Panel
from losona.numbers import some
from losona.providers.reply_file import read_replies
from losona.results import Key, Result, tables
from losona.run.alone import LOCK, FolderInUse, alone
from losona.run.audits import newest, shown_in_run
from losona.run.engine import evaluate, recover
from losona.run.judges import open_panel
from losona.run.options import NamedModel
from losona.run.outcome import Outcome
from losona.run.plan import BEYOND_LIMIT, Call, Plan, pending
from losona.run.preflight import missing_for_model
from losona.run.progress import RunProgress
from losona.run.record import RunRecord, merged, read_record, read_scenarios, refuse_mixture, stamp, write_record
from losona.run.rejudge import read_with_added
from losona.run.writing import write_all
from losona.schema.scenario import Scenario
from losona.tasks import Done, Recalled, Setup, build_recall_task, build_task, group


def carry_out(plan: Plan, console: Console) -> Outcome:
    """Run, or go on with a run. Raises `RunRefused` when it cannot start or would mix incomparable replies.

    Nothing is written before it is sure that the run can start.
    """
    folder = plan.options.folder()
    old = read_record(folder)
    record, scenarios = _prepare(plan, folder, old)
    new_folder = not folder.exists()
    try:
        with alone(folder):
            return _locked(plan, folder, record, scenarios, console)
    except FolderInUse:
        raise
    except RunRefused:
        if new_folder and folder.exists():
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()
        raise


def _prepare(plan: Plan, folder: Path, old: RunRecord | None) -> tuple[RunRecord, dict[str, Scenario]]:
    if old is None and folder.is_dir() and any(p.name != LOCK for p in folder.iterdir()):
        raise RunRefused(f"{folder} holds files but no run; choose another --out or an empty folder.")
    new = plan.record()
    scenarios = {s.scenario_id: s for s in plan.selected}
    if old is not None:
        known = read_scenarios(folder)
        refuse_mixture(folder, old, new, known, scenarios)
        scenarios = {**known, **scenarios}
    record = merged(old, new)
    return record.model_copy(update={"scenarios": _counts(record, new, scenarios)}), scenarios


def _counts(record: RunRecord, new: RunRecord, scenarios: Mapping[str, Scenario]) -> dict[str, Any]:
    """What is known of the scenarios, with what a limit leaves out of all that the run now holds."""
    left_out, n = dict(new.scenarios["left_out"]), sum(not s.crossed for s in scenarios.values())
    beyond = left_out.pop(BEYOND_LIMIT, 0) + new.scenarios["n"] - n
    if beyond > 0:
        left_out[BEYOND_LIMIT] = beyond
    return {**record.scenarios, **new.scenarios, "n": n, "crossings": len(scenarios) - n, "left_out": left_out}


def _locked(plan: Plan, folder: Path, record: RunRecord, scenarios: dict[str, Scenario], console: Console) -> Outcome:
    log_dir = folder / "logs"
    recover(log_dir)
    calls = plan.calls()
    done = _read(log_dir, scenarios, record, plan)
    _refuse_changed_replies(plan, done)
    todo = pending(calls, {key: result.answered for key, result in done.items()})
    _refuse_missing(plan, todo)
    models = _open(plan, todo)
    write_record(folder, record, scenarios)
    interrupted = False
    if todo:
        interrupted = _call(plan, todo, models, done.values(), log_dir, console)
        done = _read(log_dir, scenarios, record, plan)
    if plan.options.judge and not interrupted and (waiting := list(_waiting(done, scenarios))):
        interrupted = _judge(plan, waiting, done.values(), log_dir, console)
        done = _read(log_dir, scenarios, record, plan)
    outcome = _finish(plan, folder, record, scenarios, done, reused=len(calls) - len(todo))
    return replace(outcome, interrupted=interrupted, warnings=tuple(plan.warnings()))


def _read(log_dir: Path, scenarios: dict[str, Scenario], record: RunRecord, plan: Plan) -> dict[Key, Result]:
    if not log_dir.is_dir():
        return {}
    return read_with_added(log_dir.parent, record, scenarios, plan.taxonomy)


def _refuse_changed_replies(plan: Plan, done: dict[Key, Result]) -> None:
    """Refuse a file of replies that says something else than what was graded."""
    for model in plan.options.models:
        provider, _, path = model.id.partition("/")
        if provider != "replies" or not any(key[0] == model.id for key in done):
            continue
        rows = read_replies(Path(path)).rows
        stored = {
            (r.reply.prompt_hash, r.reply.epoch): r.reply.text
            for k, r in done.items()
            if k[0] == model.id and r.answered
        }
        changed = [key for key, text in stored.items() if key in rows and rows[key].text != text]
        if changed:
            odd = some(len(changed), "reply differs", "replies differ")
            raise RunRefused(
                f"{path}: {odd} from those of this run (first: prompt_hash {changed[0][0]}, "
                f"epoch {changed[0][1]}); choose another --out for the new replies."
            )


def _refuse_missing(plan: Plan, todo: list[Call]) -> None:
    """Refuse before anything is paid when a model cannot answer; weights are fetched, not missed."""
    keys = plan.prompt_keys()
    for model in plan.options.models:
        if not any(call.model == model for call in todo):
            continue
        found = missing_for_model(model.id, keys, plan.options.partly)
        faults = [fault for fault in found if not fault.startswith("the weights")]
        if faults:
            raise RunRefused(f"{plan.options.model_option} {model.id} lacks {'; '.join(faults)}.")
    for judge in plan.options.judges:
        if faults := missing_for_model(judge):
            raise RunRefused(f"--judge {judge} lacks {'; '.join(faults)}.")


def _open(plan: Plan, todo: list[Call]) -> dict[str, Model]:
    """The models that are to be called. Raises `RunRefused` for one that cannot be made, before anything is paid."""
    opened: dict[str, Model] = {}
    for name in dict.fromkeys(call.model.id for call in todo):
        try:
            opened[name] = get_model(name, memoize=False, **plan.options.model_args)
        except (TypeError, ValueError, AttributeError) as error:
            given = ", ".join(plan.options.model_args) or "none"
            raise RunRefused(f"--model {name} cannot be opened with these -M arguments ({given}): {error}") from None
    return opened


def _call(
    plan: Plan, todo: list[Call], models: dict[str, Model], done: Iterable[Result], log_dir: Path, console: Console
) -> bool:
    with RunProgress("replies", len(todo), console) as progress:
        setup = _setup(plan, progress, open_panel(plan, done))
        return evaluate(list(_tasks(plan, todo, models, setup)), log_dir, *_limits(plan)).interrupted


def _waiting(done: dict[Key, Result], scenarios: dict[str, Scenario]) -> Iterable[Recalled]:
    """Replies with scenarios that were added after they were graded, and that need the judge."""
    for (subject, condition, _, epoch), result in done.items():
        if result.unjudged:
            wanted = tuple(scenarios[name] for name in result.unjudged)
            yield Recalled(subject, condition, epoch, result.reply.text, wanted)


def _judge(plan: Plan, waiting: list[Recalled], done: Iterable[Result], log_dir: Path, console: Console) -> bool:
    with RunProgress("replies judged", len(waiting), console) as progress:
        setup = _setup(plan, progress, open_panel(plan, done))
        interrupted = evaluate([build_recall_task(waiting, setup)], log_dir, *_limits(plan)).interrupted
        progress.done = len(waiting)
    return interrupted


def _limits(plan: Plan) -> tuple[int | None, int]:
    return plan.options.max_connections, plan.options.max_retries


def _setup(plan: Plan, progress: RunProgress, panel: Panel | None) -> Setup:
    options = plan.options
    sampling: dict[str, Any] = {"max_tokens": options.max_tokens}
    if options.temperature is not None:
        sampling["temperature"] = options.temperature

    def watch(done: Done) -> None:
        progress.count(done.tokens, done.cost, done.error)

    return Setup(
        taxonomy=plan.taxonomy,
        style=plan.style,
        panel=panel,
        seed=options.seed,
        sampling=sampling,
        watch=watch,
        stamp=stamp(plan.record().identity),
    )


def _tasks(plan: Plan, todo: list[Call], models: Mapping[str, Model], setup: Setup) -> Iterable[Task]:
    """One task for each model, condition and set of wanted epochs."""
    transcripts = {t.id: t for t in group(plan.selected)}
    for (model, condition), calls in groupby(todo, lambda c: (c.model, c.condition)):
        wanted: dict[str, list[int]] = {}
        for call in calls:
            wanted.setdefault(call.transcript_id, []).append(call.epoch)
        for epochs in dict.fromkeys(tuple(sorted(e)) for e in wanted.values()):
            members = [transcripts[t] for t, e in wanted.items() if tuple(sorted(e)) == epochs]
            yield build_task(members, condition, epochs, _for_model(setup, model), models[model.id])


def _for_model(setup: Setup, model: NamedModel) -> Setup:
    """The set-up without a temperature where this model has the provider's own."""
    if not model.provider_default:
        return setup
    return replace(setup, sampling={key: value for key, value in setup.sampling.items() if key != "temperature"})


def _finish(
    plan: Plan, folder: Path, record: RunRecord, scenarios: dict[str, Scenario], done: dict[Key, Result], reused: int
) -> Outcome:
    k = plan.options.epochs
    found = newest(plan.options.audits, plan.options.judges, plan.procedure.hash) if plan.options.judges else {}
    record = record.model_copy(update={"audits": shown_in_run(found, plan.options.judges)})
    record = write_all(folder, record, scenarios, plan.taxonomy, done, k)
    replies, gradings = tables(done.values())
    cells, gains = stats.cells(replies, gradings, k), stats.gains(replies, gradings, k)
    calls = plan.calls()
    missing = len(pending(calls, {key: result.answered for key, result in done.items()}))
    keys = {(c.model.id, c.condition, c.transcript_id, c.epoch) for c in calls}
    unjudged = sum(len(result.unjudged) for key, result in done.items() if key in keys) if plan.options.judge else 0
    judged = stats.judge_counts(gradings, plan.options.judges)
    return Outcome(folder, record, replies, gradings, cells, gains, k, len(calls), missing, reused, unjudged, judged)
