"""How long grading by code takes: ordinary replies beside hostile ones, side by side in one run.

    python benchmarks/checks.py

Prints the median and the slowest time of one reply against one norm, and the ratio of hostile to ordinary replies.
"""

import statistics
import time
from collections.abc import Iterator

from losona.scenarios import SHIPPED, load_scenarios
from losona.schema.scenario import Scenario
from losona.taxonomy import Taxonomy, load_taxonomy
from losona.verifiers import grade_by_code

LENGTH = 4_000
HOSTILE = {
    "letters": "a" * LENGTH,
    "brackets": "(" * LENGTH,
    "combining marks": "e\u0301" * (LENGTH // 2),
    "sums": "1+" * (LENGTH // 2) + "1",
    "emoji": "👩‍👩‍👧" * (LENGTH // 5),
    "lines": "\n" * (LENGTH - 1) + "x",
    "words": "maybe not ok " * (LENGTH // 13),
}


def times(scenarios: list[Scenario], replies: list[str], taxonomy: Taxonomy) -> Iterator[float]:
    """Seconds for each reply and scenario."""
    for scenario in scenarios:
        for reply in replies:
            start = time.perf_counter()
            grade_by_code(scenario, reply, taxonomy)
            yield time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    taxonomy = load_taxonomy()
    scenarios = [s for s in load_scenarios(SHIPPED, taxonomy).scenarios if s.variant == "demos"]
    references = [s.evaluation.references for s in scenarios if s.evaluation.references]
    ordinary = [reference.text for r in references for reference in (*r.comply, *r.breach)][::10]
    list(times(scenarios, ordinary[:1], taxonomy))  # compiles the patterns
    base = list(times(scenarios, ordinary, taxonomy))
    print(f"{len(scenarios)} scenarios; times in milliseconds: median, slowest")
    print(f"{'ordinary':16} {statistics.median(base) * 1e3:8.2f} {max(base) * 1e3:8.2f}")
    for name, reply in HOSTILE.items():
        found = list(times(scenarios, [reply], taxonomy))
        ratio = statistics.median(found) / statistics.median(base)
        print(f"{name:16} {statistics.median(found) * 1e3:8.2f} {max(found) * 1e3:8.2f}   {ratio:6.1f} x ordinary")


if __name__ == "__main__":
    main()
