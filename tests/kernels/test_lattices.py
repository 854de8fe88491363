"""Lattices as arrays and jumps over them: what is refused."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from pfsm_kernels.inference import Weights, best_path, expectations, find_jumps, log_sum
from pfsm_kernels.lattice.lattices import Lattices, single
from pfsm_kernels.pushdown import crossings


def two_pairs() -> Lattices:
    """2 x 3 tokens with three arcs, then 2 x 1 with one."""
    return Lattices(
        3,
        np.array([0, 0, 0, 1], dtype=np.int32),
        np.array([1, 1, 1, 1], dtype=np.int32),
        np.array([[0, 1, 0, 2, 2], [0, 2, 1, 2, 2], [1, 1, 2, 1, 2], [1, 1, 0, 1, 0]], dtype=np.int32),
        np.array([[0, 0, 0], [2, 3, 3], [4, 4, 4]], dtype=np.int64),
    )


LARGE = 2**31 - 1
WRONG: dict[str, dict[str, Any]] = {
    "state of a Delete too large": {"delete_states": np.array([0, 3, 0, 1], dtype=np.int32)},
    "state of an Insert negative": {"insert_states": np.array([1, -1, 1, 1], dtype=np.int32)},
    "int64 states": {"insert_states": np.array([1, 1, 1, 1], dtype=np.int64)},
    "too few tokens": {"delete_states": np.array([0, 0, 0], dtype=np.int32)},
    "offsets fall": {"offsets": np.array([[0, 0, 0], [2, 5, 3], [4, 4, 4]])},
    "offsets without a column for arcs": {"offsets": np.array([[0, 0], [2, 3], [4, 4]])},
}
WRONG_ARCS: dict[str, list[Any]] = {
    "unsorted by i": [[1, 1, 2, 1, 2], [0, 1, 0, 2, 2]],
    "beyond the reference": [[1, 2, 0, 1, 2]],
    "before the reference": [[-1, 1, 0, 1, 2]],
    "no reference token": [[0, 0, 0, 1, 2]],
    "block that overflows 32 bits": [[1, LARGE, 0, 1, 2]],
    "sizes below 0": [[0, -LARGE - 1, 0, 1, 2]],
    "state too large": [[0, 1, 0, 1, 3]],
    "four columns": [[0, 1, 0, 1]],
}


def test_wrong_arrays_are_refused() -> None:
    for change in WRONG.values():
        with pytest.raises(ValueError, match=r"must|outside"):
            dataclasses.replace(two_pairs(), **change)
    tokens = np.zeros(2, dtype=np.int32), np.zeros(3, dtype=np.int32)
    for rows in WRONG_ARCS.values():
        offsets = np.array([[0, 0, 0], [2, 3, len(rows)]])
        with pytest.raises(ValueError, match=r"must|outside"):
            Lattices(3, *tokens, np.array(rows, dtype=np.int32), offsets)


def test_an_arc_may_not_reach_into_the_next_pair() -> None:
    arcs = two_pairs().arcs.copy()
    arcs[2] = [1, 2, 2, 1, 2]
    with pytest.raises(ValueError, match="stay inside its pair"):
        dataclasses.replace(two_pairs(), arcs=arcs)


BAD_WEIGHTS: dict[str, list[Any]] = {
    "table": [np.zeros((3, 3)), np.zeros((4, 3), dtype=np.float32), np.full((4, 3), np.nan)],
    "arcs": [np.zeros(3), np.full(4, np.inf)],
    "links": [np.zeros(5), np.array([0, 0, 0, np.nan])],
}


def test_wrong_weights_are_refused() -> None:
    for name, values in BAD_WEIGHTS.items():
        for value in values:
            given: dict[str, Any] = {"table": np.zeros((4, 3)), "arcs": np.zeros(4), "links": np.zeros(4)}
            with pytest.raises(ValueError, match=f"weights.{name}"):
                log_sum(two_pairs(), Weights(**{**given, name: value}))
    with pytest.raises(ValueError, match=r"weights.table"):
        expectations(two_pairs(), Weights(np.zeros((3, 3))))
    with pytest.raises(ValueError, match=r"weights.table"):
        best_path(two_pairs(), Weights(np.zeros((3, 3))), 1)


def test_jumps_are_checked() -> None:
    lattices = single(3, [0, 0], [1, 1], [(0, 1, 1, 1, 2), (1, 1, 0, 1, 2)])
    with pytest.raises(ValueError, match="max_jump is -1"):
        find_jumps(lattices, 2, -1)
    for state in (-1, 3):
        with pytest.raises(ValueError, match=f"state is {state}"):
            find_jumps(lattices, state, 1)
    with pytest.raises(ValueError, match="NaN or infinity"):
        log_sum(lattices, Weights(np.full((4, 3), np.nan)), jumps=find_jumps(lattices, 2, 1))


def test_a_pair_with_too_many_crossings_is_named() -> None:
    # One word fills both lines: every arc crosses one on every row before it, 1 to 10 columns off.
    small, large = 2, 250
    arcs = [(i, 1, j, 1, 2) for size in (small, large) for i in range(size) for j in range(size)]
    offsets = np.cumsum([(0, 0, 0), *((size, size, size**2) for size in (small, large))], axis=0)
    lattices = Lattices(
        4,
        np.ones(small + large, dtype=np.int32),
        np.zeros(small + large, dtype=np.int32),
        np.array(arcs, dtype=np.int32),
        offsets.astype(np.int64),
    )
    with pytest.raises(crossings.TooManyCrossingsError, match="pair 1 has more than") as caught:
        find_jumps(lattices, 3, 10)
    assert caught.value.pair == 1
