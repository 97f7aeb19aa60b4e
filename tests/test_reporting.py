"""What `losona report`, `compare` and `export` leave on disk and say, and what they refuse."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from losona.cli import cli
from losona.errors import UserFault
from losona.report.escaping import csv_cell, fenced, latex, markdown
from losona.schema.tables import ExportRow, GradingRow, ReplyRow

HOSTILE = '=HYPERLINK("http://x")|</td><script>alert(1)</script> [a](b) `c` \\input{x} $z$ \x1b \u202e'
Make = Callable[..., Path]


@pytest.fixture
def make(in_folder: Path) -> Make:
    """A run folder from `{"condition norm/arm/variant": "cb"}`, a letter (comply, breach, unscored) an epoch."""

    def make(name: str, results: dict[str, str], model: str = "m", version: str = "1-A", text: str = "hm") -> Path:
        replies: list[dict[str, Any]] = []
        gradings: list[dict[str, Any]] = []
        for key, letters in results.items():
            condition, scenario_id = key.split()
            frame, arm, variant = scenario_id.split("/")
            for epoch, letter in enumerate(letters, 1):
                reply_id = f"{key} {epoch}"
                replies.append(ReplyRow(
                    reply_id=reply_id, transcript_id=scenario_id, prompt_hash="p", condition=condition, model=model,
                    model_id=model, epoch=epoch, text=text, finish_reason="max_tokens", valid=True,
                ).model_dump())  # fmt: skip
                label = {"c": "complies", "b": "breaches", "u": "unscored"}[letter]
                gradings.append(GradingRow(
                    reply_id=reply_id, scenario_id=scenario_id, frame=frame, arm=arm, variant=variant, pack="core",
                    event="standup", norm=f"norm_{frame}", mode="exact", expectation="applies", grader="verifier",
                    label=label,
                ).model_dump())  # fmt: skip
        folder = in_folder / name
        folder.mkdir()
        pd.DataFrame(replies).to_parquet(folder / "replies.parquet")
        pd.DataFrame(gradings).to_parquet(folder / "gradings.parquet")
        record = {"name": name, "epochs": 1, "identity": {"benchmark_version": version, "temperature": 0.7}}
        (folder / "run.json").write_text(json.dumps(record), "utf-8")
        return folder

    return make


def losona(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def refused(*words: object) -> str:
    result = losona(*words)
    assert isinstance(result.exception, UserFault), result.output
    return str(result.exception)


def many(letter: str, n: int = 12, condition: str = "naive", variant: str = "demos") -> dict[str, str]:
    return {f"{condition} f{i}/a/{variant}": letter for i in range(n)}


def test_report_writes_every_kind_of_file(make: Make) -> None:
    pytest.importorskip("matplotlib")
    folder = make("a", many("c") | many("b", variant="nodemos"))
    assert losona("report", folder).exit_code == 0
    assert {path.suffix for path in (folder / "figures").iterdir()} == {".svg", ".png", ".pdf"}
    assert pd.read_csv(folder / "tables" / "gains.csv")["gain"].tolist() == [1.0]
    assert r"\toprule" in (folder / "tables" / "main.tex").read_text("utf-8")
    page, text = (folder / "report.html").read_text("utf-8"), (folder / "report.md").read_text("utf-8")
    assert "m, naive: floor 0\u00a0%, with demonstrations 100\u00a0%, gain +100 points over 12\u00a0pairs" in page
    assert "cut at the token limit" in page
    assert "| 0\\.7 |" in text.replace("0.7", "0\\.7")
    assert "![m, naive: 100 % of 12 decided scenarios" in text.replace("\u00a0", " ")


def judged(folder: Path, **more: Any) -> None:
    record = json.loads((folder / "run.json").read_text())
    record["identity"]["judge"] = ["j"]
    (folder / "run.json").write_text(json.dumps(record | more))


def test_what_was_measured_of_the_judge_is_drawn_with_its_numbers(make: Make) -> None:
    folder = make("a", many("c"))
    counts = {"tp": 9, "fp": 1, "fn": 1, "tn": 19, "void": 0}
    judged(folder, audits={"j": {"folder": "audits/j", "counts": counts, "families": {"repair": counts}}})
    share = {"value": 0.9, "n_effective": 40.0, "n": 40, "interval": [0.8, 0.95]}
    rate = {"model": "m", "condition": "naive", "variant": "demos", "n": 12, "raw": 0.75}
    calibration = {
        "graders": ["j"], "created": "2026", "labels": "l.csv", "n_labels": 80, "n_open": 0, "refusal": None,
        "errors": {"sensitivity": share, "specificity": share}, "families": {"repair": {"sensitivity": share}},
        "cells": {"differences": [], "rates": [
            rate | {"corrected": {"value": 0.7, "low": 0.5, "high": 0.9, "n": 12}, "powered": None}
        ]},
    }  # fmt: skip
    (folder / "calibration.json").write_text(json.dumps(calibration))
    assert losona("report", folder).exit_code == 0
    page = (folder / "report.html").read_text("utf-8").replace("\u00a0", " ")
    assert "audit: j, all: sensitivity 90 % of 10, 95 % interval 60 to 98" in page
    assert "audit: j, repair: specificity 95 % of 20" in page
    assert "people: j, repair: sensitivity 90 % of 40, 95 % interval 80 to 95" in page
    assert "m, naive: raw 75 %, corrected 70 % [50 to 90] of 12 judged replies" in page
    assert "not drawn" not in page
    assert {p.stem for p in (folder / "figures").glob("*.pdf")} >= {"judge", "corrected"}
    table = pd.read_csv(folder / "tables" / "judge_errors.csv")
    assert list(zip(table.source, table.group, strict=True)).count(("people", "all")) == 2


def test_a_judge_that_nobody_measured_is_said_to_be_unmeasured(make: Make) -> None:
    folder = make("a", many("c"))
    assert losona("report", folder).exit_code == 0
    assert "have not been measured" not in (folder / "report.html").read_text("utf-8")
    judged(folder, audits={"j": None})
    assert losona("report", folder).exit_code == 0
    assert "have not been measured" in (folder / "report.html").read_text("utf-8")
    assert "have not been measured" in (folder / "report.md").read_text("utf-8")
    assert not (folder / "figures" / "judge.svg").exists()


def test_report_without_matplotlib_says_what_is_missing(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make("a", many("c"))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = losona("report", folder)
    assert result.exit_code == 0, result.output
    assert "pip install 'losona[figures]'" in result.output
    assert "Figures are missing" in (folder / "report.html").read_text("utf-8")
    assert not (folder / "figures").exists()


def test_report_of_two_runs_tells_equal_names_apart(make: Make, in_folder: Path) -> None:
    assert losona("report", make("a", many("c")), make("b", many("b"))).exit_code == 0
    rows = pd.read_csv(in_folder / "reports" / "a+b" / "tables" / "conditions.csv")
    assert dict(zip(rows["model"], rows["acc_at_k"], strict=True)) == {"m (a)": 1.0, "m (b)": 0.0}


def test_report_removes_what_an_earlier_one_had_and_spares_other_folders(make: Make, in_folder: Path) -> None:
    folder = make("a", many("c"))
    (folder / "tables").mkdir()
    (folder / "tables" / "deltas.tex").write_text("old")
    assert losona("report", folder).exit_code == 0
    assert not (folder / "tables" / "deltas.tex").exists()
    (in_folder / "mine").mkdir()
    (in_folder / "mine" / "thesis.tex").write_text("mine")
    assert "holds other files" in refused("report", folder, "--out", in_folder / "mine")


def test_hostile_replies_and_names_are_text_in_every_file(make: Make) -> None:
    folder = make("a", many("c", 2) | many("c", 2, "norm_informed"), model=HOSTILE, text=HOSTILE)
    assert losona("report", folder).exit_code == 0
    for path in [path for path in folder.rglob("*") if path.suffix in (".html", ".md", ".tex", ".svg")]:
        found = path.read_text("utf-8")
        assert "<script" not in found, path
        assert not set("\x1b\u202e") & set(found), path
    for path in (folder / "figures").glob("*.svg"):
        ElementTree.parse(path)
    assert "\\input{x}" not in "".join(path.read_text("utf-8") for path in (folder / "tables").glob("*.tex"))


TEX_COMMANDS = {
    "begin", "end", "toprule", "midrule", "bottomrule", "endhead", "multicolumn", "textbf", "textbackslash", "symbol",
    "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar", "ldots",
}  # fmt: skip
TOKEN = re.compile(r"\\([A-Za-z]+|.)|([{}&$#_^%~])|[^\\{}&$#_^%~]+", re.DOTALL)


def tex_rows(source: str) -> list[int]:
    """Columns of each row of one table, its declared number first; fails on what LaTeX would stop at."""
    lines = [line for line in source.splitlines() if not line.startswith("%")]
    kind, columns = re.fullmatch(r"\\begin\{(tabular|longtable)\}\{(l?r*)\}", lines[0]).groups()  # type: ignore[union-attr]
    assert lines[-1] == f"\\end{{{kind}}}"
    assert (lines[1], lines[-2]) == ("\\toprule", "\\bottomrule")
    found = [len(columns)]
    for line in lines[2:-2]:
        if line.startswith("\\midrule"):
            continue
        assert line.endswith(r" \\"), line
        assert not line.startswith(("[", "*")), "an option of the line before"
        depth, cells, maths = 0, 1, 0
        for token in TOKEN.finditer(line.removesuffix(r" \\")):
            command, special = token[1], token[2]
            assert command is None or command in TEX_COMMANDS or command in "&%$#_{},", token[0]
            assert special in (None, "{", "}", "&", "$", "~"), line
            depth += (special == "{") - (special == "}")
            cells, maths = cells + (special == "&"), maths + (special == "$")
            assert depth >= 0, line
        assert (depth, maths % 2) == (0, 0), line
        assert all(ord(c) < 256 and c not in "«»ÐðÞþ" for c in line), line
        spanned = re.match(r"\\multicolumn\{(\d+)\}\{l\}\{", line)
        found.append(int(spanned[1]) if spanned else cells)
    return found


@pytest.mark.parametrize(
    "name", [HOSTILE, "[2pt] x", "*", '"', "a & b % $ # _ { } ~ ^ \\ < > |", "«þ» é ✓ …", "\\end{tabular}", "\\\\ & %"]
)
def test_tables_for_latex_have_equal_rows_and_no_open_character(make: Make, name: str) -> None:
    variants = ("demos", "nodemos", "off", "shift")
    results = {
        key: letters
        for v in variants
        for key, letters in (many("c", 3, "naive", v) | many("b", 3, "oracle", v)).items()
    }
    folder = make("a", results, model=name)
    assert losona("report", folder, make("b", results, model=f"{name} 2"), "--out", "both").exit_code == 0
    paths = sorted(Path("both/tables").glob("*.tex"))
    assert {"main", "model_pairs", "ranking", "reasons"} & {path.stem for path in paths} >= {"main", "model_pairs"}
    for path in paths:
        declared, *rows = tex_rows(path.read_text("utf-8"))
        assert set(rows) == {declared}, path


def test_escapes() -> None:
    assert markdown("- a|b\n<i>[x](y)") == r"\- a\|b &lt;i&gt;\[x\]\(y\)"
    assert markdown("1. www.x http://y") == r"1\. www\.x http\://y"
    assert latex("50 % of #1_a\\b é 🙂") == r"50 \% of \#1\_a\textbackslash{}b é [U+1F642]"
    assert [csv_cell(value) for value in ("=1", " @x", "a=1", -1)] == ["'=1", "' @x", "a=1", -1]
    assert fenced("a\n```\nb").startswith("````text\n")


def test_compare_says_better_and_lists_what_flipped(make: Make) -> None:
    result = losona("compare", make("old", many("b") | many("b", variant="nodemos")), make("new", many("c")))
    assert result.exit_code == 0
    assert result.output.startswith("Better: m in new against m in old under naive (+100 points")
    assert result.output.count("gained: f") == 12


def test_compare_calls_a_tie_a_tie(make: Make) -> None:
    old, new = make("old", many("b") | {"naive g/a/demos": "c"}), make("new", many("b") | {"naive g/a/demos": "b"})
    output = losona("compare", old, new).output
    assert output.startswith("No demonstrable difference: m in new against m in old under naive (-8 points")
    assert "lost: g/a/demos (norm_g), naive: 100 % of replies complied, now 0 %" in output


def test_compare_says_when_data_cannot_tell(make: Make) -> None:
    old, new = make("old", many("b", 3)), make("new", many("c", 2) | {"naive f2/a/demos": "u"})
    output = losona("compare", old, new).output
    assert "Only 2 norms: below 6 norms no difference can be told from chance" in output
    assert "up to 1 scenario of old and 0 of new" in output


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        (("--min-gain", "0.5"), 0), (("--min-gain", "-0.5", "--no-regression", "0.05"), 0),
        (("--fail-under", "acc:naive=0.9"), 0), (("--fail-under", "acc:naive=0.9", "--min-gain", "1"), 0),
    ],
)  # fmt: skip
def test_gates_hold_for_the_better_and_fail_for_the_worse(make: Make, gate: tuple[str, ...], code: int) -> None:
    old, new = make("old", many("b")), make("new", many("c"))
    assert losona("compare", old, new, *gate).exit_code == code
    assert losona("compare", new, old, *gate).exit_code == 4


def test_gates_fail_where_nothing_is_scored(make: Make) -> None:
    old, new = make("old", many("u")), make("new", many("c"))
    assert losona("compare", old, new, "--min-gain", "0").exit_code == 4
    assert losona("compare", old, new, "--no-regression", "0.05").exit_code == 4


def test_gates_fail_where_the_new_run_lacks_what_the_old_one_scored(make: Make) -> None:
    old = make("old", many("c") | many("c", condition="norm_informed"))
    narrow, thin = make("narrow", many("c")), make("thin", many("c") | many("c", 10, condition="norm_informed"))
    for gate in (("--min-gain", "0"), ("--no-regression", "0.05")):
        told = losona("compare", old, narrow, *gate)
        assert (told.exit_code, "has not scored 12 of 12 under norm_informed" in told.output) == (4, True)
        assert losona("compare", old, narrow, *gate, "--condition", "naive").exit_code == 0
        assert "2 of 12 under norm_informed" in losona("compare", old, thin, *gate).output
        assert losona("compare", old, thin, *gate, "--allow-missing", "0.2").exit_code == 0
        assert losona("compare", narrow, old, *gate).exit_code == 0
    assert "nothing scored on both sides under norm_informed" in losona("compare", old, narrow).output
    assert "narrow has none; it has naive" in refused("compare", old, narrow, "--condition", "norm_informed")


def test_junit_tells_gates_and_scenarios(make: Make, in_folder: Path) -> None:
    old, new = make("old", many("c", 7)), make("new", many("b", 6) | {"naive f6/a/demos": "u"})
    assert losona("compare", old, new, "--min-gain", "0", "--junit", "out.xml").exit_code == 4
    gates, scenarios = ElementTree.parse(in_folder / "out.xml").getroot()
    assert (gates.get("failures"), scenarios.get("tests"), scenarios.get("skipped")) == ("1", "7", "1")
    assert gates.find("testcase/failure") is not None


def test_other_benchmark_versions_are_refused_unless_told(make: Make) -> None:
    old, new = make("old", many("b")), make("new", many("c"), version="2-A")
    assert "old has 1-A, new has 2-A" in refused("compare", old, new)
    assert losona("compare", old, new, "--mix-versions").exit_code == 0
    assert losona("compare", old, make("x", many("c"), version="1-C")).exit_code == 0


def test_a_record_that_is_none_is_refused(make: Make) -> None:
    run = make("a", many("c"))
    (run / "run.json").write_text('{"x": 1}')
    assert "run.json: name: the key is missing; restore the file" in refused("report", run)


def test_compare_pairs_models_by_name_or_as_told(make: Make) -> None:
    old, new = make("old", many("b"), model="a=b"), make("new", many("c"), model="c")
    assert "c against a=b" in losona("compare", old, new, "--pair", "a=b=c").output
    assert "write OLD=NEW with a model of the first run (a=b)" in refused("compare", old, new, "--pair", "a=c")


def test_export_has_the_documented_columns_in_every_format(make: Make, in_folder: Path) -> None:
    run = make("a", {"naive f/a/demos": "cb"}, text="=1+1")
    assert losona("export", run, "--format", "parquet", "--out", "x.parquet").exit_code == 0
    table = pd.read_parquet(in_folder / "x.parquet")
    assert list(table.columns) == list(ExportRow.model_fields)
    assert table["text"].tolist() == ["=1+1", "=1+1"]
    lines = losona("export", run, "--format", "jsonl").output.splitlines()
    assert [json.loads(line)["label"] for line in lines] == ["complies", "breaches"]
    assert ExportRow.model_validate(json.loads(lines[0])).text == "=1+1"
    assert "'=1+1" in losona("export", run, "--format", "csv").output


def test_export_refuses_to_overwrite_and_to_print_bytes(make: Make) -> None:
    run = make("a", many("c", 1))
    assert losona("export", run, "--format", "csv", "--out", "x.csv").exit_code == 0
    assert "--force" in refused("export", run, "--format", "csv", "--out", "x.csv")
    assert "needs --out" in refused("export", run, "--format", "parquet")


def test_a_folder_that_is_no_run_or_a_broken_one_is_named(make: Make, in_folder: Path) -> None:
    assert "there is no run here" in refused("report", in_folder)
    folder = make("a", many("c", 1))
    (folder / "gradings.parquet").write_bytes(b"PAR1")
    assert "gradings.parquet: cannot be read" in refused("report", folder)
    (folder / "gradings.parquet").unlink()
    assert "gradings.parquet is missing" in refused("export", folder, "--format", "csv")
    assert "is given twice" in refused("compare", folder, folder)


def test_reading_runs_imports_neither_the_engine_nor_matplotlib_before_it_draws() -> None:
    code = "import sys, losona.report.html, losona.report.comparison, losona.report.export as e; " + (
        "print([m for m in ('inspect_ai', 'matplotlib') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
