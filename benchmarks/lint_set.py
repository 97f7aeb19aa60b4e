"""How long it takes to find near-duplicates in a large set: MinHash beside exact comparison of all pairs, in one run.

    python benchmarks/lint_set.py [SCENARIOS]

Makes synthetic scenarios with planted near-duplicates: a share of a chat's turns is taken over, the rest is new.
Prints seconds, how many of the planted pairs are found, and the ratio exact / MinHash; then what all rules together
take over the same chats as release rows.
"""

import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from losona.frames import SHIPPED_FRAMES, read_frame
from losona.lint import lint_paths
from losona.lint.frameset import NEAR_DUPLICATE
from losona.lint.near import Pair, Run, candidates, jaccard
from losona.lint.wording import runs, words
from losona.scenarios import frame_paths
from losona.schema.frame import Turn
from losona.taxonomy import load_taxonomy

TURNS, PLANTED = 26, 0.05
"""Turns of a scenario; share of scenarios that are a near-duplicate of an earlier one."""
KEPT = (0.35, 0.95)
"""Share of turns that a near-duplicate takes over."""


def vocabulary() -> list[str]:
    """Words of the shipped chats, as often as they occur there, so that synthetic turns share runs as real ones do."""
    frames = [read_frame(path) for path in frame_paths([SHIPPED_FRAMES])]
    return [word for f in frames for item in f.chat if isinstance(item, Turn) for word in words(item.text)]


def chat(source: random.Random, known: Sequence[str], turns: int = TURNS) -> list[str]:
    """Turns of 2 to 22 words; each turn is a stretch of real talk with one word in six changed."""
    return [" ".join(_stretch(source, known)) for _ in range(turns)]


def _stretch(source: random.Random, known: Sequence[str]) -> list[str]:
    start, length = source.randrange(len(known) - 22), source.randint(2, 22)
    return [source.choice(known) if source.random() < 1 / 6 else word for word in known[start : start + length]]


def synthetic(count: int) -> tuple[list[list[str]], set[Pair]]:
    """Chats, and the pairs in which the second was made from the first."""
    source, known = random.Random(0), vocabulary()
    chats: list[list[str]] = []
    planted: set[Pair] = set()
    for i in range(count):
        if i > 10 and source.random() < PLANTED:
            original = source.randrange(i)
            kept = source.sample(chats[original], round(TURNS * source.uniform(*KEPT)))
            chats.append([*kept, *chat(source, known, TURNS - len(kept))])
            planted.add((original, i))
        else:
            chats.append(chat(source, known))
    return chats, planted


def timed(what: Callable[[], dict[Pair, float]]) -> tuple[dict[Pair, float], float]:
    """A result, and the seconds that it took."""
    start = time.perf_counter()
    found = what()
    return found, time.perf_counter() - start


def near(texts: Sequence[set[Run]], pairs: Sequence[Pair]) -> dict[Pair, float]:
    """The pairs that are near-duplicates."""
    measured = {(i, j): jaccard(texts[i], texts[j]) for i, j in pairs}
    return {pair: likeness for pair, likeness in measured.items() if likeness >= NEAR_DUPLICATE}


def rows(chats: Sequence[Sequence[str]]) -> Iterator[str]:
    """The chats as release rows, with names from the pools of the venues."""
    source = random.Random(1)
    pool = sorted({name for venue in load_taxonomy().venues.values() for name in venue.name_pool if " " not in name})
    for i, turns in enumerate(chats):
        subject, *cast = source.sample(pool, 5)
        said = [{"actor": source.choice(cast), "content": turn} for turn in turns]
        said[-1]["content"] = f"{subject}, {said[-1]['content']}"
        yield json.dumps({
            "scenario_id": f"standup__binary_answer_norm__demos__{i}", "norm_statement": "Answer yes or no.",
            "subject": {"name": subject}, "cast": [{"name": name} for name in cast], "transcript": said,
        })  # fmt: skip


def lint_rows(chats: Sequence[Sequence[str]]) -> tuple[float, int]:
    """Seconds of `losona lint` over a file of rows, and the near-duplicates that it reports."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text("\n".join(rows(chats)), encoding="utf-8")
        start = time.perf_counter()
        findings = lint_paths([path], load_taxonomy())
        return time.perf_counter() - start, sum(finding.rule == "S07" for finding in findings)


def main(arguments: list[str]) -> None:
    """Measure and print."""
    count = int(arguments[0]) if arguments else 2_000
    chats, planted = synthetic(count)
    start = time.perf_counter()
    texts = [runs(turns, 5) for turns in chats]
    reading = time.perf_counter() - start
    exact, exact_time = timed(lambda: near(texts, list(combinations(range(count), 2))))
    quick, quick_time = timed(lambda: near(texts, candidates(texts)))
    true = {pair for pair in planted if pair in exact}
    print(f"{count} scenarios, {sum(map(len, texts)) / count:.0f} five-word runs each; runs taken in {reading:.2f} s")
    print(f"{'':10}{'seconds':>9}{'near-duplicates':>17}{'planted found':>16}")
    for name, found, seconds in (("exact", exact, exact_time), ("MinHash", quick, quick_time)):
        print(f"{name:10}{seconds:9.2f}{len(found):17}{len(true & set(found)):>9} of {len(true)}")
    print(f"exact / MinHash: {exact_time / quick_time:.1f}; recall over all near-duplicates "
          f"{len(set(quick) & set(exact)) / max(1, len(exact)):.3f}")  # fmt: skip
    seconds, reported = lint_rows(chats)
    print(f"losona lint over them as rows, all rules: {seconds:.1f} s, {reported} rows reported as near-duplicates")
    print(f"{len(planted)} planted, {len(planted) - len(true)} of them below {NEAR_DUPLICATE}, so none")


if __name__ == "__main__":
    main(sys.argv[1:])
