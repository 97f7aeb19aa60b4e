"""The command line: what it prints, what it refuses, and that light commands stay light."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import losona as package
from losona.api import grade
from losona.cli import main
from losona.errors import UserFault
from losona.frames import SHIPPED_FRAMES
from losona.run.options import folder_name
from losona.verifiers import CodeVerdict
from test_official import row

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def losona(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], in_folder: Path) -> Call:
    """Run a command in this process: exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["losona", *arguments])
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        streams = capsys.readouterr()
        return code, streams.out, streams.err

    return call


@pytest.mark.parametrize("kind", ["packs", "events", "norms", "venues", "conditions", "models", "scenarios"])
def test_list_for_people_and_for_programs(losona: Call, kind: str) -> None:
    code, out, _ = losona("list", kind, "--json")
    rows = json.loads(out)
    assert code == 0
    assert rows
    _, table, _ = losona("list", kind)
    assert f"{len(rows)} {kind}" in table
    for entry in rows[:3]:
        assert str(entry.get("id")) in table


def test_presets_know_the_papers_models(losona: Call) -> None:
    rows = json.loads(losona("list", "models", "--json")[1])
    by_name = {row["name"]: row for row in rows}
    assert {"GPT-5.5", "Claude Fable 5", "Gemini 3.1 Pro", "Mistral Medium 3.1"} <= set(by_name)
    assert by_name["GPT-5.5"]["temperature"] == "provider default"


def test_show(losona: Call) -> None:
    _, frame, _ = losona("show", "core.standup.wash_buffer")
    assert "slot 1" in frame
    assert "* Huyen:" in frame
    _, scenario, _ = losona("show", "core.standup.wash_buffer/a/shift")
    assert scenario.count("\n* ") == 2 + 1  # the key below the chat too
    assert "\no " in scenario
    assert "\n> Ottilie: Kwabena" in scenario
    assert losona("show", str(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml"))[1] == frame
    for name in ("binary_answer_norm", "teams_wet_lab", "standup", "extended/bug_report"):
        assert losona("show", name)[0] == 0
    assert json.loads(losona("show", "binary_answer_norm", "--json")[1])["id"] == "binary_answer_norm"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("show", "binary_answer_nrm"), "did you mean binary_answer_norm"),
        (("show", "core.standup.mine"), "A frame of your own: give its file, or --scenarios FOLDER."),
        (("show", "frames/core.standup.mine.yaml"), "there is no such file"),
        (("check", "nobody", "yes"), "unknown norm 'nobody'"),
        (("check", "binary_answer_norm", "yes", "--params", "{"), "not valid JSON"),
        (("check", "binary_answer_norm", "yes", "--params", '{"a": 3}'), "--params"),
        (("derive", "nowhere.yaml"), "no such file"),
        (("list", "scenarios", "--scenarios", "x.csv"), "no such file or folder"),
        (("run", "--model", "gpt"), "write PROVIDER/MODEL"),
        (("run", "--model", "a/b", "--model", "a/b"), "'a/b' is given twice"),
        (("run", "--model", "opnai/x"), "unknown provider 'opnai'; did you mean openai"),
        (("run", "--judge", "gemini"), "--judge gemini: write PROVIDER/MODEL"),
        (("run", "--judge", "j=openai/x"), "--judge j=openai/x: write PROVIDER/MODEL"),
        (("check", "bil_show_working", "25"), "needs the parameter 'result': give --params"),
        (("run", "--condition", "naif"), "unknown condition 'naif'"),
        (("run", "--variant", "demo"), "no scenario has it; there are demos"),
        (("run", "--epochs", "0"), "--epochs 0"),
        (("run", "--limit", "0"), "--limit 0"),
        (("run", "--temperature", "9"), "--temperature 9"),
        (("run", "--temperature", "hot"), "--temperature hot"),
        (("run", "-M", "x"), "write KEY=VALUE"),
        (("run", "--fail-under", "acc"), "acc"),
        (("run", "--fail-under", "fun=0.5"), "fun"),
        (("run", "--protocol", "paper", "--epochs", "2"), "--protocol paper fixes it at 3"),
        (("run", "--prompts", "nowhere"), "no such folder of prompt templates"),
        (("run", "--system-prompt", "nowhere"), "no such file"),
        (("run", "--variant", "off"), "give --judge MODEL"),
        (("run", "--pack", "."), "no pack.yaml here"),
        (("run", "--model", "replies/nowhere.jsonl", "--limit", "1"), "no such file"),
        (("run", "--model", "embedded/nowhere.gguf", "--limit", "1"), "nowhere.gguf"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(losona: Call, arguments: tuple[str, ...], fault: str) -> None:
    code, _, err = losona(*arguments)
    assert code == 2, err
    assert fault in err
    assert "Traceback" not in err
    assert len(err) < 900


@pytest.mark.parametrize("command", [("lint",), ("derive", "--out"), ("show",)])
def test_what_a_fault_repeats_moves_nothing_on_the_terminal(losona: Call, command: tuple[str, ...]) -> None:
    code, out, said = losona(*command, "\x1b[31mx\x9b31m\x1b]0;t\x07")
    assert (code, bool(said), [char for char in out + said if char in "\x1b\x9b\x07"]) == (2, True, [])


def test_missing_keys_are_named_before_anything_is_paid(losona: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("GONE_BASE_URL", "http://127.0.0.1:9/v1")
    models = (
        "--model",
        "anthropic/claude-opus-4-8",
        "--model",
        "openai-api/gone/x",
        "--judge",
        "google/gemini-3.1-pro",
    )
    code, out, _ = losona("run", *models, "--limit", "1", "--dry-run")
    assert code == 0
    assert "the environment variable ANTHROPIC_API_KEY" in out
    assert "nothing listens there" in out
    assert "GONE_API_KEY" in out
    assert "calls for each model" in out
    code, _, err = losona("run", *models, "--limit", "1")
    assert code == 2
    assert "ANTHROPIC_API_KEY" in err


def test_derive_writes_both_formats_and_replaces_nothing_unasked(losona: Call, in_folder: Path) -> None:
    frame = str(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml")
    assert losona("derive", frame, "--out", "s.jsonl")[0] == 0
    assert len((in_folder / "s.jsonl").read_text().splitlines()) == 16
    code, _, err = losona("derive", frame, "--out", "s.jsonl")
    assert code == 2
    assert "--force" in err
    code, out, _ = losona("derive", frame, "--format", "official")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["scenario_id"].split("__")[2:] for row in rows] == [["demos", "wash_buffer"]] * 2
    assert all(losona("derive", frame, "--format", "official", "--variant", v)[0] == 2 for v in ("off", "nodemos"))
    code, _, err = losona("derive", frame, "--force", "--out", os.devnull)
    assert (code, "no ordinary file" in err) == (2, True)
    (in_folder / "rows.jsonl").write_text(out)
    assert len(json.loads(losona("list", "scenarios", "--scenarios", "rows.jsonl", "--json")[1])) == 2


def test_check_says_which_node_decided(losona: Call) -> None:
    assert losona("check", "binary_answer_norm", "yes")[1].startswith("complies:")
    code, out, _ = losona("check", "bil_show_working", "25", "--params", '{"result": ["22.60"]}', "--json")
    seen = json.loads(out)
    assert code == 0
    assert seen["label"] == "breaches"
    assert seen["node"]
    assert losona("check", "binary_answer_norm", "")[1].startswith("breaches: invalid: empty")


def test_lint_has_its_own_exit_code(losona: Call, in_folder: Path) -> None:
    assert losona("lint", str(SHIPPED_FRAMES / "core.standup.wash_buffer.yaml"))[0] == 0
    (in_folder / "core.standup.x.yaml").write_text("frame: x")
    code, out, _ = losona("lint", "core.standup.x.yaml", "--json")
    assert code == 1
    assert {finding["rule"] for finding in json.loads(out)} == {"F01"}


def test_prompts_say_nothing_hidden(losona: Call) -> None:
    code, out, _ = losona("prompts", "--limit", "2", "--condition", "naive", "--epochs", "1")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert {key for row in rows for key in row} == {"prompt_hash", "epoch", "condition", "transcript_id", "messages"}


def test_doctor_finds_the_installation_fit(losona: Call) -> None:
    code, out, _ = losona("doctor", "--json")
    assert code == 0
    assert {finding["what"]: finding["state"] for finding in json.loads(out)}["packs"] == "ok"
    assert losona("doctor", "--model", "embedded/nowhere.gguf")[0] == 2
    code, out, _ = losona("doctor", "--model", "foo/bar")
    assert code == 2
    assert "unknown provider 'foo'" in out
    assert "packs" in out


@pytest.mark.parametrize(
    "arguments", [("--help",), ("list", "packs"), ("lint", "x"), ("show", "standup"), ("check", "x", "y")]
)
def test_light_commands_do_not_import_the_engine(arguments: tuple[str, ...]) -> None:
    code = (
        "import sys; sys.argv = ['losona', *sys.argv[1:]]\nfrom losona.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'inspect_ai', 'pandas', 'xllamacpp'} & set(sys.modules)\nassert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, timeout=60)


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m losona list norms | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert "Error" not in done.stderr
    assert "Exception" not in done.stderr


def test_grade_for_programs() -> None:
    assert package.grade is grade
    name = "extended.splitting_bill.sofa_window"
    verdict = grade(f"{name}/b/demos", "113 / 5 = 22.60 each")
    assert isinstance(verdict, CodeVerdict)
    assert verdict.label == "complies"
    empty = grade(f"{name}/b/demos", "  ")
    assert empty is not None
    assert (empty.label, empty.validity.valid) == ("breaches", False)
    assert grade("core.troubles_talk.poppy_cake/a/demos", "at least you found the cake early") is None
    with pytest.raises(UserFault, match="unknown scenario"):
        grade("nowhere/a/demos", "x")


def test_taxonomy_check_prints_rates_with_denominators(losona: Call) -> None:
    code, out, _ = losona("taxonomy", "check")
    assert code == 0
    assert re.search(r"blind +yes +first run +exact +18 +16 of 119 ", out)
    data = json.loads(losona("taxonomy", "check", "--json")[1])
    assert data["misread"] == []
    assert all(rate["n_adherent"] >= rate["rejected"] for rate in data["rates"])


def test_list_leaves_out_bad_rows_when_told(losona: Call, in_folder: Path) -> None:
    (in_folder / "rows.jsonl").write_text(json.dumps(row()) + "\n{}\n")
    code, _, err = losona("list", "scenarios", "--scenarios", "rows.jsonl")
    assert (code, "--skip-bad-rows" in err) == (2, True)
    code, out, _ = losona("list", "scenarios", "--scenarios", "rows.jsonl", "--skip-bad-rows", "--json")
    assert (code, len(json.loads(out))) == (0, 1)


def test_a_folder_is_named_without_the_suffix_of_a_file_of_replies() -> None:
    assert folder_name(["replies/base1.jsonl", "openai/gpt-5.5"]) == "base1+gpt-5.5"
