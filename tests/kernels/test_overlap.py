"""Edit distances, common words, skip-bigrams, runs, bags, METEOR's alignments: brute force, published examples."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq, Levenshtein

from pfsm_kernels.strings.meteor import best_alignments
from pfsm_kernels.strings.overlap import (
    common_skip_bigrams,
    common_subsequences,
    common_words,
    edit_distances,
    shared_weights,
    squared_runs,
)
from tests.kernels.kernel_runs import OVERFLOWS

pytestmark = OVERFLOWS  # of hashes, which are meant to

Lines = list[tuple[int, ...]]


def drawn(n_pairs: int = 120) -> tuple[Lines, Lines]:
    """Pairs of short sequences over few words, empty ones among them."""
    random = np.random.default_rng(5)
    sides = [
        [tuple(random.integers(0, 4, random.integers(0, 8)).tolist()) for _ in range(n_pairs)] for _ in "ab"
    ]
    return sides[0], sides[1]


def arrays(lines: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    offsets = np.cumsum([0, *map(len, lines)]).astype(np.int64)
    return np.array([word for line in lines for word in line], dtype=np.int32), offsets


LEFT, RIGHT = drawn()
SIDES = (*arrays(LEFT), *arrays(RIGHT))


def test_edit_distances_and_common_subsequences_are_those_of_rapidfuzz() -> None:
    pairs = list(zip(LEFT, RIGHT, strict=True))
    assert edit_distances(*SIDES).tolist() == [Levenshtein.distance(r, h) for r, h in pairs]
    longest = [LCSseq.similarity(r, h) for r, h in pairs]
    np.testing.assert_allclose(common_subsequences(*SIDES, 1.0), longest)


def test_common_words() -> None:
    wanted = [(Counter(r) & Counter(h)).total() for r, h in zip(LEFT, RIGHT, strict=True)]
    assert common_words(*SIDES).tolist() == wanted


@pytest.mark.parametrize("gap", [0, 4])
def test_skip_bigrams(gap: int) -> None:
    def bigrams(line: tuple[int, ...]) -> Counter[tuple[int, int]]:
        places = combinations(range(len(line)), 2)
        return Counter((line[i], line[j]) for i, j in places if j - i - 1 <= gap)

    wanted = [
        [(bigrams(r) & bigrams(h)).total(), bigrams(r).total(), bigrams(h).total()]
        for r, h in zip(LEFT, RIGHT, strict=True)
    ]
    assert common_skip_bigrams(*SIDES, gap).tolist() == wanted


def greedy_runs(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """The longest free run again and again; the first in (i, j) among equals."""
    free = [set(range(len(one))), set(range(len(other)))]
    total = 0.0
    while True:
        best = (0, 0, 0)
        for i in range(len(one)):
            for j in range(len(other)):
                size = 0
                while i + size in free[0] and j + size in free[1] and one[i + size] == other[j + size]:
                    size += 1
                if size > best[0]:
                    best = (size, i, j)
        size, i, j = best
        if not size:
            return total
        total += size**2
        free[0] -= set(range(i, i + size))
        free[1] -= set(range(j, j + size))


def test_squared_runs() -> None:
    wanted = [greedy_runs(r, h) for r, h in zip(LEFT, RIGHT, strict=True)]
    np.testing.assert_allclose(squared_runs(*SIDES), wanted)


Sides = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]


def drawn_bags(seed: int, most: int) -> Sides:
    """Bags of zero to ``most`` items; keys that agree in their last bits, and very large ones, are among them."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, most + 1, 60)
    keys = random.choice([0, 1, 2, 64, 128, 2**40, 2**62, 2**63 - 1], sizes.sum()).astype(np.int64)
    return keys, random.exponential(size=keys.size), np.cumsum([0, *sizes]).astype(np.int64)


@pytest.mark.parametrize("most", [4, 40])
def test_shared_weights_are_those_of_counters(most: int) -> None:
    ours, theirs = drawn_bags(1, most), drawn_bags(2, most)
    found = shared_weights(*ours, *theirs)
    for pair in range(60):
        sums = []
        for keys, weights, offsets in (ours, theirs):
            bag: defaultdict[int, float] = defaultdict(float)
            for item in range(offsets[pair], offsets[pair + 1]):
                bag[int(keys[item])] += float(weights[item])
            sums.append(bag)
        shared = sum(min(value, sums[1].get(key, 0.0)) for key, value in sums[0].items())
        assert found[pair].tolist() == pytest.approx([shared, sum(sums[0].values()), sum(sums[1].values())])


Match = tuple[int, int, int, int]


def aligned(matches: list[Match], sizes: tuple[int, int], beam: int = 40) -> tuple[list[Match], int]:
    rows = np.array(matches, dtype=np.int32).reshape(-1, 4)
    worth = (rows[:, 1] + rows[:, 3]).astype(np.int64)
    # Of the two lists of each word one is empty.
    offsets = np.searchsorted(rows[:, 0], np.arange(sizes[0] + 1)).astype(np.int64).repeat(2)
    lists = np.arange(2 * sizes[0]).reshape(-1, 2)
    ends = np.array([0, sizes[0]])
    found = best_alignments(rows[:, 1:].copy(), worth, offsets, lists, ends, np.array(sizes[1:]), beam)
    return [matches[one] for one in found[0] if one >= 0], int(found[1][0])


def alignments(matches: list[Match]) -> Iterator[list[Match]]:
    """All sets of matches that cover no word twice, each in the order of the reference."""
    if not matches:
        yield []
        return
    first, *others = matches
    yield from alignments(others)
    j, q, i, p = first
    left = [m for m in others if (m[0] >= j + q or m[0] + m[1] <= j) and (m[2] >= i + p or m[2] + m[3] <= i)]
    for rest in alignments(left):
        yield [first, *rest]


def quality(alignment: list[Match]) -> tuple[int, int]:
    """Minus the number of words covered, and the number of chunks."""
    ends = [(j + q, i + p) for j, q, i, p in alignment]
    starts = [(j, i) for j, _, i, _ in alignment]
    joined = sum(start == end for start, end in zip(starts[1:], ends, strict=False))
    return -sum(q + p for _, q, _, p in alignment), len(alignment) - joined


def drawn_matches(random: np.random.Generator) -> tuple[list[Match], tuple[int, int]]:
    n_ref, n_hyp = (int(size) for size in random.integers(1, 7, 2))
    found = set()
    for _ in range(int(random.integers(0, 9))):
        j, i = int(random.integers(n_ref)), int(random.integers(n_hyp))
        sizes = random.integers(1, 3, 2)
        found.add((j, min(int(sizes[0]), n_ref - j), i, min(int(sizes[1]), n_hyp - i)))
    return sorted(found), (n_ref, n_hyp)


def test_the_best_of_all_alignments() -> None:
    random = np.random.default_rng(3)
    for _ in range(200):
        matches, sizes = drawn_matches(random)
        kept, chunks = aligned(matches, sizes, beam=5000)
        assert kept in list(alignments(matches))
        assert quality(kept) == min(map(quality, alignments(matches)))
        assert chunks == quality(kept)[1]


def test_a_path_that_passes_by_bears_the_distances_it_left() -> None:
    # The hypothesis's only word is matched at the first of two places, unless that has a distance of nothing: then the
    # path that passed by is as good, and its chunk ends later.
    assert aligned([(0, 1, 0, 1), (3, 1, 0, 1)], (5, 5))[0] == [(3, 1, 0, 1)]
    assert aligned([(0, 1, 1, 1), (3, 1, 1, 1)], (5, 5))[0] == [(0, 1, 1, 1)]


def test_more_than_64_words() -> None:
    matches = [(k, 1, 199 - k, 1) for k in range(200)] + [(199, 1, 198, 1)]
    kept, chunks = aligned(matches, (200, 200))
    assert len(kept) == 200
    assert chunks == 200
