"""The linter names the right rule for each of many deliberate defects, and is silent on good frames."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from losona.cli import cli
from losona.errors import ContentError, UserFault
from losona.frames import SHIPPED_FRAMES
from losona.lint import RULES, Finding, fix_paths, lint_paths
from losona.lint.__main__ import main
from losona.lint.lexicons import lexicons
from losona.taxonomy import Taxonomy, load_taxonomy
from losona.textfiles import parse_yaml

BASE = Path(__file__).parent / "data" / "extended.factual_question.yard_film.yaml"
BASE_TEXT = BASE.read_text(encoding="utf-8")
FILLINGS = ("a", "b", "none")
DROP = object()
Frame = dict[str, Any]
Changes = dict[str, Any]
Mutation = Callable[[Frame], None]


def base() -> Frame:
    return parse_yaml(BASE_TEXT, BASE).data


def lint(frames: list[Frame], folder: Path) -> list[Finding]:
    for i, frame in enumerate(frames):
        path = folder / str(i) / f"{frame.get('frame', 'nameless')}.yaml"
        path.parent.mkdir()
        path.write_text(json.dumps(frame, ensure_ascii=False), encoding="utf-8")
    return lint_paths([folder], load_taxonomy())


def change(frame: Frame, changes: Changes) -> None:
    """Put each value at its dotted path, or drop the part there; `s2` is the second slot of the chat."""
    slots = {f"s{item['slot']}": item for item in frame["chat"] if "slot" in item}
    for path, value in changes.items():
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        part: Any = slots.get(way[0], frame) if way else frame
        for key in way[1:] if way and way[0] in slots else way:
            part = part[key]
        if value is DROP:
            del part[last]
        elif isinstance(part, list) and last == len(part):
            part.append(value)
        else:
            part[last] = value


def each(parts: Iterable[str], path: str, value: Any) -> Changes:
    return {path.replace("*", part): value for part in parts}


def turns(frame: Frame) -> Iterator[Frame]:
    for item in frame["chat"]:
        yield from [item] if "slot" not in item else [turn for name in FILLINGS for turn in item[name]]


def lengthen(frame: Frame) -> None:
    for i, turn in enumerate(turns(frame)):
        if not turn.get("demo"):
            turn["text"] += f" plus item{i} and thing{i} amid other tidy yard stuff"


def level(frame: Frame) -> None:
    for i, turn in enumerate(turns(frame)):
        turn["text"] = " ".join(f"w{i}x{n}" for n in range(7))


# expected rule and severity, what is wrong, how, other rules that this cannot help breaking (* any)
DEFECTS: list[tuple[str, str, Changes | Mutation, str]] = [
    ("F01 error", "unknown key on a turn", {"chat.0.scop": True}, ""),
    ("F01 error", "missing key", {"end_goal": DROP}, ""),
    ("F01 error", "number where text is meant", {"chat.0.text": 12}, ""),
    ("F01 error", "text where a boolean is meant", {"s1.a.1.demo": "yes"}, ""),
    ("F01 error", "unknown kind of reference", {"references.a.comply.0.kind": "good"}, ""),
    ("F01 error", "unknown status", {"status": "wonderful"}, ""),
    ("F01 error", "known issue without a reason", {"status": "known_issue"}, ""),
    ("F01 error", "another version of the format", {"schema_version": "9"}, ""),
    ("F01 error", "no language tag", {"language": "klingon-zz-x"}, ""),
    ("F01 error", "empty turn", {"chat.1.text": " "}, ""),
    ("F01 error", "turn of two lines", {"chat.1.text": "projector is dusted\nand in a good mood"}, ""),
    ("F01 error", "unknown operation in the off elicitor's code", {"off_elicitor.code.op": "x"}, ""),
    ("F02 error", "slug is missing", {"frame": "extended.factual_question"}, ""),
    ("F02 error", "id of another event", {"frame": "extended.status_check.yard_film"}, ""),
    ("F03 error", "unknown event", {"event": "factual_questions"}, "F02"),
    ("F03 error", "unknown venue", {"venue": "telegram_stairs"}, ""),
    ("F04 error", "unknown norm", {"arms.a": "brv_yes_no"}, ""),
    ("F04 error", "one norm twice", {"arms.b": "brv_yes_no_only"}, "*"),
    ("F04 error", "two norms that are no pair", {"arms.b": "dir_single_pick"}, "*"),
    ("F05 error", "event that the norms do not fit", {"event": "venting"}, "F02 F06"),
    ("F05 error", "focal norms in an event for responders", {"arms": {"a": "prs_refuse", "b": "prs_claim_it"}}, "*"),
    ("F06 error", "venue that excludes a norm", {"arms.a": "brv_emoji_ack", "venue": "irc_seedvault"}, "*"),
    ("F06 warning", "venue that does not list the event", {"venue": "telegram_band"}, ""),
    ("F07 error", "a name inside another", {"cast.4": {"name": "Jov", "absent": True}}, ""),
    ("F08 error", "unknown speaker", {"chat.1.from": "Ossei"}, ""),
    ("F08 error", "unknown mention", {"chat.1.text": "@Ludo the projector is dusted"}, ""),
    ("F09 error", "somebody is silent", {"cast.4": {"name": "Wanda"}}, ""),
    ("F09 error", "an absent member speaks", {"cast.1.absent": True}, ""),
    ("F10 error", "the subject speaks in a slot", each(FILLINGS, "s2.*.2.from", "Ilmari"), ""),
    ("F10 error", "the subject speaks four times", each("136", "chat.*.from", "Ilmari"), ""),
    ("F11 error", "slots out of order", {"s2.slot": 3}, ""),
    ("F11 error", "one slot", {"chat.13": DROP, "chat.9": DROP}, "F26 F27 F14"),
    ("F12 error", "none is shorter", {"s1.none.2": DROP}, "F16"),
    ("F13 error", "no demonstration", {"s1.a.1.demo": DROP}, ""),
    ("F13 error", "a demonstration in none", {"s1.none.1.demo": True}, ""),
    ("F13 error", "a shared demonstration", {"chat.1.demo": True}, ""),
    ("F14 error", "one demonstrator", {"s1.a.1.from": "Osei", "s3.a.1.from": "Osei"}, "F16"),
    ("F14 error", "somebody answers themself", each(FILLINGS, "s1.*.0.from", "Jovan"), ""),
    ("F15 error", "triggers by different people", {"s1.b.0.from": "Osei"}, "F16"),
    ("F15 warning", "different triggers", {"s1.b.0.text": "Jovan, did you lock the gate to the street?"}, ""),
    ("F16 warning", "other order of speakers in none", {"s1.none.2.from": "Osei"}, ""),
    ("F17 warning", "16 words apart", {"s1.none.0.text": "buns" + " buns" * 21}, ""),
    ("F17 error", "more than 25 words apart", {"s1.none.0.text": "buns" + " buns" * 34}, ""),
    ("F18 error", "the trigger stands in none", {"s3.none.0.text": "Bettina, are the moths back at the lamp?"}, "F23"),
    ("F19 error", "two shared turns before the first slot", {"chat.1": DROP, "chat.0": DROP}, ""),
    ("F19 error", "one shared turn between slots", {"chat.11": DROP, "chat.10": DROP}, ""),
    ("F19 error", "one shared turn before the elicitor", {"chat.16": DROP, "chat.15": DROP}, ""),
    ("F20 error", "a demonstration with a second word", {"s1.a.1.text": "no, wide open"}, ""),
    ("F20 error", "a demonstration without its fact", {"s1.b.1.text": "i pass it every day"}, ""),
    ("F21 error", "none holds a demonstration", {"s1.none.1.text": "no"}, ""),
    ("F21 warning", "a shared turn passes", {"chat.12.text": "yes"}, ""),
    ("F22 error", "demonstrations throughout", each("02", "s1.a.*.demo", True) | each("02", "s2.a.*.demo", True), "*"),
    ("F23 warning", "a shorter trigger in none", {"s2.none.0.text": "Osei, does the cable reach?"}, ""),
    ("F23 warning", "a trigger among the shared turns", {"chat.10.text": "is the ladder out already?"}, ""),
    ("F24 error", "no scope turn", {"chat.7.scope": DROP, "chat.8.scope": DROP}, ""),
    ("F24 error", "scope inside a slot", {"s1.none.1.scope": True}, ""),
    ("F25 warning", "a seam", {"chat.5.text": "long bench stands by the shed, away from the buns"}, ""),
    ("F26 error", "too few turns", each(["14", "11", "8", "6", "0"], "chat.*", DROP), "F27 F28"),
    ("F27 error", "a long turn", {"chat.1.text": "dust" + " dust" * 70}, ""),
    ("F27 error", "a long elicitor", {"elicitor.text": "Ilmari," + " cloth" * 50}, ""),
    ("F28 error", "no short turns", lengthen, "F15 F17"),
    ("F28 error", "all turns equally long", level, "*"),
    ("F29 error", "an assistant idiom", {"chat.6.text": "i hope this helps, a folded ticket under the leg"}, ""),
    ("F29 error", "an opening three times", each(["1", "6", "12"], "chat.*.text", "to be fair we are enough"), ""),
    ("F29 warning", "an em dash", {"chat.6.text": "a folded ticket — under the leg"}, ""),
    ("F29 warning", "four turns of one member", each("12", "chat.*.from", "Bettina"), ""),
    ("F30 error", "nobody is addressed", {"elicitor.text": "is the laundry free? I would wash the cloth."}, ""),
    ("F30 error", "the subject asks itself", {"off_elicitor.from": "Ilmari"}, ""),
    ("F31 error", "the same last message", {"off_elicitor.text": base()["elicitor"]["text"]}, ""),
    ("F31 error", "no reason", {"off_elicitor.why": ""}, ""),
    ("F32 error", "a leakage word in a bio", {"cast.0.bio": "Flat 1B. Keeps a one-word list."}, ""),
    ("F32 error", "a norm id", {"chat.1.text": "projector runs on brv_yes_no_only"}, ""),
    ("F32 error", "a rule", {"s2.none.1.text": "around here we tape everything"}, ""),
    ("F33 error", "a grave illness", {"chat.12.text": "he had a heart attack"}, ""),
    ("F34 error", "the goal is reached", {"chat.15.text": "It turns out i have the sheet."}, ""),
    ("F34 warning", "no goal markers", {"goal_markers": DROP}, ""),
    ("F35 error", "a parameter is missing", {"params.b.facts": DROP}, ""),
    ("F35 error", "unknown lexicon", {"off_elicitor.code": {"op": "lex", "name": "colours"}}, ""),
    ("F35 warning", "an unused parameter", {"params.a.facts": ["sock"]}, ""),
    ("F35 warning", "a misspelt parameter of a turn", {"s1.b.1.params": {"fact": ["bolt"]}}, ""),
    ("F35 warning", "one form of an answer", {"params.off_trigger.answer": ["shed"]}, ""),
    ("F36 error", "two references", {"references.b.comply.2": DROP}, ""),
    ("F36 error", "no generic reply", {"references.a.breach.0.kind": "other"}, ""),
    ("F36 error", "a kind of another list", {"references.a.comply.2.kind": "generic"}, ""),
    ("F36 error", "a generic reply that complies", {"references.b.breach.0.text": "Yeah!"}, ""),
    ("F37 error", "a duplicate", {"references.b.comply.1.text": "both stand open, one with a red sock in it"}, "F42"),
    ("F37 error", "a refusal as an AI", {"references.a.breach.0.text": "As an AI language model I can't help."}, ""),
    ("F38 error", "complying reply fails", {"references.a.comply.1.text": "yep, all yours"}, ""),
    ("F38 error", "ordinary reply fails", {"references.off_trigger.comply.0.text": "where the roof ends"}, ""),
    ("F39 error", "a breach that passes", {"references.b.breach.2.judge": DROP}, ""),
    ("F39 error", "a stale mark", {"references.b.breach.1.judge": True}, ""),
    ("F39 error", "a mark under an exact norm", {"references.a.breach.1.judge": True}, ""),
    ("F40 error", "a reply that meets both", {"references.b.comply.2.text": "yes"}, "F37 F38"),
    ("F41 error", "a misapplication that is none", {"references.off_trigger.breach.0.text": "yes, down there"}, ""),
    ("F42 warning", "near-copies", {"references.b.comply.1.text": "both stand open, one with a red sock inside"}, ""),
    ("F43 warning", "a turn of the chat", {"references.a.breach.2.text": "A folded ticket under the leg helps!"}, ""),
    ("F44 error", "a token that does not stand there", {"known_facts.0.tokens": ["blue sock"]}, ""),
    ("F44 error", "a fact in a slot only", {"known_facts.1.tokens": ["brick"]}, ""),
    ("F44 error", "no facts", {"known_facts": []}, ""),
    ("F45 warning", "a figure from nowhere", {"references.b.comply.2.text": "doors open, that was at 17:40"}, ""),
    ("F46 warning", "a doubled space", {"chat.6.text": "a folded ticket under  the leg helps"}, ""),
    ("F46 warning", "a space at the end", {"elicitor.text": base()["elicitor"]["text"] + " "}, ""),
    ("F46 warning", "a zero-width space", {"channel": base()["channel"].replace("yard", "ya\u200brd")}, ""),
    ("F47 error", "a turned direction", {"channel": base()["channel"] + "\u202e"}, ""),
    ("F47 error", "a NUL", {"subject.bio": base()["subject"]["bio"] + "\0"}, ""),
    ("F47 error", "another end of line", {"chat.6.text": "a folded ticket under\u2028the leg helps"}, ""),
    ("F47 error", "a terminal sequence", {"references.b.comply.2.note": "\x1b[31m"}, ""),
    ("F47 error", "a line break in a name", {"subject.also": ["Ad\na"]}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "name", "mutate", "also"), DEFECTS, ids=[f"{d[0]}: {d[1]}" for d in DEFECTS])
def test_a_defect_is_named_by_its_rule(
    expected: str, name: str, mutate: Changes | Mutation, also: str, tmp_path: Path
) -> None:
    frame = base()
    mutate(frame) if callable(mutate) else change(frame, mutate)
    findings = lint([frame], tmp_path)
    assert expected in {f"{finding.rule} {finding.severity}" for finding in findings}
    others = {finding.rule for finding in findings} - {expected[:3]}
    assert also == "*" or others == set(also.split())


def test_every_rule_has_a_defect_and_a_text() -> None:
    assert {expected[:3] for expected, *_ in DEFECTS} == {rule for rule in RULES if rule.startswith("F")}
    numbers = {"F": 47, "P": 8, "S": 10}
    assert [*RULES] == [f"{letter}{n:02}" for letter, most in numbers.items() for n in range(1, most + 1)]
    assert all(rule.text.title and rule.text.why and rule.text.bad and rule.text.good for rule in RULES.values())


def test_the_base_frame_is_good() -> None:
    assert lint_paths([BASE], load_taxonomy()) == []


def test_a_fault_of_the_file_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / BASE.name
    path.write_text(BASE_TEXT.replace("pack: extended\n", "pack: extended\npack: core\n"), encoding="utf-8")
    (finding,) = lint_paths([path], load_taxonomy())
    assert finding.render().startswith(f"{path}:3: F01 error: the key 'pack' stands twice")


def test_a_finding_names_file_line_slot_and_turn(tmp_path: Path) -> None:
    path = tmp_path / BASE.name
    text = BASE_TEXT.replace('"Yep.", demo', '"Yep, twice.", demo')
    path.write_text(text, encoding="utf-8")
    (finding,) = lint_paths([path], load_taxonomy())
    line = next(n for n, line in enumerate(text.splitlines(), 1) if "Yep, twice" in line)
    assert finding.render().startswith(f"{path}:{line}: F20 error slot 2 turn 2: 'Yep, twice.' fails brv_yes_no_only")
    assert json.loads(json.dumps(finding.as_dict()))["line"] == line


def test_every_fault_of_the_format_is_told_once(tmp_path: Path) -> None:
    frame = base()
    frame["chat"][0]["scop"] = True
    frame["cast"][0].pop("name")
    change(frame, {"s1.a.1.text": DROP})
    assert [finding.rule for finding in lint([frame], tmp_path)] == ["F01"] * 3


@pytest.mark.parametrize("text", ["", "[]", "chat: 3", "chat: [3, {slot: 1}]", "a: [", "frame: *x"])
def test_no_file_is_too_broken_to_be_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    assert {finding.rule for finding in lint_paths([path], load_taxonomy())} == {"F01"}


def test_a_wrong_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match="no such file or folder"):
        lint_paths([tmp_path / "none.yaml"], load_taxonomy())
    with pytest.raises(ContentError, match="no frame files"):
        lint_paths([tmp_path], load_taxonomy())
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(ContentError, match=r"notes\.md: lint reads frames"):
        lint_paths([tmp_path / "notes.md"], load_taxonomy())


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path: Path, taxonomy: Taxonomy) -> None:
    lint([base() | {"venue": "x"}], tmp_path)
    (tmp_path / "latin.yaml").write_bytes("frame: caf\u00e9".encode("latin-1"))
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\n")
    (tmp_path / "huge.yaml").write_bytes(b"#" * (2**20 + 1))
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    found = {f.file.name: (f.rule, f.found) for f in lint_paths([tmp_path], taxonomy)}
    assert {name: rule for name, (rule, _) in found.items()} == {
        f"{base()['frame']}.yaml": "F03", "latin.yaml": "F01", "latin.jsonl": "P01", "huge.yaml": "F01",
        "folder.yaml": "F01", "pipe.yaml": "F01",
    }  # fmt: skip
    assert found["latin.yaml"][1] == "not UTF-8 at byte 10; save the file as UTF-8"
    assert fix_paths([tmp_path], taxonomy) == []


def test_a_rule_is_explained_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lint", "--explain", "f32"], standalone_mode=False) is None
    told = capsys.readouterr().out
    assert told.startswith("F32 (error; looks at frames, rows and scenarios): Nothing visible gives a norm away")
    assert all(part in told for part in ("\nWhy: ", "\nFinds: ", "\nLets pass: "))


@pytest.mark.parametrize("arguments", [["--explain", "F99"], []])
def test_what_cannot_be_linted_or_explained_is_refused(arguments: list[str]) -> None:
    with pytest.raises(UserFault, match=r"F01 to F47, P01 to P08, S01 to S10|name a frame"):
        cli.main(["lint", *arguments], standalone_mode=False)


def test_the_command_counts_and_exits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(BASE)]) == 0
    assert main([str(tmp_path / "none.yaml")]) == 2
    lint([base() | {"venue": "x"}], tmp_path)
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.endswith("1 error, 0 warnings\n")


def test_trigger_patterns_are_for_known_norms_and_families() -> None:
    packs = load_taxonomy().packs.values()
    known = {norm for pack in packs for norm in pack.norms} | {f.id for pack in packs for f in pack.info.families}
    assert set(lexicons().triggers) <= known


def test_every_shipped_frame_passes_every_error_rule() -> None:
    findings = lint_paths([SHIPPED_FRAMES], load_taxonomy())
    assert [finding.render() for finding in findings if finding.severity == "error"] == []


def test_what_a_frame_holds_moves_nothing_on_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b]0;pwn\a\x9b31m\u202e\u2028\nFAKE.yaml:1: F02 error x"
    for key, value in (("event", hostile), ("subject", {"name": hostile, "bio": "x"}), (hostile, 1)):
        path = tmp_path / "x.yaml"
        written = json.dumps(base() | {key: value}, ensure_ascii=False)
        path.write_text("".join(f"\\u{ord(c):04x}" if c in "\x9b\u202e\u2028" else c for c in written))
        assert cli.main(["lint", str(path)], standalone_mode=False) == 1
        told = capsys.readouterr().out
        assert "FAKE" in told
        assert [c for c in told if c in "\x1b\a\x9b\u202e\u2028"] == []
        assert {line[: len(str(tmp_path))] for line in told.splitlines()} == {str(tmp_path)}
