"""Commands about content: list, show, check, derive, lint, taxonomy. None of them imports the engine."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from losona.errors import UserFault
from losona.numbers import some

FINDINGS = 1
"""Exit code of `lint` when there are errors, of `taxonomy check` when checks break their promise, of `generate` when it
rejected all frames."""
KINDS = ("packs", "events", "norms", "venues", "conditions", "models", "scenarios")
pack_option = click.option(
    "--pack",
    "packs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A further pack (repeatable).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="JSON for programs.")


@click.command("list")
@click.argument("kind", type=click.Choice(KINDS))
@click.option("--scenarios", "source", default="shipped", metavar="S", show_default=True, help="Source for scenarios.")
@click.option("--unnamed-subject", default="", help="Name for subjects of release rows that give none.")
@click.option("--skip-bad-rows", is_flag=True, help="Leave out malformed rows of a release.")
@pack_option
@json_option
def list_(
    kind: str, source: str, unnamed_subject: str, skip_bad_rows: bool, packs: Sequence[Path], as_json: bool
) -> None:
    """List what there is: packs, events, norms, venues, conditions, models or scenarios."""
    from losona import listing
    from losona.taxonomy import load_taxonomy

    taxonomy = load_taxonomy(packs)
    rows = listing.rows(kind, taxonomy, listing.Source(source, unnamed_subject, skip_bad_rows))
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        from losona.report.content import print_rows

        print_rows(rows, title=kind)


@click.command()
@click.argument("name")
@click.option("--scenarios", "source", default="shipped", metavar="S", show_default=True, help="Where to look.")
@click.option("--unnamed-subject", default="", help="Name for subjects of release rows that give none.")
@click.option("--skip-bad-rows", is_flag=True, help="Leave out malformed rows of a release.")
@pack_option
@json_option
def show(
    name: str, source: str, unnamed_subject: str, skip_bad_rows: bool, packs: Sequence[Path], as_json: bool
) -> None:
    """Show a NORM, EVENT, VENUE, frame or SCENARIO by its id, or the frame in a file (.yaml).

    A frame is shown as a chat with its arms side by side, a scenario with its demonstrations marked.
    """
    from losona import listing
    from losona.taxonomy import load_taxonomy

    known = load_taxonomy(packs)
    found = listing.find(name, known, listing.Source(source, unnamed_subject, skip_bad_rows))
    if as_json:
        click.echo(found.model_dump_json(by_alias=True, indent=1))
    else:
        from losona.report.content import print_content

        print_content(found, known.norms)


@click.command()
@click.argument("norm")
@click.argument("reply")
@click.option("--params", default="{}", metavar="JSON", help='Parameters of the check: {"answer": ["120"]}.')
@click.option("--subject", default="", help="Name of the member who replies.")
@click.option("--member", "members", multiple=True, help="Name of another member (repeatable).")
@pack_option
@json_option
def check(
    norm: str, reply: str, params: str, subject: str, members: Sequence[str], packs: Sequence[Path], as_json: bool
) -> None:
    """Say what code finds in REPLY for NORM, and which node of the check decides. A reply `-` is read from input."""
    from losona.taxonomy import load_taxonomy
    from losona.verifiers import Context, check_reply

    taxonomy = load_taxonomy(packs)
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if reply == "-" and sys.stdin else reply
    context = Context(params=_params(params), roster=(subject, *members), prior_texts=(), subject=subject)
    absent = [key for key in taxonomy.norm(norm).check.params if not context.params.get(key)]
    if absent:
        raise UserFault(f'{norm} needs the parameter {absent[0]!r}: give --params \'{{"{absent[0]}": ["..."]}}\'.')
    found = check_reply(taxonomy.norm(norm), text, context, taxonomy)
    if as_json:
        seen = {"label": found.label, "node": found.node, "error": found.error, **found.validity.model_dump()}
        click.echo(json.dumps(seen, ensure_ascii=False, indent=1))
    else:
        click.echo(f"{found.label}: {found.node or found.error}")


def _params(text: str) -> dict[str, tuple[str, ...]]:
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserFault(f'--params {text!r}: not valid JSON ({error}); write {{"answer": ["120"]}}.') from None
    from pydantic import TypeAdapter, ValidationError

    from losona.schema.taxonomy import Params, as_params
    from losona.validation import told

    try:
        return TypeAdapter(Params).validate_python(as_params(data))
    except ValidationError as error:
        wrong = told(error.errors()[0], Params)
        raise UserFault(f'--params {text!r}: {wrong}; write {{"answer": ["120", "one twenty"]}}.') from None


@click.command()
@click.argument("frames", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["scenario", "official"]), default="scenario", show_default=True,
              help="Our own, or the columns of the public release.")  # fmt: skip
@click.option("--variant", "variants", multiple=True, help="Only these variants; official: demos unless given.")
@click.option("--arm", "arms", multiple=True, type=click.Choice(["a", "b"]), help="Only this arm.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write; without it, standard output.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@pack_option
def derive(
    frames: Sequence[Path], form: str, variants: Sequence[str], arms: Sequence[str], out: Path | None, force: bool,
    packs: Sequence[Path],
) -> None:  # fmt: skip
    """Derive scenarios from FRAMES (files or folders) and write them as JSON Lines."""
    from losona import listing
    from losona.taxonomy import load_taxonomy

    lines, left_out = listing.derived_lines(frames, form, tuple(arms), tuple(variants), load_taxonomy(packs))
    emit(lines, out, force)
    for line in left_out:
        click.echo(f"left out: {line}", err=True)


def emit(lines: Sequence[str], out: Path | None, force: bool) -> None:
    """Lines to a file, or to standard output."""
    if out is None:
        for line in lines:
            click.echo(line)
        return
    from losona.textfiles import write_atomically

    if out.exists() and not out.is_file():
        raise UserFault(f"--out {out}: this is no ordinary file; give the name of a file.")
    if out.exists() and not force:
        raise UserFault(f"--out {out}: the file exists; give another name, or --force to replace it.")
    write_atomically(out.resolve(), "".join(f"{line}\n" for line in lines))
    click.echo(f"{some(len(lines), 'line')} written to {out}", err=True)


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--fix", "mend", is_flag=True, help="Mend in frames what can be put right in one way, and say what.")
@click.option("--explain", "rule", default="", metavar="RULE", help="Say why a rule exists, with an example (F32).")
@pack_option
@json_option
def lint(paths: Sequence[Path], mend: bool, rule: str, packs: Sequence[Path], as_json: bool) -> None:
    """Check frames (.yaml), rows of the public release and derived scenarios (.jsonl), or folders of them.

    Several chats are also checked as a set, for what they repeat. Exit code 1 when there are errors.
    """
    if rule:
        _explain(rule, as_json)
        return
    from losona.lint import Finding, lint_paths, mended
    from losona.taxonomy import load_taxonomy

    if not paths:
        raise UserFault("lint: name a frame (.yaml), a file of rows (.jsonl) or a folder; or ask with --explain RULE.")
    taxonomy = load_taxonomy(packs)
    fixed: list[Finding] = []
    try:
        for finding in mended(paths, taxonomy) if mend else ():
            fixed.append(finding)
        findings = [*fixed, *lint_paths(paths, taxonomy)]
    except UserFault:
        for finding in fixed:
            click.echo(finding.render(), err=True)
        raise
    if as_json:
        click.echo(json.dumps([finding.as_dict() for finding in findings], ensure_ascii=False, indent=1))
    else:
        for finding in findings:
            click.echo(finding.render())
    errors = sum(finding.severity == "error" for finding in findings)
    mended = f"{len(fixed)} fixed, " if mend else ""
    click.echo(f"{mended}{some(errors, 'error')}, {some(len(findings) - len(fixed) - errors, 'warning')}", err=True)
    if errors:
        raise click.exceptions.Exit(FINDINGS)


@click.group()
def taxonomy() -> None:
    """Look at packs as a whole."""


@taxonomy.command("check")
@pack_option
@json_option
def taxonomy_check(packs: Sequence[Path], as_json: bool) -> None:
    """Run every probe of the packs through its norm's check: how often code sorts replies of known label wrongly.

    A blind round has two rows a mode: what came out on the first run, and what comes out now. Exit code 1 when the
    checks of a mode now sort more than 2 % of all probes wrongly, in either direction.
    """
    from losona.probing import keeps_promise, misread, probe_rates
    from losona.taxonomy import load_taxonomy

    loaded = load_taxonomy(packs)
    rates, wrong = probe_rates(loaded), misread(loaded)
    if as_json:
        found = {"rates": [rate.model_dump() for rate in rates], "misread": [asdict(item) for item in wrong]}
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        from losona.report.probes import print_probe_rates

        print_probe_rates(rates, wrong)
    if not keeps_promise(rates):
        raise click.exceptions.Exit(FINDINGS)


def _explain(rule: str, as_json: bool) -> None:
    from losona.lint import explain

    found = explain(rule)
    text = json.dumps(
        {"rule": found.id, "covers": found.covers, **found.text.model_dump()}, ensure_ascii=False, indent=1
    )
    click.echo(text if as_json else found.explained())
