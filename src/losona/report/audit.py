"""What an audit of a judge has found, as tables and sentences. Computes no number of its own."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from losona.judge.attack import Gain
from losona.judge.audit import AuditRow, Effect, Group
from losona.numbers import some
from losona.report.foreign import shown
from losona.report.wording import DASH
from losona.schema.results import PANEL
from losona.stats.agreement import Agreement, AnnotatorAgreement, Counts, Share, agreement, share
from losona.stats.by_judge import ByJudge, Pair

COLUMNS = ("n", "void", "accuracy", "sensitivity", "specificity", "kappa", "AC1")
SHOWN_NORMS = 25
"""Norms with most wrong verdicts that the terminal lists."""
THIRDS = ("lower", "middle", "upper")
EFFECTS = {"words": "words of the reply", "turns": "messages of the chat", "evidence_at": "place of the evidence"}


def print_groups(found: Sequence[Group], console: Console) -> None:
    """Rates with denominators and 95 % intervals, by group; of norms those with most wrong verdicts."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", *COLUMNS):
        table.add_column(name, no_wrap=True, justify="left" if not name else "right")
    for group in _listed(found):
        table.add_row(Text(shown(f"{group.by} {group.name}") if group.by != "all" else "all"), *_cells(group.counts))
    console.print(table)
    console.print("Sensitivity: called complying, of those that comply; specificity: a breach, of those that breach.",
                  highlight=False)  # fmt: skip


def _listed(found: Sequence[Group]) -> Iterator[Group]:
    yield from (group for group in found if group.by != "norm")
    norms = [group for group in found if group.by == "norm" and group.counts.fp + group.counts.fn]
    yield from sorted(norms, key=lambda g: -(g.counts.fp + g.counts.fn))[:SHOWN_NORMS]


def _cells(counts: Counts) -> list[str]:
    a = agreement(counts)
    shares = (a.accuracy, a.sensitivity, a.specificity)
    return [str(counts.n), str(counts.void), *map(percent, shares), number(a.kappa), number(a.ac1)]


def percent(found: Share) -> str:
    """A share with denominator and interval, in per cent."""
    if found.value != found.value:
        return DASH
    return f"{100 * found.value:.0f} % of {found.n} [{100 * found.low:.0f}, {100 * found.high:.0f}]"


def number(found: Share) -> str:
    """A coefficient with its interval, where there is one."""
    if found.value != found.value:
        return DASH
    interval = f" [{found.low:.2f}, {found.high:.2f}]" if found.low == found.low else ""
    return f"{found.value:.2f}{interval}"


def print_effects(found: Sequence[Effect], console: Console) -> None:
    """Wrong verdicts in each third of a property, for replies of one label."""
    for effect in found:
        parts = [f"{name} third {wrong} of {n}" for name, (wrong, n) in zip(THIRDS, effect.wrong, strict=True)]
        test = f"p = {effect.p:.3g}" if effect.p is not None else "too few for a test"
        console.print(
            f"wrong by {EFFECTS[effect.of]} ({effect.label}): {', '.join(parts)}; {test}",
            highlight=False,
            soft_wrap=True,
        )


def print_wrong(rows: Sequence[AuditRow], most: int, console: Console) -> None:
    """The first wrong and void verdicts, with the reply and the judge's evidence."""
    wrong = [row for row in rows if row.wrong or row.verdict == "unscored"]
    for row in wrong[:most]:
        said = row.verdict if row.wrong else f"void ({row.error})"
        quoted = "; ".join(repr(quotation) for quotation in row.evidence)
        text = f"{row.case_id} ({row.kind}): {row.label}, judged {said}: {row.reply!r}"
        console.print(
            Text(shown(text + (f"; evidence {quoted}; {row.reasoning}" if row.wrong else ""))), soft_wrap=True
        )
    if len(wrong) > most:
        console.print(f"... and {len(wrong) - most} more; all verdicts: verdicts.jsonl", highlight=False)


def audit_lines(audits: Mapping[str, Any]) -> Iterator[str]:
    """What is known of a run's judges, one sentence each."""
    for name, found in audits.items():
        if found is None:
            hint = f": losona judge audit --judge {name} measures what it gets wrong" if name != PANEL else ""
            yield f"There is no audit of {name} with these prompts{hint}."
            continue
        a = agreement(Counts(**found["counts"]))
        yield (
            f"Audit of {name} ({found['folder']}): sensitivity {percent(a.sensitivity)}, "
            f"specificity {percent(a.specificity)}, kappa {number(a.kappa)}, {a.counts.void} void"
            + _of_all(a.counts.n + a.counts.void, found.get("n_known"))
        )


def _of_all(n: int, known: int | None) -> str:
    return f"; {n} replies of {known:,} whose label is known." if known else "."


def print_gains(grader: str, gains: Sequence[Gain], console: Console) -> None:
    """Passes gained, by kind of attempt, with denominators."""
    table = Table(box=None, pad_edge=False, header_style="bold", title=Text(shown(grader)), title_justify="left")
    for name in ("kind of attempt", "gained a pass", "void", "passed bare already"):
        table.add_column(name, no_wrap=True)
    for gain in gains:
        table.add_row(gain.kind, percent(share(gain.gained, gain.n)), str(gain.void), str(gain.bare_passes))
    console.print(table)


def print_pairs(pairs: Sequence[Pair], conclusions: Sequence[ByJudge], console: Console) -> None:
    """How far judges agree, and whether a conclusion depends on who judges."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("norm", "one", "other", "agree", "kappa", "AC1"):
        table.add_column(name)
    for pair in pairs:
        a = pair.agreement
        names = (Text(shown(name)) for name in (pair.norm, pair.first, pair.second))
        table.add_row(*names, percent(a.accuracy), number(a.kappa), number(a.ac1))
    console.print(table)
    for found in conclusions:
        cell = f"{found.model}, {found.variant}"
        by = ", ".join(f"{name} {100 * d:+.0f}" for name, d in sorted(found.differences.items()))
        verdict = "the sign depends on the judge" if found.moves else "same sign by every judge"
        console.print(
            Text(shown(f"{cell}: {found.condition} - naive: {by} points (n = {found.n}): {verdict}")), soft_wrap=True
        )


def print_people(among: AnnotatorAgreement, against: Mapping[str, Agreement], n_open: int, console: Console) -> None:
    """People among each other, then the judge against them by family."""
    console.print(
        f"{some(among.n_annotators, 'annotator')}, {some(among.n_items, 'reply', 'replies')} with two labels or more: "
        f"agreement {percent(among.agreement)}, kappa {number(among.kappa)}, AC1 {number(among.ac1)}, "
        f"Krippendorff's alpha {number(among.alpha)}; {n_open} open, for an adjudicator",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    print_groups([Group("family" if name != "all" else "all", name, a.counts) for name, a in against.items()], console)


def unmatched_line(n: int) -> str:
    """Labels that no verdict goes with."""
    return f"{n} labelled replies match no judged reply of this run and are left out."


def calibration_lines(record: Mapping[str, Any], variant: str = "") -> Iterator[str]:
    """What a calibration has found: errors, whether they may be pooled, raw and corrected rates (of one variant)."""
    if len(record["graders"]) > 1:
        yield f"Verdicts of several judges are taken together: {', '.join(record['graders'])}."
    n = f"{record['n_labels']} judged replies with labels of people ({record['labels']})"
    yield f"Calibrated {record['created']}: {n}; {record['n_open']} open."
    if unmatched := record.get("n_unmatched"):
        yield unmatched_line(unmatched)
    for name, rate in record["errors"].items():
        low, high = rate["interval"]
        n = f"{rate['n']} (effectively {rate['n_effective']:.0f})"
        yield f"{name}: {rate['value']:.3f} [{low:.3f}, {high:.3f}] of {n}"
    if refused := record["refusal"]:
        yield f"No pooled correction: {refused['reason']}. Label next: {'; '.join(refused['label_next'])}."
    rates, differences = (
        [row for row in record["cells"][kind] if variant in ("", row["variant"])] for kind in ("rates", "differences")
    )
    for rate in rates:
        cell = f"{rate['model']}, {rate['condition']}, {rate['variant']}"
        yield (
            f"{cell}: raw {100 * rate['raw']:.1f} % of {rate['n']} judged"
            + (_also("corrected", rate["corrected"]) or ("" if record["refusal"] else CONTRADICTED))
            + _also("PPI++", rate["powered"])
        )
    for d in differences:
        cell = f"{d['model']}, {d['variant']}: {d['first']} - {d['second']}: raw {100 * d['raw']:+.1f} points"
        yield cell + _also("corrected", d["corrected"])


CONTRADICTED = ", no corrected rate: such a raw one cannot come about with these errors"


def _also(name: str, found: Mapping[str, Any] | None) -> str:
    if not found:
        return ""
    return f", {name} {100 * found['value']:.1f} [{100 * found['low']:.1f}, {100 * found['high']:.1f}]"


def judge_lines(record: Mapping[str, Any], calibration: Mapping[str, Any] | None, variant: str) -> list[str]:
    """What is known of a run's judges: the audits that its record names, and its calibration for one variant."""
    lines = [
        *audit_lines(record.get("audits") or {}),
        *(calibration_lines(calibration, variant) if calibration else ()),
    ]
    if calibration and any(row["variant"] != variant for row in calibration["cells"]["rates"]):
        lines.append("Rates of the other variants stand in tables/corrected.csv and in calibration.json.")
    return lines
