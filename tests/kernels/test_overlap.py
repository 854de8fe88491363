"""Edit distances, common words, subsequences, skip-bigrams, runs, bags: brute force and published examples."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq, Levenshtein

from pfsm_kernels.strings.overlap import (
    common_skip_bigrams,
    common_subsequences,
    common_words,
    edit_distances,
    shared_weights,
    squared_runs,
)

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


def words(*lines: str) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    return arrays([[hash(word) % 2**31 for word in line.split()] for line in lines])


def test_edit_distances_and_common_subsequences_are_those_of_rapidfuzz() -> None:
    pairs = list(zip(LEFT, RIGHT, strict=True))
    assert edit_distances(*SIDES).tolist() == [Levenshtein.distance(r, h) for r, h in pairs]
    longest = [LCSseq.similarity(r, h) for r, h in pairs]
    np.testing.assert_allclose(common_subsequences(*SIDES, 1.0), longest)


def test_common_words() -> None:
    wanted = [(Counter(r) & Counter(h)).total() for r, h in zip(LEFT, RIGHT, strict=True)]
    assert common_words(*SIDES).tolist() == wanted


def test_weighted_subsequences_as_in_lin_2004() -> None:
    # Section 4: f(k) = k^2, ROUGE-W .571 and .286.
    reference = words("A B C D E F G", "A B C D E F G")
    candidates = words("A B C D H I K", "A H B K C I D")
    values = common_subsequences(*reference, *candidates, 2.0) ** 0.5 / 7
    np.testing.assert_allclose(values, [0.571, 0.286], atol=5e-4)


def test_skip_bigrams_as_in_lin_2004() -> None:
    # Section 5: .5, .167, .333.
    reference = words(*["police killed the gunman"] * 3)
    candidates = words("police kill the gunman", "the gunman kill police", "the gunman police killed")
    shared, of_reference, of_candidate = common_skip_bigrams(*reference, *candidates, 1000).T
    np.testing.assert_allclose(shared / of_reference, [0.5, 0.167, 0.333], atol=5e-4)
    assert of_reference.tolist() == of_candidate.tolist() == [6, 6, 6]


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
