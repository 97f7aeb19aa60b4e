"""`losona run --dry-run`: calls, tokens, and what is missing, before anything is paid."""

from rich.console import Console

from losona.numbers import some
from losona.report.content import print_lines
from losona.run.ahead import judge_state
from losona.run.options import FROM_FILE
from losona.run.plan import Plan
from losona.run.preflight import missing_for_model

REPLY_TOKENS = 60
"""Estimate of a chat message."""


def print_plan(plan: Plan, console: Console) -> None:
    """Say what the run would do. Calls nothing and writes nothing."""
    options = plan.options
    each = len(plan.transcripts) * len(options.conditions) * options.epochs
    calls = each * len(options.models)
    read = plan.prompt_tokens() * options.epochs
    lines = [
        f"{some(len(plan.scenarios), 'scenario')} on {some(len(plan.transcripts), 'transcript')}, "
        f"{some(len(options.conditions), 'condition')}, {some(options.epochs, 'reply', 'replies')} each: "
        f"{some(each, 'call')} for each model, {calls:,} in all",
        f"about {read:,} tokens read and {each * REPLY_TOKENS:,} written for each model (estimate)",
        f"track: {plan.track}"
        + (f", at most {some(plan.judge_calls(), 'judge call')} for each model" if options.judge else ""),
        *_crossings(plan),
        *(f"left out, {reason}: {n}" for reason, n in plan.left_out.items()),
        f"folder: {options.folder()}",
    ]
    keys = plan.prompt_keys()
    subjects = [(f"{options.model_option} {model.id}", missing_for_model(model.id, keys)) for model in options.models]
    judges = [(f"--judge {judge}", missing_for_model(judge)) for judge in options.judges]
    for what, faults in (*subjects, *judges):
        told = "; ".join(f"missing {fault}" for fault in faults)
        judge = what.removeprefix("--judge ")
        told = told or (judge_state(plan, judge) if judge.startswith(FROM_FILE) else "ready")
        lines.append(f"{what}: {told}")
    lines.extend(f"warning: {warning}." for warning in plan.warnings())
    print_lines(lines, console)


def _crossings(plan: Plan) -> list[str]:
    """How many scenarios under conflicting evidence are graded twice."""
    n = len(plan.selected) - len(plan.scenarios)
    return [f"graded by the other arm's norm as well (mixed, shift): {some(n, 'scenario')}"] if n else []
