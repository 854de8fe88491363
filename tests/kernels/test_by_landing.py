"""Log-sums by landing columns: the same as from cell to cell in log space, whatever the weights and the arcs."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from pfsm_kernels import inference
from pfsm_kernels.inference import Jumps, Weights, best_path, expectations, find_jumps, log_sum
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_kernels.pushdown import crossings
from pfsm_kernels.pushdown.by_landing import MOST_OF_A_FEW, few_transitions
from tests.kernels.kernel_runs import largest_difference, linear_log_sums, log_sums_in_log_space
from tests.kernels.pushdown_cases import random_batch


def wide(lattices: Lattices, state: int, max_jump: int) -> Jumps:
    """The jumps, with every pair that has arcs taken for a wide one."""
    with mock.patch.object(crossings, "WIDE", -1):
        jumps = find_jumps(lattices, state, max_jump, sums_only=True)
    assert jumps is not None
    assert jumps.crossings.wide.all()
    assert jumps.crossings.hypothesis.group.size == 0
    return jumps


def test_any_state_may_be_that_of_jumps() -> None:
    lattices, _, _ = random_batch(np.random.default_rng(1), [(4, 5)], 1.0, arcs=2.0)
    for state in range(lattices.n_states):
        found = find_jumps(lattices, state, 2)
        assert found is not None
        assert found.state == state
    for state in (-1, lattices.n_states):
        with pytest.raises(ValueError, match=f"state is {state}, the lattices have states 0"):
            find_jumps(lattices, state, 2)


def check(lattices: Lattices, weights: Weights, state: int, max_jump: int) -> None:
    truth = log_sums_in_log_space(lattices, weights, find_jumps(lattices, state, max_jump))
    found = log_sum(lattices, weights, jumps=wide(lattices, state, max_jump))
    assert largest_difference(found, truth) <= 1e-12


@pytest.mark.parametrize("max_jump", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
def test_the_same_as_from_cell_to_cell(max_jump: int, scale: float) -> None:
    rng = np.random.default_rng([max_jump, int(10 * scale)])
    sizes = [(int(rng.integers(14)), int(rng.integers(14))) for _ in range(40)]
    for arcs in (2.0, 5.0):
        lattices, weights, state = random_batch(rng, [*sizes, (40, 30)], scale, arcs=arcs)
        check(lattices, weights, state, max_jump)
        check(lattices, replace(weights, links=None), state, max_jump)


def test_weights_beyond_a_scale_and_impossible_ones() -> None:
    rng = np.random.default_rng(1)
    sizes = [(12, 9), (9, 12), (20, 20), (1, 6)]
    for _ in range(4):
        lattices, weights, state = random_batch(rng, sizes, 60.0, arcs=3.0)
        assert weights.arcs is not None
        assert weights.links is not None
        few = few_transitions(weights.table, lattices.arcs, weights.arcs, weights.links, 4)
        assert few > MOST_OF_A_FEW
        check(lattices, weights, state, 4)
        lattices, weights, state = random_batch(rng, sizes, 1.0, arcs=3.0)
        table = weights.table.copy()
        table[rng.random(table.shape) < 0.15] = -np.inf
        check(lattices, replace(weights, table=table), state, 4)


@pytest.mark.parametrize(("m", "n"), [(260, 230), (30, 400), (400, 30)])
@pytest.mark.parametrize("shift", [-4.0, 3.0])
def test_scales_that_have_to_follow(m: int, n: int, shift: float) -> None:
    """Masses that grow or fall by hundreds of powers of ten, in lines long enough for it."""
    rng = np.random.default_rng([m, n])
    lattices, weights, state = random_batch(rng, [(m, n)], 0.7, arcs=3.0, spread=8)
    check(lattices, replace(weights, table=weights.table + shift), state, 3)


def test_long_lines_out_of_the_range_of_linear_space() -> None:
    """They go to landing columns, not to log space, however few of their matches cross."""
    rng = np.random.default_rng(5)
    lattices, weights, state = random_batch(rng, [(150, 140), (140, 150)], 5.0, arcs=2.0, spread=8)
    jumps = find_jumps(lattices, state, 3)
    assert jumps is not None
    assert not jumps.crossings.wide.any()
    assert not linear_log_sums(lattices, weights, jumps)[0].any()
    truth = log_sums_in_log_space(lattices, weights, jumps)
    with mock.patch.object(inference, "log_pushdown", side_effect=AssertionError):
        found = log_sum(lattices, weights, jumps=jumps)
    assert largest_difference(found, truth) <= 1e-12


def test_only_log_sums_are_found_where_crossings_are_not_listed() -> None:
    rng = np.random.default_rng(3)
    lattices, weights, state = random_batch(rng, [(3, 0), (6, 6), (12, 12)], 1.0, arcs=4.0)
    counts = [find_jumps(lattices.select(np.array([k])), state, 3) for k in range(3)]
    numbers = [
        jumps.crossings.hypothesis.group.size + jumps.crossings.reference.group.size
        for jumps in counts
        if jumps
    ]
    assert 0 == numbers[0] < numbers[1] < numbers[2]
    with mock.patch.object(crossings, "WIDE", numbers[1]):
        some = find_jumps(lattices, state, 3, sums_only=True)
        listed = find_jumps(lattices, state, 3)
    assert some is not None
    assert listed is not None
    assert some.crossings.wide.tolist() == listed.crossings.wide.tolist() == [False, False, True]
    np.testing.assert_array_equal(
        log_sum(lattices, weights, jumps=some), log_sum(lattices, weights, jumps=listed)
    )
    assert expectations(lattices, weights, jumps=listed).log_sum[2] == pytest.approx(
        log_sum(lattices, weights, jumps=some)[2], rel=1e-12
    )
    with pytest.raises(crossings.TooManyCrossingsError, match="pair 2 has"):
        expectations(lattices, weights, jumps=some)
    with pytest.raises(crossings.TooManyCrossingsError, match="pair 2 has"):
        best_path(lattices, weights, 2, some)
    assert best_path(lattices, weights, 1, some).score == best_path(lattices, weights, 1, listed).score


def test_one_word_that_fills_both_lines_has_a_log_sum() -> None:
    """With all weights zero, the number of edit sequences: the same however many crossings are counted as many."""
    size = 12
    arcs = np.array([(i, 1, j, 1, 2) for i in range(size) for j in range(size)], dtype=np.int32)
    offsets = np.array([[0, 0, 0], [size, size, size**2]])
    lattices = Lattices(4, np.ones(size, dtype=np.int32), np.zeros(size, dtype=np.int32), arcs, offsets)
    with mock.patch.object(crossings, "MOST_CROSSINGS", 50):
        with pytest.raises(crossings.TooManyCrossingsError):
            find_jumps(lattices, 3, 2)
        jumps = wide(lattices, 3, 2)
    zero = Weights(np.zeros((5, 4)))
    found = log_sum(lattices, zero, jumps=jumps)
    assert largest_difference(found, log_sum(lattices, zero, jumps=find_jumps(lattices, 3, 2))) <= 1e-12
