"""Lattices as arrays: what is refused."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from pfsm_kernels.inference import Weights, best_path, expectations, log_sum
from pfsm_kernels.lattice.lattices import Lattices


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
