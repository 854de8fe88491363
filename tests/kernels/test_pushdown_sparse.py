"""The pushdown machine from arc to arc against the one from cell to cell."""

import numpy as np
import pytest

from pfsm_kernels import inference, pushdown_sparse
from pfsm_kernels.crossings import find_crossings
from pfsm_kernels.inference import Expectations, Jumps, Weights, find_jumps
from pfsm_kernels.lattices import Lattices
from tests.kernels.kernel_runs import assert_agree, empty_expectations, in_linear_space, linear_factors
from tests.kernels.lattice_cases import random_lattices, random_weights

SIZES = [(0, 0), (0, 3), (4, 0), (1, 1), (2, 2), (1, 5), (6, 2), (5, 5), (9, 8), (12, 15), (23, 20), (40, 37)]


def uniform(lattices: Lattices) -> Lattices:
    """The lattices with one state for Insert and one for Delete."""
    return Lattices(
        lattices.n_states,
        np.full_like(lattices.delete_states, 2),
        np.zeros_like(lattices.insert_states),
        lattices.arcs,
        lattices.offsets,
    )


def arc_to_arc(lattices: Lattices, weights: Weights, jumps: Jumps) -> tuple[np.ndarray, Expectations]:
    """Forward-backward of all pairs by the sparse kernel alone, and which of them it accepted."""
    result = empty_expectations(lattices, weights)
    accepted = np.zeros(len(lattices), dtype=np.bool_)
    inputs = inference._pushdown_inputs(lattices, linear_factors(weights, lattices.arcs.shape[0]), jumps)
    outputs = result.log_sum, accepted, True, result.table, result.arcs, result.links
    pushdown_sparse.sparse_batch(0, len(lattices), *inputs, jumps.crossings.sparse, *outputs)
    return accepted, result


def chosen(found: Expectations, lattices: Lattices, pairs: np.ndarray) -> Expectations:
    """Of some pairs alone."""
    arcs = pairs[lattices.pair_of_arc]
    links = found.links[arcs] if found.links.size else found.links
    return Expectations(found.log_sum[pairs], found.table[pairs], found.arcs[arcs], links)


@pytest.mark.parametrize("max_jump", [1, 3, 5, 8, 12])
@pytest.mark.parametrize("max_block", [1, 3])
@pytest.mark.parametrize("links", [False, True])
def test_same_sums_and_derivatives(
    max_jump: int, max_block: int, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pfsm_kernels.crossings.PAIR_OF_ARCS", 0.0)
    rng = np.random.default_rng([max_jump, max_block, links])
    for spread, scale in ((1, 0.5), (4, 1.5), (12, 1.0)):
        lattices = uniform(random_lattices(rng, SIZES, 8, max_block, spread=spread))
        weights = random_weights(rng, lattices, scale)
        if not links:
            weights = Weights(weights.table, weights.arcs)
        jumps = find_jumps(lattices, 7, max_jump)
        assert jumps is not None
        assert jumps.crossings.sparse.all()
        accepted, sparse = arc_to_arc(lattices, weights, jumps)
        cells_accepted, dense = in_linear_space(lattices, weights, jumps)
        # What underflows goes to log space, and it underflows in both.
        np.testing.assert_array_equal(accepted, cells_accepted)
        assert accepted.sum() >= len(lattices) - 1
        assert_agree(chosen(sparse, lattices, accepted), chosen(dense, lattices, accepted), 1e-11)


def test_which_pairs_go_from_arc_to_arc() -> None:
    rng = np.random.default_rng(3)
    lattices = random_lattices(rng, [(12, 12), (12, 12)], 6)
    split = lattices.insert_states.copy()
    split[:12], split[12:] = 0, rng.permutation(np.arange(12) % 2)
    deletes = np.full_like(lattices.delete_states, 2)
    mixed = Lattices(6, deletes, split, lattices.arcs, lattices.offsets)
    # The second pair has two states of Insert.
    assert find_crossings(mixed, 5).sparse.tolist() == [True, False]
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


def test_followers_by_definition() -> None:
    rng = np.random.default_rng(4)
    lattices = uniform(random_lattices(rng, [(7, 9), (15, 11), (3, 0)], 6, 3, spread=6))
    for max_jump in (1, 4, 9):
        crossings = find_crossings(lattices, max_jump)
        assert crossings.sparse.all()
        for side in (crossings.hypothesis, crossings.reference):
            for pair, (first, last) in enumerate(
                zip(lattices.offsets[:-1, 2], lattices.offsets[1:, 2], strict=True)
            ):
                arcs = side.arcs[first:last].tolist()
                for x, (row, rows, column, columns, _) in enumerate(arcs):
                    begin, end = side.follow_first[first + x : first + x + 2]
                    assert sorted(side.follow[begin:end].tolist()) == [
                        b
                        for b, (i, _, j, q, _) in enumerate(arcs)
                        if i >= row + rows and j >= column + columns and j + q <= column + max_jump
                    ], (pair, x)
