"""The machine by diagonals: which pairs it takes, long ones, and room that holds anything before."""

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.inference import Weights
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_kernels.linear_space import by_diagonals
from pfsm_kernels.machine.by_diagonal import LANES, LONGEST
from tests.kernels.kernel_runs import assert_agree, by_diagonal, chosen, in_linear_space, uniform
from tests.kernels.lattice_cases import random_lattices, random_weights

Float = NDArray[np.float64]
SIDES = (1, LANES - 1, LANES, LANES + 1, 4 * LANES - 1, 4 * LANES)
SIZES = [(m, n) for m in SIDES for n in SIDES]
LONG = [(LONGEST, LONGEST), (LONGEST, 1), (1, LONGEST), (LONGEST - 1, 30), (30, LONGEST)]


def drawn(sizes: list[tuple[int, int]]) -> tuple[Lattices, Weights]:
    rng = np.random.default_rng(7)
    lattices = uniform(random_lattices(rng, sizes, 6))
    return lattices, random_weights(rng, lattices, 0.3)


def test_which_pairs() -> None:
    lattices, _ = drawn([(5, 5), (5, 0), (0, 5), (0, 0), (LONGEST, 2), (LONGEST + 1, 2), (2, LONGEST + 1)])
    assert by_diagonals(lattices).tolist() == [True, False, False, False, True, False, False]
    inserts = lattices.insert_states.copy()
    inserts[0] += 1
    split = Lattices(6, lattices.delete_states, inserts, lattices.arcs, lattices.offsets)
    assert not by_diagonals(split)[0]


@pytest.mark.parametrize("sizes", [SIZES, LONG], ids=["lanes", "long"])
def test_the_same_as_from_cell_to_cell(sizes: list[tuple[int, int]]) -> None:
    lattices, weights = drawn(sizes)
    accepted, found = by_diagonal(lattices, weights)
    also, expected = in_linear_space(lattices, weights)
    np.testing.assert_array_equal(accepted, also)
    assert accepted.mean() > 0.5
    assert_agree(chosen(found, lattices, accepted), chosen(expected, lattices, accepted), 1e-11)
