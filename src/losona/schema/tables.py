"""The two result tables, one row a reply and one row a grading of a reply; and both joined, for export.

`reply_id` joins them. A reply may be graded several times: by a's and by b's norm, by code, by judges, by people.
"""

from losona.schema._base import Record

TABLES_VERSION = "1"
EXPORT_VERSION = "1"


class ReplyRow(Record):
    """One reply of a subject, or one call that failed."""

    schema_version: str = TABLES_VERSION
    """Version of these columns."""
    reply_id: str
    """Hash (16 hex digits) of transcript, prompt, model, sampling and epoch."""
    transcript_id: str
    """Hash of everything visible."""
    prompt_hash: str
    """Hash over roles and contents of the prompt."""
    condition: str
    """Condition of the prompt."""
    model: str
    """Name of the subject in tables."""
    model_id: str
    """The provider's string for it."""
    epoch: int
    """Repeat, from 1 (the paper's trial)."""
    text: str
    """What the subject wrote; empty where `error` is set."""
    finish_reason: str
    """Why the provider stopped: stop, max_tokens, content_filter, ..."""
    error: str = ""
    """Why there is no reply; empty for a reply."""
    valid: bool | None = None
    """What the gate found; none where there is no reply."""
    invalid_reasons: str = ""
    """Reasons, joined by commas."""
    flags: str = ""
    """What was noticed or repaired, joined by commas."""
    graded_text: str = ""
    """The reply as it is graded."""
    input_tokens: int = 0
    """Tokens read."""
    output_tokens: int = 0
    """Tokens written."""
    cost: float | None = None
    """US dollars, where known."""
    latency: float | None = None
    """Seconds."""
    sampling: str = ""
    """Settings that were used, as JSON."""


class GradingRow(Record):
    """One grader's answer for one reply and one scenario."""

    schema_version: str = TABLES_VERSION
    """Version of these columns."""
    reply_id: str
    """Joins with the replies."""
    scenario_id: str
    """Scenario by which it was graded."""
    frame: str = ""
    """Frame id; empty for a row of the public release."""
    arm: str = ""
    """a, b or empty."""
    variant: str
    """demos, nodemos, dose1, ..., off, offnodemos; mixed_other and shift_other: graded by the other arm's norm."""
    pack: str
    """Pack of the norm."""
    event: str
    """Event id."""
    norm: str
    """Norm id."""
    level: int | None = None
    """Level of the norm, where known."""
    mode: str
    """exact, partial or judge: who can decide."""
    expectation: str
    """applies, out_of_scope, none or crossed."""
    grader: str
    """`verifier`, the judge's model name, or `panel` for the majority of several."""
    grader_hash: str = ""
    """Hash of judge prompts, or of the pack whose check decided."""
    label: str
    """complies, breaches or unscored."""
    advisory: bool = False
    """True: recorded beside the deciding grading, does not set the scenario's label."""
    node: str = ""
    """Deciding node of the check, or the reason of invalidity."""
    evidence: str = ""
    """Quotations from the reply, as a JSON list."""
    codes: str = ""
    """Criterion codes, joined by commas."""
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
    fits: bool | None = None
    """Complies, in character and responsive."""
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


class ExportRow(Record):
    """One grading with its reply, as `losona export` writes it. A reply that nothing graded has one row, too."""

    export_version: str = EXPORT_VERSION
    """Version of these columns: raised when one is renamed, removed or changes its meaning; new ones come last."""
    run: str
    """Name of the run."""
    benchmark_version: str
    """N-X; rows of different N cannot be compared."""
    judge: str = ""
    """Judge of the run, several of a panel joined by commas; empty: code alone graded."""
    reply_id: str
    """Hash of transcript, prompt, model, sampling and epoch; unique within a run."""
    transcript_id: str
    """Hash of everything visible."""
    prompt_hash: str
    """Hash over roles and contents of the prompt."""
    condition: str
    """Condition of the prompt."""
    model: str
    """Name of the subject in tables."""
    model_id: str
    """The provider's string for it."""
    epoch: int
    """Repeat, from 1."""
    text: str
    """What the subject wrote; empty where `reply_error` is set."""
    finish_reason: str
    """Why the provider stopped: stop, max_tokens, content_filter, ..."""
    reply_error: str = ""
    """Why there is no reply; empty for a reply."""
    valid: bool | None = None
    """What the gate found; none where there is no reply."""
    invalid_reasons: str = ""
    """Reasons, joined by commas."""
    flags: str = ""
    """What was noticed or repaired, joined by commas."""
    graded_text: str = ""
    """The reply as it is graded."""
    reply_input_tokens: int = 0
    """Tokens that the subject read."""
    reply_output_tokens: int = 0
    """Tokens that it wrote."""
    cost: float | None = None
    """US dollars of the reply, where known."""
    latency: float | None = None
    """Seconds of the reply."""
    sampling: str = ""
    """Settings that were used, as JSON."""
    scenario_id: str | None = None
    """Scenario by which the reply was graded; none here and below where nothing graded it."""
    frame: str | None = None
    """Frame id; empty for a row of the public release."""
    arm: str | None = None
    """a, b or empty."""
    variant: str | None = None
    """demos, nodemos, dose1, ..., off, offnodemos; mixed_other and shift_other: graded by the other arm's norm."""
    pack: str | None = None
    """Pack of the norm."""
    event: str | None = None
    """Event id."""
    norm: str | None = None
    """Norm id."""
    level: int | None = None
    """Level of the norm, where known."""
    mode: str | None = None
    """exact, partial or judge: who can decide."""
    expectation: str | None = None
    """applies, out_of_scope, none or crossed."""
    grader: str | None = None
    """`verifier`, the judge's model name, or `panel` for the majority of several."""
    grader_hash: str | None = None
    """Hash of judge prompts, or of the pack whose check decided."""
    label: str | None = None
    """complies, breaches or unscored."""
    advisory: bool | None = None
    """True: recorded beside the deciding grading; leave these rows out before you count."""
    node: str | None = None
    """Deciding node of the check, or the reason of invalidity."""
    evidence: str | None = None
    """Quotations from the reply, as a JSON list."""
    codes: str | None = None
    """Criterion codes, joined by commas."""
    reasoning: str | None = None
    """The grader's reason."""
    borderline: bool | None = None
    """The judge found the case close."""
    in_character: bool | None = None
    """The judge: a member could have sent it."""
    responsive: bool | None = None
    """The judge: it answers the last message."""
    consistent: bool | None = None
    """The judge: it agrees with bio and chat."""
    fits: bool | None = None
    """Complies, in character and responsive."""
    grading_error: str | None = None
    """Why it is unscored."""
    grading_input_tokens: int | None = None
    """Tokens that the judge read."""
    grading_output_tokens: int | None = None
    """Tokens that the judge wrote."""
    grading_cost: float | None = None
    """US dollars that the judge cost, where known."""
    grading_prompt_hash: str | None = None
    """Hash of what the judge was asked; empty for code."""
    grading_shared: bool | None = None
    """An equal question had been answered; this is that answer, and cost nothing."""
