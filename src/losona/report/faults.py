"""Why answers are missing or void, on lines: equal faults together, none left uncounted. Computes nothing else."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from losona.numbers import some

_PARTICULAR = re.compile(r"[0-9a-f]{16}|\d+|'[^']*'|\"[^\"]*\"")
"""What differs between faults of one kind: hashes, numbers, quoted values."""
LONGEST = 300
"""Characters of a fault."""


def fault_lines(faults: Mapping[str, int], one: str, many: str, most: int = 3) -> Iterator[str]:
    """`9 answers unscored, for example: ...` for the most frequent kinds, and a line that counts the rest."""
    kinds: Counter[str] = Counter()
    example: dict[str, str] = {}
    for fault, n in faults.items():
        kind = _PARTICULAR.sub("#", fault)
        kinds[kind] += n
        example.setdefault(kind, fault)
    ranked = kinds.most_common()
    for kind, n in ranked[:most]:
        different = sum(_PARTICULAR.sub("#", fault) == kind for fault in faults) > 1
        text = " ".join(example[kind].split())[:LONGEST]
        yield f"{some(n, one, many)}{', for example' if different else ''}: {text}"
    if rest := ranked[most:]:
        yield f"{some(sum(n for _, n in rest), one, many)} for {some(len(rest), 'other reason')}."
