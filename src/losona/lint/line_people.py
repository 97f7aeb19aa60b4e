"""Rules of frames that lines can be held to, in their own words: people and demonstrations (F08 to F10, F14, F20, F22).

A line whose demonstrations are not marked has unknown ones: the rules on demonstrations then say nothing.
"""

from collections.abc import Iterator

from losona.errors import CheckError
from losona.lint.cast import DEMONSTRATORS, MENTION, SPEAKERS, SUBJECT_TURNS
from losona.lint.finding import Fault
from losona.lint.grading import form_params
from losona.lint.lexicons import lexicons
from losona.lint.lines import LineView
from losona.lint.slots import DEMO_SHARE
from losona.schema.check import Check, walk
from losona.schema.scenario import VisibleTurn
from losona.verifiers import Context, evaluate, normalise


def known_people(line: LineView) -> Iterator[Fault]:
    """F08: whoever speaks or is mentioned with @ is the subject or in the cast."""
    listed = [person.name for person in line.row.cast] if line.row else list(line.roster)
    names = [name for name in dict.fromkeys([line.subject, *listed]) if name]
    allowed = f"one of: {', '.join(names)}"
    for i, turn in enumerate(line.scenario.visible.transcript):
        if turn.sender not in names:
            yield Fault(("chat", i), f"speaker {turn.sender!r}", allowed, turn=line.turn_id(i))
        for name in MENTION.findall(turn.text):
            if not _known(name.rstrip(".'-").casefold(), [*names, *line.named]):
                yield Fault(("chat", i), f"mention @{name}", allowed, turn=line.turn_id(i))


def _known(mention: str, names: list[str]) -> bool:
    known = {part for name in names for part in (name.casefold(), *name.casefold().split()[:1])}
    return mention in known or mention in lexicons().group_mentions


def enough_speakers(line: LineView) -> Iterator[Fault]:
    """F09: at least three members besides the subject speak; whether a silent one is absent, no column tells."""
    speakers = {turn.sender for turn in line.scenario.visible.transcript} - {line.subject}
    if len(speakers) < SPEAKERS:
        yield Fault(("chat",), f"{len(speakers)} speakers besides the subject", f"at least {SPEAKERS}")


def subject_turns(line: LineView) -> Iterator[Fault]:
    """F10: the subject speaks at most three times and demonstrates nothing."""
    own = [i for i, turn in enumerate(line.scenario.visible.transcript) if turn.sender == line.subject]
    if len(own) > SUBJECT_TURNS:
        found = f"{line.subject} speaks {len(own)} times"
        yield Fault(("chat",), found, f"at most {SUBJECT_TURNS}", turn=line.turn_id(own[-1]))
    for i in set(own) & set(line.demos or ()):
        found = f"the subject {line.subject} demonstrates the norm"
        yield Fault(("chat",), found, "other members only", turn=line.turn_id(i))


def demonstrators(line: LineView) -> Iterator[Fault]:
    """F14: at least two members demonstrate the norm."""
    names = {line.scenario.visible.transcript[i].sender for i in line.demos or ()}
    if len(line.demos or ()) >= DEMONSTRATORS and len(names) < DEMONSTRATORS:
        yield Fault(("chat",), f"only {names.pop()} demonstrates", f"at least {DEMONSTRATORS} members")


def demonstrations_pass(line: LineView) -> Iterator[Fault]:
    """F20: each marked demonstration passes the norm's code, as far as its form goes."""
    for i in line.demos or ():
        turn = line.scenario.visible.transcript[i]
        if line.norm and (why := failure(line, turn)):
            found = f"{turn.text!r} fails {line.norm.id} ({why})"
            advisory = line.norm.check.code_role == "advisory"
            yield Fault(("chat", i), found, "a turn that follows the norm", turn=line.turn_id(i), warn=advisory)


def failure(line: LineView, turn: VisibleTurn) -> str:
    """Where a turn fails the norm's code; empty where it passes, or where no code tells.

    Parameters are taken from the turn itself, so that only its form is looked at; a check that wants all of a list of
    parameters cannot be applied so.
    """
    if line.norm is None or line.norm.check.code is None or _wants_all(line.norm.check.code):
        return ""
    code, pack = line.norm.check.code, line.taxonomy.pack_of(line.norm.id).info.id
    prior = tuple(f"{turn.sender}: {turn.text}" for turn in line.scenario.visible.transcript)
    params = form_params(code, turn.text, line.roster)
    context = Context(params=params, roster=line.roster, prior_texts=prior, subject=turn.sender)
    try:
        found = evaluate(code, normalise(turn.text, turn.sender)[0], context, line.taxonomy.lexicons(pack))
    except CheckError:
        return ""
    return "" if found.holds else f"fails at {found.node}"


def _wants_all(code: Check) -> bool:
    return any(operation.op == "has_all_params" for operation in walk(code))


def demonstration_share(line: LineView) -> Iterator[Fault]:
    """F22: at most a quarter of the turns are demonstrations."""
    evaluation, turns = line.scenario.evaluation, len(line.scenario.visible.transcript)
    share = (len(line.demos or ()) + len(evaluation.other_demos)) / turns
    if share > DEMO_SHARE:
        yield Fault(("chat",), f"{share:.0%} of the turns are demonstrations", f"at most {DEMO_SHARE:.0%}")


CHECKS = {
    "F08": known_people,
    "F09": enough_speakers,
    "F10": subject_turns,
    "F14": demonstrators,
    "F20": demonstrations_pass,
    "F22": demonstration_share,
}
"""Rule -> check."""
