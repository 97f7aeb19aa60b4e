"""Content on the terminal: rows as a table, records as text, frames and scenarios as a readable chat.

What others wrote goes through `_text`, so that no character of it can steer the terminal.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from losona.frames import ARMS
from losona.report.foreign import shown
from losona.schema.frame import Frame, ReferenceSet, Slot, Turn
from losona.schema.scenario import Scenario
from losona.schema.taxonomy import Event, Norm, Params, Venue

PLAIN_WIDTH = 200
"""Columns where there is no terminal."""


def content_console() -> Console:
    """A console that takes text as it is, wide where there is no terminal."""
    console = Console(highlight=False, markup=False, emoji=False)
    return console if console.is_terminal else Console(highlight=False, markup=False, emoji=False, width=PLAIN_WIDTH)


def print_lines(lines: Iterable[str], console: Console) -> None:
    """Sentences on the terminal as they are; names, paths and errors in them move nothing there."""
    for line in lines:
        console.print(Text(shown(line)), highlight=False, soft_wrap=True)


def print_rows(rows: Sequence[dict[str, Any]], title: str) -> None:
    """Rows with equal keys as a table; ids are never cut."""
    console = content_console()
    if not rows:
        console.print(f"no {title}")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for key in rows[0]:
        table.add_column(key, no_wrap=key in ("id", "pack"), overflow="fold")
    for row in rows:
        table.add_row(*(_text(str(value)) for value in row.values()))
    console.print(table)
    console.print(f"{len(rows)} {title}")


def print_content(item: Norm | Event | Venue | Frame | Scenario, norms: Mapping[str, Norm]) -> None:
    """A record for a reader; `norms` by id, for the rules of a frame."""
    console = content_console()
    match item:
        case Frame():
            console.print(frame_view(item, norms))
        case Scenario():
            console.print(_scenario(item))
        case Norm():
            console.print(_norm(item))
        case _:
            console.print(_record(item))


def _record(item: Event | Venue) -> RenderableType:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for key, value in item.model_dump(by_alias=True).items():
        table.add_row(key, _text(_shown(value)))
    return table


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{k}: {v}" for k, v in value.items())  # type: ignore[reportUnknownVariableType]
    if isinstance(value, tuple) and all(isinstance(v, int) for v in value):  # type: ignore[reportUnknownVariableType]
        return " to ".join(str(v) for v in value)  # type: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list | tuple):
        return "\n".join(str(v) for v in value)  # type: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return str(value)


def _norm(norm: Norm) -> RenderableType:
    parts: list[tuple[str, Iterable[str]]] = [
        ("rule", [norm.rule]),
        ("applies when", [norm.trigger.applies_when]),
        ("does not apply when", norm.trigger.out_of_scope),
        ("passes", [f"P{i} {text}" for i, text in enumerate(norm.pass_criteria, 1)]),
        ("fails", [f"F{i} {text}" for i, text in enumerate(norm.fail_criteria, 1)]),
        ("borderline", [f"B{i} {text}" for i, text in enumerate(norm.borderline, 1)]),
        ("check", [f"{norm.check.mode}: {norm.check.describe}"]),
        ("parameters", norm.check.params),
        ("counter-norm", [norm.counter] if norm.counter else ["none"]),
        ("events", [", ".join(norm.applicable_events)]),
        ("demonstrations", [f"{norm.demonstration.count[0]} to {norm.demonstration.count[1]}"]),
    ]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for key, lines in parts:
        table.add_row(key, _text("\n".join(lines)))
    return Group(_text(f"{norm.id} (level {norm.level}): {norm.name}", "bold"), table)


def _text(text: str, style: str = "") -> Text:
    return Text(shown(text), style=style)


def _line(sender: str, text: str, mark: str = "") -> Text:
    line = Text()
    line.append(f"{mark:2}", style="bold green")
    line.append(_text(f"{sender}: ", "bold cyan"))
    line.append(_text(text.replace("\n", "\n    ")))
    return line


def _scenario(scenario: Scenario) -> RenderableType:
    visible, evaluation = scenario.visible, scenario.evaluation
    demos, others, scope = set(evaluation.demos or ()), set(evaluation.other_demos), set(evaluation.scope)
    last = len(visible.transcript) - 1
    lines: list[RenderableType] = [
        _text(scenario.scenario_id, "bold"),
        _text(f"norm {evaluation.norm}, event {evaluation.event}, {evaluation.expectation}"),
        _text(f"subject {visible.subject.name}: {visible.subject.bio or 'no bio'}"),
        _text(f"chat: {visible.channel or 'no description'}"),
        Text(""),
    ]
    for i, turn in enumerate(visible.transcript):
        mark = "*" if i in demos else "o" if i in others else "~" if i in scope else ">" if i == last else ""
        lines.append(_line(turn.sender, turn.text, mark))
    known = "" if evaluation.demos is not None else " (demonstrations are not marked in the source)"
    lines.append(_text(f"\n* demonstration  o of the other norm  ~ outside the norm's scope  > elicitor{known}"))
    return Group(*lines)


def frame_view(frame: Frame, norms: Mapping[str, Norm]) -> RenderableType:
    """All of a frame: rules, people, the chat with its arms side by side, and what right replies are known."""
    lines: list[RenderableType] = [
        _text(frame.frame, "bold"),
        *(_rule(arm, frame.norm(arm), norms) for arm in ARMS),
        _text(f"venue {frame.venue}, status {frame.status}"),
        _text(f"subject {frame.subject.name}: {frame.subject.bio}"),
        *(_text(f"{person.name}{' (absent)' if person.absent else ''}: {person.bio}") for person in frame.cast),
        _text(f"chat: {frame.channel}\nhidden end goal: {frame.end_goal}\n"),
    ]
    for item in frame.chat:
        lines.append(_slot(item) if isinstance(item, Slot) else _shared(item))
    lines += [
        _line(frame.elicitor.sender, frame.elicitor.text, ">"),
        Text("or, where neither norm applies:"),
        _line(frame.off_elicitor.sender, frame.off_elicitor.text, ">"),
        _text(f"   why: {frame.off_elicitor.why}"),
        Text("\n* demonstration  ~ outside the norm's scope  > elicitor"),
        Text("\nknown facts", style="bold"),
        *(_text(f"  {fact.fact} ({fact.where}: {', '.join(fact.tokens)})") for fact in frame.known_facts),
    ]
    for title, found, params in (
        (f"replies to the elicitor by a, {frame.arms.a}", frame.references.a, frame.params.a),
        (f"replies to the elicitor by b, {frame.arms.b}", frame.references.b, frame.params.b),
        ("replies to the other last message", frame.references.off_trigger, frame.params.off_trigger),
    ):
        lines += [Text(""), _text(title, "bold"), *_references(found, params)]
    return Group(*lines)


def _rule(arm: str, norm_id: str, norms: Mapping[str, Norm]) -> Text:
    norm = norms.get(norm_id)
    rule = f": {norm.rule}\n  applies when: {norm.trigger.applies_when}" if norm else ""
    return _text(f"{arm} {norm_id}{rule}")


def _references(found: ReferenceSet, params: Params) -> Iterator[Text]:
    if params:
        yield _text(f"  parameters: {_entries(params)}")
    for label, replies in (("complies", found.comply), ("breaches", found.breach)):
        for reply in replies:
            marks = [reply.kind, *(["code lets it pass"] if reply.judge else [])]
            more = [reply.note, _entries(reply.params)]
            yield _text(f"  {label} ({', '.join(marks)}): {reply.text}" + "".join(f"  [{m}]" for m in more if m))


def _entries(params: Params) -> str:
    return "; ".join(f"{key}: {', '.join(entries)}" for key, entries in params.items())


def _shared(turn: Turn) -> Text:
    return _line(turn.sender, turn.text, "~" if turn.scope else "")


def _slot(slot: Slot) -> RenderableType:
    table = Table(expand=True, title=f"slot {slot.slot}", title_justify="left")
    for name in ("a", "b", "none"):
        table.add_column(name, ratio=1)
    for turns in zip(slot.a, slot.b, slot.none, strict=False):
        table.add_row(*(_line(turn.sender, turn.text, "*" if turn.demo else "") for turn in turns))
    return Padding(table, (0, 0))
