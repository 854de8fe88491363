"""Which pairs go from arc to arc: those with few arcs and one state each for Insert and Delete."""

import numpy as np

from pfsm_kernels.groups import few_arcs, find_groups
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_kernels.pushdown.crossings import find_crossings
from tests.kernels.lattice_cases import random_lattices


def test_without_jumps() -> None:
    rng = np.random.default_rng(3)
    lattices = random_lattices(rng, [(12, 12), (12, 12), (12, 0), (0, 0)], 6, spread=1)
    inserts = np.zeros_like(lattices.insert_states)
    inserts[12:24] = np.arange(12) % 2
    mixed = Lattices(6, np.full_like(lattices.delete_states, 2), inserts, lattices.arcs, lattices.offsets)
    # The second pair has two states of Insert; the others nothing between which there are arcs.
    (group,) = find_groups(mixed, few_arcs(mixed))
    assert group.wanted.tolist() == [True, False, False, False]
    assert (group.insert, group.delete, group.rows, group.width) == (0, 2, 13, 13)
    everywhere = np.array([(i, 1, j, 1, 4) for i in range(9) for j in range(9)], dtype=np.int32)
    states = np.full(9, 2, np.int32), np.zeros(9, np.int32)
    full = Lattices(6, *states, everywhere, np.array([[0, 0, 0], [9, 9, 81]]))
    assert find_groups(full, few_arcs(full)) == []


def test_with_jumps() -> None:
    rng = np.random.default_rng(3)
    lattices = random_lattices(rng, [(12, 12), (12, 12)], 6)
    split = lattices.insert_states.copy()
    split[:12], split[12:] = 0, rng.permutation(np.arange(12) % 2)
    deletes = np.full_like(lattices.delete_states, 2)
    mixed = Lattices(6, deletes, split, lattices.arcs, lattices.offsets)
    # The second pair has two states of Insert.
    sparse = find_crossings(mixed, 5).sparse
    assert sparse.tolist() == [True, True]
    (group,) = find_groups(mixed, sparse)
    assert group.wanted.tolist() == [True, False]
    # Two words that fill both lines cross everywhere: windows are full of arcs.
    everywhere = np.array([(i, 1, j, 1, 4) for i in range(30) for j in range(30)], dtype=np.int32)
    full = Lattices(
        6,
        np.full(30, 2, np.int32),
        np.zeros(30, np.int32),
        everywhere,
        np.array([[0, 0, 0], [30, 30, 900]]),
    )
    found = find_crossings(full, 5)
    assert found.sparse.tolist() == [False]
    assert found.hypothesis.follow.size == found.reference.follow.size == 0
