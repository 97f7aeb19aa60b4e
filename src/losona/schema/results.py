"""What comes out: validity, gradings, and the rows of the two result tables."""

from typing import Literal

from losona.schema._base import Record
from losona.schema.scenario import Expectation

Label = Literal["complies", "breaches", "unscored"]


PANEL = "panel"
"""Name of the grader whose verdict is a majority of votes."""


class Validity(Record):
    """What the gate before any norm check found."""

    valid: bool
    """False: the reply cannot comply, whatever the norm."""
    reasons: tuple[str, ...] = ()
    """Why it is invalid: empty, punctuation_only, ai_refusal, leaked_reasoning, only_others, other_language."""
    flags: tuple[str, ...] = ()
    """What was noticed or repaired: own_label_stripped, fence_stripped, quotes_stripped, reasoning_stripped,
    others_cut, assistant_voice, several_lines, over_160_words, truncated, addresses_grader."""
    text: str
    """The reply as it is graded."""


class Grading(Record):
    """One typed answer to the question whether one reply follows one norm."""

    scenario_id: str
    """Scenario by which the reply was graded."""
    norm: str
    """Norm id."""
    expectation: Expectation
    """Whether the norm applies."""
    grader: str
    """`verifier`, the judge's model name, or `panel` for the majority of several."""
    grader_hash: str = ""
    """Hash of the judge's prompts, or of the pack whose check decided."""
    label: Label
    """complies, breaches or unscored."""
    node: str = ""
    """The node of the check that decided, in short; or the validity reason."""
    evidence: tuple[str, ...] = ()
    """Quotations from the reply."""
    codes: tuple[str, ...] = ()
    """Criterion codes of the rubric (P1, F2, B1)."""
    reasoning: str = ""
    """The grader's reason."""
    borderline: bool | None = None
    """The judge found the case close."""
    in_character: bool | None = None
    """The judge: a member could have sent it."""
    responsive: bool | None = None
    """The judge: it answers the last message."""
    consistent: bool | None = None
    """The judge: it agrees with bio and chat."""
    advisory: bool = False
    """Recorded beside the deciding grading; does not set the label of the scenario."""
    error: str = ""
    """Why it is unscored."""
    input_tokens: int = 0
    """Tokens that the judge read."""
    output_tokens: int = 0
    """Tokens that the judge wrote."""
    cost: float | None = None
    """US dollars that the judge cost, where known."""
    prompt_hash: str = ""
    """Hash of what the judge was asked; empty for code."""
    shared: bool = False
    """An equal question had been answered; this is that answer, and cost nothing."""

    @property
    def fits(self) -> bool | None:
        """Complies, in character and responsive; none where a part is unknown."""
        if self.label == "breaches" or self.in_character is False or self.responsive is False:
            return False
        if self.label == "unscored" or self.in_character is None or self.responsive is None:
            return None
        return True
