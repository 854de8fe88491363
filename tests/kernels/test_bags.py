"""Weighted bags against counters, and what does not fit."""

from collections import defaultdict

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.strings.bags import shared_weights

Sides = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]


def drawn(seed: int, most: int) -> Sides:
    """Bags of zero to ``most`` items; keys that agree in their last bits, and very large ones, are among them."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, most + 1, 60)
    keys = random.choice([0, 1, 2, 64, 128, 2**40, 2**62, 2**63 - 1], sizes.sum()).astype(np.int64)
    return keys, random.exponential(size=keys.size), np.cumsum([0, *sizes]).astype(np.int64)


@pytest.mark.parametrize("most", [1, 4, 40])
def test_shared_weights_are_those_of_counters(most: int) -> None:
    ours, theirs = drawn(1, most), drawn(2, most)
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


def test_a_pair_does_not_depend_on_its_neighbours() -> None:
    ours, theirs = drawn(1, 40), drawn(2, 40)
    together = shared_weights(*ours, *theirs)
    for pair in range(60):
        alone = [
            (
                keys[o[pair] : o[pair + 1]],
                weights[o[pair] : o[pair + 1]],
                np.array([0, o[pair + 1] - o[pair]]),
            )
            for keys, weights, o in (ours, theirs)
        ]
        assert shared_weights(*alone[0], *alone[1])[0].tolist() == together[pair].tolist()


def test_what_does_not_fit() -> None:
    keys, weights, offsets = np.array([1, 2]), np.ones(2), np.array([0, 2])
    good = (keys, weights, offsets)
    with pytest.raises(ValueError, match="same number of bags"):
        shared_weights(*good, keys, weights, np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="number of items"):
        shared_weights(*good, keys, weights[:1], offsets)
    with pytest.raises(ValueError, match="negative"):
        shared_weights(*good, -keys, weights, offsets)
