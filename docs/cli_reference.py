"""Writes the parts of this manual that come from the code. `--check` writes nothing and names the pages that are stale.

A part stands between `<!-- generated: KIND NAME -->` and `<!-- end -->`, on any page of this folder. Kinds:

    commands            every command of the program, with usage, arguments and options
    fields MODULE.NAME  fields of a model that people write: name, kind, default, meaning
    columns MODULE.NAME fields of a table that the program writes
    operations          the check language
    rules               the linter's rules
    template NAME       a shipped prompt template
"""

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

from losona.cli import cli
from losona.lint import RULES
from losona.prompts import Templates
from losona.schema import check

DOCS = Path(__file__).parent
PART = re.compile(r"(<!-- generated: (\w+) ?(\S*) -->\n).*?(<!-- end -->)", re.DOTALL)
WORDS = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false", "Any": "anything",
         "Params": "parameters", "Check": "check", "FinishReason": "reason", "Version": "text", "Language": "text",
         "Status": "text"}  # fmt: skip


def commands(_: str) -> Iterator[str]:
    """Every command, and those under it."""
    yield from _commands(cli, click.Context(cli, info_name="losona"))


def _commands(command: click.Command, context: click.Context) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _commands(child, click.Context(child, info_name=name, parent=context))
        return
    path = context.command_path
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    yield f"## {path}\n\n```text\n{usage}\n```\n\n{inspect.cleandoc(command.help or '')}\n"
    if lines := [line for parameter in command.params for line in _parameter(parameter, context)]:
        yield "\n".join(lines) + "\n"


def _parameter(parameter: click.Parameter, context: click.Context) -> Iterator[str]:
    if isinstance(parameter, click.Argument):
        choices = f": {', '.join(parameter.type.choices)}" if isinstance(parameter.type, click.Choice) else ""
        many = ", one or more" if parameter.nargs < 0 else ""
        yield f"- `{parameter.human_readable_name.upper()}` (argument{many}){choices}"
    elif record := parameter.get_help_record(context):
        repeatable = " (repeatable)" if parameter.multiple and "repeatable" not in record[1] else ""
        yield f"- `{record[0]}`: {record[1]}{repeatable}"


def fields(name: str) -> Iterator[str]:
    """Fields of a model as a table with defaults."""
    yield from _table(name, ("Key", "Kind", "Default", "Meaning"))


def columns(name: str) -> Iterator[str]:
    """Fields of a model as a table without defaults."""
    yield from _table(name, ("Column", "Kind", "Meaning"))


def _table(name: str, head: tuple[str, ...]) -> Iterator[str]:
    module, _, cls = name.rpartition(".")
    model = getattr(import_module(module), cls)
    yield f"| {' | '.join(head)} |\n|{' --- |' * len(head)}"
    for field, text in pairwise(ast.parse(inspect.getsource(model)).body[0].body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            row = (*_field(field, model), " ".join(ast.literal_eval(text.value).split()))
            cells = row if "Default" in head else (row[0], row[1], row[3])
            yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _field(field: ast.AnnAssign, model: type) -> tuple[str, str, str]:
    name = ast.unparse(field.target)
    known = getattr(model, "model_fields", {}).get(name)
    default = "" if known is None else "required" if known.is_required() else _shown(known.get_default())
    shown = known.alias if known is not None and known.alias else name
    return f"`{shown}`", _kind(field.annotation, vars(sys.modules[model.__module__])), default


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"`{value}`" if isinstance(value, (int, float)) or (isinstance(value, str) and value) else "empty"


def _kind(node: ast.expr, names: dict[str, Any]) -> str:
    """An annotation in words."""
    match node:
        case ast.Constant(value=None):
            return "null"
        case ast.Constant(value=str(text)):
            return _kind(ast.parse(text, mode="eval").body, names)
        case ast.Name(id=name):
            literal = get_origin(names.get(name)) is Literal
            return _choices(get_args(names[name])) if literal else WORDS.get(name, name)
        case ast.BinOp(left=left, right=right):
            return f"{_kind(left, names)} or {_kind(right, names)}"
        case ast.Subscript(value=ast.Name(id="Literal"), slice=inside):
            values = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            return _choices(tuple(ast.literal_eval(value) for value in values))
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[item, *_])):
            return f"list of {_kind(item, names)}"
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[_, item])):
            return f"mapping to {_kind(item, names)}"
        case _:
            return ast.unparse(node)


def _choices(values: tuple[Any, ...]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def operations(_: str) -> Iterator[str]:
    """The check language: names, arguments, meaning."""
    yield "| Operations | Arguments | Meaning |\n| --- | --- | --- |"
    for model in get_args(check.Operation):
        names = ", ".join(f"`{name}`" for name in get_args(model.model_fields["op"].annotation))
        takes = ", ".join(f"`{name}`" for name in model.model_fields if name != "op") or "none"
        yield f"| {names} | {takes} | {inspect.getdoc(model)} |"


def rules(_: str) -> Iterator[str]:
    """The linter's rules with reason and examples."""
    for rule in RULES.values():
        severity = {"error": "Error", "warning": "Warning", "degree": "Error or warning, by degree"}[rule.text.severity]
        yield f"### {rule.id} {rule.text.title}\n\n{severity}; {rule.covers}. {rule.text.why}\n"
        bad, good = (" ".join(text.split()) for text in (rule.text.bad, rule.text.good))
        yield f"```text\nfinds:     {bad}\nlets pass: {good}\n```\n"


def template(name: str) -> Iterator[str]:
    """A prompt template as it stands in the package."""
    yield f"```jinja\n{Templates().source(name).rstrip()}\n```"


KINDS: dict[str, Callable[[str], Iterator[str]]] = {
    "commands": commands, "fields": fields, "columns": columns, "operations": operations, "rules": rules,
    "template": template,
}  # fmt: skip


def fresh(text: str) -> str:
    """A page with its generated parts written anew."""
    return PART.sub(lambda m: m[1] + "\n" + "\n".join(KINDS[m[2]](m[3])).rstrip() + "\n\n" + m[4], text)


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` name those that are stale."""
    stale = [page for page in sorted(DOCS.glob("*.md")) if fresh(page.read_text("utf-8")) != page.read_text("utf-8")]
    for page in stale:
        if "--check" in arguments:
            print(f"docs/{page.name} is stale; run `make docs`.")
        else:
            page.write_text(fresh(page.read_text("utf-8")), "utf-8")
    return int("--check" in arguments and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
