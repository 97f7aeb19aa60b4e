"""What a set repeats is named: copies, near-copies, names, places, openings, venues, platforms."""

import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from losona.frames import SHIPPED_FRAMES, derive
from losona.lint import lint_paths
from losona.lint.frameset import NEAR_DUPLICATE
from losona.lint.near import EXACT_UP_TO, candidates, common_counts, jaccard, near_duplicates
from losona.lint.wording import runs
from losona.schema.frame import Frame as FrameModel
from losona.taxonomy import load_taxonomy
from losona.textfiles import parse_yaml
from test_lint import BASE, BASE_TEXT, Frame, base, level, lint, turns


def renamed(slug: str, event: str = "factual_question") -> Frame:
    """A frame that shares nothing but its norms with the base frame."""
    text = BASE_TEXT
    for name in ("Ilmari", "Bettina", "Osei", "Rukmini", "Jovan"):
        text = text.replace(name, name[::-1].capitalize() + slug[:2])
    frame = parse_yaml(text, BASE).data
    level(frame)
    for turn in turns(frame):
        turn["text"] = turn["text"].replace("w", slug[:3])
    frame["off_elicitor"]["text"] = f"{frame['subject']['name']}, no {slug}?"
    frame["elicitor"]["text"] = f"{frame['subject']['name']}, {slug}?"
    return frame | {"event": event, "frame": f"extended.{event}.{slug}"}


def set_rules(frames: list[Frame], folder: Path) -> set[str]:
    return {f"{f.rule} {f.severity}" for f in lint(frames, folder) if f.rule.startswith("S")}


def several(count: int) -> list[Frame]:
    """Frames that have nothing in common but their event and norms."""
    return [renamed(f"{chr(97 + i % 26) * 2}{i}_set", "status_check") for i in range(count)]


def findings_of(rule: str, frames: list[Frame], folder: Path) -> list[str]:
    return [finding.found for finding in lint(frames, folder) if finding.rule == rule]


def test_a_set_of_different_frames_is_good(tmp_path: Path) -> None:
    assert set_rules([base(), renamed("oven_two", "status_check")], tmp_path) == set()


def test_a_set_knows_repeated_ids_elicitors_talk_and_pairs(tmp_path: Path) -> None:
    assert set_rules([base(), base()], tmp_path) == {
        "S01 error",
        "S03 error",
        "S04 warning",
        "S05 warning",
        "S07 error",
    }


def test_a_set_knows_a_name_in_three_frames(tmp_path: Path) -> None:
    frames = [base(), renamed("oven_two", "status_check"), renamed("pond_row", "missing_item")]
    frames[1]["cast"][0]["name"] = frames[2]["cast"][0]["name"] = "Bettina"
    assert set_rules(frames, tmp_path) == {"S02 warning"}


def test_a_large_set_knows_a_frequent_venue(tmp_path: Path) -> None:
    slugs = ["ash", "bay", "cot", "dew", "elm", "fir", "gum", "hay"]
    frames = [renamed(f"{slug}_set", "status_check") for slug in slugs]
    assert "S06 warning" in set_rules(frames, tmp_path)
    assert "S06 warning" not in {f"{f.rule} {f.severity}" for f in lint_paths([tmp_path / "0"], load_taxonomy())}


def test_a_copy_with_new_names_is_a_near_duplicate(tmp_path: Path) -> None:
    text = BASE_TEXT
    for i, name in enumerate(("Ilmari", "Bettina", "Osei", "Rukmini", "Jovan")):
        text = text.replace(name, f"Member{i}x")
    copy = parse_yaml(text, BASE).data | {"frame": "extended.factual_question.other"}
    (found,) = findings_of("S07", [base(), copy], tmp_path)
    assert found == "nearly extended.factual_question.yard_film: Jaccard 1.00 of their five-word runs"


def test_a_name_may_come_again_once_in_twenty_chats(tmp_path: Path) -> None:
    frames = several(60)
    for frame in frames[:3]:
        frame["cast"][0]["name"] = "Bettina"
    assert findings_of("S02", frames, tmp_path) == []
    frames[3]["cast"][0]["name"] = "Bettina"
    (tmp_path / "more").mkdir()
    (found,) = findings_of("S02", frames, tmp_path / "more")
    assert found.startswith("the name 'bettina' in 4 chats, also in extended.status_check.aa0_set, ")


@pytest.mark.parametrize(
    ("wording", "place"), [("we meet in Varnsea on friday", "varnsea"), ("we meet in LONDON", "london")]
)
def test_a_place_in_three_chats_is_told(wording: str, place: str, tmp_path: Path) -> None:
    frames = several(3)
    for i, frame in enumerate(frames):
        frame["chat"][1]["text"] = f"{'xyz'[i]} {wording}"
    assert [found.split(" in 3")[0] for found in findings_of("S08", frames, tmp_path)] == [f"the place {place!r}"]


def test_days_and_members_are_no_places(tmp_path: Path) -> None:
    frames = several(3)
    for frame in frames:
        frame["chat"][1]["text"] = f"ask at Monday, or send it to {frame['cast'][0]['name']}"
    assert findings_of("S08", frames, tmp_path) == []


def test_chats_that_begin_or_end_alike_are_told(tmp_path: Path) -> None:
    frames = several(3)
    for i, frame in enumerate(frames):
        frame["chat"][0]["text"] = f"Good evening {i}"
        frame["elicitor"]["text"] = f"{frame['subject']['name']}, how about the w{i}?"
    assert [found.split(" in 3")[0] for found in findings_of("S09", frames, tmp_path)] == [
        "the first words 'good evening'", "the last message opens with 'how about the'",
    ]  # fmt: skip


def test_a_large_set_knows_a_frequent_platform(tmp_path: Path) -> None:
    frames = several(8)
    for i, frame in enumerate(frames):
        frame["venue"] = ["whatsapp_family", "whatsapp_flatshare", "telegram_band", "signal_allotment"][i % 4]
    assert "8 chats have the platform WhatsApp" in " ".join(findings_of("S10", frames, tmp_path))


def derived(frame: dict[str, Any]) -> list[str]:
    scenarios = derive(FrameModel.model_validate(frame), load_taxonomy())
    return [scenario.model_dump_json(by_alias=True) for scenario in scenarios]


def test_scenarios_of_one_frame_are_one_chat_of_the_set(tmp_path: Path) -> None:
    path = tmp_path / "scenarios.jsonl"
    path.write_text("\n".join(derived(base())), encoding="utf-8")
    assert lint_paths([path], load_taxonomy()) == []
    assert lint_paths([path, BASE], load_taxonomy()) == []


def test_derived_scenarios_of_a_copied_frame_are_told_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "scenarios.jsonl"
    lines = derived(base())
    copies = [line.replace(".yard_film", ".other") for line in lines]
    path.write_text("\n".join([*lines, *copies, lines[0]]), encoding="utf-8")
    found = {(f.rule, f.line) for f in lint_paths([path], load_taxonomy())}
    second = len(lines) + 1
    assert found == {(rule, second) for rule in ("S03", "S04", "S05", "S07")} | {("S01", len(lines) * 2 + 1)}


def chats(count: int, planted: int) -> list[set[tuple[str, ...]]]:
    """Chats of 20 turns of random words, of which the last ones keep 9 to 19 turns of an earlier one."""
    source = random.Random(1)

    def turn() -> str:
        return " ".join(f"w{source.randrange(900)}" for _ in range(source.randint(2, 16)))

    made = [[turn() for _ in range(20)] for _ in range(count - planted)]
    for i in range(planted):
        kept = 9 + i % 11
        made.append([*made[i][:kept], *(turn() for _ in range(20 - kept))])
    return [runs(turns, 5) for turns in made]


def test_minhash_finds_what_exact_comparison_finds() -> None:
    texts = chats(EXACT_UP_TO + 60, 40)
    likeness = {(i, j): jaccard(texts[i], texts[j]) for i, j in combinations(range(len(texts)), 2)}
    exact = {pair: value for pair, value in likeness.items() if value >= NEAR_DUPLICATE}
    assert len(exact) >= 38
    assert near_duplicates(texts, NEAR_DUPLICATE) == exact
    assert len(candidates(texts)) < len(likeness) / 10


def test_many_copies_are_all_found_without_comparing_all_pairs() -> None:
    texts = chats(2, 0)[:1] * 400
    found = near_duplicates(texts, NEAR_DUPLICATE)
    assert {j for _, j in found} == set(range(1, 400))
    assert len(found) < 1000


def test_texts_without_runs_are_like_nothing() -> None:
    assert near_duplicates([set(), set()], NEAR_DUPLICATE) == {}
    assert common_counts([{1, 2}, {2, 3}, {4}]) == {(0, 1): 1}


def test_what_a_frame_shares_with_a_shipped_one_is_told_at_the_own_frame(tmp_path: Path) -> None:
    shipped = sorted(SHIPPED_FRAMES.glob("*.yaml"))[0]
    own = tmp_path / shipped.name
    own.write_bytes(shipped.read_bytes())
    for paths in ([own, shipped], [shipped, own]):
        found = [f for f in lint_paths(paths, load_taxonomy()) if f.rule.startswith("S")]
        assert {f.rule for f in found} >= {"S01", "S03", "S05", "S07"}
        assert {f.file for f in found} == {own}
