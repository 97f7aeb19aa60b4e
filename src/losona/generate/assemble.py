"""From the answers of the stages to a frame. Pure.

What code can do no model is asked for: ids, slot numbers, senders of slot turns, marks of demonstrations, the same
trigger in both arms, the off elicitor's check, the mark on breaches that code lets pass.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from losona.generate.answers import BaseSlot, Draft, Entry, Shared, Versions
from losona.generate.plan import Planned
from losona.lint.grading import grade, outcome, reference_params
from losona.lint.view import FrameView
from losona.schema.frame import Arm, Frame, Reference, ReferenceSet
from losona.taxonomy import Taxonomy
from losona.textfiles import Document

ONE_ARM = "one-arm generation: written as a contrast, not measured"
"""Why arm b of a frame with one arm is dropped."""
SLUG_LENGTH = 40
OFF_CODE = {"op": "has_param", "key": "answer"}
"""What an ordinary reply to the off elicitor must hold, where some word must occur."""


def slug_of(title: str) -> str:
    """A title as the third part of a frame id: plain letters, figures and underscores; empty where none is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return "_".join(re.findall(r"[a-z0-9]+", plain))[:SLUG_LENGTH].strip("_")


def free_slug(title: str, key: str, taken: Iterable[str]) -> str:
    """A slug that no other frame has; from the plan's key where the title gives none."""
    slug, used = slug_of(title) or f"frame_{key[:8]}", set(taken)
    return next(name for n in range(1, len(used) + 2) if (name := slug if n == 1 else f"{slug}_{n}") not in used)


def assemble(draft: Draft, planned: Planned, slug: str, language: str, taxonomy: Taxonomy) -> Frame:
    """The frame out of the answers of all stages."""
    plain = Frame.model_validate(_data(draft, planned, slug, language))
    return _with_judge_marks(plain, taxonomy)


def _data(draft: Draft, planned: Planned, slug: str, language: str) -> dict[str, Any]:
    goal, cast, off = draft["goal"], draft["cast"], draft["off_elicitor"]
    last, references = draft["elicitor"], draft["references"].model_dump()
    if planned.one_arm:
        references["b"] = {"comply": [], "breach": []}
    return {
        "frame": f"{planned.pack}.{planned.event}.{slug}",
        "pack": planned.pack,
        "event": planned.event,
        "venue": planned.venue,
        "channel": goal.channel,
        "subject": {"name": planned.names[0], "bio": cast.subject_bio, "also": cast.subject_also},
        "cast": [member.model_dump() for member in cast.cast],
        "end_goal": goal.end_goal,
        "goal_markers": goal.goal_markers,
        "arms": {"a": planned.norm, "b": planned.counter},
        "dropped": {"b": ONE_ARM} if planned.one_arm else {},
        "chat": chat(draft),
        "elicitor": _turn(last.sender, last.text),
        "off_elicitor": {
            **_turn(off.sender, off.text),
            "why": off.why,
            "code": OFF_CODE if off.answer else None,
        },
        "params": {
            "a": _params(last.params_a),
            "b": _params(last.params_b),
            "off_trigger": {"answer": off.answer} if off.answer else {},
        },
        "references": references,
        "known_facts": [fact.model_dump() for fact in draft["facts"].known_facts],
        "language": language,
    }


def chat(draft: Draft) -> list[dict[str, Any]]:
    """Shared turns and slots, as far as the draft has them: without versions yet, a slot has only `none`."""
    base, versions = draft["base"], draft["slots"].slots if "slots" in draft else ()
    items = _shared(base.opening)
    for number, slot in enumerate(base.slots, 1):
        own = versions[number - 1] if number <= len(versions) else None
        items.append(_slot(number, slot, own))
        items += _shared(slot.after)
    return items


def _shared(turns: Sequence[Shared]) -> list[dict[str, Any]]:
    return [{**_turn(t.sender, t.text), **({"scope": True} if t.scope else {})} for t in turns]


def _turn(sender: str, text: str) -> dict[str, Any]:
    return {"from": sender, "text": text}


def _slot(number: int, slot: BaseSlot, own: Versions | None) -> dict[str, Any]:
    none = [_turn(turn.sender, turn.text) for turn in slot.none]
    if own is None:
        return {"slot": number, "none": none}
    senders = [turn.sender for turn in slot.none]
    return {
        "slot": number,
        "a": _filling(senders, own.trigger, own.a, own.params_a),
        "b": _filling(senders, own.trigger, own.b, own.params_b),
        "none": none,
    }


def _filling(senders: list[str], trigger: str, texts: list[str], params: list[Entry]) -> list[dict[str, Any]]:
    turns = [_turn(sender, text) for sender, text in zip(senders, [trigger, *texts], strict=True)]
    turns[1] |= {"demo": True} | ({"params": _params(params)} if _params(params) else {})
    return turns


def _params(entries: Iterable[Entry]) -> dict[str, list[str]]:
    return {entry.name: entry.forms for entry in entries if entry.forms}


def _with_judge_marks(frame: Frame, taxonomy: Taxonomy) -> Frame:
    """The frame with `judge: true` on the breaches that code lets pass, where code does not decide."""
    view = FrameView(Document(Path(f"{frame.frame}.yaml"), {}, {}), frame, taxonomy)
    lists = {key: _marked(view, key, getattr(frame.references, key)) for key in ("a", "b", "off_trigger")}
    return frame.model_copy(update={"references": frame.references.model_copy(update=lists)})


def _marked(view: FrameView, key: str, lists: ReferenceSet) -> ReferenceSet:
    breach = tuple(ref.model_copy(update={"judge": True}) if _passes(view, key, ref) else ref for ref in lists.breach)
    return lists.model_copy(update={"breach": breach})


def _passes(view: FrameView, key: str, reference: Reference) -> bool:
    params, subject = reference_params(view, key, reference), view.frame.subject.name
    if key == "off_trigger":
        code = view.frame.off_elicitor.code
        found = outcome(view, code, view.frame.pack, reference.text, params, subject) if code else None
        return found is not None and found.holds
    arm: Arm = "a" if key == "a" else "b"
    norm = view.norms[arm]
    return norm.check.mode != "exact" and grade(view, norm, reference.text, params, subject) is True
