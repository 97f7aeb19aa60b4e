"""`losona run --until-decided` and `losona power` as a user has them; models are files with replies."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest

from conftest import write_replies
from losona.cli import main
from losona.run.claim import parse_claim, steps, within
from losona.scenarios import verifiable
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy
from test_run import Finished

CLAIM = "good>bad on norm_informed"
Command = Callable[..., Finished]


@pytest.fixture(scope="module")
def exact(shipped_scenarios: list[Scenario], taxonomy: Taxonomy) -> list[Scenario]:
    """What code alone grades, with demonstrations."""
    return [s for s in verifiable(shipped_scenarios, taxonomy) if s.variant == "demos"]


@pytest.fixture
def models(tmp_path: Path, exact: Sequence[Scenario]) -> list[str]:
    """Two models: every reply of the one complies, every reply of the other breaches."""

    def answer(kind: str) -> Callable[[Scenario, str, int], str]:
        return lambda s, condition, epoch: getattr(s.evaluation.references, kind)[0].text

    return [
        part
        for name, kind in (("good", "comply"), ("bad", "breach"))
        for path in [write_replies(tmp_path / f"{name}.jsonl", exact, ["norm_informed", "naive"], 1, answer(kind))]
        for part in ("--model", f"{name}=replies/{path}")
    ]


@pytest.fixture
def losona(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: str) -> Finished:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["losona", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        streams = capsys.readouterr()
        return Finished(int(ended.value.code or 0), streams.out, streams.err)

    return call


@pytest.fixture
def until(losona: Command, models: list[str]) -> Command:
    def call(claim: str, *options: str) -> Finished:
        return losona("run", *models, "--epochs", "1", "--out", "r", "--until-decided", claim, *options)

    return call


def record(folder: Path) -> dict[str, object]:
    return json.loads((folder / "run.json").read_text())


def test_it_stops_when_the_claim_is_decided_and_does_not_ask_on(until: Command, tmp_path: Path) -> None:
    done = until(CLAIM)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "decided: good complies more often than bad (norm_informed, demos)." in done.stdout
    decision = record(tmp_path / "r")["decisions"]["good>bad on norm_informed:demos"]
    replies = pd.read_parquet(tmp_path / "r" / "replies.parquet")
    assert len(replies) == decision["calls"] == 2 * decision["scenarios"]
    assert decision["said"] == "first"
    assert decision["e_first"] >= decision["bound"]
    assert decision["scenarios"] < 20
    assert [unit["difference"] for unit in decision["path"]] == [1] * decision["units"]
    again = until(CLAIM)
    assert "not asked for again" in again.stdout
    assert record(tmp_path / "r")["decisions"]["good>bad on norm_informed:demos"] == decision
    assert len(pd.read_parquet(tmp_path / "r" / "replies.parquet")) == len(replies)


def test_a_claim_that_is_the_wrong_way_round_has_the_exit_code_of_a_gate(until: Command) -> None:
    done = until("bad>good on norm_informed")
    assert done.returncode == 4
    assert "decided, the other way: good complies more often than bad" in done.stdout


def test_models_that_tie_stay_undecided_and_a_larger_budget_goes_on(
    losona: Command, models: list[str], tmp_path: Path
) -> None:
    twin = f"twin=replies/{tmp_path / 'twin.jsonl'}"
    (tmp_path / "twin.jsonl").write_text((tmp_path / "good.jsonl").read_text())
    command = ("run", *models[:2], "--model", twin, "--epochs", "1", "--out", "r")
    command = (*command, "--until-decided", "good>twin on naive")
    small = losona(*command, "--max", "14")
    assert (small.returncode, "of 14 scenarios" in small.stdout or "of 13 scenarios" in small.stdout) == (4, True)
    done = losona(*command)
    assert done.returncode == 4
    assert "undecided: good and twin cannot be told apart so far" in done.stdout
    assert "20 of 20 scenarios, 40 replies" in done.stdout


def test_a_dry_run_says_how_far_it_may_go(until: Command, tmp_path: Path) -> None:
    done = until(CLAIM, "--dry-run")
    assert done.returncode == 0
    assert "at least 8 blocks of norms, at most 14 blocks and 20 scenarios" in done.stdout
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("good better", ), "write 'A>B on CONDITION'"),
        (("good>best on naive", ), "by their names in tables; these are good, bad."),
        (("good>bad on nave", ), "unknown condition 'nave'"),
        (("good>bad on naive:demoz", ), "--variant demoz: no scenario has it"),
        ((CLAIM, "--condition", "oracle"), "asks norm_informed alone; leave --condition out."),
        ((CLAIM, "--variant", "off"), "asks demos alone"),
        ((CLAIM, "--max", "5"), "--max 5 allows"),
        ((CLAIM, "--limit", "1"), "the scenarios hold"),
        ((CLAIM, "--protocol", "paper"), "--protocol paper: it asks all four conditions"),
        ((CLAIM, "--model", "third=replies/x.jsonl"), "--model third: --until-decided asks the two models"),
    ],
)  # fmt: skip
def test_what_cannot_be_decided_is_refused_before_anything_is_asked(
    until: Command, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    done = until(*options)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "r").exists()


def test_a_budget_needs_a_claim(losona: Command, models: list[str]) -> None:
    done = losona("run", *models, "--max", "5")
    assert done.returncode == 2
    assert "--max 5: it bounds --until-decided" in done.stderr


def test_names_may_hold_what_a_claim_is_written_with() -> None:
    claim = parse_claim("a>b>c on d on naive:off", ["a>b", "c on d"])
    assert (claim.first, claim.second, claim.condition, claim.variant) == ("a>b", "c on d", "naive", "off")


def test_blocks_share_no_norm_and_no_frame(shipped_scenarios: list[Scenario]) -> None:
    demos = [s for s in shipped_scenarios if s.variant == "demos"]
    found = steps(demos, 0)
    seen: dict[str, str] = {}
    for step in found:
        for scenario in step.asked:
            for key in (scenario.frame or "", scenario.evaluation.norm):
                assert seen.setdefault(key, step.block) == step.block
    assert sorted(s.scenario_id for step in found for s in step.asked) == sorted(s.scenario_id for s in demos)


def test_the_order_depends_on_the_seed_alone(shipped_scenarios: list[Scenario]) -> None:
    demos = [s for s in shipped_scenarios if s.variant == "demos"]
    names = [step.block for step in steps(demos, 0)]
    assert [step.block for step in steps(demos[::-1], 0)] == names
    assert [step.block for step in steps(demos, 1)] != names


def test_a_second_pass_looks_at_whole_blocks(shipped_scenarios: list[Scenario]) -> None:
    demos = [s for s in shipped_scenarios if s.variant == "demos"]
    more = [
        s.model_copy(update={"frame": f"{s.frame}{i}", "scenario_id": f"{s.scenario_id}{i}"})
        for i in range(3)
        for s in demos
    ]
    found = steps(more, 0)
    first, second = ([s for s in found if s.part == part] for part in (1, 2))
    assert [s.block for s in first] == [s.block for s in second]
    assert {len(s.asked) for s in first} <= {1, 2}
    assert all([*a.asked, *b.asked] == [*b.counted] for a, b in zip(first, second, strict=True))
    assert len(within(found, 10)) < len(first)


def test_power_says_what_a_size_can_find(losona: Command, until: Command) -> None:
    done = losona("power", "--scenarios", "38", "--epochs", "1", "--effect", "0.2")
    assert done.returncode == 0
    assert "38 scenarios in scope, 1 reply for each prompt." in done.stdout
    assert "model against model: shows a difference of" in done.stdout
    until(CLAIM)
    rows = json.loads(losona("power", "--scenarios", "100", "--from", "r", "--json").stdout)
    sources = {row["contrast"]: row["source"] for row in rows}
    assert sources["model against model"].startswith("the run: ")
    assert sources["condition against condition"] == "supposed"
    said = " ".join(losona("power", "--scenarios", "100", "--from", "r").stdout.split())
    assert "Not every contrast could be measured in r: that takes 10 pairs" in said
    assert "--from" not in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--effect", "2"), "--effect 2: give a share between 0 and 1"),
        (("--from", "x"), "x: this is no folder of a run"),
    ],
)
def test_power_names_what_is_wrong(losona: Command, options: tuple[str, str], message: str) -> None:
    done = losona("power", "--scenarios", "10", *options)
    assert done.returncode == 2
    assert message in done.stderr
