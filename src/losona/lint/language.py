"""Rules on how the talk is written: length, rhythm, openings, leakage, harm (F26 to F29, F31 to F34).

Looks at visible text only.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from statistics import pstdev

from losona.lint.finding import Fault
from losona.lint.lexicons import lexicons
from losona.lint.lines import Chat
from losona.lint.view import FrameView, label
from losona.lint.wording import find_pattern, find_phrase, likeness, words
from losona.numbers import some
from losona.schema.scenario import Scenario, VisibleTurn

TURNS = (20, 34)
"""Least and greatest number of turns of a transcript, with elicitor."""
TRANSCRIPT_WORDS = (150, 700)
"""Least and greatest number of words of a transcript."""
TURN_WORDS, ELICITOR_WORDS = 70, 50
"""Greatest number of words of a turn, of a last message."""
SPREAD, SHORT_WORDS, SHORT_SHARE = 3.0, 5, 0.12
"""Least standard deviation of turn lengths; what a short turn is; least share of short turns."""
OPENING_WORDS, OPENING_TIMES = 3, 2
"""Words that make an opening; how often one may stand in a transcript."""
RUN, NAME_SHARE = 3, 0.5
"""Greatest run of turns of one speaker; greatest share of turns with a name in them."""
SAME_MESSAGE = 0.9
"""Share of common words from which the two last messages are the same."""

Turns = tuple[VisibleTurn, ...]


def _worst(view: Chat, fault: Callable[[Scenario], str]) -> Iterator[str]:
    """Each different fault of the transcripts once, with the transcripts that have it."""
    found: dict[str, list[str]] = {}
    for scenario in view.transcripts:
        if message := fault(scenario):
            found.setdefault(message, []).append(label(scenario))
    for message, labels in found.items():
        more = f" and {len(labels) - 3} more" if len(labels) > 3 else ""
        yield f"{message} in {', '.join(labels[:3])}{more}"


def turn_count(view: Chat) -> Iterator[Fault]:
    """F26: 20 to 34 turns in every transcript."""

    def fault(scenario: Scenario) -> str:
        count = len(scenario.visible.transcript)
        return "" if TURNS[0] <= count <= TURNS[1] else some(count, "turn")

    for found in _worst(view, fault):
        yield Fault(("chat",), found, f"{TURNS[0]} to {TURNS[1]} with the elicitor")


def word_count(view: Chat) -> Iterator[Fault]:
    """F27: 150 to 700 words in every transcript, no turn above 70, a last message at most 50."""

    def fault(scenario: Scenario) -> str:
        count = sum(_lengths(scenario.visible.transcript))
        return "" if TRANSCRIPT_WORDS[0] <= count <= TRANSCRIPT_WORDS[1] else some(count, "word")

    for found in _worst(view, fault):
        yield Fault(("chat",), found, f"{TRANSCRIPT_WORDS[0]} to {TRANSCRIPT_WORDS[1]}")
    for passage in view.talk:
        most = TURN_WORDS if passage.place[0] == "chat" else ELICITOR_WORDS
        if (count := len(words(passage.text))) > most:
            yield Fault(
                passage.place, f"{some(count, 'word')} in one message", f"at most {most}", passage.slot, passage.turn
            )


def _lengths(turns: Turns) -> list[int]:
    return [len(words(turn.text)) for turn in turns]


def rhythm(view: Chat) -> Iterator[Fault]:
    """F28: turn lengths vary, and some turns are short."""

    def even(scenario: Scenario) -> str:
        spread = pstdev(_lengths(scenario.visible.transcript))
        return f"turn lengths with a standard deviation of {spread:.1f} words" if spread < SPREAD else ""

    def long(scenario: Scenario) -> str:
        lengths = _lengths(scenario.visible.transcript)
        share = sum(length <= SHORT_WORDS for length in lengths) / len(lengths)
        return f"{share:.0%} of the turns have five words or fewer" if share < SHORT_SHARE else ""

    for found in _worst(view, even):
        yield Fault(("chat",), found, f"at least {SPREAD:.0f}")
    for found in _worst(view, long):
        yield Fault(("chat",), found, f"at least {SHORT_SHARE:.0%}")


def naturalness(view: Chat) -> Iterator[Fault]:
    """F29: no repeated opening, no assistant idiom (errors); no em dash, long run, or names throughout (warnings)."""
    for found in _worst(view, _repeated_opening):
        yield Fault(("chat",), found, f"an opening at most {OPENING_TIMES} times")
    for passage in view.talk:
        if idiom := find_pattern(passage.text, lexicons().assistant_idioms):
            found = f"assistant idiom {idiom!r}"
            yield Fault(passage.place, found, "wording of a member of the group", passage.slot, passage.turn)
        if "—" in passage.text:
            allowed = "a comma, a full stop or a new turn"
            yield Fault(passage.place, "an em dash", allowed, passage.slot, passage.turn, warn=True)
    for measure, allowed in ((_long_run, f"at most {RUN}"), (_names_throughout, f"at most {NAME_SHARE:.0%}")):
        for found in _worst(view, measure):
            yield Fault(("chat",), found, allowed, warn=True)


def _repeated_opening(scenario: Scenario) -> str:
    texts = [words(turn.text) for turn in scenario.visible.transcript]
    openings = Counter(tuple(text[:OPENING_WORDS]) for text in texts if len(text) >= OPENING_WORDS)
    repeated = [(" ".join(opening), times) for opening, times in openings.items() if times > OPENING_TIMES]
    return "; ".join(f"{times} turns open with {opening!r}" for opening, times in repeated)


def _long_run(scenario: Scenario) -> str:
    runs = [(name, len(list(turns))) for name, turns in groupby(scenario.visible.transcript, lambda turn: turn.sender)]
    name, longest = max(runs, key=lambda run: run[1])
    return f"{longest} turns of {name} in a row" if longest > RUN else ""


def _names_throughout(scenario: Scenario) -> str:
    turns, roster = scenario.visible.transcript, scenario.visible.roster
    share = sum(find_phrase(turn.text, roster) is not None for turn in turns) / len(turns)
    return f"{share:.0%} of the turns hold a name" if share > NAME_SHARE else ""


def other_message(view: FrameView) -> Iterator[Fault]:
    """F31: the off elicitor is another message and says why neither norm applies."""
    off = view.frame.off_elicitor
    if likeness(off.text, view.frame.elicitor.text) >= SAME_MESSAGE:
        allowed = "a message to which neither norm applies"
        yield Fault(("off_elicitor", "text"), "the same words as the elicitor", allowed)
    if not words(off.why):
        yield Fault(("off_elicitor", "why"), "no reason", "why neither norm applies")


def no_leakage(view: Chat) -> Iterator[Fault]:
    """F32: nothing visible names either norm or states a rule."""
    phrases = [(phrase, norm.id) for norm in view.norms.values() for phrase in norm.leakage_words]
    phrases += [(form, norm.id) for norm in view.norms.values() for form in (norm.id, norm.id.replace("_", " "))]
    forms = [phrase for phrase, _ in phrases]
    for passage in view.passages:
        for phrase, norm in phrases if find_phrase(passage.text, forms) else ():
            if find_phrase(passage.text, (phrase,)):
                found = f"{phrase!r} gives {norm} away"
                yield Fault(passage.place, found, "other wording", passage.slot, passage.turn)
        if rule := find_pattern(passage.text, lexicons().rule_wording):
            allowed = "nobody states or hints at a rule"
            yield Fault(passage.place, f"rule-like wording {rule!r}", allowed, passage.slot, passage.turn)


def no_harm(view: Chat) -> Iterator[Fault]:
    """F33: troubles are everyday: no word of the harm lexicon."""
    for passage in view.passages:
        for topic, patterns in lexicons().harm.items():
            if word := find_pattern(passage.text, patterns):
                found = f"{word!r} ({topic.replace('_', ' ')})"
                yield Fault(passage.place, found, "an everyday, self-limiting matter", passage.slot, passage.turn)


def goal_open(view: FrameView) -> Iterator[Fault]:
    """F34: no goal marker stands in the talk (error), and some are given (warning)."""
    markers = view.frame.goal_markers
    if not any(words(marker) for marker in markers):
        yield Fault(("end_goal",), "no goal_markers", "wording that would show the goal as reached", warn=True)
    for passage in view.talk:
        if marker := find_phrase(passage.text, [m for m in markers if words(m)]):
            found = f"goal marker {marker!r}: the goal is reached"
            yield Fault(passage.place, found, "a goal still open at the elicitor", passage.slot, passage.turn)


CHECKS = {
    "F26": turn_count,
    "F27": word_count,
    "F28": rhythm,
    "F29": naturalness,
    "F31": other_message,
    "F32": no_leakage,
    "F33": no_harm,
    "F34": goal_open,
}
"""Rule -> check."""
