"""The machine over pieces against an enumeration of all edit sequences, and against the general machine."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.dense.machine import expected_counts, log_sums
from pfsm_kernels.dense.vectors import mixed_layers, products, projected
from tests.oracles.enumeration import Arc, EditLattice, enumerate_all

Float = NDArray[np.float64]
Given = tuple[Float, Float, Float, Float]
ROWS, COLUMNS = np.array([3, 0, 2, 4, 1, 0]), np.array([2, 3, 0, 3, 1, 0])


def weights(seed: int, spread: float = 2.0) -> Given:
    random = np.random.default_rng(seed)
    n = ROWS.size
    shapes = (n, ROWS.max(), COLUMNS.max()), (n, ROWS.max()), (n, COLUMNS.max()), (3, 3)
    given = [random.normal(scale=spread, size=shape) for shape in shapes]
    # What is beyond a pair's own lengths is not to be read.
    for pair, (m, k) in enumerate(zip(ROWS, COLUMNS, strict=True)):
        given[0][pair, m:] = given[0][pair, :, k:] = given[1][pair, m:] = given[2][pair, k:] = np.nan
    return given[0], given[1], given[2], given[3]


def enumerated(given: Given, pair: int) -> float:
    """By the enumeration of the edit model, with a state of its own for every place."""
    substitute, delete, insert, transitions = given
    m, n = int(ROWS[pair]), int(COLUMNS[pair])
    own = {f"I{j}": (0, insert[pair, j]) for j in range(n)} | {
        f"D{i}": (1, delete[pair, i]) for i in range(m)
    }
    own |= {f"S{i},{j}": (2, substitute[pair, i, j]) for i in range(m) for j in range(n)}
    weights = {name: float(weight) for name, (_, weight) in own.items()}
    for (before, (one, _)), (after, (other, _)) in product(own.items(), own.items()):
        weights[f"{before}>{after}"] = float(transitions[one, other])
    arcs = tuple(Arc(i, 1, j, 1, f"S{i},{j}") for i in range(m) for j in range(n))
    lattice = EditLattice(tuple(f"D{i}" for i in range(m)), tuple(f"I{j}" for j in range(n)), arcs)
    return enumerate_all(lattice, weights).log_sum


@pytest.mark.parametrize("spread", [0.5, 30.0])
def test_log_sums_equal_enumeration(spread: float) -> None:
    given = weights(1, spread)
    found = log_sums(*given, ROWS, COLUMNS)
    assert found == pytest.approx([enumerated(given, pair) for pair in range(ROWS.size)], abs=1e-10)
    assert found[-1] == 0.0


def test_expected_counts_are_derivatives() -> None:
    given = weights(2)
    sums, *counts = expected_counts(*given, ROWS, COLUMNS)
    assert np.array_equal(sums, log_sums(*given, ROWS, COLUMNS))
    counts[3] = counts[3].sum(axis=0)
    for number, (array, count) in enumerate(zip(given, counts, strict=True)):
        for place in zip(*np.nonzero(np.isfinite(array)), strict=True):
            ends = []
            for step in (1e-5, -1e-5):
                changed = tuple(one.copy() for one in given)
                changed[number][place] += step
                substitute, delete, insert, transitions = changed
                ends.append(log_sums(substitute, delete, insert, transitions, ROWS, COLUMNS).sum())
            assert count[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-7)
        assert not count[~np.isfinite(array)].any()


def test_long_pairs_neither_overflow_nor_vanish() -> None:
    n = 700
    given = np.full((1, n, n), 40.0), np.full((1, n), -40.0), np.full((1, n), -40.0), np.zeros((3, 3))
    # All matches; the other sequences weigh nothing beside them.
    assert log_sums(*given, np.array([n]), np.array([n]))[0] == pytest.approx(40.0 * n, rel=1e-12)
    given = np.full((1, n, 2), -50.0), np.full((1, n), -50.0), np.full((1, 2), -50.0), np.zeros((3, 3))
    sums, of_pairs, deleted, inserted, _ = expected_counts(*given, np.array([n]), np.array([2]))
    assert np.isfinite(sums).all()
    assert (of_pairs[0].sum(axis=1) + deleted[0]) == pytest.approx(1.0)
    assert (of_pairs[0].sum(axis=0) + inserted[0]) == pytest.approx(1.0)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 9])
def test_vectors_equal_numpy_and_do_not_depend_on_neighbours(n: int) -> None:
    random = np.random.default_rng(n)
    rows = random.normal(size=(n, 10)).astype(np.float32)
    matrix = random.normal(size=(10, 6)).astype(np.float32)
    found = projected(rows, matrix)
    assert found == pytest.approx(rows.astype(np.float64) @ matrix, abs=1e-5)
    for place in range(n):
        assert np.array_equal(projected(rows[place : place + 1], matrix)[0], found[place])
    left, right = random.normal(size=(n, 10)), random.normal(size=(4, 10))
    assert products(left, right) == pytest.approx(left @ right.T, abs=1e-12)


def test_layers_are_normalised_before_they_are_mixed() -> None:
    states = np.random.default_rng(5).normal(3.0, 7.0, size=(3, 4, 8)).astype(np.float32)
    shares = np.array([0.5, 0.0, 0.25])
    wide = states.astype(np.float64)
    normal = (wide - wide.mean(axis=2, keepdims=True)) / wide.std(axis=2, keepdims=True)
    expected = np.einsum("lnd,l->nd", normal, shares)
    assert mixed_layers(states, shares, 1e-12) == pytest.approx(expected, abs=1e-6)
