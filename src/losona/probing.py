"""The probes of packs through their checks: how often code sorts replies of known label wrongly.

Knows probes, checks and rounds. Does not know how the table is shown.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from losona.schema._base import Record
from losona.schema.taxonomy import CheckMode, Probe
from losona.stats import wilson
from losona.taxonomy import Taxonomy
from losona.verifiers import Context, check_reply

NOW, FIRST_RUN = "now", "first run"
PROMISE = 0.02
"""Greatest share of natural replies that an exact check may sort wrongly, in either direction."""


class ProbeRate(Record):
    """How often the checks of one mode sort the replies of one round wrongly."""

    round: str
    """Round of probes, over all packs that have it."""
    blind: bool
    """The round was written without knowledge of the checks."""
    when: str
    """`first run`: before anybody mended a check; `now`."""
    mode: CheckMode
    """Mode of the checks, then or now."""
    norms: int
    """Norms with replies in this row."""
    n_adherent: int
    """Replies that follow their norm."""
    rejected: int
    """Of these, called a breach."""
    rejected_high: float | None
    """Upper end of the 95 % interval of that share (Wilson)."""
    n_breaching: int
    """Replies that do not."""
    passed: int | None
    """Of these, not called a breach: for exact norms an error, else left to a judge, and not kept of a first run."""
    passed_high: float | None
    """Upper end of the 95 % interval of that share (Wilson)."""


@dataclass(frozen=True)
class Misread:
    """A reply of known label that code sorts wrongly now."""

    norm: str
    """Norm id."""
    round: str
    """Round of the probe."""
    label: str
    """The known label: complies or breaches."""
    reply: str
    """The reply."""
    node: str
    """The node of the check that decides."""


@dataclass(frozen=True)
class _Case:
    probe: Probe
    blind: bool
    mode: CheckMode
    when: str
    reply: str
    adherent: bool
    wrong: bool


def probe_rates(taxonomy: Taxonomy) -> list[ProbeRate]:
    """One row a round, time and mode, over all packs; norms without code are in no row."""
    cases = sorted((case for pack in taxonomy.probes for case in _cases(pack, taxonomy)), key=_cell)
    return [_rate(list(group)) for _, group in groupby(cases, key=_cell)]


def keeps_promise(rates: Iterable[ProbeRate]) -> bool:
    """Whether the checks as they are now sort at most `PROMISE` of all probes of a mode wrongly, in each direction."""
    now = [rate for rate in rates if rate.when == NOW]
    exact = [rate for rate in now if rate.mode == "exact"]
    wrong = sum(rate.passed or 0 for rate in exact)
    return wrong <= PROMISE * sum(rate.n_breaching for rate in exact) and all(
        sum(rate.rejected for rate in group) <= PROMISE * sum(rate.n_adherent for rate in group)
        for group in (exact, [rate for rate in now if rate.mode == "partial"])
    )


def misread(taxonomy: Taxonomy) -> list[Misread]:
    """Adherent replies that a check rejects, and breaching replies that an exact check passes."""
    return [
        Misread(probe.norm, probe.round, "complies" if adherent else "breaches", reply, node)
        for probes in taxonomy.probes.values()
        for probe in probes
        for reply, adherent, wrong, node in _now(probe, taxonomy)
        if wrong and (adherent or taxonomy.norms[probe.norm].check.mode == "exact")
    ]


def _cell(case: _Case) -> tuple[str, str, str]:
    return case.probe.round, case.when, case.mode


def _cases(pack: str, taxonomy: Taxonomy) -> Iterator[_Case]:
    for probe in taxonomy.probes[pack]:
        known = taxonomy.packs[pack].info.probe_rounds.get(probe.round)
        blind, mode = known is not None and known.blind, taxonomy.norms[probe.norm].check.mode
        for reply, adherent, wrong, _ in _now(probe, taxonomy):
            yield _Case(probe, blind, mode, NOW, reply, adherent, wrong)
            if then := probe.first_run:
                yield _Case(probe, blind, then.mode, FIRST_RUN, reply, adherent, reply in then.wrong)


def _now(probe: Probe, taxonomy: Taxonomy) -> Iterator[tuple[str, bool, bool, str]]:
    norm = taxonomy.norms[probe.norm]
    if norm.check.code is None or norm.check.mode == "judge":
        return
    context = Context(probe.params, probe.roster, probe.prior_texts, probe.subject)
    for reply in (*probe.adherent, *probe.breaching, *probe.near_miss):
        found = check_reply(norm, reply, context, taxonomy)
        adherent = reply in probe.adherent
        yield reply, adherent, (found.label == "breaches") == adherent, found.node or found.error


def _rate(cases: list[_Case]) -> ProbeRate:
    first = cases[0]
    n_adherent, rejected = _count(case.wrong for case in cases if case.adherent)
    n_breaching, found = _count(case.wrong for case in cases if not case.adherent)
    passed = None if first.when != NOW and first.mode != "exact" else found
    return ProbeRate(
        round=first.probe.round, blind=first.blind, when=first.when, mode=first.mode,
        norms=len({case.probe.norm for case in cases}),
        n_adherent=n_adherent, rejected=rejected, rejected_high=_high(rejected, n_adherent),
        n_breaching=n_breaching, passed=passed, passed_high=_high(passed, n_breaching),
    )  # fmt: skip


def _count(wrong: Iterable[bool]) -> tuple[int, int]:
    values = list(wrong)
    return len(values), sum(values)


def _high(count: int | None, n: int) -> float | None:
    return wilson(count / n, n)[1] if n and count is not None else None
