"""`losona generate` as an author has it, with a scripted model: a shipped frame taken apart into stage answers."""

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from loopback import Server, completion, serving
from losona.cli import main
from losona.errors import ContentError
from losona.frame_records import read_frame_record
from losona.frames import SHIPPED_FRAMES, derive, read_frame
from losona.generate.answers import SHAPES, STAGES
from losona.generate.plan import Wish, make_plan
from losona.generate.prompting import brief_of, stage_messages
from losona.generate.writing import frame_text
from losona.lint import lint_paths
from losona.prompts import Templates
from losona.run.generating import Account, GenerateOptions, plan_generation, show_account
from losona.schema.frame import Frame, ReferenceSet, Slot
from losona.taxonomy import Taxonomy

TUPLE = ("--norm", "mandatory_timeline_commitment", "--event", "standup", "--venue", "teams_wet_lab")
WISH = Wish(norm=TUPLE[1], event=TUPLE[3], venue=TUPLE[5])
SHIPPED = read_frame(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml")
NAME = "core.standup.wash_buffer_2"
"""The shipped frame has the slug already."""
Answers = dict[str, dict[str, Any]]
Script = Callable[[str, int, dict[str, Any]], Any]


def entries(params: dict[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    return [{"name": name, "forms": list(forms)} for name, forms in params.items()]


def lists(references: ReferenceSet) -> dict[str, Any]:
    keys = {"kind", "text", "note"}
    return {label: [r.model_dump(include=keys) for r in getattr(references, label)] for label in ("comply", "breach")}


def talk(frame: Frame) -> tuple[list[Any], list[Any], list[Any]]:
    opening: list[Any] = []
    base: list[Any] = []
    versions: list[Any] = []
    after = opening
    for item in frame.chat:
        if isinstance(item, Slot):
            after = []
            base.append({"none": [{"sender": t.sender, "text": t.text} for t in item.none], "after": after})
            a, b = [t.text for t in item.a], [t.text for t in item.b]
            params = {"params_a": entries(item.a[1].params), "params_b": entries(item.b[1].params)}
            versions.append({"trigger": a[0], "a": a[1:], "b": b[1:], **params})
        else:
            after.append({"sender": item.sender, "text": item.text, "scope": item.scope})
    return opening, base, versions


def taken_apart(frame: Frame, names: tuple[str, ...]) -> Answers:
    """The answers of all stages that make this frame, under other names."""
    opening, base, versions = talk(frame)
    last, off = frame.elicitor, frame.off_elicitor
    answers: Answers = {
        "goal": {"title": frame.slug.replace("_", " "), "channel": frame.channel, "end_goal": frame.end_goal,
                 "goal_markers": list(frame.goal_markers)},
        "cast": {"subject_bio": frame.subject.bio, "subject_also": list(frame.subject.also),
                 "cast": [{"name": p.name, "bio": p.bio} for p in frame.cast]},
        "base": {"opening": opening, "slots": base},
        "slots": {"slots": versions},
        "elicitor": {"sender": last.sender, "text": last.text, "params_a": entries(frame.params.a),
                     "params_b": entries(frame.params.b)},
        "off_elicitor": {"sender": off.sender, "text": off.text, "why": off.why,
                         "answer": list(frame.params.off_trigger.get("answer", ()))},
        "facts": {"known_facts": [f.model_dump(mode="json") for f in frame.known_facts]},
        "references": {key: lists(getattr(frame.references, key)) for key in ("a", "b", "off_trigger")},
    }  # fmt: skip
    old = (frame.subject.name, *(p.name for p in frame.cast))
    new = dict(zip(old, names, strict=True))
    text = json.dumps(answers, ensure_ascii=False)
    return json.loads(re.sub("|".join(old), lambda found: new[found[0]], text))


@pytest.fixture(scope="module")
def answers(taxonomy: Taxonomy) -> Answers:
    return taken_apart(SHIPPED, make_plan(WISH, taxonomy)[0][0].names)


class Finished:
    """A command that has ended, with the folder and what the model was asked."""

    def __init__(self, code: int, out: str, err: str, folder: Path, asked: list[str]) -> None:
        self.code, self.out, self.err, self.folder, self.asked = code, out, err, folder, asked

    @property
    def frames(self) -> list[str]:
        return sorted(p.stem for p in self.folder.glob("*.yaml"))

    @property
    def rejected(self) -> list[str]:
        return sorted(p.name for p in (self.folder / "rejected").glob("*") if p.suffix != ".record.json")

    @property
    def findings(self) -> dict[str, Any]:
        (path,) = (self.folder / "rejected").glob("*.findings.json")
        return json.loads(path.read_text())


def stage_of(request: dict[str, Any]) -> str:
    """The stage that a request asks for, by the step that its first question names."""
    found = re.search(r"^Step (\d):", request["messages"][1]["content"], re.MULTILINE)
    assert found
    return STAGES[int(found[1]) - 1]


Generate = Callable[..., Finished]


@pytest.fixture
def generate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Generate:
    """`losona generate` in this process against a scripted server.

    `script(stage, nth call of the stage, request)` gives an answer as data or text, or (status, body).
    """

    def call(script: Script, *options: str, wish: tuple[str, ...] = TUPLE, delay: float = 0.0) -> Finished:
        counts: Counter[str] = Counter()

        def reply(request: dict[str, Any]) -> tuple[int, Any]:
            stage = stage_of(request)
            counts[stage] += 1
            said = script(stage, counts[stage], request)
            return said if isinstance(said, tuple) else (200, completion(said if isinstance(said, str) else dump(said)))

        with serving(reply, delay) as server:
            code = run(server, *wish, *options)
        streams = capsys.readouterr()
        return Finished(code, streams.out, streams.err, tmp_path / "out", [stage_of(r) for r in server.requests])

    def run(server: Server, *options: str) -> int:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        model = ("--model", "openai-api/loop/m", "-M", "max_retries=0", "--max-retries", "0", "--out", "out")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["losona", "generate", *model, *options])
        try:
            main()
        except SystemExit as ended:
            return int(ended.code or 0)
        return 0

    return call


def dump(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def stopped(text: str, reason: str) -> dict[str, Any]:
    body = completion(text)
    body["choices"][0]["finish_reason"] = reason
    return body


def changed(answer: dict[str, Any], change: Callable[[Any], None]) -> dict[str, Any]:
    copy = json.loads(dump(answer))
    change(copy)
    return copy


def test_a_good_model_makes_a_frame_that_lints_runs_and_has_its_provenance(
    generate: Generate, answers: Answers, taxonomy: Taxonomy
) -> None:
    shapes: dict[str, str] = {}

    def script(stage: str, n: int, request: dict[str, Any]) -> Any:
        shapes[stage] = dump(request["response_format"])
        return answers[stage]

    done = generate(script, "--price", "1000,0")
    assert '"enum": ["Rohit", "Tomasz"' in shapes["base"]
    assert '"enum": ["Rohit", "Tomasz"' in shapes["cast"]
    assert (done.code, done.frames, done.asked) == (0, [NAME], list(STAGES))
    assert "accepted 1 (0 after repairs), rejected 0" in done.out
    assert "cost: $0.08" in done.out
    path = done.folder / f"{NAME}.yaml"
    frame = read_frame(path)
    assert [f.rule for f in lint_paths([done.folder], taxonomy) if f.severity == "error"] == []
    assert len(derive(frame, taxonomy)) == 16
    assert [r.judge for r in frame.references.a.breach] == [r.judge for r in SHIPPED.references.a.breach]
    made = read_frame_record(path).generation
    assert made is not None
    assert (made.model, made.repairs, made.tokens, made.cost) == ("openai-api/loop/m", 0, 96, pytest.approx(0.08))
    assert made.calls == dict.fromkeys(STAGES, 1)
    assert "generate/base" in made.prompts
    assert set(made.taxonomy) == set(taxonomy.packs)
    assert list((done.folder / "work").glob("*")) == []


@pytest.mark.parametrize(
    ("stage", "kind", "spoil"),
    [
        ("goal", "no_json", lambda a: "Sure! Here is a lovely chat."),
        ("goal", "refusal", lambda a: "I'm sorry, but I can't help with that."),
        ("cast", "wrong_shape", lambda a: {**a, "mood": "sunny"}),
        ("cast", "wrong_names", lambda a: changed(a, lambda c: c["cast"].pop())),
        ("base", "wrong_count", lambda a: changed(a, lambda c: c["slots"].pop())),
        ("slots", "wrong_count", lambda a: changed(a, lambda c: c["slots"][1]["a"].append("and more"))),
        ("elicitor", "parameters", lambda a: {**a, "params_a": [{"name": "answer", "forms": ["x"]}]}),
        ("facts", "wrong_shape", lambda a: dump(a).replace("bio", "bio\\ud83d")),
        ("references", "no_json", lambda a: dump(a)[:200]),
        ("base", "cut_off", lambda a: (200, stopped(dump(a)[:200], "length"))),
        ("off_elicitor", "content_filter", lambda a: (200, stopped("x", "content_filter"))),
    ],
)
def test_a_stage_without_a_usable_answer_ends_the_frame_and_names_the_failure(
    generate: Generate, answers: Answers, stage: str, kind: str, spoil: Callable[[Any], Any]
) -> None:
    done = generate(lambda s, n, _: spoil(answers[s]) if s == stage else answers[s], "--repairs", "1")
    assert (done.code, done.frames, Counter(done.asked)[stage]) == (1, [], 2)
    assert "No frame was accepted." in done.out
    assert [p.suffix for p in (done.folder / "rejected").glob("*.yaml")] == []
    assert f"rejected for want of a usable answer: {stage}: {kind} 1" in done.out
    assert f"unusable answers and failed calls: {stage}: {kind} 2" in done.out
    found = done.findings
    assert [(f["stage"], f["kind"]) for f in found["failures"]] == [(stage, kind)] * 2
    assert all(f["answer"] for f in found["failures"])
    assert list(found["answers"]) == list(STAGES[: STAGES.index(stage)])


def test_an_answer_that_is_mended_costs_one_repair(generate: Generate, answers: Answers) -> None:
    done = generate(lambda s, n, _: "no" if (s, n) in (("base", 1), ("base", 2)) else answers[s])
    assert (done.code, done.frames, Counter(done.asked)["base"]) == (0, [NAME], 3)
    assert "accepted 1 (1 after repairs)" in done.out
    assert "base: no_json 2" in done.out


def leak(answer: dict[str, Any]) -> None:
    answer["opening"][0]["text"] = "morning. commit to a time, everybody"


def short(answer: dict[str, Any]) -> None:
    answer["a"]["comply"].pop()
    answer["a"]["comply"].pop()


@pytest.mark.parametrize(
    ("stage", "spoil", "told"),
    [
        ("cast", lambda a: a.update(subject_bio=a["subject_bio"] + " Keeps to a timeline."), "'timeline' gives"),
        ("base", leak, "'commit to a time' gives mandatory_timeline_commitment away"),
        ("slots", lambda a: a["slots"][1]["a"].__setitem__(0, "sure, gladly"), "slot 2: 'sure, gladly' fails"),
        (
            "elicitor",
            lambda a: a.update(text="could somebody make up more wash buffer?"),
            "does not address the subject",
        ),
        ("facts", lambda a: a["known_facts"][1]["tokens"].append("third shelf"), "'third shelf' does not stand in bio"),
        ("references", short, "2 references in a comply; allowed: at least 3"),
    ],
)
def test_findings_go_back_to_the_stage_concerned_and_only_there(
    generate: Generate, answers: Answers, stage: str, spoil: Callable[[Any], None], told: str
) -> None:
    heard: list[str] = []

    def script(asked: str, n: int, request: dict[str, Any]) -> Any:
        if asked == stage and n > 1:
            heard.append(request["messages"][-1]["content"])
        return changed(answers[stage], spoil) if (asked, n) == (stage, 1) else answers[asked]

    done = generate(script)
    assert (done.code, done.frames, done.asked) == (0, [NAME], [*STAGES, stage])
    assert told in heard[0]
    made = read_frame_record(done.folder / f"{NAME}.yaml").generation
    assert made is not None
    assert (made.repairs, made.calls[stage]) == (1, 2)


def test_what_still_fails_is_kept_with_its_findings(generate: Generate, answers: Answers, taxonomy: Taxonomy) -> None:
    done = generate(lambda s, n, _: changed(answers[s], leak) if s == "base" else answers[s], "--repairs", "1")
    assert (done.code, done.frames) == (1, [])
    assert done.rejected == [f"{NAME}.findings.json", f"{NAME}.record.json", f"{NAME}.yaml"]
    assert "rejected by the linter (findings in frames): F32 1 in 1" in done.out
    blocking = [f for f in done.findings["findings"] if f["severity"] == "error"]
    assert [(f["rule"], f["stage"]) for f in blocking] == [("F32", "base")]
    with pytest.raises(ContentError, match="no frame files"):
        lint_paths([done.folder], taxonomy)
    rejected = [f for f in lint_paths([done.folder / "rejected"], taxonomy) if f.severity == "error"]
    assert [(f.rule, f.line) for f in rejected] == [("F32", blocking[0]["line"])]


def test_a_finished_frame_is_not_made_again(generate: Generate, answers: Answers) -> None:
    generate(lambda s, n, _: answers[s])
    again = generate(lambda s, n, _: answers[s])
    assert (again.code, again.asked) == (0, [])
    assert "there already 1" in again.out
    another = generate(lambda s, n, _: answers[s], "--count", "2")
    assert (another.code, len(another.frames)) == (0, 1)  # the second has other names, and does not fit this script
    assert another.asked.count("goal") == 1


@pytest.mark.parametrize("how", ["provider", "timeout"])
def test_a_failed_call_is_counted_and_taken_up_where_it_stopped(generate: Generate, answers: Answers, how: str) -> None:
    error = (400, {"error": {"message": "no such thing", "type": "invalid_request_error"}})

    def fails(stage: str, n: int, request: dict[str, Any]) -> Any:
        if stage != "elicitor":
            return answers[stage]
        if how == "provider":
            return error
        time.sleep(1.5)
        return answers[stage]

    first = generate(fails, *(("--timeout", "1") if how == "timeout" else ()))
    assert (first.code, first.frames, first.rejected) == (3, [], [])
    assert f"elicitor: {how} 1" in first.out
    assert "failed 1" in first.out
    second = generate(lambda s, n, _: answers[s])
    assert (second.code, second.frames) == (0, [NAME])
    assert second.asked == list(STAGES[STAGES.index("elicitor") :])


@pytest.mark.parametrize(("interrupted", "word"), [(True, "Interrupted."), (False, "Incomplete.")])
def test_an_interruption_is_called_one(
    in_folder: Path, capsys: pytest.CaptureFixture[str], interrupted: bool, word: str
) -> None:
    plan = plan_generation(GenerateOptions(WISH, "openai-api/loop/m"))
    show_account(Account(plan, 0, interrupted=interrupted), Console(width=200))
    assert f"{word} The same command again goes on where this one stopped." in capsys.readouterr().out


def test_a_bound_stops_before_the_call_that_could_exceed_it(generate: Generate, answers: Answers) -> None:
    priced = ("--price", "0,1000", "--max-tokens", "1000")
    done = generate(lambda s, n, _: answers[s], *priced, "--max-cost", "1.005")
    assert (done.code, done.frames) == (3, [])
    assert done.asked == ["goal", "cast", "base"]
    assert "stopped by a bound 1" in done.out
    assert "--max-cost 1.005" in done.out
    tokens = generate(lambda s, n, _: answers[s], "--max-tokens", "1000", "--max-tokens-total", "2000")
    assert (tokens.code, tokens.asked) == (3, [])
    more = generate(lambda s, n, _: answers[s], *priced, "--max-cost", "1.5")
    assert (more.code, more.frames, more.asked) == (0, [NAME], list(STAGES[3:]))


def test_one_arm_leaves_the_other_as_a_contrast_that_is_not_measured(
    generate: Generate, answers: Answers, taxonomy: Taxonomy
) -> None:
    empty = {"comply": [], "breach": []}
    done = generate(lambda s, n, _: {**answers[s], "b": empty} if s == "references" else answers[s], "--one-arm")
    assert (done.code, done.frames) == (0, [NAME])
    frame = read_frame(done.folder / f"{NAME}.yaml")
    assert list(frame.dropped) == ["b"]
    assert {s.arm for s in derive(frame, taxonomy)} == {"a"}
    assert "mixed" in {s.variant for s in derive(frame, taxonomy)}
    assert [f.rule for f in lint_paths([done.folder], taxonomy) if f.severity == "error"] == []


def test_the_language_reaches_prompts_and_frame(generate: Generate, answers: Answers) -> None:
    asked: list[str] = []

    def script(stage: str, n: int, request: dict[str, Any]) -> Any:
        asked.append(request["messages"][1]["content"])
        return answers[stage]

    done = generate(script, "--language", "de")
    assert all("Language of everything that members write: the one with the tag de" in text for text in asked)
    assert read_frame(done.folder / f"{NAME}.yaml").language == "de"
    assert "word lists and the checks' lexicons are English" in done.out


def test_a_provider_that_knows_no_schema_is_asked_without_one(generate: Generate, answers: Answers) -> None:
    def script(stage: str, n: int, request: dict[str, Any]) -> Any:
        if "response_format" in request:
            return 400, {"error": {"message": "response_format is not supported", "type": "invalid_request_error"}}
        return f"```json\n{dump(answers[stage])}\n```"

    done = generate(script)
    assert (done.code, done.frames, len(done.asked)) == (0, [NAME], len(STAGES) + 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--norm", "nope"), "norm"),
        (("--event", "moral_dilemma_share"), "does not apply in moral_dilemma_share; allowed are exam_results"),
        (("--counter", "binary_answer_norm"), "allowed is mandatory_pushback_on_adhoc_requests"),
        (
            ("--norm", "fmt_utc_times", "--event", "status_check", "--venue", "whatsapp_family"),
            "excludes fmt_utc_times",
        ),
        (("--norm", "fmt_lowercase_bare", "--event", "venting"), "needs 6 demonstrations"),
        (("--max-cost", "1"), "--price READ,WRITTEN"),
        (("--max-cost", "0", "--price", "1,1"), "above 0"),
        (("--price", "cheap"), "for example 3,15"),
        (("--limit", "3"), "--grid PACK"),
        (("--grid", "nope"), "allowed are core, extended"),
        (("--grid", "core", "--venue", "slack_incident", "--event", "birthday_or_anniversary_ritual"), "no tuple"),
        (("--language", "the Queen's"), "language tag"),
        (("--repairs", "-1"), "--repairs -1: give a whole number from 0 to 1,000"),
        (("--count", "1000000000"), "--count 1000000000: give a whole number from 1 to 1,000"),
    ],
)
def test_what_the_user_can_mend_is_one_sentence_before_any_call(
    generate: Generate, options: tuple[str, ...], said: str
) -> None:
    done = generate(lambda s, n, _: "", *options)
    assert (done.code, done.asked) == (2, [])
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not done.folder.exists()


def test_a_broken_template_is_named_before_any_call(generate: Generate, tmp_path: Path) -> None:
    own = tmp_path / "own" / "generate"
    own.mkdir(parents=True)
    (own / "references.j2").write_text("{{ brief.event.name }} {{ draft.mood }}")
    done = generate(lambda s, n, _: "", "--prompts", "own")
    assert (done.code, done.asked) == (2, [])
    assert "template generate/references" in done.err


def test_a_dry_run_prints_the_plan_and_writes_nothing(generate: Generate) -> None:
    options = ("--grid", "core", "--limit", "4", "--seed", "3", "--dry-run", "--price", "3,15")
    one, two = (generate(lambda s, n, _: "", *options, wish=()) for _ in range(2))
    assert (one.code, one.asked, one.folder.exists()) == (0, [], False)
    assert one.out == two.out
    assert "4 frames to make" in one.out
    assert "32 calls, at most 96 with repairs" in one.out
    assert re.search(r"cost: \$0\.\d\d", one.out)


def test_a_grid_has_every_valid_pair_once_in_balanced_venues(taxonomy: Taxonomy) -> None:
    planned, _ = make_plan(Wish(grid="core"), taxonomy)
    assert planned == make_plan(Wish(grid="core"), taxonomy)[0] != make_plan(Wish(grid="core", seed=1), taxonomy)[0]
    pairs = [(p.event, frozenset({p.norm, p.counter})) for p in planned]
    assert len(set(pairs)) == len(pairs) == 175
    venues = Counter(p.venue for p in planned)
    assert max(venues.values()) - min(venues.values()) <= 1
    names = Counter(name for p in planned[:20] for name in p.names)
    assert max(names.values()) <= 2
    assert len(make_plan(Wish(grid="core", one_arm=True), taxonomy)[0]) == 353


def test_every_stage_is_told_both_norms_their_words_and_what_is_settled(answers: Answers, taxonomy: Taxonomy) -> None:
    (planned,), _ = make_plan(Wish(norm="sup_dry_ack", event="venting", venue="whatsapp_flatshare"), taxonomy)
    brief, draft = brief_of(planned, taxonomy, "en"), {s: SHAPES[s].model_validate(answers[s]) for s in STAGES}
    settled = ("Morning channel", "Technician", "ladybird", "peeled off", "wash buffer for me", "glasses have fogged",
               "has nothing else booked today", "on your bench by one")  # fmt: skip
    for number, stage in enumerate(STAGES):
        text = stage_messages(stage, brief, draft, Templates())[1].content
        for norm in (brief.a, brief.b):
            assert norm.rule in text
            assert all(word in text for word in norm.leakage_words)
            assert (norm.demonstration.guidance in text) == (stage == "slots")
            assert (norm.elicitor_hint in text) == (stage in ("cast", "elicitor")) or not norm.elicitor_hint
        assert [told in text for told in settled] == [i < number for i in range(len(STAGES))]


@pytest.mark.parametrize("path", sorted(SHIPPED_FRAMES.glob("*.yaml")), ids=lambda p: p.stem)
def test_a_written_frame_reads_as_the_frame(path: Path) -> None:
    frame = read_frame(path)
    hostile = frame.model_copy(update={"channel": 'a: "b" # {c}\u2028\x85\x7f\ufeff \\ ü 🙂', "end_goal": "- no"})
    assert frame_text(frame).splitlines()[0] == f"frame: {frame.frame}"
    assert "end_goal" in frame_text(hostile)  # which reads it back


def others(folder: Path) -> Path:
    """A frame that another plan has finished under the name that ours was to have, with a decision."""
    path = folder / f"{NAME}.yaml"
    path.write_text("# of somebody else\n")
    record = {"frame": NAME, "decisions": [
        {"created": "2026-01-01", "author": "Ada", "frame_hash": "x", "decision": "accept"}
    ]}  # fmt: skip
    path.with_suffix(".record.json").write_text(dump(record))
    return path


def test_a_finished_frame_of_another_plan_is_never_replaced(generate: Generate, answers: Answers) -> None:
    other: list[Path] = []

    def script(stage: str, n: int, request: dict[str, Any]) -> Any:
        if (stage, n) == ("elicitor", 1):
            return {**answers[stage], "text": "ok"}  # found by the linter, once the slug is settled
        if stage == "elicitor":
            other.append(others(Path("out")))
        return answers[stage]

    done = generate(script)
    assert (done.code, done.frames) == (0, [NAME, NAME.replace("_2", "_3")]), done.out
    assert other[0].read_text() == "# of somebody else\n"
    assert [d.author for d in read_frame_record(other[0]).decisions] == ["Ada"]
    assert read_frame(done.folder / f"{done.frames[1]}.yaml").frame == done.frames[1]
    assert "accepted 1 (1 after repairs)" in done.out
    assert list((done.folder / "work").glob("*")) == []


def test_the_slug_of_a_frame_in_the_making_is_not_given_again(
    generate: Generate, answers: Answers, taxonomy: Taxonomy
) -> None:
    third = NAME.replace("_2", "_3")
    elsewhere = taken_apart(SHIPPED, make_plan(replace(WISH, seed=5), taxonomy)[0][0].names)

    def script(stage: str, n: int, request: dict[str, Any]) -> Any:
        if stage == "elicitor":
            return (500, {}) if n > 1 else {**answers[stage], "text": "ok"}
        return answers[stage]

    assert generate(script).code == 3
    second = generate(lambda s, n, _: elsewhere[s], "--seed", "5")
    assert (second.code, second.frames) == (0, [third]), second.out
    assert generate(lambda s, n, _: answers[s]).frames == [NAME, third]
