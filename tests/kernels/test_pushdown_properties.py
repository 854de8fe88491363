"""What must hold of the pushdown machine whatever the weights."""

import dataclasses
import itertools
import math

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.crossings import find_crossings
from pfsm_kernels.inference import Jumps, Weights, best_path, expectations, find_jumps, log_sum
from pfsm_kernels.lattices import Lattices, single
from tests.kernels.kernel_runs import (
    assert_agree,
    in_linear_space,
    in_log_space,
    largest_difference,
    linear_log_sums,
)
from tests.kernels.lattice_cases import mirror, split_by_position
from tests.kernels.pushdown_cases import random_batch
from tests.oracles.configuration_graph import add_up
from tests.oracles.enumeration import Arc, EditLattice

SIZES = [(0, 0), (0, 3), (4, 0), (1, 1), (2, 2), (5, 7), (9, 4), (12, 12), (20, 17)]
LIMITS = (1, 2, 3, 5, 10, 40)


def arrays(weights: Weights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    assert weights.arcs is not None
    assert weights.links is not None
    return weights.arcs, weights.links


def named(lattices: Lattices) -> EditLattice:
    """The only lattice of a batch as the oracle takes it; the weights left out."""
    arcs = (Arc(i, p, j, q, str(state)) for i, p, j, q, state in lattices.arcs.tolist())
    return EditLattice(
        tuple(map(str, lattices.delete_states)), tuple(map(str, lattices.insert_states)), tuple(arcs)
    )


@pytest.mark.parametrize("max_jump", LIMITS)
def test_unweighted_sequences_are_counted(max_jump: int) -> None:
    rng = np.random.default_rng(max_jump)
    for size in ((11, 11), (9, 13), (14, 8)):
        lattices, _, state = random_batch(rng, [size], 1.0)
        truth = math.log(add_up(named(lattices), {}, max_jump).n_sequences)
        weights, jumps = Weights(np.zeros((9, 8))), find_jumps(lattices, state, max_jump)
        assert log_sum(lattices, weights, jumps=jumps)[0] == pytest.approx(truth, rel=1e-12)
        assert in_log_space(lattices, weights, jumps).log_sum[0] == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("max_jump", [1, 3, 10])
@pytest.mark.parametrize("scale", [0.3, 3.0, 30.0])
def test_swapping_the_sides_mirrors_everything(scale: float, max_jump: int) -> None:
    rng = np.random.default_rng([4, max_jump])
    lattices, weights, state = random_batch(rng, SIZES * 4, scale)
    mirrored, mirrored_weights, order = mirror(lattices, weights)
    jumps, mirrored_jumps = (find_jumps(batch, state, max_jump) for batch in (lattices, mirrored))
    here = expectations(lattices, weights, jumps=jumps)
    there = expectations(mirrored, mirrored_weights, jumps=mirrored_jumps)
    back = np.argsort(order)
    assert_agree(dataclasses.replace(there, arcs=there.arcs[back], links=there.links[back]), here, 1e-10)
    for pair in range(len(lattices)):
        assert best_path(mirrored, mirrored_weights, pair, mirrored_jumps).score == pytest.approx(
            best_path(lattices, weights, pair, jumps).score, rel=1e-12, abs=1e-12
        )


@pytest.mark.parametrize("seed", range(40))
def test_every_token_is_consumed_exactly_once_and_jumps_come_in_threes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n = (int(size) for size in rng.integers(0, 30, 2))
    max_jump = int(rng.choice(LIMITS))
    scale = float(rng.choice([0.5, 2.0, 15.0]))
    lattices, weights, state = random_batch(rng, [(m, n)], scale)
    weights.table[:, state] += 1.0
    split, split_weights, was = split_by_position(lattices, weights)
    jumps = find_jumps(lattices, state, max_jump)
    expected = expectations(split, split_weights, jumps=find_jumps(split, state, max_jump))
    uses = expected.table[0].sum(axis=0)
    reference, hypothesis = uses[8 : 8 + m].copy(), uses[8 + m :].copy()
    for (i, p, j, q, _), posterior in zip(lattices.arcs.tolist(), expected.arcs, strict=True):
        reference[i : i + p] += posterior
        hypothesis[j : j + q] += posterior
    np.testing.assert_allclose(reference, 1.0, atol=1e-9)
    np.testing.assert_allclose(hypothesis, 1.0, atol=1e-9)
    # One operation is the first; every state is left as often as entered, but for the last operation.
    assert expected.table[0, -1].sum() == pytest.approx(1.0 if m + n else 0.0, abs=1e-10)
    last = uses - expected.table[0, :-1].sum(axis=1)
    assert last.sum() == pytest.approx(1.0 if m + n else 0.0, abs=1e-9)
    assert (last > -1e-9).all()
    # One jump after another is the last of a swap and the first of the next; the first leads to a substitution.
    assert expected.table[0, state, state] <= uses[state] / 3.0 + 1e-9
    landed = expected.table[0, state, 4:7].sum()
    assert landed >= uses[state] / 3.0 - 1e-9
    # A name given to a position changes nothing but the name the count goes under.
    whole = expectations(lattices, weights, jumps=jumps)
    assert expected.log_sum[0] == pytest.approx(whole.log_sum[0], rel=1e-12, abs=1e-12)
    merged = np.zeros_like(whole.table[0])
    np.add.at(merged, np.ix_(np.append(was, 8), was), expected.table[0])
    np.testing.assert_allclose(merged, whole.table[0], atol=1e-9)
    np.testing.assert_allclose(expected.arcs, whole.arcs, atol=1e-9)


@pytest.mark.parametrize("shift", [-40.0, -1.0, 0.7, 25.0])
def test_a_constant_per_consumed_token_shifts_the_log_sum_exactly(shift: float) -> None:
    rng = np.random.default_rng(5)
    lattices, weights, state = random_batch(rng, SIZES * 2, 1.0)
    arc_weights, links = arrays(weights)
    table = weights.table.copy()
    table[:, :4] += shift
    shifted = Weights(table, arc_weights + shift * (lattices.arcs[:, 1] + lattices.arcs[:, 3]), links)
    for max_jump in (1, 5):
        jumps = find_jumps(lattices, state, max_jump)
        before, after = (expectations(lattices, each, jumps=jumps) for each in (weights, shifted))
        unshifted = dataclasses.replace(after, log_sum=after.log_sum - shift * lattices.lengths)
        assert_agree(unshifted, before, 1e-10)


@pytest.mark.parametrize("jump", [-4.0, -2.0, 0.0, 3.0])
def test_a_higher_limit_adds_sequences(jump: float) -> None:
    rng = np.random.default_rng(11)
    lattices, weights, state = random_batch(rng, SIZES * 3, 1.0)
    weights.table[:, state] += jump
    sums = [log_sum(lattices, weights, jumps=find_jumps(lattices, state, max_jump)) for max_jump in range(14)]
    for lower, higher in itertools.pairwise(sums):
        assert (higher - lower > -1e-11 * np.maximum(1.0, np.abs(lower))).all()
    assert (sums[1] > sums[0] + 1e-12).any()
    assert (sums[10] > sums[1] + 1e-9).any()
    # No limit beyond the longer side adds anything.
    longest = [log_sum(lattices, weights, jumps=find_jumps(lattices, state, limit)) for limit in (20, 21, 99)]
    for other in longest[1:]:
        np.testing.assert_allclose(other, longest[0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("max_jump", [1, 4, 10])
@pytest.mark.parametrize("scale", [0.5, 20.0])
def test_without_a_way_into_jump_it_is_the_finite_state_machine(scale: float, max_jump: int) -> None:
    rng = np.random.default_rng([12, max_jump])
    lattices, weights, state = random_batch(rng, SIZES * 3, scale)
    plain = expectations(lattices, weights)
    assert find_jumps(lattices, state, 0) is None
    closed = weights.table.copy()
    closed[:, state] = -np.inf
    jumps = find_jumps(lattices, state, max_jump)
    found = expectations(lattices, dataclasses.replace(weights, table=closed), jumps=jumps)
    assert_agree(found, plain, 1e-10)
    in_logs = in_log_space(lattices, dataclasses.replace(weights, table=closed), jumps)
    assert_agree(in_logs, plain, 1e-10)
    # The same where Jump can be entered but leads nowhere.
    closed = weights.table.copy()
    closed[state] = -np.inf
    assert_agree(
        expectations(lattices, dataclasses.replace(weights, table=closed), jumps=jumps), plain, 1e-10
    )


@pytest.mark.parametrize("max_jump", [3, 5, 10])
def test_derivatives_are_finite_differences_of_the_log_sum(max_jump: int) -> None:
    rng = np.random.default_rng([6, max_jump])
    lattices, weights, state = random_batch(rng, [(12, 12)] * 3, 1.0)
    weights.table[:, state] += 1.0
    jumps = find_jumps(lattices, state, max_jump)
    expected = expectations(lattices, weights, jumps=jumps)
    step = 1e-5
    owner = lattices.pair_of_arc

    def slope(array: NDArray[np.float64], place: tuple[int, ...]) -> NDArray[np.float64]:
        before = array[place]
        array[place] = before + step
        above = log_sum(lattices, weights, jumps=jumps)
        array[place] = before - step
        below = log_sum(lattices, weights, jumps=jumps)
        array[place] = before
        return (above - below) / (2.0 * step)

    for prev, cur in np.ndindex(weights.table.shape):
        np.testing.assert_allclose(
            slope(weights.table, (prev, cur)), expected.table[:, prev, cur], rtol=1e-6, atol=1e-7
        )
    arc_weights, links = arrays(weights)
    for arc in range(lattices.arcs.shape[0]):
        for array, derivative in ((arc_weights, expected.arcs), (links, expected.links)):
            truth = np.zeros(len(lattices))
            truth[owner[arc]] = derivative[arc]
            np.testing.assert_allclose(slope(array, (arc,)), truth, rtol=1e-6, atol=1e-7)
    assert (expected.links > 1e-4).any()
    assert (expected.table[:, :, state].sum(axis=1) > 0.3).any()


@pytest.mark.parametrize("max_jump", [1, 3, 5, 10])
@pytest.mark.parametrize("scale", [0.3, 1.5])
def test_linear_and_log_space_agree(scale: float, max_jump: int) -> None:
    rng = np.random.default_rng([13, max_jump])
    lattices, weights, state = random_batch(rng, [(25, 25), (31, 18), (10, 40)] * 4, scale)
    jumps = find_jumps(lattices, state, max_jump)
    assert jumps is not None
    accepted, linear = in_linear_space(lattices, weights, jumps)
    accepted_forward, values = linear_log_sums(lattices, weights, jumps)
    assert np.array_equal(accepted, accepted_forward)
    assert accepted.sum() >= len(lattices) // 2
    truth = in_log_space(lattices, weights, jumps)
    assert_agree(expectations(lattices, weights, jumps=jumps), truth, 1e-10)
    assert largest_difference(values[accepted], truth.log_sum[accepted]) < 1e-12
    assert largest_difference(linear.table[accepted], truth.table[accepted]) < 1e-10


@pytest.mark.parametrize("scale", [0.3, 3.0, 40.0])
def test_the_best_sequence_is_one_of_all(scale: float) -> None:
    rng = np.random.default_rng(3)
    lattices, weights, state = random_batch(rng, SIZES * 6, scale)
    jumps = find_jumps(lattices, state, 4)
    best = np.array([best_path(lattices, weights, pair, jumps).score for pair in range(len(lattices))])
    total = log_sum(lattices, weights, jumps=jumps)
    sequences = log_sum(lattices, Weights(np.zeros_like(weights.table)), jumps=jumps)
    slack = 1e-11 * np.maximum(1.0, np.abs(best))
    assert (best <= total + slack).all()
    assert (total <= best + sequences + slack).all()
    without = np.array([best_path(lattices, weights, pair).score for pair in range(len(lattices))])
    assert (without <= best + slack).all()
    assert (without < best - 1e-9).any()


def test_states_may_be_numbered_in_any_order() -> None:
    rng = np.random.default_rng(14)
    lattices, weights, state = random_batch(rng, SIZES * 2, 1.0)
    new = rng.permutation(8).astype(np.int32)
    arcs = lattices.arcs.copy()
    arcs[:, 4] = new[arcs[:, 4]]
    renumbered = dataclasses.replace(
        lattices,
        delete_states=new[lattices.delete_states],
        insert_states=new[lattices.insert_states],
        arcs=arcs,
    )
    rows = np.append(np.argsort(new), 8)
    table = np.ascontiguousarray(weights.table[np.ix_(rows, rows[:-1])])
    here = expectations(lattices, weights, jumps=find_jumps(lattices, state, 4))
    there = expectations(
        renumbered,
        dataclasses.replace(weights, table=table),
        jumps=find_jumps(renumbered, int(new[state]), 4),
    )
    back = np.ascontiguousarray(there.table[:, np.append(new, 8)][:, :, new])
    assert_agree(dataclasses.replace(there, table=back), here, 1e-11)


def test_absent_arc_and_link_weights_are_zero() -> None:
    rng = np.random.default_rng(7)
    lattices, weights, state = random_batch(rng, SIZES, 1.0)
    zero = np.zeros(lattices.arcs.shape[0])
    jumps = find_jumps(lattices, state, 3)
    absent, given = Weights(weights.table), Weights(weights.table, zero, zero)
    without, with_zeros = (expectations(lattices, each, jumps=jumps) for each in (absent, given))
    assert without.links.size == 0
    assert with_zeros.links.size == zero.size
    assert_agree(dataclasses.replace(without, links=with_zeros.links), with_zeros, 1e-12)
    without, with_zeros = (in_log_space(lattices, each, jumps) for each in (absent, given))
    assert_agree(dataclasses.replace(without, links=with_zeros.links), with_zeros, 1e-12)


@pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="hundreds of thousands of cells need compiled kernels"
)
@pytest.mark.parametrize("scale", [0.5, 8.0])
def test_a_pair_does_not_depend_on_its_batch_or_on_threads(scale: float) -> None:
    rng = np.random.default_rng(8)
    # Several tasks' worth of cells, and with scale 8 some pairs that linear space does not accept.
    sizes = [*SIZES, *((int(m), int(n)) for m, n in rng.integers(30, 60, (60, 2)))]
    lattices, weights, state = random_batch(rng, sizes, scale)
    jumps = find_jumps(lattices, state, 4)
    assert jumps is not None
    accepted, _ = linear_log_sums(lattices, weights, jumps)
    assert accepted.any()
    assert accepted.all() == (scale < 1.0)
    whole, sums = expectations(lattices, weights, jumps=jumps), log_sum(lattices, weights, jumps=jumps)
    for threads in (2, 3):
        again = expectations(lattices, weights, threads, jumps)
        for name in ("log_sum", "table", "arcs", "links"):
            assert np.array_equal(getattr(whole, name), getattr(again, name)), name
        assert np.array_equal(sums, log_sum(lattices, weights, threads, jumps))
    arc_weights, links = arrays(weights)
    turned = np.arange(len(lattices))[::-1].copy()
    for pairs in (turned, *(np.array([pair]) for pair in (0, 4, 7, 8, 9, len(lattices) - 1))):
        selected = lattices.select(pairs)
        arcs = np.concatenate([np.flatnonzero(lattices.pair_of_arc == pair) for pair in pairs])
        of_them = Weights(weights.table, arc_weights[arcs], links[arcs])
        own_jumps = find_jumps(selected, state, 4)
        part = expectations(selected, of_them, jumps=own_jumps)
        assert np.array_equal(part.log_sum, whole.log_sum[pairs])
        assert np.array_equal(part.table, whole.table[pairs])
        assert np.array_equal(part.arcs, whole.arcs[arcs])
        assert np.array_equal(part.links, whole.links[arcs])
        assert np.array_equal(log_sum(selected, of_them, jumps=own_jumps), sums[pairs])
        for pair in range(min(3, len(selected))):
            here = best_path(selected, of_them, pair, own_jumps)
            there = best_path(lattices, weights, int(pairs[pair]), jumps)
            assert here.score == there.score
            assert np.array_equal(here.edits, there.edits)
    assert largest_difference(sums, whole.log_sum) < 1e-13


def test_jumps_are_checked() -> None:
    lattices = single(3, [0, 0], [1, 1], [(0, 1, 1, 1, 2), (1, 1, 0, 1, 2)])
    with pytest.raises(ValueError, match="max_jump is -1"):
        find_jumps(lattices, 2, -1)
    with pytest.raises(ValueError, match="max_jump is -1"):
        find_crossings(lattices, -1)
    for state in (-1, 3):
        with pytest.raises(ValueError, match=f"state is {state}"):
            find_jumps(lattices, state, 1)
    jumps = find_jumps(lattices, 2, 1)
    assert isinstance(jumps, Jumps)
    assert jumps.state == 2
    with pytest.raises(ValueError, match="NaN or infinity"):
        log_sum(lattices, Weights(np.full((4, 3), np.nan)), jumps=jumps)
