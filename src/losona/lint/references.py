"""Rules on parameters and on references, the replies of known label (F35 to F43).

Grades by code only; whether a judge would agree is not known here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from losona.lint.finding import Fault
from losona.lint.grading import context, form_params, grade, off_code_error, outcome, reference_params
from losona.lint.view import FrameView
from losona.lint.wording import near_pairs, plain, same_words, words
from losona.numbers import some
from losona.schema.check import Check, Param, needed_params, walk
from losona.schema.frame import Arm, Reference, ReferenceSet
from losona.schema.taxonomy import Norm, Params
from losona.textfiles import Place
from losona.verifiers import validity

ARMS: tuple[Arm, ...] = ("a", "b")
LEAST, LEAST_PLAIN, LEAST_FORMS = 3, 2, 3
"""Least number of references of a label, of plain ones among them, of forms of an answer."""
ANSWER = "answer"
"""The parameter whose entries are forms of one answer; others list names, terms or options."""
COMPARED_WORDS, TURN_WORDS = 4, 3
"""Words from which two references are compared, and a reference with the chat."""
KINDS = {
    ("arm", "comply"): ("plain", "borderline"),
    ("arm", "breach"): ("generic", "counter", "near_miss", "other"),
    ("off_trigger", "comply"): ("plain", "borderline", "generic"),
    ("off_trigger", "breach"): ("misapplied_a", "misapplied_b", "near_miss", "other"),
}
"""Kinds that a list of references may hold."""
NEEDED = {("arm", "breach"): ("generic", "near_miss"), ("off_trigger", "breach"): ("misapplied_a", "misapplied_b")}
"""Kinds that it must hold."""


@dataclass(frozen=True)
class Graded:
    """A reference, where it stands."""

    reference: Reference
    """The reference."""
    key: str
    """`a`, `b` or `off_trigger`."""
    label: str
    """`comply` or `breach`."""
    index: int
    """From 0 in its list."""

    @property
    def place(self) -> Place:
        """Place in the document."""
        return ("references", self.key, self.label, self.index)

    @property
    def shown(self) -> str:
        """As a finding names it."""
        return f"{self.key} {self.label} {self.reference.text!r}"


def references(view: FrameView, label: str | None = None) -> Iterator[Graded]:
    """All references, or those of one label."""
    for key in (*ARMS, "off_trigger"):
        lists: ReferenceSet = getattr(view.frame.references, key)
        for name in ("comply", "breach"):
            if label in (None, name):
                items: tuple[Reference, ...] = getattr(lists, name)
                yield from (Graded(item, key, name, i) for i, item in enumerate(items))


def _check_of(view: FrameView, key: str) -> tuple[Check, str] | None:
    """The check of an arm or of the off elicitor, with the pack whose lexicons it uses."""
    if key == "off_trigger":
        code = view.frame.off_elicitor.code
        return (code, view.frame.pack) if code is not None and view.pack is not None else None
    norm = view.norms.get("a" if key == "a" else "b")
    if norm is None or norm.check.code is None:
        return None
    return norm.check.code, view.taxonomy.pack_of(norm.id).info.id


def _passes(view: FrameView, item: Graded) -> tuple[bool, str] | None:
    """Whether a reference passes the code of its list and at which node it fails; none where no code tells."""
    check = _check_of(view, item.key)
    if check is None:
        return None
    params = reference_params(view, item.key, item.reference)
    found = outcome(view, *check, item.reference.text, params, view.frame.subject.name)
    return None if found is None else (found.holds, str(found.node))


def parameters(view: FrameView) -> Iterator[Fault]:
    """F35: parameters that the checks need are there (error); none is unused, answers have three forms (warning)."""
    for key in _graded_lists(view):
        given: Params = getattr(view.frame.params, key)
        for name in sorted(_needed(view, key)):
            if not any(entry.strip() for entry in given.get(name, ())):
                allowed = f"entries for {name!r}, which the check needs"
                yield Fault(("params", key), f"params.{key} lacks {name!r}", allowed)
        check = _check_of(view, key)
        yield from _answer_forms(key, given, check[0] if check else None)
    if why := off_code_error(view):
        yield Fault(("off_elicitor", "code"), why, "a check that can be applied")
    yield from _idle_parameters(view)


def _graded_lists(view: FrameView) -> tuple[str, ...]:
    """The lists of references that are graded by: a dropped arm needs none, and no parameters."""
    return tuple(key for key in (*ARMS, "off_trigger") if key not in view.frame.dropped)


def _needed(view: FrameView, key: str) -> frozenset[str]:
    check = _check_of(view, key)
    norm = view.norms.get("a" if key == "a" else "b") if key != "off_trigger" else None
    return needed_params(check[0] if check else None) | frozenset(norm.check.params if norm else ())


def _idle_parameters(view: FrameView) -> Iterator[Fault]:
    """Parameters that no check uses: of the frame, of a turn, of a reference. Mostly they are misspelt."""
    if len(view.norms) < len(ARMS):
        return
    needed = {key: _needed(view, key) for key in (*ARMS, "off_trigger")}
    given: list[tuple[Place, Params, frozenset[str]]] = [
        (("params", key), getattr(view.frame.params, key), needed[key]) for key in needed
    ]
    for spot in view.spots:
        arm = spot.filling if spot.turn.demo and spot.filling else ""
        given.append(((*spot.place, "params"), spot.turn.params, needed.get(arm, frozenset())))
    for item in references(view):
        used = needed[item.key] if item.key in ARMS else frozenset[str]().union(*needed.values())
        given.append(((*item.place, "params"), item.reference.params, used))
    for place, params, used in given:
        for name in sorted(set(params) - used):
            found = f"the parameter {name!r} is used by no check here"
            yield Fault((*place, name), found, f"only: {', '.join(sorted(used)) or 'none'}", warn=True)


def _answer_forms(key: str, given: Params, code: Check | None) -> Iterator[Fault]:
    wanted = {operation.key for operation in (walk(code) if code else ()) if isinstance(operation, Param)}
    for name in sorted(wanted & {ANSWER} & set(given)):
        forms = sum(len(entry.split("|")) for entry in given[name])
        if 0 < forms < LEAST_FORMS:
            allowed = f"at least {LEAST_FORMS}, so that no true answer is lost"
            yield Fault(("params", key, name), f"params.{key}.{name} has {some(forms, 'form')}", allowed, warn=True)


def reference_lists(view: FrameView) -> Iterator[Fault]:
    """F36: enough references of the right kinds, and no generic reply that complies."""
    for key in _graded_lists(view):
        lists: ReferenceSet = getattr(view.frame.references, key)
        for label, items in (("comply", lists.comply), ("breach", lists.breach)):
            yield from _list_faults(key, label, items)
    generic = [item for item in references(view, "breach") if item.reference.kind == "generic"]
    for item in generic:
        for arm, norm in view.measured.items():
            if complies(view, item.reference.text, arm, norm):
                allowed = "a generic reply that meets neither norm"
                yield Fault(item.place, f"{item.shown} complies with {norm.id}", allowed)


def _list_faults(key: str, label: str, items: tuple[Reference, ...]) -> Iterator[Fault]:
    place: Place = ("references", key, label)
    group = (key if key == "off_trigger" else "arm", label)
    kinds = [item.kind for item in items]
    if len(items) < LEAST:
        yield Fault(place, f"{some(len(items), 'reference')} in {key} {label}", f"at least {LEAST}")
    for i, kind in enumerate(kinds):
        if kind not in KINDS[group]:
            yield Fault((*place, i), f"kind {kind} in {key} {label}", f"one of: {', '.join(KINDS[group])}")
    if label == "comply" and kinds.count("plain") < LEAST_PLAIN:
        yield Fault(place, f"{some(kinds.count('plain'), 'plain reference')} in {key}", f"at least {LEAST_PLAIN}")
    for kind in NEEDED.get(group, ()):
        if kind not in kinds:
            yield Fault(place, f"no {kind} reference in {key} {label}", f"at least one {kind}")


def complies(view: FrameView, text: str, arm: Arm, norm: Norm) -> bool:
    """Whether a reply is known to comply: an exact norm's code says so, or it is listed as complying."""
    lists: ReferenceSet = getattr(view.frame.references, arm)
    if any(same_words(text, item.text) for item in lists.comply):
        return True
    params: Params = getattr(view.frame.params, arm)
    return norm.check.mode == "exact" and grade(view, norm, text, params, view.frame.subject.name) is True


def valid_replies(view: FrameView) -> Iterator[Fault]:
    """F37: every reference is a valid reply, and no arm holds one twice; punctuation and case tell two apart."""
    seen: dict[tuple[str, str], Graded] = {}
    for item in references(view):
        params = reference_params(view, item.key, item.reference)
        where = context(view, params, view.frame.subject.name)
        checked = validity(item.reference.text, where, view.frame.language)
        if not checked.valid or "others_cut" in checked.flags:
            yield Fault(item.place, f"{item.shown} is no valid reply", "one message of the subject, in character")
        text = (item.key, " ".join(item.reference.text.split()))
        if text in seen:
            yield Fault(item.place, f"{item.shown} stands twice", f"another text than in {seen[text].label}")
        seen[text] = item


def comply_passes(view: FrameView) -> Iterator[Fault]:
    """F38: every complying reference passes the code."""
    for item in references(view, "comply"):
        passed = _passes(view, item)
        if passed and not passed[0]:
            found = f"{item.shown} fails at {passed[1]}"
            yield Fault(item.place, found, "a reply that passes", warn=_advisory(view, item.key))


def _advisory(view: FrameView, key: str) -> bool:
    norm = view.norms.get("a" if key == "a" else "b") if key != "off_trigger" else None
    return norm is not None and norm.check.code_role == "advisory"


def breach_fails(view: FrameView) -> Iterator[Fault]:
    """F39: every breach fails the code, or is marked `judge: true` and passes it; exact norms have no such mark."""
    for item in references(view, "breach"):
        marked, passed = item.reference.judge, _passes(view, item)
        if marked and _exact(view, item.key):
            yield Fault(item.place, f"{item.shown} is marked judge: true", "no mark: code decides this norm")
        elif passed and passed[0] and not marked:
            allowed = "a reply that fails" if _exact(view, item.key) else "a reply that fails, or judge: true"
            yield Fault(item.place, f"{item.shown} passes the code", allowed)
        elif passed and marked and not passed[0] and not _advisory(view, item.key):
            found = f"{item.shown} is marked judge: true but fails at {passed[1]}"
            yield Fault(item.place, found, "no mark, since code can tell")


def stale_marks(view: FrameView) -> Iterator[Graded]:
    """Breaches marked `judge: true` that code fails: the mark says nothing, and F39 finds it."""
    for item in references(view, "breach"):
        passed = _passes(view, item)
        if item.reference.judge and passed and not passed[0] and not _advisory(view, item.key):
            yield item


def _exact(view: FrameView, key: str) -> bool:
    norm = view.norms.get("a" if key == "a" else "b") if key != "off_trigger" else None
    return norm is not None and norm.check.mode == "exact"


def arms_apart(view: FrameView) -> Iterator[Fault]:
    """F40: complying references of one arm fail the other arm's exact code."""
    for item in references(view, "comply"):
        for arm, norm in view.measured.items():
            if item.key not in (arm, "off_trigger") and norm.check.mode == "exact":
                params: Params = getattr(view.frame.params, arm)
                if grade(view, norm, item.reference.text, params, view.frame.subject.name) is True:
                    yield Fault(item.place, f"{item.shown} passes {norm.id} too", "a reply that fails the other norm")


def misapplications(view: FrameView) -> Iterator[Fault]:
    """F41: a reply that misapplies a norm passes its code, or else it is no application."""
    for item in references(view, "breach"):
        for arm, norm in view.norms.items():
            if item.reference.kind == f"misapplied_{arm}" and _misapplies(view, item.reference, arm, norm) is False:
                allowed, advisory = f"a reply that passes the code of {norm.id}", norm.check.code_role == "advisory"
                yield Fault(item.place, f"{item.shown} fails {norm.id}", allowed, warn=advisory)


def _misapplies(view: FrameView, reference: Reference, arm: Arm, norm: Norm) -> bool | None:
    """By the parameters of the arm, or by the form alone, since the off elicitor asks something else."""
    code = norm.check.code
    if code is None:
        return None
    formal = form_params(code, reference.text, view.roster)
    frame_params: Params = getattr(view.frame.params, arm)
    bases = (formal, {**formal, **frame_params})
    grades = [
        grade(view, norm, reference.text, {**base, **reference.params}, view.frame.subject.name) for base in bases
    ]
    return None if None in grades else True in grades


def near_copies(view: FrameView) -> Iterator[Fault]:
    """F42: complying references are not near-copies of each other."""
    for key in (*ARMS, "off_trigger"):
        lists: ReferenceSet = getattr(view.frame.references, key)
        for i, j in near_pairs([item.text for item in lists.comply], COMPARED_WORDS):
            found = f"{lists.comply[j].text!r} is nearly {lists.comply[i].text!r}"
            yield Fault(("references", key, "comply", j), found, "replies in different words")


def not_in_chat(view: FrameView) -> Iterator[Fault]:
    """F43: no reference repeats a turn of the chat."""
    turns = {_bare(spot.turn.text) for spot in view.spots}
    for item in references(view):
        if len(words(item.reference.text)) >= TURN_WORDS and _bare(item.reference.text) in turns:
            yield Fault(item.place, f"{item.shown} is a turn of the chat", "a reply of its own")


def _bare(text: str) -> str:
    """Without case and final punctuation; a quotation mark `>` in front still makes it a quotation."""
    return plain(text).rstrip(" .!?…")


CHECKS = {
    "F35": parameters,
    "F36": reference_lists,
    "F37": valid_replies,
    "F38": comply_passes,
    "F39": breach_fails,
    "F40": arms_apart,
    "F41": misapplications,
    "F42": near_copies,
    "F43": not_in_chat,
}
"""Rule -> check."""
