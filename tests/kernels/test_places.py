"""Sums for every place of a lattice, against the machine with a state of its own for every place."""

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.inference import Weights, expectations, place_sums
from pfsm_kernels.lattice.lattices import Lattices
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
