"""The shipped checks: on the probes of both packs, beside the reference engine, and against the clock."""

import importlib.util
import re
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from losona.schema.check import Lexicon, Pattern, walk
from losona.schema.taxonomy import Norm, Probe
from losona.taxonomy import Taxonomy, load_taxonomy
from losona.verifiers import Context, evaluate, normalise, validity

REFERENCE = Path(__file__).parents[2] / "shared" / "reference" / "verifiers.py"
SECONDS = 0.1
"""What a check of one reply may take, CPU time."""

TAXONOMY: Taxonomy = load_taxonomy()
PROBES = [probe for probes in TAXONOMY.probes.values() for probe in probes if TAXONOMY.norms[probe.norm].check.code]
ADVERSARIAL = {
    "letters": "a" * 4000, "short words": "a " * 2000, "long words": "haha" * 1000 + "x", "brackets": "(" * 4000,
    "pairs": "() " * 1333, "spoilers": "||a" * 1333, "combining": "\u0301" * 4000,
    "two marks": "\u0301\u0323" * 2000,
    "on one letter": "e" + "\u0301" * 3999, "sum": "1+" * 1999 + "1", "sums": "1+1=2 " * 666,
    "digits": "1" * 4000,
    "times": "12:30 - 1 " * 400, "commas": "x, " * 1333, "stops": ". " * 2000, "dots": "." * 4000,
    "marks": "?!" * 2000,
    "emoji": "👍" * 4000, "families": "👨‍👩‍👧" * 800, "flags": "🇩🇪" * 2000, "glue": "❤\ufe0f" * 2000,
    "keycaps": "1\ufe0f\u20e3" * 1333,
    "lines": "a\n" * 2000, "blank lines": "a" + " \n" * 1999 + "b", "bracket lines": "(\n" * 2000,
    "spaces": "a" + " " * 3998 + "b",
    "quotes": '"' * 4000, "apostrophes": "a'" * 2000, "quoted": "> a\n" * 1000, "fences": "```\n" * 1000,
    "bullets": "- a\n" * 1000,
    "shortcodes": ":aa" * 1333, "labels": "Mina: a\n" * 500, "own labels": "Jo: " * 1000, "tags": "<think>" * 571,
    "amounts": "20 each " * 500, "claims": "mine, if " * 444, "echoes": "it is " * 666,
    "and": "and " * 1000, "not": "not " * 1000, "ok": "ok " * 1333, "thanks": "thanks " * 571,
    "too": "too big" * 570, "tl;dr": "tl;dr " * 666,
    "rtl": "\u202eשלום " * 666, "han": "你" * 4000, "capitals": "A" * 4000, "stars": "*" * 4000,
    "slashes": "a / " * 1000,
}  # fmt: skip


def context(probe: Probe) -> Context:
    return Context(probe.params, probe.roster, probe.prior_texts, probe.subject)


def holds(norm: Norm, reply: str, probe: Probe) -> bool:
    assert norm.check.code is not None
    text, _ = normalise(reply, probe.subject)
    lexicons = TAXONOMY.lexicons(TAXONOMY.pack_of(norm.id).info.id)
    return evaluate(norm.check.code, text, context(probe), lexicons).holds


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: f"{probe.norm}-{probe.round}")
def test_probes_are_told_apart(probe: Probe) -> None:
    norm = TAXONOMY.norms[probe.norm]
    assert [reply for reply in probe.adherent if not holds(norm, reply, probe)] == []
    if norm.check.mode == "exact":
        assert [reply for reply in (*probe.breaching, *probe.near_miss) if holds(norm, reply, probe)] == []


def test_all_probe_replies_pass_the_gate_as_they_are() -> None:
    odd = {
        (probe.norm, reply)
        for probe in PROBES
        for reply in (*probe.adherent, *probe.breaching, *probe.near_miss)
        if not (found := validity(reply, context(probe))).valid
        or set(found.flags) & {"others_cut", "own_label_stripped", "reasoning_stripped", "addresses_grader"}
    }
    assert odd == set()


# the reference engine

BETTER = {
    "🟢": "the reference's class of emoji lacks the coloured circles",
    "40?? where are we putting 40, the roof": "a question without a mark at its end",
    "FOUR MINUTES TWO. NO DEATHS. WHO ARE YOU": "a question without a mark",
    "grey one's out. are we still on for the boiler man at two": "a question without a mark",
    "how does it feel, being the tallest thing in the family that isn't a leek": "a question without a mark",
    "tried you just now from 3C, 18:42, rings on my side and then nothing. what do you hear at yours": "no mark",
    "what did you feed it": "a question without a mark",
    "two tables is a cry for help. what do you even do with it now, live in it": "a question without a mark",
    "e 27, it's also on the cupboard door by the way": "the s of a contraction is no alias",
    "if the dean asks a third time it's teodor, t-e-o-d-o-r, the layout was his": "spelled letters are no alias",
    "(48.00 + 23.20) / 4 = 17.80 each": "the reference drops brackets in sums",
    "(88.50+15.75)/3=34.75 and the sandwich was not even toasted": "the reference drops brackets in sums",
    "My dears: (41.40 + 16.80) / 6 = 9.70": "the reference drops brackets in sums",
    "6x mussels → Anchor → backdoor → b4 11am. do they tip?": "a figure stands before its x",
    "5.15pm": "a time stands before its pm",
    "it's 9.40pm": "a time stands before its pm",
    "(118 + 23.40) / 4 = 35.35": "the reference drops brackets in sums",
    "samosas x4 trays to sidedoor @ half 6": "a figure stands behind its x",
    "WELCOME HILDEEEE": "a drawn-out name is that name",
    "DOOORRIT, customer": "a drawn-out name is that name",
    "well, it was them dumplings, an they were jolantas": "a name with an s is that name",
    "Thursdays work for me! Let's do it.": "a weekday with an s is that weekday",
    "thursdays, it's on the calendar downstairs": "a weekday with an s is that weekday",
    "15 600 / 12 = 1 300": "the reference takes a space between thousands for the end of a figure",
    "15,600円 ÷ 12人 = 1,300円 🏸": "a figure stands before its unit",
    "👍🏾": "the reference counts a skin tone as an emoji of its own",
    "it's been something alright. mostly wipes. who gets your parking spot in the guild hall /j": "a contraction",
}
"""Replies for which ours is right and the reference is not, with the reason."""
INSIDE_A_TIME = ("rep_question_correct", "dir_asked_only")
"""Norms whose parameters are figures that the reference finds inside a clock time or a decimal."""


@cache
def _reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference_verifiers", REFERENCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for pack in TAXONOMY.packs.values():
        module.RX.update({name: re.compile(pattern, module.I) for name, pattern in pack.lexicons.items()})
    return module


def _reference_holds(norm: Norm, reply: str, probe: Probe) -> bool:
    assert norm.check.code is not None
    ctx = {
        "params": {key: list(entries) for key, entries in probe.params.items()},
        "roster": list(probe.roster),
        "prior_texts": list(probe.prior_texts),
        "subject": probe.subject,
    }
    return bool(_reference().evaluate(norm.check.code.model_dump(by_alias=True), reply, ctx))


needs_reference = pytest.mark.skipif(not REFERENCE.is_file(), reason=f"the reference engine is absent: {REFERENCE}")


@needs_reference
def test_the_reference_agrees_on_every_probe() -> None:
    unexplained = {
        (probe.norm, reply)
        for probe in PROBES
        for reply in (*probe.adherent, *probe.breaching, *probe.near_miss)
        if reply not in BETTER
        if holds(TAXONOMY.norms[probe.norm], reply, probe) != _reference_holds(TAXONOMY.norms[probe.norm], reply, probe)
    }
    assert unexplained == set()


def _cross() -> Iterator[tuple[Norm, Probe, list[str]]]:
    """Every norm with its first probe's parameters, and the replies of all probes."""
    replies = sorted({reply for probe in PROBES for reply in (*probe.adherent, *probe.breaching, *probe.near_miss)})
    first = {probe.norm: probe for probe in reversed(PROBES)}
    for norm_id, probe in first.items():
        yield TAXONOMY.norms[norm_id], probe, replies


def _disagreements(step: int) -> set[tuple[str, str]]:
    return {
        (norm.id, reply)
        for i, (norm, probe, replies) in enumerate(_cross())
        for reply in replies[i % step :: step]
        if holds(norm, reply, probe) != _reference_holds(norm, reply, probe)
    }


@needs_reference
@pytest.mark.parametrize("step", [40, pytest.param(1, marks=pytest.mark.slow)])
def test_the_reference_agrees_on_the_replies_of_all_norms(step: int) -> None:
    unexplained = {
        (norm, reply) for norm, reply in _disagreements(step) if reply not in BETTER and norm not in INSIDE_A_TIME
    }
    assert unexplained == set()


# the clock


def _seconds(norm: Norm, text: str, probe: Probe) -> float:
    start = time.thread_time()
    validity(text, context(probe))
    holds(norm, text, probe)
    return time.thread_time() - start


@pytest.mark.parametrize("step", [40, pytest.param(1, marks=pytest.mark.slow)])
def test_no_reply_takes_long_or_runs_out_of_time(step: int) -> None:
    late: list[tuple[str, str]] = []
    first = {probe.norm: probe for probe in reversed(PROBES)}
    for i, (norm_id, probe) in enumerate(first.items()):
        repeated = {"own probe": "\n".join(probe.adherent * 200)[:3990] + " x9 z"}
        for name, text in [*list(ADVERSARIAL.items())[i % step :: step], *repeated.items()]:
            if all(_seconds(TAXONOMY.norms[norm_id], text, probe) > SECONDS for _ in range(3)):
                late.append((norm_id, name))
    assert late == []


def test_every_pattern_is_used_under_the_flags_it_was_checked_with() -> None:
    """A pattern framed by ^ and $ speaks of the whole reply; the packs write \\A and \\Z where they mean it."""
    framed = [
        (norm.id, node.p)
        for norm in TAXONOMY.norms.values()
        if norm.check.code
        for node in walk(norm.check.code)
        if isinstance(node, Pattern) and not node.op.startswith(("rx_first", "rx_last"))
        if node.p.startswith("^") and node.p.endswith("$")
    ]
    assert framed == []
    used = {
        node.name
        for norm in TAXONOMY.norms.values()
        if norm.check.code
        for node in walk(norm.check.code)
        if isinstance(node, Lexicon)
    }
    known = {name for pack in TAXONOMY.packs.values() for name in pack.lexicons}
    assert used <= known
