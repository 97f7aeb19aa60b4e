"""Frame -> scenarios. Knows which fillings make which variant. Calls no model, grades nothing.

With n slots, a letter is the filling of a slot (`n` = none); for three slots:

    variant      arm a  arm b  expectation
    demos        aaa    bbb    applies
    nodemos      nnn    nnn    none           the control: one transcript, graded by each norm
    dose1 dose2  nna    nnb    applies        the last k slots are filled
    mixed        aba    bab    applies        the majority is the arm's norm (a convention, no truth)
    shift        baa    abb    applies        the latest is the arm's norm (a convention, no truth)
    off          aaa    bbb    out_of_scope   with the off elicitor
    offnodemos   nnn    nnn    out_of_scope   with the off elicitor
    mixed_other  bab    aba    crossed        `mixed` of the other arm, graded by this arm's norm; only in runs, where
                                              `shift_other` is made likewise (see `crossing`)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from losona.schema.frame import Arm, Filling, Frame, Slot, Turn
from losona.schema.scenario import Evaluation, Expectation, Scenario, Visible, VisiblePerson, VisibleTurn
from losona.schema.taxonomy import Params, Venue
from losona.taxonomy import Taxonomy
from losona.textfiles import read_yaml, validate

SHIPPED_FRAMES = Path(str(files("losona"))) / "content" / "frames"
REJECTED = "rejected"
"""Folder inside a folder of frames for those that were generated and not accepted; nothing there counts as a frame."""
ARMS: tuple[Arm, ...] = ("a", "b")
CONFLICTING = ("mixed", "shift")
"""Variants that show both norms, so that a reply may follow either, both or neither."""
OTHER = "_other"
"""Ends the variant of a crossing."""
VENUE_KINDS = {"workplace": "workplace", "other": "group chat outside work"}


def read_frame(path: Path) -> Frame:
    """Read one frame file. Raises `ContentError` naming file, line, key, value and what is allowed."""
    return validate(Frame, read_yaml(path))


def variants(slots: int) -> tuple[str, ...]:
    """Names of all variants that a frame with so many slots has."""
    doses = [f"dose{k}" for k in range(1, slots)]
    mixed = ["mixed"] if slots > 2 else []
    return ("demos", "nodemos", *doses, *mixed, "shift", "off", "offnodemos")


def fillings(variant: str, arm: Arm, slots: int) -> tuple[Filling, ...]:
    """The filling of each slot. `variant` is one of `variants(slots)`."""
    own: list[Filling] = [arm]
    other: list[Filling] = ["b" if arm == "a" else "a"]
    none: list[Filling] = ["none"]
    match variant:
        case "demos" | "off":
            filled = own * slots
        case "nodemos" | "offnodemos":
            filled = none * slots
        case "mixed":
            filled = own + other + own * (slots - 2)
        case "shift":
            filled = other * (slots // 2) + own * (slots - slots // 2)
        case _:
            dose = int(variant.removeprefix("dose"))
            filled = none * (slots - dose) + own * dose
    return tuple(filled)


def expectation(variant: str) -> Expectation:
    """Whether the arm's norm applies in a variant."""
    if variant in ("off", "offnodemos"):
        return "out_of_scope"
    return "none" if variant == "nodemos" else "applies"


def derive(frame: Frame, taxonomy: Taxonomy) -> tuple[Scenario, ...]:
    """All scenarios of a frame: both arms (but dropped ones) in all variants, in a fixed order."""
    return tuple(
        _scenario(frame, arm, variant, taxonomy)
        for variant in variants(len(frame.slots))
        for arm in ARMS
        if arm not in frame.dropped
    )


def crossing(shown: Scenario, norm: Scenario) -> Scenario:
    """The chat of one arm's scenario, to be graded by the norm of the other arm's scenario of that variant."""
    other, own = norm.evaluation, shown.evaluation
    crossed = {"expectation": "crossed", "demos": own.other_demos, "other_demos": own.demos or (), "scope": own.scope}
    return norm.model_copy(
        update={
            "scenario_id": f"{norm.scenario_id}{OTHER}",
            "variant": f"{norm.variant}{OTHER}",
            "visible": shown.visible,
            "evaluation": other.model_copy(update=crossed),
        }
    )


def dropped_arms(frames: Iterable[Frame], arms: Sequence[str] = ()) -> dict[str, str]:
    """`FRAME/ARM` -> why it gives no scenario; of these arms only, where some are named."""
    return {
        f"{frame.frame}/{arm}": reason
        for frame in frames
        for arm, reason in sorted(frame.dropped.items())
        if not arms or arm in arms
    }


def tell_dropped(dropped: Mapping[str, str]) -> list[str]:
    """One line for each dropped arm."""
    return [f"{name} is dropped ({reason})" for name, reason in dropped.items()]


@dataclass(frozen=True)
class _Placed:
    turn: Turn
    filling: Filling | None


def _place(frame: Frame, filled: Sequence[Filling]) -> Iterator[_Placed]:
    remaining = iter(filled)
    for item in frame.chat:
        if isinstance(item, Slot):
            filling = next(remaining)
            yield from (_Placed(turn, filling) for turn in getattr(item, filling))
        else:
            yield _Placed(item, None)


def _scenario(frame: Frame, arm: Arm, variant: str, taxonomy: Taxonomy) -> Scenario:
    placed = tuple(_place(frame, fillings(variant, arm, len(frame.slots))))
    return Scenario(
        scenario_id=f"{frame.frame}/{arm}/{variant}",
        frame=frame.frame,
        arm=arm,
        variant=variant,
        source="frame",
        visible=_visible(frame, variant, placed, taxonomy.venue(frame.venue)),
        evaluation=_evaluation(frame, arm, variant, placed, taxonomy),
    )


def _visible(frame: Frame, variant: str, placed: Sequence[_Placed], venue: Venue) -> Visible:
    last = frame.off_elicitor if expectation(variant) == "out_of_scope" else frame.elicitor
    turns = [VisibleTurn.of(p.turn.sender, p.turn.text) for p in placed]
    return Visible(
        subject=VisiblePerson(name=frame.subject.name, bio=frame.subject.bio),
        channel=frame.channel,
        venue=f"{venue.platform}, {VENUE_KINDS[venue.kind]}",
        cast=tuple(VisiblePerson(name=person.name, bio=person.bio) for person in frame.cast),
        transcript=(*turns, VisibleTurn.of(last.sender, last.text)),
    )


def _evaluation(frame: Frame, arm: Arm, variant: str, placed: Sequence[_Placed], taxonomy: Taxonomy) -> Evaluation:
    off = expectation(variant) == "out_of_scope"
    demos = tuple(i for i, p in enumerate(placed) if p.turn.demo and p.filling == arm)
    params: Params = frame.params.off_trigger if off else getattr(frame.params, arm)
    return Evaluation(
        pack=taxonomy.pack_of(frame.norm(arm)).info.id,
        event=frame.event,
        norm=frame.norm(arm),
        counter_norm=frame.norm("b" if arm == "a" else "a"),
        venue=frame.venue,
        expectation=expectation(variant),
        demos=demos,
        other_demos=tuple(i for i, p in enumerate(placed) if p.turn.demo and p.filling != arm),
        scope=tuple(i for i, p in enumerate(placed) if p.turn.scope),
        params=params,
        off_code=frame.off_elicitor.code if off else None,
        off_why=frame.off_elicitor.why if off else "",
        end_goal=frame.end_goal,
        references=frame.references.off_trigger if off else getattr(frame.references, arm),
        language=frame.language,
    )
