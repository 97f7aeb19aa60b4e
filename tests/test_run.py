"""`losona run` as a user has it: resume, extend, refuse, gates, crashes. Models are files or a local server."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from conftest import write_replies
from loopback import completion, says, serving
from losona.cli import main
from losona.conditions import CONDITIONS
from losona.frames import SHIPPED_FRAMES
from losona.presets import related
from losona.scenarios import load_scenarios, verifiable
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy, load_taxonomy

FRAME = str(SHIPPED_FRAMES / "extended.splitting_bill.sofa_window.yaml")
"""Both arms are exact: a round number, or the sum worked out."""
WORKED, ROUND = "113 / 5 = 22.60 each", "25 each"
BREACHES = json.dumps({
    "evidence": ["by one"], "codes": ["F0"], "reasoning": "r", "verdict": "breaches", "borderline": False,
    "in_character": True, "responsive": True, "consistent": True,
})  # fmt: skip
"""A judge's answer to a reply that says "by one"."""


@dataclass
class Finished:
    """A command that has ended."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Finished]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`losona run` in this process, in an empty folder; environment variables as keywords."""

    def call(*arguments: str, scenarios: str = FRAME, out: str = "r", **environment: str) -> Finished:
        command = ["losona", "run", "--scenarios", scenarios, "--out", out, *arguments]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", command)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        streams = capsys.readouterr()
        return Finished(code, streams.out, streams.err)

    return call


@pytest.fixture(scope="module")
def scenarios(taxonomy: Taxonomy) -> Sequence[Scenario]:
    return load_scenarios(FRAME, taxonomy).scenarios


@pytest.fixture
def adapts(tmp_path: Path, scenarios: Sequence[Scenario]) -> str:
    """A model that follows the norm that is shown, and works the sum out where none is."""

    def answer(scenario: Scenario, condition: str, epoch: int) -> str:
        shown = scenario.arm == "a" and scenario.variant != "nodemos"
        return ROUND if shown else WORKED

    return f"adapts=replies/{write_replies(tmp_path / 'adapts.jsonl', scenarios, list(CONDITIONS), 3, answer)}"


def tables(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    return pd.read_parquet(folder / "replies.parquet"), pd.read_parquet(folder / "gradings.parquet")


def test_a_run_end_to_end(run: Run, adapts: str, tmp_path: Path) -> None:
    done = run("--model", adapts, "--fail-under", "acc:naive:demos=1")
    assert done.returncode == 0, done.stderr
    assert "verifiable track" in done.stdout
    assert "gate acc:naive:demos >= 1: 1.000, passed" in done.stdout
    replies, gradings = tables(tmp_path / "r")
    assert len(replies) == 3 * 4 * 3
    assert len(gradings) == 4 * 4 * 3
    assert set(replies["model"]) == {"adapts"}
    by_variant = gradings.groupby(["variant", "arm"])["label"].agg(set).to_dict()
    assert by_variant[("demos", "a")] == by_variant[("demos", "b")] == by_variant[("nodemos", "b")] == {"complies"}
    assert by_variant[("nodemos", "a")] == {"breaches"}
    assert (tmp_path / "r" / "report.html").read_text().startswith("<!doctype html>")
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    assert record["models"]["adapts"].startswith("replies/")
    assert record["identity"]["prompts"]["conditions/naive"]
    assert record["scenarios"]["n"] == 4


def test_a_gate_that_fails_has_its_own_exit_code(run: Run, adapts: str, tmp_path: Path) -> None:
    options = ("--model", adapts, "--condition", "naive", "--epochs", "1")
    done = run(*options, "--fail-under", "acc:naive:nodemos=0.9")
    assert done.returncode == 4
    assert "FAILED" in done.stdout
    wrong = run(*options, "--fail-under", "acc:oracle=0.9")
    assert wrong.returncode == 2
    assert "the run has no condition 'oracle'" in wrong.stderr


def test_a_run_goes_on_and_grows_without_paying_twice(run: Run, tmp_path: Path) -> None:
    with serving(says(WORKED)) as server:
        common = ("--model", "m=openai-api/loop/x")
        for options, calls in (
            (("--condition", "naive", "--epochs", "1"), 3),
            (("--condition", "naive", "--epochs", "1"), 0),
            (("--condition", "naive", "--epochs", "2"), 3),
            (("--condition", "naive", "--condition", "oracle", "--epochs", "2"), 6),
            (("--condition", "naive", "--variant", "dose1", "--epochs", "1"), 2),
            (("--condition", "naive", "--epochs", "2", "--model", "n=openai-api/loop/y"), 6),
        ):
            before = len(server.requests)
            done = run(*common, *options, **server.environment)
            assert done.returncode == 0, done.stdout + done.stderr
            assert len(server.requests) - before == calls, options
    replies, _ = tables(tmp_path / "r")
    assert len(replies) == 3 + 3 + 6 + 2 + 6
    assert not replies["reply_id"].duplicated().any()
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    assert record["conditions"] == ["naive", "oracle"]
    assert record["variants"] == ["demos", "nodemos", "dose1"]
    assert set(record["models"]) == {"m", "n"}


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        (("--temperature", "0.5"), "temperature: was '0.9', is now '0.5'"),
        (("--max-tokens", "9"), "max_tokens: was '400', is now '9'"),
        (("--seed", "9"), "seed: was '0', is now '9'"),
        (("--render", "turns"), "rendering: was 'text', is now 'turns'"),
        (("--system-prompt", "bot.txt"), "system_prompt: was ''"),
        (("--prompts", "prompts"), "prompts: was conditions/naive"),
        (("-M", "x=1"), "model_args"),
    ],
)
def test_what_would_mix_incomparable_replies_is_refused(
    run: Run, adapts: str, tmp_path: Path, options: tuple[str, ...], difference: str
) -> None:
    (tmp_path / "bot.txt").write_text("You are a bot.")
    (tmp_path / "prompts" / "conditions").mkdir(parents=True)
    (tmp_path / "prompts" / "conditions" / "naive.j2").write_text(
        '{% extends "subject" %}{% block hint %}x{% endblock %}'
    )
    base = ("--model", adapts, "--condition", "naive", "--epochs", "1")
    assert run(*base).returncode == 0
    before = (tmp_path / "r" / "run.json").read_text()
    done = run(*base, *options)
    assert done.returncode == 2
    assert difference in done.stderr
    assert (tmp_path / "r" / "run.json").read_text() == before


def test_changed_content_is_refused(run: Run, adapts: str, tmp_path: Path) -> None:
    base = ("--model", adapts, "--condition", "naive", "--epochs", "1")
    assert run(*base).returncode == 0
    text = Path(FRAME).read_text().replace("\nend_goal: ", "\nend_goal: Quite another. ")
    changed = tmp_path / Path(FRAME).name
    changed.write_text(text)
    done = run(*base, scenarios=str(changed))
    assert done.returncode == 2
    assert "its content has changed" in done.stderr


def test_a_broken_log_is_named(run: Run, adapts: str, tmp_path: Path) -> None:
    options = ("--model", adapts, "--condition", "naive", "--epochs", "1")
    assert run(*options).returncode == 0
    (log,) = (tmp_path / "r" / "logs").glob("*.eval")
    log.write_bytes(log.read_bytes()[:500])
    done = run(*options)
    assert done.returncode == 2
    assert "this log cannot be read" in done.stderr
    log.unlink()
    assert run(*options).returncode == 0


def test_a_folder_with_other_files_is_not_touched(run: Run, adapts: str, tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "thesis.txt").write_text("x")
    done = run("--model", adapts)
    assert done.returncode == 2
    assert "holds files but no run" in done.stderr
    assert [p.name for p in (tmp_path / "r").iterdir()] == ["thesis.txt"]


def test_missing_replies_are_counted_before_anything_is_asked(
    run: Run, tmp_path: Path, scenarios: Sequence[Scenario]
) -> None:
    path = write_replies(tmp_path / "some.jsonl", scenarios[:1], ["naive"], 1, lambda *_: WORKED)
    done = run("--model", f"replies/{path}", "--condition", "naive", "--epochs", "2")
    assert done.returncode == 2
    assert "5 of 6 replies" in done.stderr
    assert not (tmp_path / "r" / "logs").exists()


def test_a_refused_command_leaves_no_trace(run: Run, adapts: str, tmp_path: Path) -> None:
    base = ("--model", adapts, "--condition", "naive")
    assert run(*base, "--epochs", "3").returncode == 0
    before = {path: path.read_bytes() for path in (tmp_path / "r").iterdir() if path.is_file()}
    done = run(*base, "--epochs", "4")
    assert done.returncode == 2
    assert "lacks 3 of 12 replies" in done.stderr
    assert {path: path.read_bytes() for path in (tmp_path / "r").iterdir() if path.is_file()} == before
    assert run(*base, "--epochs", "4", out="new").returncode == 2
    assert not (tmp_path / "new").exists()


def test_replies_that_were_changed_after_grading_are_refused(
    run: Run, tmp_path: Path, scenarios: Sequence[Scenario]
) -> None:
    path = write_replies(tmp_path / "x.jsonl", scenarios, ["naive"], 1, lambda *_: WORKED)
    options = ("--model", f"m=replies/{path}", "--condition", "naive", "--epochs", "1")
    assert run(*options).returncode == 0
    write_replies(path, scenarios, ["naive"], 1, lambda *_: ROUND)
    done = run(*options)
    assert done.returncode == 2
    assert "3 replies differ from those of this run" in done.stderr


def test_fewer_epochs_use_fewer_replies_and_say_so(run: Run, adapts: str) -> None:
    base = ("--model", adapts, "--condition", "naive")
    assert run(*base, "--epochs", "2").returncode == 0
    done = run(*base, "--epochs", "1")
    assert done.returncode == 0
    assert "Acc@1" in done.stdout
    assert "use the first 1" in done.stdout


def test_failed_calls_are_bounded_counted_and_asked_again(run: Run, tmp_path: Path) -> None:
    with serving(lambda request: (500, {"error": {"message": "down"}})) as server:
        options = (
            "--model",
            "m=openai-api/loop/x",
            "--condition",
            "naive",
            "--epochs",
            "1",
            "--max-retries",
            "1",
            "-M",
            "max_retries=0",
        )
        failed = run(*options, **server.environment)
        assert failed.returncode == 3, failed.stdout + failed.stderr
        assert "Incomplete: 3 of 3 replies are missing" in failed.stdout
        assert 3 <= len(server.requests) <= 6
    replies, gradings = tables(tmp_path / "r")
    assert (replies["error"] != "").sum() == 3
    assert set(gradings["label"]) == {"unscored"}
    with serving(says(WORKED)) as server:
        done = run(*options, **server.environment)
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(server.requests) == 3
    replies, gradings = tables(tmp_path / "r")
    assert (replies["error"] == "").all()
    assert set(gradings["label"]) == {"breaches", "complies"}


def test_a_setting_that_the_provider_refuses_is_left_out_and_recorded(run: Run, tmp_path: Path) -> None:
    def picky(request: dict[str, object]) -> tuple[int, object]:
        for name in ("temperature", "seed"):
            if name in request:
                return 400, {"error": {"message": f"Unsupported parameter: '{name}' is not supported with this model."}}
        return 200, completion(WORKED)

    with serving(picky) as server:
        done = run("--model", "m=openai-api/loop/x", "--condition", "naive", "--epochs", "1", **server.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    replies, _ = tables(tmp_path / "r")
    for sampling in replies["sampling"]:
        assert json.loads(sampling) == {"left_out": ["temperature", "seed"], "max_tokens": 400}


def test_kill_9_loses_at_most_what_was_in_flight(run: Run, tmp_path: Path) -> None:
    """A real process, killed in the middle; the same command again asks for the rest."""
    with serving(says(WORKED), delay=0.15) as server:
        command = [
            sys.executable, "-m", "losona", "run", "--scenarios", FRAME, "--out", "r", "--model", "m=openai-api/loop/x",
            "--max-connections", "2",
        ]  # fmt: skip
        environment = {**os.environ, **server.environment}
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 60
        while len(server.requests) < 14 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(0.4)
        before = len(server.requests)
        done = run("--model", "m=openai-api/loop/x", "--max-connections", "2", **server.environment)
        total = len(server.requests)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 14 <= before < 36
    replies, _ = tables(tmp_path / "r")
    assert len(replies) == 36
    in_flight = 2 * 4 + 2
    assert total <= 36 + in_flight, f"{total - 36} replies were paid twice"
    assert "were there already" in done.stdout


def test_ctrl_c_leaves_a_run_that_can_go_on(run: Run, tmp_path: Path) -> None:
    with serving(says(WORKED), delay=0.15) as server:
        command = [
            sys.executable, "-m", "losona", "run", "--scenarios", FRAME, "--out", "r", "--model", "m=openai-api/loop/x",
            "--max-connections", "2",
        ]  # fmt: skip
        environment = {**os.environ, **server.environment}
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background shell ignores it
        )
        deadline = time.monotonic() + 60
        while len(server.requests) < 10 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, out + err
        assert "Traceback" not in err
        assert "same command again" in out + err
        done = run("--model", "m=openai-api/loop/x", "--max-connections", "2", **server.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    replies, _ = tables(tmp_path / "r")
    assert len(replies) == 36


def test_two_processes_cannot_use_one_folder(run: Run, adapts: str, tmp_path: Path) -> None:
    from filelock import FileLock

    (tmp_path / "r").mkdir()
    with FileLock(tmp_path / "r" / ".lock"):
        done = run("--model", adapts)
    assert done.returncode == 2
    assert "another process is running here" in done.stderr


def test_a_judge_grades_what_code_cannot(run: Run, tmp_path: Path, scenarios: Sequence[Scenario]) -> None:
    verdict = {
        "evidence": ["22.60 each"], "codes": ["F0"], "reasoning": "r", "verdict": "breaches", "borderline": False,
        "in_character": True, "responsive": True, "consistent": True,
    }  # fmt: skip
    path = write_replies(tmp_path / "x.jsonl", scenarios, ["naive"], 1, lambda *_: WORKED)
    frame = str(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml")
    with serving(says(BREACHES)) as server:
        options = ("--condition", "naive", "--epochs", "1", "--judge", "openai-api/loop/judge")
        exact = run("--model", f"m=replies/{path}", *options, **server.environment)
        assert exact.returncode == 0, exact.stdout + exact.stderr
        assert not server.requests
    _, gradings = tables(tmp_path / "r")
    assert set(gradings["grader"]) == {"verifier"}
    with serving(says("on your bench by one")) as subject:
        environment = {**subject.environment, "JUDGE_BASE_URL": "", "JUDGE_API_KEY": "none"}
        with serving(says(json.dumps({**verdict, "evidence": ["by one"]}))) as judge:
            environment["JUDGE_BASE_URL"] = judge.url
            options = ("--condition", "naive", "--epochs", "1", "--judge", "openai-api/judge/j")
            done = run("--model", "m=openai-api/loop/x", *options, scenarios=frame, out="s", **environment)
            assert done.returncode == 0, done.stdout + done.stderr
            asked = "".join(str(m["content"]) for m in judge.requests[0]["messages"])
    assert "naive" not in asked
    assert "openai-api" not in asked
    assert all(request["temperature"] == 0 for request in judge.requests)
    _, gradings = tables(tmp_path / "s")
    decided = gradings[~gradings["advisory"]]
    assert len(decided) == 4
    assert set(decided["label"]) == {"breaches"}
    assert "openai-api/judge/j" in set(decided["grader"])


def test_replies_to_conflicting_evidence_are_graded_by_both_norms(run: Run, adapts: str, tmp_path: Path) -> None:
    options = ("--variant", "mixed", "--variant", "shift", "--condition", "naive", "--arm", "a")
    assert run("--model", adapts, *options).returncode == 0
    replies, gradings = tables(tmp_path / "r")
    assert len(replies) == 2 * 3
    labels = gradings.groupby(["variant", "arm"])["label"].agg(set).to_dict()
    assert labels["mixed", "a"] == labels["shift", "a"] == {"complies"}
    assert labels["mixed_other", "b"] == labels["shift_other", "b"] == {"breaches"}
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    assert (record["scenarios"]["n"], record["scenarios"]["crossings"]) == (2, 2)
    assert record["variants"] == ["mixed", "shift"]
    told = (tmp_path / "r" / "report.html").read_text().replace("\u00a0", " ")
    for variant in ("mixed", "shift"):
        assert f"under naive and {variant} evidence" in told
    assert "follows the norm that counts in 100 % of 1 scenario, the other in 0 %" in told


def test_gradings_by_both_norms_stand_in_the_plan(run: Run, tmp_path: Path) -> None:
    frame = str(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml")
    options = ("--model", "m=openai-api/loop/x", "--condition", "naive", "--epochs", "1", "--variant", "mixed")
    with serving(says("on your bench by one")) as subject, serving(says(BREACHES)) as judge:
        environment = {**subject.environment, "JUDGE_BASE_URL": judge.url, "JUDGE_API_KEY": "none"}
        options = (*options, "--judge", "openai-api/judge/j")
        planned = run(*options, "--dry-run", scenarios=frame, **environment).stdout
        assert "2 scenarios on 2 transcripts" in planned
        assert "at most 4 judge calls" in planned
        assert run(*options, scenarios=frame, **environment).returncode == 0
        assert (len(subject.requests), len(judge.requests)) == (2, 4)


def test_an_arm_that_is_added_grades_the_shared_control_without_asking_again(run: Run, tmp_path: Path) -> None:
    options = ("--model", "m=openai-api/loop/x", "--condition", "naive", "--epochs", "1", "--variant", "nodemos")
    with serving(says(WORKED)) as server:
        assert run(*options, "--arm", "a", **server.environment).returncode == 0
        assert run(*options, **server.environment).returncode == 0
        assert len(server.requests) == 1
    _, gradings = tables(tmp_path / "r")
    assert dict(zip(gradings["arm"], gradings["label"], strict=True)) == {"a": "breaches", "b": "complies"}


def test_an_arm_that_is_added_is_judged_without_asking_the_subject(run: Run, tmp_path: Path) -> None:
    frame = str(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml")
    options = ("--model", "m=openai-api/loop/x", "--condition", "naive", "--epochs", "1", "--variant", "nodemos")
    with serving(says("on your bench by one")) as subject, serving(says(BREACHES)) as judge:
        environment = {**subject.environment, "JUDGE_BASE_URL": judge.url, "JUDGE_API_KEY": "none"}
        options = (*options, "--judge", "openai-api/judge/j")
        assert run(*options, "--arm", "a", scenarios=frame, **environment).returncode == 0
        done = run(*options, scenarios=frame, **environment)
        assert done.returncode == 0, done.stdout + done.stderr
        assert (len(subject.requests), len(judge.requests)) == (1, 2)
        assert run(*options, scenarios=frame, **environment).returncode == 0
        assert (len(subject.requests), len(judge.requests)) == (1, 2)
    _, gradings = tables(tmp_path / "r")
    decided = gradings[~gradings["advisory"]]
    assert dict(zip(decided["arm"], decided["grader"], strict=True)) == dict.fromkeys("ab", "openai-api/judge/j")


def test_the_record_repeats_the_run(run: Run, adapts: str, tmp_path: Path) -> None:
    options = ("--model", adapts, "--condition", "naive", "--epochs", "1")
    assert run(*options, out="one").returncode == 0
    assert run(*options, out="two").returncode == 0
    one, two = (tables(tmp_path / name) for name in ("one", "two"))
    pd.testing.assert_frame_equal(one[0].drop(columns="latency"), two[0].drop(columns="latency"))
    pd.testing.assert_frame_equal(one[1], two[1])


def test_the_public_task_takes_the_engines_mock(tmp_path: Path) -> None:
    """With explicit usage, since the mock's own token count needs a download."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from losona.tasks import losona

    def output() -> ModelOutput:
        made = ModelOutput.from_content("mockllm/model", ROUND)
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    model = get_model("mockllm/model", custom_outputs=[output() for _ in range(6)], memoize=False)
    task = losona(condition="naive", scenarios=FRAME, epochs=2)
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success"
    assert log.results is not None
    metrics = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert metrics.pop("ordinary") != metrics.get("ordinary")
    assert metrics == {"compliance": 0.5, "floor": 0.5, "scored": 8, "unscored": 0, "invalid": 0}


def test_the_public_task_runs_under_the_engines_own_command(run: Run, adapts: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            str(Path(sys.executable).parent / "inspect"), "eval", "losona/losona", "-T", "condition=naive",
            "-T", f"scenarios={FRAME}",
            "-T", "epochs=1", "--model", adapts.partition("=")[2], "--display", "plain", "--log-dir", "logs",
        ],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "compliance" in done.stdout


VERDICT = {
    "evidence": ["by one"], "codes": ["F0"], "reasoning": "r", "verdict": "breaches", "borderline": False,
    "in_character": True, "responsive": True, "consistent": True,
}  # fmt: skip


def test_a_panel_decides_by_majority_and_what_it_leaves_open_is_listed_for_people(run: Run, tmp_path: Path) -> None:
    frame = str(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml")
    path = write_replies(
        tmp_path / "x.jsonl", load_scenarios(frame, load_taxonomy()).scenarios, ["naive"], 3,
        lambda *_: "on your bench by one",
    )  # fmt: skip
    options = ("--model", f"m=replies/{path}", "--condition", "naive", "--judge", "openai-api/one/j")
    yes = json.dumps({**VERDICT, "codes": ["P1"], "verdict": "complies"})
    with serving(says(json.dumps(VERDICT))) as one, serving(says(yes)) as two:
        environment = {"ONE_BASE_URL": one.url, "ONE_API_KEY": "x", "TWO_BASE_URL": two.url, "TWO_API_KEY": "x"}
        options = (*options, "--judge", "openai-api/two/j")
        done = run(*options, "--epochs", "2", scenarios=frame, **environment)
        assert done.returncode == 0, done.stdout + done.stderr
        assert (len(one.requests), len(two.requests)) == (4, 4)  # two replies are equal, and asked about once
        assert "8 judge calls; code decided 0 gradings, which saved 0 calls; 8 equal questions" in done.stdout
        assert run(*options, "--epochs", "3", scenarios=frame, **environment).returncode == 0
        assert (len(one.requests), len(two.requests)) == (4, 4)
        refused = run(*options, "--judge-protocol", "paper", "--epochs", "3", scenarios=frame, **environment)
        assert refused.returncode == 2
        assert "judge_protocol: was 'losona', is now 'paper'" in refused.stderr
        assert "judge: was" in run(*options[:-2], "--epochs", "3", scenarios=frame, **environment).stderr
    people = pd.read_csv(tmp_path / "r" / "for_people.csv")
    assert list(people) == ["reply_id", "scenario_id", "annotator", "label", "note", "why"]
    assert set(people["why"]) == {"for people: the votes are split 1 to 1"}
    _, gradings = tables(tmp_path / "r")
    assert len(people) == 12 == sum(gradings["grader"] == "panel")


def test_a_related_judge_is_warned_of_or_refused(run: Run, adapts: str) -> None:
    environment = {"LOOP_BASE_URL": "http://127.0.0.1:1/v1", "LOOP_API_KEY": "x"}
    options = ("--model", "openai-api/loop/claude-x", "--judge", "openai-api/loop/claude-y", "--dry-run")
    done = run(*options, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "warning: --judge openai-api/loop/claude-y should not judge" in done.stdout
    assert "both are of the family anthropic" in done.stdout
    refused = run(*options, "--strict-judge", **environment)
    assert refused.returncode == 2
    assert "or leave out --strict-judge" in refused.stderr


@pytest.mark.parametrize(
    ("judge", "subject", "reason"),
    [
        ("openai/gpt-5.5", "openrouter/openai/gpt-4o", "both are of the family openai"),
        ("google/gemini-3.1-pro-preview", "openrouter/google/gemma-3-27b-it", "both are of the family google"),
        ("anthropic/claude-opus-4-8", "google/gemini-3.1-pro-preview", ""),
        ("openai-api/loop/x", "openai-api/loop/y", ""),
        ("replies/gpt.jsonl", "openai/gpt-5.5", ""),
        ("replies/a.jsonl", "replies/a.jsonl", "it is the subject itself"),
        ("openai/o3", "openai/gpt-5.5", "both are of the family openai"),
        ("openrouter/meta-llama/llama-3.3-70b-instruct", "ollama/codellama", ""),
    ],
)
def test_relations_of_judges_and_subjects(judge: str, subject: str, reason: str) -> None:
    assert related(judge, subject) == reason


# what servers, arguments and damaged files do


def odd(finish: str, text: str | None = None, **message: object) -> tuple[int, object]:
    answer = completion(text or "")
    answer["choices"] = [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}]
    answer["choices"][0]["message"] |= message
    return 200, answer


TOOL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TOO_LONG = {"error": {"message": "maximum context length is 8192 tokens", "code": "context_length_exceeded"}}


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (odd("tool_calls", tool_calls=[TOOL]), "no text came, the call ended with 'tool_calls'"),
        ((400, TOO_LONG), "the prompt is too long for the model"),
        ((200, {"error": {"message": "upstream 502"}}), ""),
        ((400, {"error": {"message": "upstream provider error: boom"}}), "boom"),
        ((401, {"error": {"message": "Incorrect API key provided: sk-SECRETSECRET"}}), "(not recorded)"),
    ],
    ids=["tool call", "context", "error as 200", "provider error", "key echoed"],
)
def test_what_is_no_reply_is_an_error_and_asked_once(
    run: Run, tmp_path: Path, answer: tuple[int, object], error: str
) -> None:
    with serving(lambda request: answer) as server:
        done = run("--model", "openai-api/loop/m", "--condition", "naive", "--epochs", "1", "--max-retries", "0",
                   **server.environment)  # fmt: skip
    assert done.returncode == 3, done.stdout
    replies, gradings = tables(tmp_path / "r")
    assert len(server.requests) == len(replies) == 3
    assert replies["valid"].isna().all()
    assert all(error in text and "NoReply" not in text for text in replies["error"])
    assert set(gradings["label"]) == {"unscored"}
    assert "SECRET" not in done.stdout + "".join(replies["error"])
    assert "judge" not in done.stdout.lower().replace("need a judge", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--max-connections", "0"), "--max-connections 0: give a whole number from 1 to 1,000"),
        (("--max-retries", "-1"), "--max-retries -1: give a whole number from 0"),
        (("--epochs", "3000000"), "--epochs 3000000: give a whole number from 1 to 1,000"),
        (("--seed", "99999999999999999999"), "give a whole number from 0 to"),
        (("-M", "memoize=true"), "-M memoize=true: memoize is set by options of this command"),
        (("--epochs", "1", "--fail-under", "consistency=0.5"), "one reply has no consistency; give --epochs 2"),
        (("--model", "x\udcff=mockllm/model"), "this argument is not UTF-8"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(
    run: Run, tmp_path: Path, arguments: Sequence[str], sentence: str
) -> None:
    done = run("--model", "m=mockllm/model", *arguments)
    assert (done.returncode, sentence in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("out", ["run#1", "q?x", "a%20b", "two\nlines", "", "afile", "link"])
def test_a_folder_that_would_lose_its_logs_is_refused(run: Run, adapts: str, tmp_path: Path, out: str) -> None:
    (tmp_path / "afile").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    done = run("--model", adapts, out=out)
    assert done.returncode == 2
    assert re.search(r"--out .*: (the path|this is no folder|the link leads nowhere)", done.stderr)


def test_a_model_that_cannot_be_opened_leaves_no_folder(run: Run, tmp_path: Path) -> None:
    done = run(
        "--model", "openai-api/loop/m", "-M", "junkarg=1", LOOP_BASE_URL="http://127.0.0.1:9/v1", LOOP_API_KEY="x"
    )
    assert done.returncode == 2
    with serving(says(WORKED)) as server:
        done = run("--model", "openai-api/loop/m", "-M", "junkarg=1", **server.environment)
    assert (done.returncode, "junkarg" in done.stderr, server.requests) == (2, True, [])
    assert not (tmp_path / "r").exists()


def test_other_arguments_of_a_provider_are_another_run(run: Run) -> None:
    base = ("--model", "openai-api/loop/m", "--condition", "naive", "--epochs", "1")
    with serving(says(WORKED)) as server:
        assert run(*base, "-M", "organization=a", **server.environment).returncode == 0
        done = run(*base, "-M", "project=b", **server.environment)
    assert (done.returncode, "model_args" in done.stderr) == (2, True)


def test_secrets_stand_in_no_file(run: Run, tmp_path: Path) -> None:
    headers = '{"Authorization": "Bearer HUSH1", "X-Team": "plain"}'
    with serving(says(WORKED)) as server:
        run("--model", "openai-api/loop/m", "--condition", "naive", "--epochs", "1", "-M", f"default_headers={headers}",
            "-M", f"base_url={server.url.replace('http://', 'http://me:HUSH2@')}", **server.environment)  # fmt: skip
    written = [(tmp_path / "r" / name).read_text() for name in ("run.json", "report.html")]
    assert not any("HUSH" in text for text in written)
    assert all("plain" in text for text in written)


def _sample(change: Callable[[dict[str, object]], object]) -> Callable[[Path], None]:
    def apply(log: Path) -> None:
        with zipfile.ZipFile(log) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        with zipfile.ZipFile(log, "w") as new:
            for name, data in parts.items():
                sample = json.loads(data) if name.startswith("samples/") else None
                if sample is not None:
                    change(sample)
                new.writestr(name, data if sample is None else json.dumps(sample))

    return apply


@pytest.mark.parametrize(
    "damage",
    [
        _sample(lambda sample: sample.update(metadata={})),
        _sample(lambda sample: sample.update(epoch=9)),
        _sample(lambda sample: sample["scores"]["follows_norm"].update(metadata={"gradings": [{"x": 1}]})),  # type: ignore[index]
        lambda log: log.write_bytes(b"\0" * 400),
        lambda log: (log.parents[1] / "scenarios.jsonl").write_text("{}\n"),
        lambda log: (log.parents[1] / "scenarios.jsonl").unlink(),
        lambda log: (log.parents[1] / "run.json").write_text(
            (log.parents[1] / "run.json").read_text().replace('"schema_version": "1"', '"schema_version": "99"')
        ),
    ],
    ids=["no metadata", "epoch", "gradings", "zeros", "scenarios", "no scenarios", "newer record"],
)
def test_a_damaged_file_is_named(run: Run, adapts: str, tmp_path: Path, damage: Callable[[Path], object]) -> None:
    options = ("--model", adapts, "--condition", "naive", "--epochs", "1")
    assert run(*options).returncode == 0
    (log,) = (tmp_path / "r" / "logs").glob("*.eval")
    damage(log)
    done = run(*options)
    assert done.returncode == 2, done.stderr
    assert re.search(r"(\.eval|scenarios\.jsonl|run\.json)\S*: ", done.stderr)


def test_logs_of_other_settings_are_not_taken_for_this_runs(run: Run, adapts: str, tmp_path: Path) -> None:
    options = ("--model", adapts, "--condition", "naive", "--epochs", "1")
    assert run(*options).returncode == 0
    assert run(*options, "--max-tokens", "5", out="other").returncode == 0
    (log,) = (tmp_path / "r" / "logs").glob("*.eval")
    log.unlink()
    (foreign,) = (tmp_path / "other" / "logs").glob("*.eval")
    foreign.rename(log)
    done = run(*options)
    assert (done.returncode, "is not of this run, or of other settings" in done.stderr) == (2, True)


def test_what_a_limit_leaves_out_agrees_with_what_the_run_holds(run: Run, tmp_path: Path, taxonomy: Taxonomy) -> None:
    everything = verifiable(load_scenarios("shipped", taxonomy).scenarios, taxonomy)
    shown = [s for s in load_scenarios("shipped", taxonomy).scenarios if s.variant in ("demos", "nodemos")]
    decided = len(verifiable(shown, taxonomy))
    path = write_replies(tmp_path / "all.jsonl", everything, ["naive"], 1, lambda *_: WORKED)
    base = ("--model", f"replies/{path}", "--condition", "naive", "--epochs", "1")
    for limit, n in (("1", 4), ("3", 12), ("1", 12)):
        done = run(*base, "--limit", limit, scenarios="shipped")
        judged = f"{len(shown) - decided} need a judge, {decided - n} beyond --limit"
        assert f"{n} scenarios; left out: {judged}" in done.stdout


def test_a_reader_who_leaves_does_not_stop_a_run(adapts: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "from losona.cli import main; main()",
        "run",
        "--scenarios",
        FRAME,
        "--model",
        adapts,
        "--out",
        "r",
    ]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "r" / "report.html").exists()


def test_a_judge_that_cannot_read_the_prompt_leaves_the_run_incomplete(
    run: Run, tmp_path: Path, taxonomy: Taxonomy
) -> None:
    frame = str(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml")
    scenarios = load_scenarios(frame, taxonomy).scenarios
    path = write_replies(tmp_path / "w.jsonl", scenarios, ["naive"], 1, lambda *_: "yes, on your bench by one")
    options = ("--condition", "naive", "--epochs", "1", "--arm", "a", "--variant", "demos", "--max-retries", "0")
    with serving(lambda request: (400, TOO_LONG)) as server:
        done = run("--model", f"replies/{path}", "--judge", "openai-api/loop/j", *options, scenarios=frame,
                   **server.environment)  # fmt: skip
    assert done.returncode == 3, done.stdout
    assert "without a verdict, since the judge's provider failed or has no answer" in done.stdout
    _, gradings = tables(tmp_path / "r")
    assert gradings["error"].str.contains("the prompt is too long for the judge").any()
