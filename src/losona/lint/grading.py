"""What code says of the texts of a frame: demonstrations, other turns, references.

Knows where the parameters of a check come from. Judges by `losona.verifiers`; knows no rule.
"""

import regex

from losona.errors import CheckError
from losona.lint.view import FrameView, Spot
from losona.lint.wording import words
from losona.schema.check import Check, Param, ParamCount, ParamsInside, StartsParam, needed_params, walk
from losona.schema.frame import Arm, Reference, Slot
from losona.schema.taxonomy import Norm, Params
from losona.verifiers import Context, Outcome, evaluate, normalise

DEMANDS = frozenset(
    {
        "word_min", "line_min", "sent_min", "q_min", "emoji_min", "caps_words_min", "ends_q", "emoji_only",
        "caps_share_min", "equals_any", "rx", "rx_cs", "rx_first", "rx_last_line", "lex", "lex_first", "has_param",
        "first_has_param", "has_all_params", "ends_param", "param_count_min", "starts_param", "params_only_inside",
        "quotes_transcript", "arith_ok", "numbers_multiple_of",
    }
)  # fmt: skip
"""Operations that ask for something; a check without one only forbids."""
SOME_TEXT = "on the table, by noon"
"""A reply on which a check is tried out."""
NOWHERE = ("\ue000",)
"""An entry that no text holds."""


def demands(norm: Norm) -> bool:
    """Whether the check asks for something that ordinary talk lacks."""
    code = norm.check.code
    return code is not None and any(operation.op in DEMANDS for operation in walk(code))


def outcome(view: FrameView, code: Check, pack: str, text: str, params: Params, sender: str) -> Outcome | None:
    """What a check says of a text; none where a parameter is missing."""
    try:
        return evaluate(code, normalise(text, sender)[0], context(view, params, sender), view.taxonomy.lexicons(pack))
    except CheckError:
        return None


def context(view: FrameView, params: Params, sender: str) -> Context:
    """What a check may know; a text may quote all of the chat, in any filling."""
    prior = tuple(f"{spot.turn.sender}: {spot.turn.text}" for spot in view.spots)
    return Context(params=params, roster=view.roster, prior_texts=prior, subject=sender)


def off_code_error(view: FrameView) -> str:
    """Why the check of the off elicitor cannot be applied under the lexicons of each arm's pack; empty where it can."""
    code = view.frame.off_elicitor.code
    if code is None:
        return ""
    for norm in view.norms.values():
        lexicons = view.taxonomy.lexicons(view.taxonomy.pack_of(norm.id).info.id)
        params = form_params(code, SOME_TEXT, view.roster)
        try:
            evaluate(code, SOME_TEXT, context(view, params, view.frame.subject.name), lexicons)
        except CheckError as error:
            return str(error)
    return ""


def grade(view: FrameView, norm: Norm, text: str, params: Params, sender: str) -> bool | None:
    """Whether a text passes a norm's code; none where there is no code or a parameter is missing."""
    if norm.check.code is None:
        return None
    found = outcome(view, norm.check.code, view.taxonomy.pack_of(norm.id).info.id, text, params, sender)
    return None if found is None else found.holds


def demonstration_fault(view: FrameView, spot: Spot, arm: Arm, norm: Norm) -> str:
    """Why a demonstration fails its norm's code; empty where it passes.

    A parameter that the turn does not carry may be the frame's, or else is taken from the turn: then the form alone
    is checked.
    """
    code = norm.check.code
    if code is None:
        return ""
    formal = form_params(code, spot.turn.text, view.roster)
    frame_params: Params = getattr(view.frame.params, arm)
    pack, why = view.taxonomy.pack_of(norm.id).info.id, ""
    for base in (formal, {**formal, **frame_params}):
        found = outcome(view, code, pack, spot.turn.text, {**base, **spot.turn.params}, spot.turn.sender)
        if found is None or found.holds:
            return ""
        why = f"fails at {found.node}"
    return why


def slot_params(view: FrameView, slot: Slot, arm: Arm) -> Params:
    """Parameters of an arm's check in one slot: the frame's, and those of the slot's demonstration."""
    own = [spot.turn.params for spot in view.filling(slot, arm) if spot.turn.demo]
    frame_params: Params = getattr(view.frame.params, arm)
    return {**frame_params, **(own[0] if own else {})}


def reference_params(view: FrameView, key: str, reference: Reference) -> Params:
    """Parameters for a reference under `a`, `b` or `off_trigger`: the frame's, overlaid by the reference's own."""
    frame_params: Params = getattr(view.frame.params, key)
    return {**frame_params, **reference.params}


def form_params(code: Check, text: str, roster: tuple[str, ...]) -> Params:
    """Parameters taken from the text itself, so that only its form is checked; what must be absent is empty."""
    tokens = tuple(words(text))
    result: dict[str, tuple[str, ...]] = dict.fromkeys(needed_params(code), NOWHERE)
    for operation in walk(code):
        match operation:
            case Param() if operation.op != "none_param":
                result[operation.key] = tokens or NOWHERE
            case ParamCount() | StartsParam():
                result[operation.key] = tokens or NOWHERE
            case ParamsInside() if result[operation.key] == NOWHERE:
                result[operation.key] = _inside(operation.span, text) or NOWHERE
            case _:
                pass
    named = {key: roster for key in _name_keys(code) if result[key] == NOWHERE}
    return {**result, **named}


def _name_keys(code: Check) -> frozenset[str]:
    return frozenset(key for operation in walk(code) for key in getattr(operation, "keys", ()))


def _inside(span: str, text: str) -> tuple[str, ...]:
    flags = regex.IGNORECASE | regex.MULTILINE
    matches = list(regex.finditer(span, text, flags))
    inside = [word for match in matches for word in words(match.group(match.re.groups and 1))]
    outside = set(words(regex.sub(span, " ", text, flags=flags)))
    return tuple(word for word in inside if word not in outside)
