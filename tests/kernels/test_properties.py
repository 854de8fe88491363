"""What must hold of the finite-state machine whatever the weights."""

import dataclasses
import itertools
import math

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.inference import Weights, best_path, expectations, log_sum
from pfsm_kernels.lattices import Lattices
from tests.kernels.kernel_runs import assert_agree, in_log_space, largest_difference, linear_log_sums
from tests.kernels.lattice_cases import mirror, random_lattices, random_weights, split_by_position

SIZES = [(0, 0), (0, 3), (4, 0), (1, 1), (5, 7), (9, 4), (12, 12), (20, 17)]


def all_match(sizes: list[tuple[int, int]], offers: int) -> Lattices:
    """Lattices where every token pair is offered ``offers`` times, each offer with a state of its own."""
    arcs = [(i, 1, j, 1, 2 + k) for m, n in sizes for i in range(m) for j in range(n) for k in range(offers)]
    return Lattices(
        2 + offers,
        np.ones(sum(m for m, _ in sizes), dtype=np.int32),
        np.zeros(sum(n for _, n in sizes), dtype=np.int32),
        np.array(arcs, dtype=np.int32).reshape(-1, 5),
        np.cumsum([(0, 0, 0), *((m, n, m * n * offers) for m, n in sizes)], axis=0, dtype=np.int64),
    )


def number_of_alignments(m: int, n: int, offers: int) -> int:
    """D(m, n) = D(m-1, n) + D(m, n-1) + offers D(m-1, n-1): 1 gives the Delannoy numbers, 0 the binomials."""
    row = [1] * (n + 1)
    for _ in range(m):
        below = [1]
        for j in range(n):
            below.append(below[j] + row[j + 1] + offers * row[j])
        row = below
    return row[n]


@pytest.mark.parametrize("offers", [0, 1, 2])
def test_unweighted_sequences_are_counted(offers: int) -> None:
    sizes = list(itertools.product(range(21), range(21)))
    truth = [number_of_alignments(m, n, offers) for m, n in sizes]
    if offers == 0:
        assert truth == [math.comb(m + n, m) for m, n in sizes]
    if offers == 1:
        assert truth[-1] == 260543813797441  # central Delannoy number 20, OEIS A001850
    lattices = all_match(sizes, offers)
    weights = Weights(np.zeros((3 + offers, 2 + offers)))
    np.testing.assert_allclose(
        log_sum(lattices, weights), [math.log(count) for count in truth], rtol=1e-13, atol=1e-13
    )
    np.testing.assert_allclose(np.exp(in_log_space(lattices, weights).log_sum), truth, rtol=1e-11)


@pytest.mark.parametrize("seed", range(40))
def test_every_token_is_consumed_exactly_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n = (int(size) for size in rng.integers(0, 30, 2))
    lattices = random_lattices(rng, [(m, n)], n_states=7, max_block=3)
    weights = random_weights(rng, lattices, scale=float(rng.choice([0.5, 2.0, 15.0])))
    split, split_weights, was = split_by_position(lattices, weights)
    expected = expectations(split, split_weights)
    uses = expected.table[0].sum(axis=0)
    reference = uses[7 : 7 + m].copy()
    hypothesis = uses[7 + m :].copy()
    for (i, p, j, q, _), posterior in zip(lattices.arcs.tolist(), expected.arcs, strict=True):
        reference[i : i + p] += posterior
        hypothesis[j : j + q] += posterior
    np.testing.assert_allclose(reference, 1.0, atol=1e-10)
    np.testing.assert_allclose(hypothesis, 1.0, atol=1e-10)
    # One edit is the first, and every other edit follows one.
    assert expected.table[0, -1].sum() == pytest.approx(1.0 if m + n else 0.0, abs=1e-10)
    # A name given to a position changes nothing but the name the count goes under.
    whole = expectations(lattices, weights)
    assert expected.log_sum[0] == pytest.approx(whole.log_sum[0], rel=1e-12, abs=1e-12)
    merged = np.zeros_like(whole.table[0])
    np.add.at(merged, np.ix_(np.append(was, 7), was), expected.table[0])
    np.testing.assert_allclose(merged, whole.table[0], atol=1e-10)
    np.testing.assert_allclose(expected.arcs, whole.arcs, atol=1e-10)


@pytest.mark.parametrize("scale", [0.3, 3.0, 40.0])
def test_the_best_sequence_is_one_of_all(scale: float) -> None:
    rng = np.random.default_rng(3)
    lattices = random_lattices(rng, SIZES * 10, n_states=6, max_block=3)
    weights = random_weights(rng, lattices, scale)
    best = np.array([best_path(lattices, weights, pair).score for pair in range(len(lattices))])
    total = log_sum(lattices, weights)
    sequences = log_sum(lattices, Weights(np.zeros_like(weights.table)))
    slack = 1e-11 * np.maximum(1.0, np.abs(best))
    assert (best <= total + slack).all()
    assert (total <= best + sequences + slack).all()
    assert (best < total).any()


@pytest.mark.parametrize("scale", [0.3, 3.0, 30.0])
def test_swapping_the_sides_mirrors_everything(scale: float) -> None:
    rng = np.random.default_rng(4)
    lattices = random_lattices(rng, SIZES * 4, n_states=6, max_block=3)
    weights = random_weights(rng, lattices, scale)
    mirrored, mirrored_weights, order = mirror(lattices, weights)
    here, there = expectations(lattices, weights), expectations(mirrored, mirrored_weights)
    back = np.argsort(order)
    assert_agree(dataclasses.replace(there, arcs=there.arcs[back], links=there.links[back]), here, 1e-10)
    for pair in range(len(lattices)):
        assert best_path(mirrored, mirrored_weights, pair).score == pytest.approx(
            best_path(lattices, weights, pair).score, rel=1e-12, abs=1e-12
        )


@pytest.mark.parametrize("shift", [-40.0, -1.0, 0.7, 25.0])
def test_a_constant_per_consumed_token_shifts_the_log_sum_exactly(shift: float) -> None:
    rng = np.random.default_rng(5)
    lattices = random_lattices(rng, SIZES * 2, n_states=6, max_block=3)
    weights = random_weights(rng, lattices, 1.0)
    assert weights.arcs is not None
    table = weights.table.copy()
    table[:, :4] += shift
    arcs = weights.arcs + shift * (lattices.arcs[:, 1] + lattices.arcs[:, 3])
    before, after = (
        expectations(lattices, weights),
        expectations(lattices, Weights(table, arcs, weights.links)),
    )
    unshifted = dataclasses.replace(after, log_sum=after.log_sum - shift * lattices.lengths)
    assert_agree(unshifted, before, 1e-10)


@pytest.mark.parametrize("scale", [0.5, 4.0])
def test_derivatives_are_finite_differences_of_the_log_sum(scale: float) -> None:
    rng = np.random.default_rng(6)
    lattices = random_lattices(rng, SIZES, n_states=6, max_block=3)
    weights = random_weights(rng, lattices, scale)
    assert weights.arcs is not None
    assert weights.links is not None
    expected = expectations(lattices, weights)
    step = 1e-5
    owner = lattices.pair_of_arc

    def slope(array: NDArray[np.float64], place: tuple[int, ...]) -> NDArray[np.float64]:
        before = array[place]
        array[place] = before + step
        above = log_sum(lattices, weights)
        array[place] = before - step
        below = log_sum(lattices, weights)
        array[place] = before
        return (above - below) / (2.0 * step)

    for prev, cur in np.ndindex(weights.table.shape):
        np.testing.assert_allclose(
            slope(weights.table, (prev, cur)), expected.table[:, prev, cur], rtol=1e-6, atol=1e-7
        )
    for arc in range(lattices.arcs.shape[0]):
        for array, derivative in ((weights.arcs, expected.arcs), (weights.links, expected.links)):
            truth = np.zeros(len(lattices))
            truth[owner[arc]] = derivative[arc]
            np.testing.assert_allclose(slope(array, (arc,)), truth, rtol=1e-6, atol=1e-7)
    assert (expected.links > 1e-4).any()


def test_absent_arc_and_link_weights_are_zero() -> None:
    rng = np.random.default_rng(7)
    lattices = random_lattices(rng, SIZES, n_states=6, max_block=2)
    weights = random_weights(rng, lattices, 1.0)
    zero = np.zeros(lattices.arcs.shape[0])
    absent = expectations(lattices, Weights(weights.table))
    given = expectations(lattices, Weights(weights.table, zero, zero))
    assert absent.links.size == 0
    assert given.links.size == zero.size
    assert_agree(dataclasses.replace(absent, links=given.links), given, 1e-13)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="half a million cells need compiled kernels")
@pytest.mark.parametrize("scale", [0.5, 8.0])
def test_a_pair_does_not_depend_on_its_batch_or_on_threads(scale: float) -> None:
    rng = np.random.default_rng(8)
    # More cells than one task takes, and with scale 8 some pairs that linear space does not accept.
    sizes = [*SIZES, *((int(m), int(n)) for m, n in rng.integers(40, 90, (130, 2)))]
    lattices = random_lattices(rng, sizes, n_states=6, max_block=2)
    weights = random_weights(rng, lattices, scale)
    accepted, _ = linear_log_sums(lattices, weights)
    assert accepted.any()
    assert accepted.all() == (scale < 1.0)
    whole = expectations(lattices, weights)
    for threads in (2, 3):
        again = expectations(lattices, weights, threads)
        for name in ("log_sum", "table", "arcs", "links"):
            assert np.array_equal(getattr(whole, name), getattr(again, name)), name
        assert np.array_equal(log_sum(lattices, weights), log_sum(lattices, weights, threads))
    turned = np.arange(len(lattices))[::-1].copy()
    selections = [turned, *(np.array([pair]) for pair in (0, 4, 7, 8, 9, len(lattices) - 1))]
    for pairs in selections:
        selected = lattices.select(pairs)
        arcs = np.concatenate([np.flatnonzero(lattices.pair_of_arc == pair) for pair in pairs])
        assert weights.arcs is not None
        assert weights.links is not None
        of_them = Weights(weights.table, weights.arcs[arcs], weights.links[arcs])
        part = expectations(selected, of_them)
        assert np.array_equal(part.log_sum, whole.log_sum[pairs])
        assert np.array_equal(part.table, whole.table[pairs])
        assert np.array_equal(part.arcs, whole.arcs[arcs])
        assert np.array_equal(part.links, whole.links[arcs])
        assert np.array_equal(log_sum(selected, of_them), log_sum(lattices, weights)[pairs])
    assert largest_difference(log_sum(lattices, weights), whole.log_sum) < 1e-13
