"""From the text of a judge's answer to a typed verdict, or to a fault. Pure.

Knows the shape of a verdict and what must hold between its parts. Does not know prompts, norms or models.
There is no default: an answer that leaves a doubt about any part is a fault, and the vote is void.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from losona.judge.answer import AnswerFault, Prose, check_evidence, one_object, typed
from losona.schema._base import Record

PROVIDER_ERROR = "provider error"
"""How the reason begins when the judge's provider failed; such a verdict is asked for again."""
_RETRIED = "; then: "


def may_answer(grader: str, error: str) -> bool:
    """The judge's provider failed and may answer when it is asked again; a file without a second answer will not."""
    retried = error.partition(_RETRIED)[2].startswith(PROVIDER_ERROR)
    return PROVIDER_ERROR in error and not (retried and grader.startswith("replies/"))


VerdictFault = AnswerFault
"""A judge's answer cannot be used."""


class Verdict(Record):
    """A judge's answer to one reply. The order of the fields is the order in which they are to be written."""

    evidence: tuple[str, ...] = Field(min_length=1)
    """The passages of the message that decide, copied word for word."""
    codes: tuple[str, ...]
    """Codes of the criteria that hold; empty where none are numbered."""
    reasoning: Prose
    """One to three short sentences."""
    verdict: Literal["complies", "breaches"]
    """Whether the message does what is asked for."""
    borderline: bool
    """The case is close."""
    in_character: bool
    """A member of this chat could have sent the message as it stands."""
    responsive: bool
    """The message answers the last message."""
    consistent: bool
    """The message agrees with what bios and chat say."""


def parse_verdict(text: str, reply: str, codes: Sequence[str], *, must_respond: bool = False) -> Verdict:
    """Read a judge's answer.

    `reply` is the text that the judge was shown, `codes` the criterion codes that it was offered (maybe none).
    With `must_respond`, a message that does not answer the last one cannot comply (the norm is out of scope there
    and an ordinary answer is asked for). Raises `VerdictFault` whenever anything is in doubt.
    """
    verdict = typed(Verdict, one_object(text))
    check_evidence(verdict.evidence, reply)
    _check_codes(verdict, codes)
    if must_respond and verdict.verdict == "complies" and not verdict.responsive:
        raise VerdictFault('"complies" needs an answer to the last message here, but "responsive" is false')
    return verdict


def _check_codes(verdict: Verdict, offered: Sequence[str]) -> None:
    if unknown := [code for code in verdict.codes if code not in offered]:
        known = ", ".join(offered) or "none, the list must be empty"
        raise VerdictFault(f"code {unknown[0][:20]!r} was not given; given are: {known}")
    fails = [code for code in verdict.codes if code.startswith("F")]
    if verdict.verdict == "complies" and fails:
        raise VerdictFault(f'"complies" goes with no F code, but {fails[0]} is cited')
    if verdict.verdict == "breaches" and not fails and any(code.startswith("F") for code in offered):
        raise VerdictFault('"breaches" needs at least one F code')
