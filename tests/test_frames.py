"""From a frame to its scenarios."""

import pytest

from losona.frames import SHIPPED_FRAMES, fillings, variants
from losona.schema.frame import Frame
from losona.schema.scenario import Scenario

LETTERS = {"a": "a", "b": "b", "none": "n"}


@pytest.mark.parametrize(
    ("slots", "variant", "a", "b"),
    [
        (3, "demos", "aaa", "bbb"),
        (3, "nodemos", "nnn", "nnn"),
        (3, "dose1", "nna", "nnb"),
        (3, "dose2", "naa", "nbb"),
        (3, "mixed", "aba", "bab"),
        (3, "shift", "baa", "abb"),
        (3, "off", "aaa", "bbb"),
        (3, "offnodemos", "nnn", "nnn"),
        (2, "shift", "ba", "ab"),
        (4, "shift", "bbaa", "aabb"),
        (4, "mixed", "abaa", "babb"),
        (4, "dose3", "naaa", "nbbb"),
    ],
)
def test_fillings_of_each_variant(slots: int, variant: str, a: str, b: str) -> None:
    assert "".join(LETTERS[f] for f in fillings(variant, "a", slots)) == a
    assert "".join(LETTERS[f] for f in fillings(variant, "b", slots)) == b


def test_two_slots_have_no_mixed() -> None:
    assert variants(2) == ("demos", "nodemos", "dose1", "shift", "off", "offnodemos")


def test_three_slots_give_16_scenarios_on_14_transcripts(shipped_scenarios: list[Scenario]) -> None:
    one = [s for s in shipped_scenarios if s.frame == "core.standup.wash_buffer"]
    assert len(one) == 16
    assert len({s.transcript_id for s in one}) == 14


def test_arms_share_the_control(shipped_scenarios: list[Scenario]) -> None:
    by_id = {s.scenario_id: s for s in shipped_scenarios}
    for variant in ("nodemos", "offnodemos"):
        a, b = (by_id[f"core.standup.wash_buffer/{arm}/{variant}"] for arm in "ab")
        assert a.transcript_id == b.transcript_id
        assert a.evaluation.norm != b.evaluation.norm


def test_marks_stand_on_the_demonstrations(shipped_frames: list[Frame], shipped_scenarios: list[Scenario]) -> None:
    texts = {
        frame.frame: {arm: [t.text for slot in frame.slots for t in getattr(slot, arm) if t.demo] for arm in "ab"}
        for frame in shipped_frames
    }
    for scenario in shipped_scenarios:
        turns, evaluation = scenario.visible.transcript, scenario.evaluation
        other = "b" if scenario.arm == "a" else "a"
        marked = [turns[i].text for i in evaluation.demos or ()]
        against = [turns[i].text for i in evaluation.other_demos]
        assert set(marked) <= set(texts[scenario.frame or ""][scenario.arm or ""])
        assert set(against) <= set(texts[scenario.frame or ""][other])
        if scenario.variant in ("demos", "off"):
            assert marked == texts[scenario.frame or ""][scenario.arm or ""]
        if scenario.variant.endswith("nodemos"):
            assert not marked
            assert not against


def test_off_variants_are_out_of_scope_and_end_with_the_off_elicitor(
    shipped_frames: list[Frame], shipped_scenarios: list[Scenario]
) -> None:
    off = {frame.frame: frame.off_elicitor.text for frame in shipped_frames}
    for scenario in shipped_scenarios:
        is_off = scenario.variant in ("off", "offnodemos")
        assert (scenario.evaluation.expectation == "out_of_scope") == is_off
        assert (scenario.visible.elicitor.text == off[scenario.frame or ""]) == is_off


def test_ids_are_unique(shipped_scenarios: list[Scenario]) -> None:
    assert len({s.scenario_id for s in shipped_scenarios}) == len(shipped_scenarios)


def test_content_carries_its_canary() -> None:
    content = SHIPPED_FRAMES.parent
    for path in (*SHIPPED_FRAMES.glob("*.yaml"), *content.glob("packs/*/*.yaml"), *content.glob("packs/*/*/*.yaml")):
        assert "losona canary 5b0a8f6e-2d0b-4f0e-9b1c-" in path.read_text(), path.name


def test_the_starter_set_is_as_large_as_promised(shipped_frames: list[Frame], taxonomy) -> None:
    modes = [taxonomy.norm(frame.norm(arm)).check.mode for frame in shipped_frames for arm in ("a", "b")]
    assert len(shipped_frames) >= 20
    assert sum(frame.pack == "core" for frame in shipped_frames) >= 10
    assert modes.count("exact") >= 14
    assert sum("Hard:" in frame.notes for frame in shipped_frames) >= 6
