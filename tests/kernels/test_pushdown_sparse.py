"""The pushdown machine from arc to arc against the one from cell to cell."""

import numpy as np
import pytest

from pfsm_kernels.crossings import find_crossings
from pfsm_kernels.inference import Weights, expectations, find_jumps, log_sum
from pfsm_kernels.lattices import Lattices
from tests.kernels.kernel_runs import (
    arc_to_arc,
    assert_agree,
    chosen,
    in_linear_space,
    in_log_space,
    uniform,
)
from tests.kernels.lattice_cases import random_lattices, random_weights

SIZES = [(0, 0), (0, 3), (4, 0), (1, 1), (2, 2), (1, 5), (6, 2), (5, 5), (9, 8), (12, 15), (23, 20), (40, 37)]


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
        _, dense = in_linear_space(lattices, weights, jumps)
        # Pairs without tokens on one side go from cell to cell; of the others the longest may have too many arcs.
        assert accepted[3:-2].all()
        assert not accepted[:3].any()
        assert_agree(chosen(sparse, lattices, accepted), chosen(dense, lattices, accepted), 1e-11)
        # Without derivatives the same sums to the last bit.
        _, forward = arc_to_arc(lattices, weights, jumps, derivatives=False)
        np.testing.assert_array_equal(forward.log_sum[accepted], sparse.log_sum[accepted])


@pytest.mark.parametrize("scale", [5.0, 30.0, 200.0])
def test_what_it_accepts_is_right(scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfsm_kernels.crossings.PAIR_OF_ARCS", 0.0)
    rng = np.random.default_rng(int(scale))
    taken = 0
    for trial in range(30):
        sizes = [(2, 3), (9, 8), (14, 12), (18, 18)]
        lattices = uniform(random_lattices(rng, sizes, 6, max_block=1 + trial % 3, spread=3))
        arcs, links = rng.uniform(-scale, scale, (2, lattices.arcs.shape[0]))
        weights = Weights(rng.uniform(-scale, scale, (7, 6)), arcs, links if trial % 2 else None)
        weights.table[rng.random((7, 6)) < 0.1 * (trial % 3)] = -np.inf
        jumps = find_jumps(lattices, 5, 1 + trial % 7)
        accepted, sparse = arc_to_arc(lattices, weights, jumps)
        truth = in_log_space(lattices, weights, jumps)
        assert_agree(chosen(sparse, lattices, accepted), chosen(truth, lattices, accepted), 1e-9)
        assert_agree(expectations(lattices, weights, 1, jumps), truth, 1e-9)
        taken += int(accepted.sum())
    assert taken >= (60 if scale == 5.0 else 0)


def test_a_pair_is_the_same_in_any_batch() -> None:
    rng = np.random.default_rng(6)
    lattices = uniform(random_lattices(rng, SIZES, 8, 2, spread=2))
    weights = random_weights(rng, lattices, 1.0)
    jumps = find_jumps(lattices, 7, 4)
    together, values = expectations(lattices, weights, 1, jumps), log_sum(lattices, weights, 1, jumps)
    np.testing.assert_array_equal(values, together.log_sum)
    for pair in range(len(lattices)):
        first, last = lattices.offsets[pair : pair + 2, 2]
        assert weights.arcs is not None
        assert weights.links is not None
        own = Weights(weights.table, weights.arcs[first:last], weights.links[first:last])
        single = lattices.select(np.array([pair]))
        alone = expectations(single, own, 1, find_jumps(single, 7, 4))
        assert alone.log_sum[0] == together.log_sum[pair]
        np.testing.assert_array_equal(alone.table[0], together.table[pair])
        np.testing.assert_array_equal(alone.arcs, together.arcs[first:last])
        np.testing.assert_array_equal(alone.links, together.links[first:last])


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
