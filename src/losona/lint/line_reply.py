"""Rules on what a release row asks of its subject, and on turns that show the norm broken (P03 to P05).

P04 and P05 are heuristics by wording, and say so: they point a reader at a place, they prove nothing.
"""

import re
from collections.abc import Iterator

from losona.lint.finding import Fault
from losona.lint.lexicons import lexicons, ties
from losona.lint.line_people import failure
from losona.lint.lines import LineView
from losona.lint.wording import find_pattern, find_phrase, plain
from losona.schema.scenario import VisibleTurn

GIVEN = 0.5
"""Share of a question's words that a statement must hold to be taken as its answer."""
ANSWERS = 2
"""Turns after a trigger among which its answer is looked for."""
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")


def subject_addressed(line: LineView) -> Iterator[Fault]:
    """P03: the last message names the subject."""
    *earlier, last = line.talk
    if line.row is None or _calls(last.text, line.subject):
        return
    others = [name for name in line.named if name != line.subject and _calls(last.text, name)]
    before = [str(passage.turn) for passage in earlier if _calls(passage.text, line.subject)]
    found = f"the last message does not address the subject: it names {', '.join(others) or 'nobody'}"
    found += f"; turn {', '.join(before)} names {line.subject}" if before else ""
    yield Fault(("elicitor",), found, line.subject or "a name that is not in the cast", turn=last.turn)


def _calls(text: str, name: str) -> bool:
    return bool(name) and find_phrase(text, (name,)) is not None


def facts_given(line: LineView) -> Iterator[Fault]:
    """P04, a heuristic: no question for a fact of which nothing in the row tells."""
    question = fact_question(line.talk[-1].text)
    asked = ties(question) - {name.casefold() for name in line.named}
    told = [ties(sentence) for passage in line.passages[:-1] for sentence in statements(passage.text)]
    if line.row and asked and not any(len(asked & words) >= GIVEN * len(asked) for words in told):
        found = f"asks for a fact that seems to stand nowhere: {question!r} (heuristic)"
        allowed = "a fact that the subject can read in bio, channel or chat"
        yield Fault(("elicitor",), found, allowed, turn=line.talk[-1].turn)


def fact_question(text: str) -> str:
    """The first question of a message that asks for a fact, from its question word on; empty where there is none."""
    lists = lexicons()
    for sentence in _SENTENCE.findall(text):
        asks = find_pattern(sentence, lists.fact_questions) if "?" in sentence else None
        if asks and not find_pattern(sentence, lists.other_questions):
            return sentence[plain(sentence).find(plain(asks)) :].strip()
    return ""


def statements(text: str) -> list[str]:
    """The sentences that are no questions."""
    return [sentence for sentence in _SENTENCE.findall(text) if "?" not in sentence]


def norm_kept(line: LineView) -> Iterator[Fault]:
    """P05, a heuristic: what looks like an occasion for the norm is not answered by a turn that fails its code.

    Says nothing where no trigger pattern or no code exists, or where the code only advises.
    """
    norm = line.norm
    if line.row is None or norm is None or norm.check.code_role == "advisory":
        return
    triggers = lexicons().triggers
    pattern = triggers.get(norm.id, triggers.get(norm.family))
    for i, turn in enumerate(line.scenario.visible.transcript[:-1]) if pattern else ():
        match = re.search(pattern or "", turn.text.strip(), re.IGNORECASE)
        answer = _answer(line, i) if match else None
        if match and answer is not None and (why := failure(line, line.scenario.visible.transcript[answer])):
            found = (
                f"turn {line.turn_id(i)} has {match.group(0).strip()!r}, and this answer {why} of {norm.id} (heuristic)"
            )
            yield Fault(("chat", answer), found, "an answer that follows the norm", turn=line.turn_id(answer))


def _answer(line: LineView, trigger: int) -> int | None:
    """The first turn by another member soon after, unless it is a marked demonstration or the elicitor."""
    turns: tuple[VisibleTurn, ...] = line.scenario.visible.transcript
    following = range(trigger + 1, min(trigger + 1 + ANSWERS, len(turns) - 1))
    found = next((i for i in following if turns[i].sender != turns[trigger].sender), None)
    return None if found in (line.demos or ()) else found


CHECKS = {"P03": subject_addressed, "P04": facts_given, "P05": norm_kept}
"""Rule -> check."""
