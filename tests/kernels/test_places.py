"""Sums for every place, and by whole states, against the machine with a state of its own for every place or part."""

import dataclasses
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.inference import Jumps, Weights, expectations, find_jumps, log_sum, place_sums
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_kernels.whole_states import (
    LARGEST_PART,
    Parts,
    add_visits,
    are_small,
    whole_expectations,
    whole_log_sum,
)
from tests.kernels.lattice_cases import random_lattices, random_weights

Float = NDArray[np.float64]


def with_a_state_for_every_place(lattices: Lattices, weights: Weights) -> tuple[Lattices, Weights]:
    """One pair in which every place has a state of its own."""
    states = np.concatenate([lattices.delete_states, lattices.insert_states, lattices.arcs[:, 4]])
    m, n = lattices.delete_states.size, lattices.insert_states.size
    arcs = lattices.arcs.copy()
    arcs[:, 4] = np.arange(arcs.shape[0]) + m + n
    numbers = np.arange(m + n, dtype=np.int32)
    split = Lattices(states.size, numbers[:m], numbers[m:], arcs, lattices.offsets)
    table = weights.table[np.ix_(np.append(states, lattices.n_states), states)]
    return split, dataclasses.replace(weights, table=np.ascontiguousarray(table))


@pytest.mark.parametrize("scale", [1.0, 60.0, 400.0])
@pytest.mark.parametrize("size", [(0, 3), (4, 3), (70, 12), (60, 50)])
def test_places_of_long_pairs_are_those_of_states_of_their_own(size: tuple[int, int], scale: float) -> None:
    rng = np.random.default_rng([*size, int(scale)])
    lattices = random_lattices(rng, [size], max_block=3, arcs=2.0)
    weights = random_weights(rng, lattices, 1.0)
    weights = dataclasses.replace(weights, table=weights.table * scale)
    split, own = with_a_state_for_every_place(lattices, weights)
    expected = expectations(split, own)
    counts = expected.table[0]
    products = (counts * own.table).sum(axis=0)
    first = sum(size)
    if own.arcs is not None:
        products[first:] += own.arcs * expected.arcs
    if own.links is not None:
        products[first:] += own.links * expected.links
    found = place_sums(lattices, weights)
    rows = np.concatenate([found.deletes, found.inserts, found.arcs])
    np.testing.assert_allclose(found.log_sum, expected.log_sum, rtol=1e-10)
    np.testing.assert_allclose(rows[:, 0], counts.sum(axis=0), atol=1e-8)
    np.testing.assert_allclose(rows[:, 1], products, rtol=1e-7, atol=1e-7 * scale)


SIZES = [(0, 0), (3, 0), (0, 2), (1, 1), (4, 6), (9, 7), (14, 14), (30, 26)]
# Insert, Delete and a substitution in two parts each, two more substitutions, and Jump.
STATES = 8
PARTS = Parts(np.array([0, 0, 1, 1, 2, 2, 3, 4, 5], dtype=np.int32), 6)


def whole_table(rng: np.random.Generator, scale: float) -> Float:
    return np.asarray(rng.normal(0.0, scale, (PARTS.n_whole + 1, PARTS.n_whole)))


def spread(table: Float, parts: Parts, visits: Float) -> Float:
    """The same over all parts."""
    rows = np.append(parts.whole, parts.n_whole)
    return np.ascontiguousarray(table[np.ix_(rows, parts.whole)] + visits)


def drawn(rng: np.random.Generator, sizes: list[tuple[int, int]]) -> Lattices:
    """Lattices whose arcs do not have the state of Jump."""
    return replace(random_lattices(rng, sizes, STATES, max_block=3), n_states=STATES + 1)


def case(seed: int, max_jump: int, scale: float) -> tuple[Lattices, Weights, Weights, Float, Jumps | None]:
    """Lattices; weights over whole states and over parts; what visits of parts weigh; jumps."""
    rng = np.random.default_rng(seed)
    lattices = drawn(rng, SIZES)
    table, visits = whole_table(rng, 1.0), rng.normal(0.0, scale, STATES + 1)
    visits[STATES] = 0.0
    extra = random_weights(rng, lattices, 1.0)
    whole = Weights(table, extra.arcs, extra.links)
    every = Weights(spread(table, PARTS, visits), extra.arcs, extra.links)
    return lattices, whole, every, visits, find_jumps(lattices, STATES, max_jump)


@pytest.mark.parametrize("scale", [0.0, 1.0, 12.0])
@pytest.mark.parametrize("max_jump", [0, 1, 40])
@pytest.mark.parametrize("seed", range(2))
def test_sums_and_expected_counts(seed: int, max_jump: int, scale: float) -> None:
    lattices, whole, every, visits, jumps = case(seed, max_jump, scale)
    expected = expectations(lattices, every, 1, jumps)
    found = whole_expectations(lattices, whole, PARTS, visits, 1, jumps)
    sums = whole_log_sum(lattices, whole, PARTS, visits, 1, jumps)
    assert sums == pytest.approx(log_sum(lattices, every, 1, jumps), rel=1e-12, abs=1e-11)
    assert found.log_sum == pytest.approx(expected.log_sum, rel=1e-12, abs=1e-11)
    np.testing.assert_allclose(found.arcs, expected.arcs, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(found.links, expected.links, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(found.table, gathered(expected.table), rtol=0.0, atol=1e-9)
    # A state without a column of its own counts nowhere.
    counts, places = np.zeros((len(lattices), STATES + 1)), np.arange(STATES + 1)
    places[3] = STATES + 1
    add_visits(lattices, found.arcs, places, counts)
    of_each = expected.table.sum(axis=1)
    of_each[:, 3] = 0.0
    # Jumps consume nothing: their visits stand in the table alone.
    of_each[:, STATES] = 0.0
    np.testing.assert_allclose(counts, of_each, rtol=0.0, atol=1e-9)


def gathered(table: Float) -> Float:
    """Counts over parts as counts over whole states."""
    rows = np.append(PARTS.whole, PARTS.n_whole)
    result = np.zeros((len(table), PARTS.n_whole + 1, PARTS.n_whole))
    for prev, row in enumerate(rows.tolist()):
        for cur, column in enumerate(PARTS.whole.tolist()):
            result[:, row, column] += table[:, prev, cur]
    return result


def test_the_longest_lines_keep_their_digits() -> None:
    """Parts of the largest weight, with signs that cancel, over a thousand words."""
    rng = np.random.default_rng(5)
    lattices = drawn(rng, [(1000, 900)])
    table = whole_table(rng, 1.0)
    visits = np.array([LARGEST_PART, -LARGEST_PART] * 4 + [0.0])
    every = log_sum(lattices, Weights(spread(table, PARTS, visits)))
    found = whole_log_sum(lattices, Weights(table), PARTS, visits)
    assert found == pytest.approx(every, rel=1e-12, abs=1e-9)
    assert are_small(visits)
    assert not any(are_small(np.array([0.0, weight])) for weight in (50.1, np.nan, -np.inf))
