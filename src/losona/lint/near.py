"""Pairs of near-duplicates in a set of texts: five-word runs, Jaccard, and MinHash where the set is large.

Knows nothing of frames or rows. Pure; the hash functions are seeded, so a set gives the same pairs every time.

Method: A. Broder, "On the resemblance and containment of documents" (1997), with banding of signatures. With two rows
a band and 128 bands, a pair of Jaccard s becomes a candidate with probability 1 - (1 - s^2)^128: 0.995 at 0.2 and more
than 0.9999 from 0.27. Candidates are then measured exactly, so that nothing is reported that is not there.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import combinations, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")
Run = tuple[str, ...]
Pair = tuple[int, int]
BANDS, ROWS, SEED = 128, 2, 20260614
"""Bands of a signature, hash functions in a band, seed of the hash functions."""
EXACT_UP_TO = 300
"""Texts up to which all pairs are measured."""
CROWD = 20
"""Texts of a bucket from which each is compared with the first and the one before it only."""

EVERYWHERE = 50
"""Sets from which an element that all of them hold is a common phrase."""


def jaccard(one: Set[Item], other: Set[Item]) -> float:
    """Common elements by all elements, 0 to 1; two empty sets have nothing in common."""
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0


def near_duplicates(texts: Sequence[Set[Run]], least: float) -> dict[Pair, float]:
    """Index pairs (i < j) of texts, given as sets of runs, with a Jaccard of at least `least`."""
    exact = len(texts) <= EXACT_UP_TO
    pairs: Iterable[Pair] = combinations(range(len(texts)), 2) if exact else candidates(texts)
    measured = ((pair, jaccard(texts[pair[0]], texts[pair[1]])) for pair in pairs)
    return {pair: likeness for pair, likeness in measured if likeness >= least}


def candidates(texts: Sequence[Set[Run]]) -> list[Pair]:
    """Pairs whose MinHash signatures agree in at least one band."""
    filled = [i for i, text in enumerate(texts) if text]
    bands = _bands([texts[i] for i in filled])
    found: set[Pair] = set()
    for band in bands.T:
        buckets: dict[int, list[int]] = defaultdict(list)
        for i, key in zip(filled, band.tolist(), strict=True):
            buckets[key].append(i)
        for bucket in buckets.values():
            found.update(_pairs(bucket))
    return sorted(found)


def _pairs(bucket: Sequence[int]) -> Iterator[Pair]:
    if len(bucket) <= CROWD:
        yield from combinations(bucket, 2)
    else:
        yield from ((bucket[0], other) for other in bucket[1:])
        yield from pairwise(bucket)


def _bands(texts: Sequence[Set[Run]]) -> NDArray[np.uint64]:
    """One key for each text (rows) and band (columns)."""
    random = np.random.default_rng(SEED)
    factors = random.integers(0, 2**63, (BANDS * ROWS, 1), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    offsets = random.integers(0, 2**63, (BANDS * ROWS, 1), dtype=np.uint64)
    keys = np.empty((len(texts), BANDS), dtype=np.uint64)
    for i, text in enumerate(texts):
        hashes = (factors * _numbers(text) + offsets) >> np.uint64(32)
        least = hashes.min(axis=1).reshape(BANDS, ROWS)
        keys[i] = (least[:, 0] << np.uint64(32)) | least[:, 1]
    return keys


def _numbers(text: Set[Run]) -> NDArray[np.uint64]:
    return np.fromiter((zlib.crc32(" ".join(run).encode()) for run in text), dtype=np.uint64, count=len(text))


def common_counts(texts: Sequence[Set[Item]]) -> dict[Pair, int]:
    """How many elements each pair of sets has in common, for the pairs (i < j) that have any.

    What more than `EVERYWHERE` sets hold is a common phrase and not counted, so that time stays bounded.
    """
    holders: dict[Item, list[int]] = defaultdict(list)
    for i, text in enumerate(texts):
        for element in text:
            holders[element].append(i)
    shared = (holding for holding in holders.values() if len(holding) <= EVERYWHERE)
    return Counter(pair for holding in shared for pair in combinations(holding, 2))
