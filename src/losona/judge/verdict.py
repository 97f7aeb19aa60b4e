"""From the text of a judge's answer to a typed verdict, or to a fault. Pure.

Knows the shape of a verdict and what must hold between its parts. Does not know prompts, norms or models.
There is no default: an answer that leaves a doubt about any part is a fault, and the vote is void.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import Field, ValidationError

from losona.errors import LosonaError
from losona.jsonanswer import AnswerFault, only_object
from losona.schema._base import Record

_VERDICT_WORD = re.compile(r"\b(?:complies|breaches)\b", re.IGNORECASE)
_QUOTE_STYLES = str.maketrans(
    {**dict.fromkeys("‘’‚‛ʼ´`‹›", "'"), **dict.fromkeys("“”„‟«»", '"'), "…": "...", "\ufe0e": None, "\ufe0f": None}
)
_QUOTE_MARKS = "\"'"


PROVIDER_ERROR = "provider error"
"""How the reason begins when the judge's provider failed; such a verdict is asked for again."""


class VerdictFault(LosonaError):
    """A judge's answer cannot be used; the message says why, in words that the judge can act on."""


class Verdict(Record):
    """A judge's answer to one reply. The order of the fields is the order in which they are to be written."""

    evidence: tuple[str, ...] = Field(min_length=1)
    """The passages of the message that decide, copied word for word."""
    codes: tuple[str, ...]
    """Codes of the criteria that hold; empty where none are numbered."""
    reasoning: str
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
    verdict = _typed(_only_object(text))
    _check_evidence(verdict.evidence, reply)
    _check_codes(verdict, codes)
    if must_respond and verdict.verdict == "complies" and not verdict.responsive:
        raise VerdictFault('"complies" needs an answer to the last message here, but "responsive" is false')
    return verdict


def _only_object(text: str) -> dict[str, Any]:
    """The one JSON object of an answer; no verdict besides its own may follow."""
    try:
        data, after = only_object(text)
    except AnswerFault as fault:
        raise VerdictFault(str(fault)) from None
    if any(word.lower() != data.get("verdict") for word in _VERDICT_WORD.findall(after)):
        raise VerdictFault("the text after the JSON object names another verdict")
    return data


def _typed(data: dict[str, Any]) -> Verdict:
    try:
        return Verdict.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])[:60]
        raise VerdictFault(f"key {place!r}: {first['msg']}" if place else first["msg"]) from None


def _check_evidence(evidence: Sequence[str], reply: str) -> None:
    shown = _plain(reply)
    for number, quotation in enumerate(evidence, 1):
        if not any(reading and reading in shown for reading in _readings(quotation)):
            raise VerdictFault(f"evidence {number} is not a word-for-word passage of the graded message")


def _readings(quotation: str) -> Iterator[str]:
    """The quotation as it stands, without quotation marks around it, and with JSON escapes that were written twice."""
    plain = _plain(quotation)
    yield plain
    if len(plain) > 2 and plain[0] == plain[-1] and plain[0] in _QUOTE_MARKS:
        yield plain[1:-1].strip()
    if "\\" in quotation:
        try:
            yield _plain(json.loads(f'"{quotation}"'))
        except ValueError:
            return


def _plain(text: str) -> str:
    """Text without differences of white space, quotation marks and invisible characters."""
    composed = unicodedata.normalize("NFC", text).translate(_QUOTE_STYLES)
    return " ".join("".join(char for char in composed if unicodedata.category(char) != "Cf").split())


def _check_codes(verdict: Verdict, offered: Sequence[str]) -> None:
    if unknown := [code for code in verdict.codes if code not in offered]:
        known = ", ".join(offered) or "none, the list must be empty"
        raise VerdictFault(f"code {unknown[0][:20]!r} was not given; given are: {known}")
    fails = [code for code in verdict.codes if code.startswith("F")]
    if verdict.verdict == "complies" and fails:
        raise VerdictFault(f'"complies" goes with no F code, but {fails[0]} is cited')
    if verdict.verdict == "breaches" and not fails and any(code.startswith("F") for code in offered):
        raise VerdictFault('"breaches" needs at least one F code')
