"""The documents keep their promises: commands exist, links lead somewhere, generated parts are fresh, examples run."""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import click
import pytest
import yaml

import losona
from losona.cli import cli
from losona.frames import SHIPPED_FRAMES
from losona.lint import lint_paths
from losona.schema.frame import Frame
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy
from losona.textfiles import parse_yaml

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {page: page.read_text("utf-8") for page in PAGES}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
AUTHORS = ["Mateusz Winiarek", "Maksymilian Bilski", "Mateusz Jacniacki"]

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def blocks(page: Path, language: str) -> list[str]:
    return [text for found, text in BLOCK.findall(TEXTS[page]) if found == language]


def run(*command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def generator(docs: Path) -> ModuleType:
    """The script that writes the generated parts of the pages beside it."""
    spec = spec_from_file_location("cli_reference", docs / "cli_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parse(line: str) -> None:
    """Parse a command as the program would, without carrying it out; raises what click raises."""
    words, command, context = shlex.split(line, comments=True), cli, click.Context(cli, info_name="losona")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        child = command.get_command(context, name)
        assert child is not None, f"there is no command {name!r}"
        command, context = child, click.Context(child, info_name=name, parent=context)
    if not isinstance(command, click.Group):
        command.make_context(context.info_name, words, parent=context.parent)


@every_page
def test_commands_in_blocks_can_be_typed(page: Path) -> None:
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", "").splitlines():
            if found := re.match(r"(?:\.venv/bin/)?losona (.*)", line):
                parse(found[1])


@every_page
def test_commands_in_the_text_exist_with_their_options(page: Path) -> None:
    for line in re.findall(r"`losona ([^`]+)`", BLOCK.sub("", TEXTS[page])):
        with suppress(click.MissingParameter):  # a mention need not be a whole command
            parse(line)


@every_page
def test_make_targets_exist(page: Path) -> None:
    known = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"(?:`|^|&& )make ([\w-]+)", TEXTS[page], re.MULTILINE)
    assert set(named) <= known


def test_the_frame_of_the_manual_is_good_and_its_excerpts_are_from_it(in_folder: Path, taxonomy: Taxonomy) -> None:
    *excerpts, whole = blocks(ROOT / "docs" / "writing.md", "yaml")
    frame = Frame.model_validate(parse_yaml(whole, Path("writing.md")).data)
    path = in_folder / f"{frame.frame}.yaml"
    path.write_text(whole, encoding="utf-8")
    assert [finding.render() for finding in lint_paths([path], taxonomy)] == []
    assert all(line.strip() in whole for excerpt in excerpts for line in excerpt.splitlines())
    assert whole.splitlines()[0] == (SHIPPED_FRAMES / "core.standup.wash_buffer.yaml").read_text().splitlines()[0]


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", BLOCK.sub("", TEXTS[page])):
        assert re.match(r"https?://", target) or (page.parent / target).exists(), target


@every_page
def test_python_examples_give_what_they_show(page: Path) -> None:
    runner = doctest.DocTestRunner()
    for block in blocks(page, "python"):
        runner.run(doctest.DocTestParser().get_doctest(block, {}, page.name, str(page), 0))
    assert runner.failures == 0


@every_page
def test_prose_has_no_em_dashes(page: Path) -> None:
    assert "\u2014" not in TEXTS[page]


def test_generated_parts_are_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert (generator(ROOT / "docs").main(["--check"]), capsys.readouterr().out) == (0, "")


def test_a_stale_page_is_named_and_mended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = shutil.copytree(ROOT / "docs", tmp_path / "docs")
    page = docs / "cli.md"
    page.write_text(TEXTS[ROOT / "docs" / "cli.md"].replace("--epochs", "--repeats"), "utf-8")
    assert generator(docs).main(["--check"]) == 1
    assert capsys.readouterr().out == "docs/cli.md is stale; run `make docs`.\n"
    assert generator(docs).main([]) == 0
    assert page.read_text("utf-8") == TEXTS[ROOT / "docs" / "cli.md"]


def test_the_readme_is_short_and_says_what_is_shipped(
    shipped_frames: list[Frame], shipped_scenarios: list[Scenario], taxonomy: Taxonomy
) -> None:
    text = TEXTS[ROOT / "README.md"]
    core, extended = taxonomy.packs["core"], taxonomy.packs["extended"]
    assert len(text.splitlines()) < 130
    for sentence in (
        f"{len(shipped_frames)} frames", f"{len(shipped_scenarios)} scenarios",
        f"{len(core.events)} events and {len(core.norms)} norms",
        f"{len(extended.events)} events, {len(extended.norms)} norms and {len(extended.venues)} venues",
        f"benchmark\nversion ({losona.BENCHMARK_VERSION})",
    ):  # fmt: skip
        assert sentence in text
    assert all(author in text for author in AUTHORS)


def test_pages_say_alike_how_the_shipped_frames_were_screened(shipped_frames: list[Frame]) -> None:
    dropped = sum(len(frame.dropped) for frame in shipped_frames)
    for page in (ROOT / "README.md", ROOT / "docs" / "concepts.md"):
        assert f"{dropped} of {2 * len(shipped_frames)} arms" in " ".join(TEXTS[page].split())
    assert not [page.name for page, text in TEXTS.items() if "not been screened" in text]
    assert {frame.status for frame in shipped_frames} == {"draft"}  # else the two pages say too little


def test_the_changelog_knows_this_version() -> None:
    text = TEXTS[ROOT / "CHANGELOG.md"]
    assert f"## [{losona.__version__}]" in text
    assert f"Benchmark version {losona.BENCHMARK_VERSION}." in text


def test_the_citation_names_software_and_paper() -> None:
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cff)
    assert (cff["cff-version"], cff["type"], cff["version"]) == ("1.2.0", "software", losona.__version__)
    paper = next(reference for reference in cff["references"] if reference["type"] == "article")
    assert [f"{a['given-names']} {a['family-names']}" for a in paper["authors"]] == AUTHORS
    assert paper["identifiers"][0]["value"] == "arXiv:2606.14600"


def test_agents_are_told_the_layers_that_are_checked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    assert "\n".join(layers).replace("losona.", "") in TEXTS[ROOT / "AGENTS.md"]


def test_make_test_runs_the_tests() -> None:
    assert "pytest" in run("make", "-n", "test").stdout


@pytest.mark.slow
def test_the_manual_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    built = run(sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path))
    assert built.returncode == 0, built.stderr
    pages = [path.read_text("utf-8") for path in tmp_path.rglob("*.html")]
    assert len(pages) > 7
    for text in pages:
        assert not re.search(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//", text)


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.timeout(1800)
def test_the_readme_runs_in_a_fresh_clone(tmp_path: Path) -> None:
    """Sets up a new environment from the lock file, fetches the weights and asks the embedded model."""
    command = blocks(ROOT / "README.md", "sh")[0].replace("<repository>", shlex.quote(str(ROOT)))
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "VIRTUAL_ENV", "PYTHON"))}
    environment = {**inherited, "PYTHON": sys.executable, "LOSONA_CACHE": str(tmp_path / "cache")}
    result = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    assert "Acc@1" in result.stdout
    folder = tmp_path / "losona" / "runs" / "first"
    assert {"run.json", "replies.parquet", "gradings.parquet", "report.html"} <= {p.name for p in folder.iterdir()}
    assert "<table" in (folder / "report.html").read_text("utf-8")
