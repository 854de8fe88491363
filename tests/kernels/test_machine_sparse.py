"""The finite-state machine from arc to arc against the one from cell to cell, and log space where it is hard."""

import numba
import numpy as np
import pytest

from pfsm_kernels import runs
from pfsm_kernels.inference import Weights, expectations, log_sum
from pfsm_kernels.lattices import Lattices
from pfsm_kernels.runs import few_arcs, find_groups
from tests.kernels.kernel_runs import (
    arc_to_arc,
    assert_agree,
    chosen,
    in_linear_space,
    in_log_space,
    uniform,
)
from tests.kernels.lattice_cases import random_lattices, random_weights

pytestmark = pytest.mark.filterwarnings(
    *["ignore:(overflow|invalid value|divide by zero) encountered:RuntimeWarning"]
    * bool(numba.config.DISABLE_JIT)
)
SIZES = [(1, 1), (2, 2), (1, 5), (6, 2), (5, 5), (9, 8), (12, 15), (23, 20), (40, 37)]
TRIES = 400


@pytest.fixture
def every_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pair has too many arcs."""
    monkeypatch.setattr(runs, "PAIR_OF_ARCS", 0.0)


@pytest.mark.usefixtures("every_pair")
@pytest.mark.parametrize("max_block", [1, 3])
@pytest.mark.parametrize("links", [False, True])
@pytest.mark.parametrize("states", [(0, 2), (2, 0), (5, 5)])
def test_same_sums_and_derivatives(max_block: int, links: bool, states: tuple[int, int]) -> None:
    rng = np.random.default_rng([max_block, links, *states])
    for spread, scale in ((0, 1.0), (1, 0.5), (4, 1.5), (12, 1.0), (30, 2.0)):
        lattices = uniform(random_lattices(rng, SIZES, 8, max_block, spread=spread), *states)
        weights = random_weights(rng, lattices, scale)
        if not links:
            weights = Weights(weights.table, weights.arcs)
        accepted, sparse = arc_to_arc(lattices, weights)
        # The longest pairs may have so many arcs that they are left to the other.
        assert accepted[:-2].all()
        _, dense = in_linear_space(lattices, weights)
        assert_agree(chosen(sparse, lattices, accepted), chosen(dense, lattices, accepted), 1e-11)
        # Without derivatives the same sums to the last bit.
        _, forward = arc_to_arc(lattices, weights, derivatives=False)
        np.testing.assert_array_equal(forward.log_sum[accepted], sparse.log_sum[accepted])


@pytest.mark.usefixtures("every_pair")
@pytest.mark.parametrize("scale", [5.0, 30.0, 200.0, 600.0])
def test_what_it_accepts_is_right(scale: float) -> None:
    rng = np.random.default_rng(int(scale))
    taken = 0
    for trial in range(TRIES // 4):
        sizes = [(2, 3), (9, 8), (14, 12), (30, 30)]
        lattices = uniform(random_lattices(rng, sizes, 6, max_block=1 + trial % 3, spread=3))
        arcs, links = rng.uniform(-scale, scale, (2, lattices.arcs.shape[0]))
        weights = Weights(rng.uniform(-scale, scale, (7, 6)), arcs, links if trial % 2 else None)
        weights.table[rng.random((7, 6)) < 0.1 * (trial % 3)] = -np.inf
        accepted, sparse = arc_to_arc(lattices, weights)
        truth = in_log_space(lattices, weights)
        assert_agree(chosen(sparse, lattices, accepted), chosen(truth, lattices, accepted), 1e-9)
        assert_agree(expectations(lattices, weights), truth, 1e-9)
        taken += int(accepted.sum())
    # Trained weights are of size 1 to 5; of size 30 and more log space has most to do.
    assert taken >= (TRIES * 9 // 10 if scale == 5.0 else 0)


def test_which_pairs_go_from_arc_to_arc() -> None:
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


def test_a_pair_is_the_same_in_any_batch() -> None:
    rng = np.random.default_rng(5)
    parts = [random_lattices(rng, SIZES, 8, 2, spread=3) for _ in range(3)]
    lattices = Lattices(
        8,
        np.concatenate([np.full_like(part.delete_states, 2 + at % 2) for at, part in enumerate(parts)]),
        np.concatenate([np.full_like(part.insert_states, at) for at, part in enumerate(parts)]),
        np.concatenate([part.arcs for part in parts]),
        np.concatenate([parts[0].offsets, parts[0].offsets[-1] + parts[1].offsets[1:],
                        parts[0].offsets[-1] + parts[1].offsets[-1] + parts[2].offsets[1:]]),
    )  # fmt: skip
    assert len(find_groups(lattices, few_arcs(lattices))) == 3
    weights = random_weights(rng, lattices, 1.0)
    together, values = expectations(lattices, weights), log_sum(lattices, weights)
    np.testing.assert_array_equal(values, together.log_sum)
    for pair in range(len(lattices)):
        first, last = lattices.offsets[pair : pair + 2, 2]
        assert weights.arcs is not None
        assert weights.links is not None
        own = Weights(weights.table, weights.arcs[first:last], weights.links[first:last])
        alone = expectations(lattices.select(np.array([pair])), own)
        assert alone.log_sum[0] == together.log_sum[pair]
        np.testing.assert_array_equal(alone.table[0], together.table[pair])
        np.testing.assert_array_equal(alone.arcs, together.arcs[first:last])
        np.testing.assert_array_equal(alone.links, together.links[first:last])


@pytest.mark.usefixtures("every_pair")
def test_far_below_and_far_above_one() -> None:
    """Totals that leave the range of numbers at the common rate go another way, and come out right."""
    rng = np.random.default_rng(7)
    lattices = uniform(random_lattices(rng, [(150, 150), (90, 140)], 6, spread=1))
    for shift in (-14.0, 9.0):
        table = rng.normal(size=(7, 6))
        weights = Weights(table, np.full(lattices.arcs.shape[0], shift))
        assert len(find_groups(lattices, few_arcs(lattices))) == 1
        assert_agree(expectations(lattices, weights), in_log_space(lattices, weights), 1e-10)
