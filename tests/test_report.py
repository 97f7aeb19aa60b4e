"""What a reader of the terminal table and of the HTML report must find, and what hostile text must not do there."""

import io
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

from losona import stats
from losona.report.foreign import shown
from losona.report.headline import headline
from losona.report.html import write_html
from losona.report.material import gather
from losona.report.record import commands, facts
from losona.report.terminal import print_table
from losona.report.wording import dollars, points
from losona.schema.scenario import Evaluation, Scenario, Visible, VisiblePerson, VisibleTurn
from losona.schema.tables import GradingRow, ReplyRow
from losona.stats import TrackCounts
from losona.stored import StoredRun

LABELS = {"c": "complies", "b": "breaches", "u": "unscored", "e": "unscored", "i": "breaches"}
HOSTILE = "ok</style></span><script>alert(1)</script><img src=x onerror='a()'> \"{{ 7*7 }}\" \u202eevil \x1b[31m\u2066"
RECORD: dict[str, Any] = {
    "name": "spring",
    "commands": ["losona run --model openai/m"],
    "models": {"m": "openai/m"},
    "track": "verifiable",
    "identity": {"judge": None, "benchmark_version": "1-0", "packs": {"core": "abcd"}},
    "scenarios": {"n": 2, "left_out": {"need a judge": 3}},
}


class Tables:
    """Two tables from `{"model condition frame/arm/variant": "cbu"}`, a letter an epoch (see test_stats)."""

    def __init__(self, results: dict[str, str], text: str = "hm", norms: bool = False, **grading: Any) -> None:
        replies: list[ReplyRow] = []
        gradings: list[GradingRow] = []
        for key, letters in results.items():
            model, condition, scenario_id = key.split()
            frame, arm, variant = scenario_id.split("/")
            for epoch, letter in enumerate(letters, 1):
                replies.append(
                    ReplyRow(
                        reply_id=f"{key} {epoch}", transcript_id=scenario_id, prompt_hash="p", condition=condition,
                        model=model, model_id=model, epoch=epoch, text="" if letter == "e" else text,
                        finish_reason="stop", error="timeout" if letter == "e" else "", valid=letter != "i",
                        invalid_reasons="ai_refusal" if letter == "i" else "", cost=0.5, latency=2.0, input_tokens=1200,
                    )
                )  # fmt: skip
                row = GradingRow(
                    reply_id=f"{key} {epoch}", scenario_id=scenario_id, frame=frame, arm=arm, variant=variant,
                    pack="core", event="standup", norm="binary_answer_norm", mode="exact", expectation="applies",
                    grader="verifier", label=LABELS[letter], node="has_time",
                )  # fmt: skip
                gradings.append(row.model_copy(update={**grading, **({"norm": f"norm_{frame}"} if norms else {})}))
        self.replies = pd.DataFrame([row.model_dump() for row in replies])
        self.gradings = pd.DataFrame([row.model_dump() for row in gradings])
        self.cells = stats.cells(self.replies, self.gradings)
        self.gains = stats.gains(self.replies, self.gradings)

    def terminal(self, width: int = 80) -> str:
        out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        print_table(self.cells, self.gains, Console(file=out, width=width))
        out.seek(0)
        return out.read()

    def html(self, path: Path, scenarios: dict[str, Scenario] | None = None, record: Any = RECORD) -> str:
        write_html(path, gather([self.stored(scenarios, record)]))
        return path.read_text(encoding="utf-8")

    def stored(self, scenarios: dict[str, Scenario] | None = None, record: Any = RECORD) -> StoredRun:
        return StoredRun(str(record.get("name", "")), record, self.replies, self.gradings, scenarios or {})

    def headline(self) -> tuple[str, str]:
        found = headline(gather([self.stored()]))
        return found[0].replace("\u00a0", " "), found[1].replace("\u00a0", " ")


class Page(HTMLParser):
    """Elements and visible text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "wbr", "img", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data.replace("\u00a0", " ")


def scenario(text: str = "hm", **evaluation: Any) -> Scenario:
    senders = ["Ana", "Ben", *["Cleo"] * 12]
    turns = [VisibleTurn(sender=sender, text=f"{text} {i}") for i, sender in enumerate(senders)]
    return Scenario(
        scenario_id="f/a/demos",
        frame="f",
        arm="a",
        variant="demos",
        source="frame",
        visible=Visible(subject=VisiblePerson(name="Dora"), channel="The channel", cast=(), transcript=tuple(turns)),
        evaluation=Evaluation(
            pack="core", event="standup", norm="binary_answer_norm", expectation="applies", demos=(1,), **evaluation
        ),
    )


BASE = {"m naive f/a/demos": "ccb", "m naive f/a/nodemos": "bbb", "m oracle f/a/demos": "uue"}


def test_terminal_table() -> None:
    found = [line.rstrip() for line in Tables(BASE).terminal().splitlines()]
    assert found[1:17] == [
        "demos: with demonstrations",
        "                   Acc@3 95% CI decided compl cons scored unsc inv err",
        "m",
        " naive               100 21-100     1/1    67    0      3    0   0   0",
        " oracle                -      -     0/1     -    -      0    3   0   1",
        "",
        "nodemos: without demonstrations, the control",
        "                   Acc@3 95% CI decided compl cons scored unsc inv err",
        "m",
        " naive                 0   0-79     1/1     0  100      3    0   0   0",
        "",
        "gain: demos minus nodemos, same scenarios, in points",
        "                   pairs with without gain 95% CI",
        "m",
        " naive                 1   67       0  +67      -",
        " oracle                0    -       -    -      -",
    ]
    assert max(map(len, found)) <= 80


@pytest.mark.parametrize("width", [40, 80, 200])
def test_terminal_table_cuts_no_number(width: int) -> None:
    name = "openrouter/some-laboratory/model-of-a-very-long-name-20260101"
    tables = Tables({f"{name} style_adaptation f{i}/a/demos": "cbb" for i in range(1500)}, mode="judge", fits=True)
    line = next(line for line in tables.terminal(width).splitlines() if "style_adaptation" in line)
    assert line.split() == [
        "style_adaptation",
        "0",
        "0-0",
        "1500/1500",
        "33",
        "0",
        "100",
        "4500",
        "4500",
        "0",
        "0",
        "0",
    ]
    assert "".join(tables.terminal(width).split()).count(name) == 1


def test_terminal_shows_foreign_names_as_they_are() -> None:
    out = Tables({"[red]m\x1b[31mé naive f/a/demos": "c"}).terminal()
    assert r"[red]m\u27e8U+001B\u27e9[31m\xe9" in "".join(out.split())
    assert "\x1b" not in out


def test_terminal_without_outcomes() -> None:
    assert Tables({}).terminal() == "No outcomes yet.\n"


def many(model: str, with_demos: str, without: str, condition: str = "naive", n: int = 30) -> dict[str, str]:
    found = {f"{model} {condition} f{i}/a/demos": with_demos for i in range(n)}
    return found | {f"{model} {condition} f{i}/a/nodemos": without for i in range(n)}


NONE = "(from 0 % to 0 %, 0 points [−9 to +9], 30 pairs)"
ALL = "(from 0 % to 100 %, +100 points [+81 to +100], 30 pairs)"
NOTHING_ELSE = "One model was run under naive alone, so there is nothing to compare it with."
HEADLINES: dict[str, tuple[dict[str, str], str, str]] = {
    "little data": (
        {key: letters for key, letters in BASE.items() if "oracle" not in key},
        "m shows no gain beyond chance under naive (from 0 % to 67 %, +67 points, 1 pair).",
        "With so little data (as few as 1 pair) this is a first look and no finding; one model was run under naive "
        "alone, so there is nothing to compare it with.",
    ),
    "one model, only naive": (many("m", "c", "b"), f"m adapts under naive {ALL}.", NOTHING_ELSE),
    "the oracle is no condition to compare": (
        many("m", "c", "b") | many("m", "c", "b", "oracle"), f"m adapts under naive {ALL}.", NOTHING_ELSE,
    ),
    "one model, two conditions, a tie": (
        many("m", "b", "b") | many("m", "b", "b", "norm_informed"),
        f"m shows no gain beyond chance under naive {NONE} and norm_informed {NONE}.",
        "Compliance under norm_informed does not differ from that under naive by more than chance.",
    ),
    "several conditions are told as a range": (
        many("m", "c", "b") | many("m", "c", "b", "elicitor_only") | many("m", "c", "b", "norm_informed"),
        "m adapts under 3 conditions (+100 points each, at least 30 pairs).",
        "Compliance under elicitor_only and norm_informed does not differ from that under naive by more than chance.",
    ),
    "a range has its ends": (
        many("m", "c", "b") | many("m", "ccb", "bbb", "elicitor_only") | many("m", "c", "b", "norm_informed"),
        "m adapts under 3 conditions (from +67 points [+52 to +73] under elicitor_only to +100 points [+81 to +100] "
        "under naive, at least 30 pairs each).",
        "Against naive, compliance falls under elicitor_only for m (−33 points, p < 0.001); 1 other comparison with "
        "naive shows no difference beyond chance.",
    ),
    "two models, a tie": (
        many("x", "c", "b") | many("y", "c", "b"),
        f"x adapts under naive {ALL}; y adapts under naive {ALL}.",
        "The two models cannot be told apart.",
    ),
    "several models, all tied": (
        {k: v for m in "wxyz" for c in ("naive", "norm_informed") for k, v in many(m, "b", "b", c).items()},
        "; ".join(f"{m} shows no gain beyond chance under naive {NONE} and norm_informed {NONE}" for m in "wxy")
        + "; the tables have 1 more model.",
        "Compliance under norm_informed does not differ from that under naive by more than chance for any model; no "
        "two of the 4 models can be told apart under any condition.",
    ),
    "one of three is behind": (
        many("x", "c", "b") | many("z", "c", "b") | many("y", "b", "b"),
        f"x adapts under naive {ALL}; z adapts under naive {ALL}; y shows no gain beyond chance under naive {NONE}.",
        "Between models, x is ahead of y under naive and z is ahead of y under naive; 1 other comparison of models "
        "shows no difference beyond chance.",
    ),
    "a loss, and a rise against it": (
        many("z", "b", "c") | many("z", "c", "c", "norm_informed"),
        "z complies less with demonstrations than without under naive (from 100 % to 0 %, −100 points [−100 to −81], "
        "30 pairs) and shows no gain beyond chance under norm_informed (from 100 % to 100 %, 0 points [−9 to +9], 30 "
        "pairs).",
        "Against naive, compliance rises under norm_informed for z (+100 points, p < 0.001).",
    ),
    "mixed directions": (
        many("x", "c", "b") | many("x", "b", "b", "norm_informed")
        | many("y", "b", "b") | many("y", "c", "b", "norm_informed"),
        f"x adapts under naive {ALL} and shows no gain beyond chance under norm_informed {NONE}; y adapts under "
        f"norm_informed {ALL} and shows no gain beyond chance under naive {NONE}.",
        "Against naive, compliance rises under norm_informed for y (+100 points, p < 0.001) and falls under "
        "norm_informed for x (−100 points, p < 0.001); between models, x is ahead of y under naive and y is ahead of x "
        "under norm_informed.",
    ),
    "no control without demonstrations": (
        {f"m naive f{i}/a/demos": "c" for i in range(30)},
        "m complies in 100 % of 30 scored replies under naive; whether that is adaptation stays open, because no "
        "scenario was scored both with and without demonstrations.",
        NOTHING_ELSE,
    ),
    "models without a scenario in common": (
        {f"x naive f{i}/a/demos": "c" for i in range(30)} | {f"y naive g{i}/a/demos": "b" for i in range(30)},
        "x complies in 100 % of 30 scored replies under naive; y complies in 0 % of 30 scored replies under naive; "
        "whether that is adaptation stays open, because no scenario was scored both with and without demonstrations.",
        "No two models or conditions have a scored scenario in common, so there is nothing to compare.",
    ),
    "nothing scored": (
        {"m naive f/a/demos": "ue"},
        "Not one reply was scored, so nothing can be said about any model.",
        "The counts below tell why replies are unscored.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HEADLINES)
def test_headline(case: str) -> None:
    results, first, second = HEADLINES[case]
    assert Tables(results, norms=True).headline() == (first, second)


def test_report_says_what_was_run_and_found(tmp_path: Path) -> None:
    page = Page(Tables(BASE).html(tmp_path / "r.html", {"f/a/demos": scenario()}))
    for words in (
        "verifiable track: code only, no judge", "3 need a judge", "m (openai/m)", "losona run --model openai/m",
        '"core": "abcd"', "little data", "Acc@3", "exploratory", "Follows the norm once it is shown", "shows the norm",
        "… 6 messages left out", "has_time", "In the same chat without demonstrations", "timeout", "$4.50", "2.0 s",
    ):  # fmt: skip
        assert words in page.text, words
    assert page.open == []


def test_report_is_accessible_and_self_contained(tmp_path: Path) -> None:
    html = Tables(BASE).html(tmp_path / "r.html", {"f/a/demos": scenario()})
    elements = Page(html).elements
    names = [name for name, _ in elements]
    assert names.count("table") == names.count("caption") > 4
    assert all("scope" in attributes for name, attributes in elements if name == "th")
    assert [name for name in names if name in ("h1", "h2")] == ["h1", *["h2"] * 10]
    assert not {"script", "img", "link", "iframe"} & set(names)
    assert "http" not in html.replace("http-equiv", "")
    assert ("html", {"lang": "en"}) in elements


@pytest.mark.parametrize("where", ["reply", "model", "chat", "record", "grading"])
def test_hostile_text_stays_text(tmp_path: Path, where: str) -> None:
    quiet = {
        name: name for _, attributes in Page(Tables(BASE).html(tmp_path / "q.html")).elements for name in attributes
    }
    name = HOSTILE.replace(" ", "_") if where == "model" else "m"
    record = {**RECORD, "name": HOSTILE, HOSTILE: [HOSTILE], "models": [HOSTILE]} if where == "record" else RECORD
    grading = {"node": HOSTILE, "reasoning": HOSTILE, "evidence": json.dumps([HOSTILE])} if where == "grading" else {}
    tables = Tables({f"{name} naive f/a/demos": "c"}, text=HOSTILE if where == "reply" else "hm", **grading)
    chat = scenario(HOSTILE if where == "chat" else "hm", statement=HOSTILE if where == "chat" else "")
    html = tables.html(tmp_path / "r.html", {"f/a/demos": chat}, record)
    page = Page(html)
    assert page.open == []
    assert not {"script", "img"} & {name for name, _ in page.elements}
    assert {name for _, attributes in page.elements for name in attributes} <= {*quiet, "dir"}
    assert "ok</style></span><script>alert(1)</script>" in page.text
    assert "7*7" in page.text
    assert not set("\u202e\x1b\u2066") & set(html)
    assert "⟨U+202E⟩evil" in page.text


def test_a_record_without_keys_shows_dashes(tmp_path: Path) -> None:
    page = Page(Tables(BASE).html(tmp_path / "r.html", record={}))
    assert "The record names no command." in page.text
    assert "The scenario is not at hand" in page.text
    assert dict(facts({"r": {}}, TrackCounts(2, 1, 1)))["Models"] == "–"


def test_facts_read_both_forms_of_a_record() -> None:
    record = {"models": [{"name": "m", "id": "openai/m"}, "n"], "judge": {"model": "j"}, "command": ["losona", "a b"]}
    found = dict(facts({"r": record}, TrackCounts(2, 1, 1)))
    assert found["Models"] == "m (openai/m) and n"
    assert found["Graded by"] == "code where it decides, else the judge j"
    assert found["Scenarios with replies"] == "2; code alone decides 1 of them"
    assert commands(record) == ["losona 'a b'"]


def test_a_report_without_outcomes(tmp_path: Path) -> None:
    page = Page(Tables({}).html(tmp_path / "r.html"))
    assert "There are no outcomes yet." in page.text


def test_examples_are_of_different_kinds_and_frames(tmp_path: Path) -> None:
    results = {"m naive f/a/demos": "cbi", "m naive g/a/demos": "bbb", "m naive h/a/demos": "iii"}
    text = Page(Tables(results | {"m naive f/a/nodemos": "bbb"}).html(tmp_path / "r.html")).text
    titles = ["Follows the norm once it is shown", "Breaches it although it is shown", "An invalid reply"]
    assert [text.count(title) for title in titles] == [1, 1, 1]


def test_a_long_reply_is_cut_and_says_so(tmp_path: Path) -> None:
    text = Page(Tables({"m naive f/a/demos": "c"}, text="x" * 1600).html(tmp_path / "r.html")).text
    assert "x" * 1500 in text
    assert "x" * 1501 not in text
    assert "… 100 further characters" in text


def test_wording() -> None:
    assert [points(x) for x in (0.004, -0.004, 0.5, -0.5)] == ["0", "0", "+50", "−50"]
    assert [dollars(x) for x in (0.0, 0.0012, 12.3456)] == ["$0.00", "$0.0012", "$12.35"]
    assert shown("a\r\nb\tc 👩\u200d🔬 \u00ad\ud800") == "a\nb\tc 👩\u200d🔬 ⟨U+00AD⟩⟨U+D800⟩"
