"""Further judges and people over a run that is there: nothing is asked again, nothing is lost, errors are measured."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from filelock import FileLock

from conftest import write_replies
from loopback import Server, completion, says, serving
from losona.cli import main
from losona.errors import ContentError
from losona.frames import SHIPPED_FRAMES
from losona.run.labels import People, read_people
from losona.run.people import Judged, against, draw, judged, labelled
from losona.scenarios import load_scenarios
from losona.taxonomy import Taxonomy

FRAME = str(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml")
Start = Callable[..., tuple[str, ...]]
Losona = Callable[..., tuple[int, str]]


def vote(verdict: str) -> str:
    return json.dumps({
        "evidence": ["by one"], "codes": ["P1" if verdict == "complies" else "F0"], "reasoning": "r",
        "verdict": verdict,
        "borderline": False, "in_character": True, "responsive": True, "consistent": True,
    })  # fmt: skip


@pytest.fixture
def losona(in_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Losona:
    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["losona", *arguments])
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        streams = capsys.readouterr()
        return code, streams.out + streams.err

    return call


@pytest.fixture
def judges(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Server]]:
    """Three judges: one always passes, one never does, one never gives a usable answer."""
    with serving(says(vote("complies"))) as yes, serving(says(vote("breaches"))) as no, serving(says("hm")) as void:
        servers = {"yes": yes, "no": no, "void": void}
        for name, server in servers.items():
            monkeypatch.setenv(f"{name.upper()}_BASE_URL", server.url)
            monkeypatch.setenv(f"{name.upper()}_API_KEY", "x")
        yield servers


def judge(name: str) -> tuple[str, str]:
    return "--judge", f"openai-api/{name}/j"


@pytest.fixture
def run(losona: Losona, in_folder: Path, taxonomy: Taxonomy) -> Callable[..., tuple[str, ...]]:
    """A run of four replies, each different; the command is given back."""

    def start(*names: str) -> tuple[str, ...]:
        path = write_replies(
            in_folder / "x.jsonl", load_scenarios(FRAME, taxonomy).scenarios, ["naive", "norm_informed"], 1,
            lambda s, condition, _: f"on your bench by one, {s.variant} {condition}",
        )  # fmt: skip
        command = ("run", "--model", f"m=replies/{path}", "--scenarios", FRAME, "--epochs", "1", "--out", "r",
                   "--condition", "naive", "--condition", "norm_informed",
                   *(part for name in names for part in judge(name)))  # fmt: skip
        code, said = losona(*command)
        assert code == 0, said
        return command

    return start


def gradings() -> pd.DataFrame:
    return pd.read_parquet("r/gradings.parquet")


def deciding() -> pd.DataFrame:
    found = gradings()
    return found[~found["advisory"]]


def test_what_one_judge_left_open_another_decides(losona: Losona, run: Start, judges: dict[str, Server]) -> None:
    command = run("void")
    assert set(deciding()["label"]) == {"unscored"}
    code, said = losona("rejudge", "r", *judge("yes"))
    assert (code, "8 replies were put to the judge: 8 that had no label have one now" in said) == (0, True), said
    found = deciding()
    assert (set(found["label"]), set(found["grader"])) == ({"complies"}, {"openai-api/yes/j"})
    assert (found["input_tokens"] > 0).all()
    assert set(found["grader_hash"]) != {""} != set(found["prompt_hash"])
    old = gradings()[gradings()["grader"] == "openai-api/void/j"]
    assert (len(old), set(old["advisory"])) == (8, {True})
    assert losona("rejudge", "r", *judge("no"))[0] == 2  # nothing is unscored any more
    calls = {name: len(server.requests) for name, server in judges.items()}
    assert losona(*command)[0] == 0
    assert calls == {name: len(server.requests) for name, server in judges.items()}
    assert set(deciding()["grader"]) == {"openai-api/yes/j"}
    code, said = losona("rejudge", "r", *judge("no"), "--only", "all")
    assert "differs from the deciding label on 0" in said
    assert "8 replies that earlier judgings had given a label have none now" in said


def test_a_judge_elsewhere_gets_the_questions_of_a_run_written_out(
    losona: Losona, run: Start, judges: dict[str, Server], in_folder: Path
) -> None:
    run("void")
    elsewhere = ("--judge", "replies/answers.jsonl")
    assert losona("rejudge", "r", *elsewhere, "--write-prompts", "q.jsonl")[0] == 0
    questions = [json.loads(line) for line in (in_folder / "q.jsonl").read_text().splitlines()]
    answers = [{"prompt_hash": q["prompt_hash"], "epoch": 1, "text": vote("complies")} for q in questions]
    (in_folder / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    assert losona("rejudge", "r", *elsewhere)[0] == 0
    assert (len(questions), set(deciding()["label"])) == (8, {"complies"})


def test_a_label_that_was_there_stays_and_judges_can_be_compared(
    losona: Losona, run: Start, judges: dict[str, Server]
) -> None:
    run("yes")
    assert losona("compare", "r", "--by", "judge")[0] == 2
    code, said = losona("rejudge", "r", *judge("no"), "--only", "all")
    assert (code, "its verdict differs from the deciding label on 8" in said) == (0, True), said
    assert set(deciding()["grader"]) == {"openai-api/yes/j"}
    code, said = losona("rejudge", "r", *judge("void"), "--only", "disagreeing")
    assert (code, "8 replies" in said) == (0, True)
    code, said = losona("compare", "r", "--by", "judge")
    assert code == 0
    assert "0 % of 8" in said
    assert "same sign by every judge" in said
    code, said = losona("compare", "r", "--by", "judge", "--json")
    assert {row["agree"]["value"] for row in json.loads(said)["agreement"]} == {0.0}


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("r",), "a second run is missing; give RUN_A RUN_B, or one run with --by judge"),
        (("r", "r2", "--by", "judge"), "without a second run; leave that out"),
        (("r", "--by", "judge", "--min-gain", "0"), "without --min-gain; leave that out"),
        (("r", "--by", "judge"), "there is no run here"),
    ],
)
def test_two_runs_or_one_by_its_judges_are_compared(losona: Losona, arguments: tuple[str, ...], fault: str) -> None:
    code, said = losona("compare", *arguments)
    assert (code, fault in said) == (2, True), said


def test_a_split_panel_is_decided_by_one_more_vote(losona: Losona, run: Start, judges: dict[str, Server]) -> None:
    run("yes", "no")
    assert set(deciding()["error"]) == {"for people: the votes are split 1 to 1"}
    assert losona("export", "r", "--format", "csv", "--out", "r.csv")[0] == 0
    rows = pd.read_csv("r.csv")
    assert set(rows["judge"]) == {"openai-api/yes/j, openai-api/no/j"}
    assert (rows["grading_prompt_hash"].notna() == rows["grader"].str.startswith("openai-api")).all()
    assert "the majority of the judges openai-api/yes/j, openai-api/no/j" in Path("r/report.html").read_text()
    compared = json.loads(losona("compare", "r", "--by", "judge", "--json")[1])["agreement"]
    assert {(row["first"], row["second"]) for row in compared} == {("openai-api/no/j", "openai-api/yes/j")}
    with serving(says(vote("complies"))) as third:
        import os

        os.environ |= {"THIRD_BASE_URL": third.url, "THIRD_API_KEY": "x"}
        assert losona("rejudge", "r", *judge("third"))[0] == 0
    assert (set(deciding()["label"]), set(deciding()["grader"])) == ({"complies"}, {"panel"})


def test_a_judge_that_is_asked_again_has_no_second_vote(losona: Losona, run: Start, judges: dict[str, Server]) -> None:
    run("yes", "no")
    for again in (("--seed", "1"), ("--judge-protocol", "paper"), ("--seed", "2")):
        code, said = losona("rejudge", "r", *judge("no"), *again, "--only", "all")
        assert code == 0, said
    assert set(deciding()["error"]) == {"for people: the votes are split 1 to 1"}
    assert (gradings()["grader"] == "openai-api/no/j").sum() == 4 * 8


def test_the_first_valid_vote_of_a_judge_counts(losona: Losona, run: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["hm", vote("complies"), vote("breaches")]
    with serving(lambda _: (200, completion(said[0]))) as server, serving(says(vote("breaches"))) as no:
        for name, url in (("moody", server.url), ("no", no.url)):
            monkeypatch.setenv(f"{name.upper()}_BASE_URL", url)
            monkeypatch.setenv(f"{name.upper()}_API_KEY", "x")
        run("moody")
        for seed in "12":
            del said[0]
            assert losona("rejudge", "r", *judge("moody"), "--seed", seed, "--only", "all")[0] == 0
            assert set(deciding()["label"]) == {"complies"}
        assert losona("rejudge", "r", *judge("no"), "--only", "all")[0] == 0
        _, told = losona("compare", "r", "--by", "judge")
    assert "0 % of 8" in told
    assert {row.complies for row in judged(Path("r"), "openai-api/moody/j")} == {True}


def test_what_a_protocol_has_no_question_for_is_left_out_before_anything_is_paid(
    losona: Losona, judges: dict[str, Server], in_folder: Path, taxonomy: Taxonomy
) -> None:
    scenarios, apt = load_scenarios(FRAME, taxonomy).scenarios, {"off": "second shelf, by the agar"}
    path = write_replies(
        in_folder / "x.jsonl", scenarios, ["naive"], 1, lambda s, *_: apt.get(s.variant, "on your bench by one")
    )
    run = ("run", "--model", f"m=replies/{path}", "--scenarios", FRAME, "--epochs", "1", "--condition", "naive",
           *judge("void"))  # fmt: skip
    assert losona(*run, "--out", "r", "--variant", "demos", "--variant", "off")[0] == 0
    code, said = losona("rejudge", "r", *judge("yes"), "--judge-protocol", "paper")
    assert (code, "2 replies were put to the judge" in said, "2 were left out" in said) == (0, True, True), said
    assert losona(*run, "--out", "off", "--variant", "off")[0] == 0
    calls = len(judges["yes"].requests)
    code, said = losona("rejudge", "off", *judge("yes"), "--judge-protocol", "paper")
    assert (code, "it has no question for any reply" in said, len(judges["yes"].requests)) == (2, True, calls), said


def test_a_fault_while_several_are_asked_is_one_sentence(
    losona: Losona, run: Start, judges: dict[str, Server], in_folder: Path
) -> None:
    run("void")
    (in_folder / "p").mkdir()
    (in_folder / "p" / "judge_retry.j2").write_text("{{ nobody }} {{ fault }}")
    code, said = losona("rejudge", "r", *judge("void"), "--prompts", "p")
    assert (code, "judge_retry" in said, "Traceback" in said) == (2, True, False), said


def test_labels_of_people_calibrate_a_run(losona: Losona, run: Start, judges: dict[str, Server]) -> None:
    run("yes")
    code, said = losona("judge", "sample", "r", "-n", "6", "--out", "l.jsonl")
    assert code == 0, said
    rows = [json.loads(line) for line in Path("l.jsonl").read_text().splitlines()]
    assert len(rows) == 6
    assert "openai-api" not in json.dumps(rows)
    assert all("Graded message:" in row["shown"] and "Last message" in row["shown"] for row in rows)
    assert all(row["weight"] >= 1 and row["reply"] for row in rows)
    filled = [
        dict(row, annotator=who, label=("complies", "breaches")[i % 2]) for i, row in enumerate(rows) for who in "ab"
    ]
    Path("l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in filled))
    code, said = losona("judge", "agreement", "--labels", "l.jsonl", "--run", "r")
    assert (code, "2 annotators, 6 replies" in said, "kappa 1.00" in said) == (0, True, True), said
    code, said = losona("judge", "calibrate", "--labels", "l.jsonl", "--run", "r")
    assert code == 0, said
    assert "No pooled correction: only 3 labelled replies comply; 30 are needed" in said
    families = json.loads(Path("r/calibration.json").read_text())["families"]
    assert sum(error["n"] for errors in families.values() for error in errors.values()) == 6
    assert losona("report", "r", "--out", "report")[0] == 0
    for path in ("r/report.html", "report/report.html", "report/report.md"):
        text = Path(path).read_text()
        assert "What is known of the judge" in text
        assert "No pooled correction" in text
        assert "no audit of openai-api/yes/j" in text
    Path("r/calibration.json").write_text("{")
    code, said = losona("report", "r", "--out", "report")
    assert (code, "r/calibration.json: not valid JSON" in said) == (2, True)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a,s,x,maybe", "l.csv:2: label: 'maybe'; allowed: 'complies' or 'breaches'"),
        ("a,s,x,complies\na,s,x,breaches", "l.csv:3: 'x' labels 'a' under 's' twice, and differently"),
        ("a,s,adjudicator,complies\na,s,adjudicator,breaches", "'adjudicator' labels 'a' under 's' twice"),
        ("a,s,,", "there is no label in it"),
        ("a,s,,complies", "l.csv:2: there is a label and no annotator; fill it in, or empty the label"),
        ("a,s,x,complies,n,0", "l.csv:2: weight: '0'; allowed: more than 0"),
        ("a,s,x,complies,n,-1", "l.csv:2: weight: '-1'; allowed: more than 0"),
        ("a,s,x,complies,n,nan", "l.csv:2: weight: 'nan'; allowed: a number"),
        ("a,s,x,complies,n,1e300", "l.csv:2: weight: '1e300'; allowed: 1000000.0 or less"),
        ("a,s,x,complies,n,2\na,s,y,complies,,\na,s,z,complies,n,3", "l.csv:4: weight 3, but 'a' under 's' had 2"),
        ('a,s,x,complies,"one\n\ntwo",2\nb,s,x,maybe', "l.csv:5: label: 'maybe'; allowed"),
        ("a,s,x,complies,n,2,more", "l.csv:2: 7 cells for 6 columns"),
        (f"a,s,x,complies,{'n' * 200_000},2", "l.csv:2: this row cannot be read as CSV (field larger than"),
        ('"a,s,x,complies', "l.csv:2: this row cannot be read as CSV (unexpected end of data)"),
    ],
)
def test_labels_are_read_strictly(in_folder: Path, text: str, fault: str) -> None:
    path = in_folder / "l.csv"
    path.write_text(f"reply_id,scenario_id,annotator,label,note,weight\n{text}\n")
    with pytest.raises(ContentError, match=re.escape(fault)):
        read_people(path)


@pytest.mark.parametrize(
    ("header", "fault"),
    [
        (
            "reply_id,annotator,label",
            "l.csv:1: missing columns: scenario_id; the first line must name reply_id,",
        ),
        ("reply_id;scenario_id;annotator;label", "with commas between them (found 'reply_id;scenario_id;annotator;"),
        ("reply_id,scenario_id,annotator,Label", "missing columns: label;"),
        ("reply_id,scenario_id,annotator,label,label", "l.csv:1: the column 'label' stands twice"),
        ("reply_id,scenario_id,annotator,label,Weight", "unknown column 'Weight'; 'weight' is probably meant"),
    ],
)
def test_the_columns_of_labels_are_checked_by_name(in_folder: Path, header: str, fault: str) -> None:
    path = in_folder / "l.csv"
    path.write_text(f"{header}\na,s,x,complies,2\n".replace(",2\n", ",2\n" if header.count(",") > 3 else "\n"))
    with pytest.raises(ContentError, match=re.escape(fault)):
        read_people(path)


def test_a_key_that_stands_twice_in_a_line_is_no_label(in_folder: Path) -> None:
    path = in_folder / "l.jsonl"
    path.write_text('{"reply_id": "a", "scenario_id": "s", "annotator": "x", "label": "complies", "label": "breaches"}')
    with pytest.raises(ContentError, match=r"l.jsonl:1: not valid JSON \(a key stands twice"):
        read_people(path)


def test_labels_that_match_no_verdict_are_counted_or_refused(
    losona: Losona, run: Start, judges: dict[str, Server]
) -> None:
    run("yes")
    found = deciding().iloc[0]
    row = {"reply_id": found["reply_id"], "scenario_id": found["scenario_id"], "annotator": "x", "label": "complies"}
    others = [{**row, "reply_id": name} for name in "ab"]
    Path("l.jsonl").write_text("".join(json.dumps(r) + "\n" for r in (row, *others)))
    for command in ("agreement", "calibrate"):
        code, said = losona("judge", command, "--labels", "l.jsonl", "--run", "r")
        assert (code, "2 labelled replies match no judged reply of this run" in said) == (0, True), said
    code, said = losona("judge", "agreement", "--labels", "l.jsonl", "--run", "r", "--grader", "nope")
    assert (code, "--grader nope: it has graded nothing in r; known are openai-api/yes/j" in said) == (2, True), said
    Path("l.jsonl").write_text("".join(json.dumps(r) + "\n" for r in others))
    for command in ("agreement", "calibrate"):
        code, said = losona("judge", command, "--labels", "l.jsonl", "--run", "r")
        assert (code, "none of its replies has a verdict of a judge in r" in said) == (2, True), said


def test_nobody_writes_into_a_run_that_another_process_has(
    losona: Losona, run: Start, judges: dict[str, Server]
) -> None:
    run("yes")
    found = deciding().iloc[0]
    row = {"reply_id": found["reply_id"], "scenario_id": found["scenario_id"], "annotator": "x", "label": "complies"}
    Path("l.jsonl").write_text(json.dumps(row) + "\n")
    with FileLock("r/.lock"):
        code, said = losona("judge", "calibrate", "--labels", "l.jsonl", "--run", "r")
    assert (code, "r: another process is running here" in said, Path("r/calibration.json").exists()) == (2, True, False)


def test_most_annotators_or_the_adjudicator_decide(in_folder: Path) -> None:
    rows = ["reply_id,scenario_id,annotator,label", "a,s,x,complies", "a,s,y,breaches", "b,s,x,complies",
            "b,s,y,breaches", "b,s,adjudicator,breaches", "c,s,x,complies"]  # fmt: skip
    path = in_folder / "l.csv"
    path.write_text("\n".join(rows))
    people = read_people(path)
    assert people.open_ == (("a", "s"),)
    assert people.decided == {("b", "s"): False, ("c", "s"): True}


def test_a_draw_prefers_disputes_and_its_weights_restore_the_whole() -> None:
    rows = [
        Judged((f"r{i}", "s"), f"m{i % 2}", "naive", "demos", "n", "judge", "j", i % 3 == 0, disputed=i < 20)
        for i in range(200)
    ]
    drawn = draw(rows, 40, {}, 0)
    assert drawn == draw(rows, 40, {}, 0)
    assert sum(row.disputed for row, _ in drawn) == 20
    assert len({row.item for row, _ in drawn}) == 40
    assert sum(weight for _, weight in drawn) == pytest.approx(200)


def test_equal_replies_to_one_scenario_are_one_question() -> None:
    rows = [
        Judged((f"r{i}", "s"), "m", "naive", "demos", "n", "judge", "j", True, disputed=False, text=f"t{i % 10}")
        for i in range(40)
    ]
    drawn = draw(rows, 40, {}, 0)
    assert len(drawn) == 10
    assert sum(weight for _, weight in drawn) == pytest.approx(40)
    people = People({r.item: {"x": True} for r in rows}, {r.item: True for r in rows}, (), {r.item: 1.0 for r in rows})
    assert len(labelled(rows, people)) == against(rows, people, {})["all"].counts.n == 10
