"""What a judge that answers from a file is to be asked, before a run is carried out: the replies must be there.

Knows where replies may stand already: in the folder of the run, or in files of replies. Asks nobody.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from losona.conditions import prompt_hash, render
from losona.numbers import some
from losona.providers.reply_file import Replies, read_replies
from losona.run import judging
from losona.run.judging import Asked
from losona.run.options import FROM_FILE
from losona.run.plan import Call, Plan, prompt_rows
from losona.run.record import read_record, read_scenarios
from losona.run.rejudge import read_with_added
from losona.verifiers import context_of, grade_by_code, validity

Texts = dict[Call, str]


def rows_to_answer(plan: Plan) -> tuple[list[dict[str, Any]], str]:
    """Prompts that are to be answered elsewhere, with their keys, and what they are, in words.

    The subjects' prompts; once a file or the run has all their replies and a judge answers from a file, what that
    judge is to be asked about them.
    """
    from_file = [judge for judge in plan.options.judges if judge.startswith(FROM_FILE)]
    if not from_file:
        return prompt_rows(plan), ""
    calls = plan.calls()
    texts = known_replies(plan)
    if missing := sum(call not in texts for call in calls):
        told = f"prompts of {plan.options.model_option}; {missing} of {some(len(calls), 'reply', 'replies')} missing"
        return prompt_rows(plan), f"{told}; once they are there, the same command writes the questions of --judge"
    rows = judging.prompt_rows(list(_asked(plan, texts)), plan.procedure, len(plan.options.judges))
    return (
        rows,
        f"questions of --judge about {some(len(calls), 'reply', 'replies')}; code decides what is not among them",
    )


def judge_state(plan: Plan, judge: str) -> str:
    """How far a judge's file goes, as far as can be told: its questions are known only once all replies are there."""
    file = _file(judge)
    held = some(len(file.rows) if file else 0, "answer")
    texts = known_replies(plan)
    if plan.options.judge_validity or any(call not in texts for call in plan.calls()):
        return f"the file holds {held}; what it is asked is known once all replies are there"
    asked = list(_asked(plan, texts))
    place = plan.options.judges.index(judge)
    keys = {plan.procedure.question(item.scenario, item.reply, place).key for item in asked}
    found = sum((key, 1) in file.rows for key in keys) if file else 0
    return f"answers {found} of {some(len(keys), 'question')}; the file holds {held}"


def known_replies(plan: Plan) -> Texts:
    """The replies of the plan's calls that stand in the run's folder or in files."""
    texts = _in_folder(plan)
    prompts = {
        (condition, name): prompt_hash(render(scenario.visible, condition, plan.style))
        for condition in plan.options.conditions
        for name, scenario in plan.transcripts.items()
    }
    files = {model.id: _file(model.id) for model in plan.options.models if model.id.startswith(FROM_FILE)}
    for call in plan.calls():
        file = files.get(call.model.id)
        row = file.rows.get((prompts[call.condition, call.transcript_id], call.epoch)) if file else None
        if row is not None:
            texts.setdefault(call, row.text)
    return texts


def _file(model: str) -> Replies | None:
    path = Path(model.removeprefix(FROM_FILE)).expanduser()
    return read_replies(path) if path.exists() else None


def _in_folder(plan: Plan) -> Texts:
    folder = plan.options.folder()
    if (record := read_record(folder)) is None:
        return {}
    done = read_with_added(folder, record, read_scenarios(folder), plan.taxonomy)
    return {
        call: result.reply.text
        for call in plan.calls()
        if (result := done.get((call.model.id, call.condition, call.transcript_id, call.epoch))) and result.answered
    }


def _asked(plan: Plan, texts: Texts) -> Iterator[Asked]:
    """Replies and scenarios that code does not decide, each reply as it is graded."""
    for call, text in texts.items():
        for scenario in plan.selected:
            if scenario.transcript_id != call.transcript_id:
                continue
            by_code = grade_by_code(scenario, text, plan.taxonomy)
            if by_code.label == "unscored" and not by_code.error:
                shown = validity(text, context_of(scenario), scenario.evaluation.language).text
                yield Asked(f"{call}|{scenario.scenario_id}", scenario, shown)
