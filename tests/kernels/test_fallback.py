"""What linear space cannot hold: it must say so, log space must take over, and nothing else may be lost.

The safety property of the tilt: whatever linear space *accepts* is right. The searches below try to break it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.inference import Weights, best_path, expectations, log_sum
from pfsm_kernels.lattices import Lattices, single
from tests.kernels.kernel_runs import assert_agree, in_linear_space, in_log_space, linear_log_sums
from tests.kernels.lattice_cases import number, random_lattices
from tests.oracles.enumeration import Arc, EditLattice

# Interpreted, the kernels warn where they overflow to infinity; compiled, they do so in silence.
pytestmark = pytest.mark.filterwarnings(
    *["ignore:(overflow|invalid value|divide by zero) encountered:RuntimeWarning"]
    * bool(numba.config.DISABLE_JIT)
)

Float = NDArray[np.float64]
TRIES = 1000
# Linear space takes no larger weight, and the caller offers it none.
LARGEST = 600.0


def check_both(lattices: Lattices, weights: Weights) -> None:
    """The front agrees with log space, in values and in derivatives."""
    truth = in_log_space(lattices, weights)
    assert_agree(expectations(lattices, weights), truth, 1e-9)
    np.testing.assert_allclose(log_sum(lattices, weights), truth.log_sum, rtol=1e-10, atol=1e-10)


def check_accepted(lattices: Lattices, weights: Weights) -> bool:
    """Where linear space accepts a single lattice, it is right."""
    accepted, linear = in_linear_space(lattices, weights)
    accepted_forward, values = linear_log_sums(lattices, weights)
    assert accepted[0] == accepted_forward[0]
    if accepted[0]:
        truth = in_log_space(lattices, weights)
        assert_agree(linear, truth, 1e-10)
        np.testing.assert_allclose(values, truth.log_sum, rtol=1e-12, atol=1e-12)
    return bool(accepted[0])


def worked_case(beginning: str) -> dict[str, Any]:
    cases = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
    return next(case for case in cases if case["name"].startswith(beginning))


@pytest.mark.parametrize("beginning", ["30x30, first half unmatched", "30x30 the other way round"])
def test_halves_of_opposite_sign_need_log_space(beginning: str) -> None:
    case = worked_case(beginning)
    arcs = tuple(Arc(**arc) for arc in case["arcs"])
    lattice = EditLattice(("Delete",) * case["m"], ("Insert",) * case["n"], arcs)
    batch = number([lattice], case["weights"])
    accepted, _ = in_linear_space(batch.lattices, batch.weights)
    accepted_forward, _ = linear_log_sums(batch.lattices, batch.weights)
    assert not accepted[0]
    assert not accepted_forward[0]
    assert log_sum(batch.lattices, batch.weights)[0] == pytest.approx(case["log_sum"], rel=1e-9)
    check_both(batch.lattices, batch.weights)


@pytest.mark.parametrize("scale", [50.0, 300.0, 700.0, 1e5])
def test_weights_of_any_size(scale: float) -> None:
    rng = np.random.default_rng(1)
    lattices = random_lattices(
        rng, [(0, 0), (0, 4), (3, 0), *[(8, 9), (14, 12), (30, 30)] * 4], 7, max_block=3
    )
    for _ in range(10):
        table = rng.uniform(-scale, scale, (8, 7))
        arcs, links = rng.uniform(-scale, scale, (2, lattices.arcs.shape[0]))
        check_both(lattices, Weights(table, arcs, links))
        check_both(lattices, Weights(table))


def test_impossible_transitions() -> None:
    rng = np.random.default_rng(2)
    lattices = random_lattices(rng, [(0, 3), (3, 0), *[(6, 5), (15, 14)] * 3], n_states=7, max_block=3)
    for row in range(8):
        table = rng.normal(size=(8, 7))
        table[row] = -np.inf
        check_both(lattices, Weights(table))
    for _ in range(60):
        table = rng.normal(scale=rng.choice([1.0, 100.0]), size=(8, 7))
        table[rng.random(table.shape) < rng.choice([0.1, 0.4])] = -np.inf
        arcs, links = rng.normal(size=(2, lattices.arcs.shape[0]))
        arcs[rng.random(arcs.size) < 0.2] = -np.inf
        links[rng.random(arcs.size) < 0.2] = -np.inf
        check_both(lattices, Weights(table, arcs, links))


@pytest.mark.parametrize("start_only", [False, True])
def test_nothing_possible(start_only: bool) -> None:
    lattices = random_lattices(np.random.default_rng(3), [(0, 0), (0, 2), (2, 0), (7, 5)], n_states=6)
    table = np.full((7, 6), 0.0 if start_only else -np.inf)
    table[-1] = -np.inf
    expected = expectations(lattices, Weights(table))
    assert log_sum(lattices, Weights(table)).tolist() == [0.0, -np.inf, -np.inf, -np.inf]
    assert expected.log_sum.tolist() == [0.0, -np.inf, -np.inf, -np.inf]
    assert not expected.table.any()
    assert not expected.arcs.any()
    path = best_path(lattices, Weights(table), 3)
    assert path.score == -np.inf
    assert path.edits.size == 0


def test_only_the_diagonal_is_possible() -> None:
    size = 40
    table = np.array([[-np.inf, 3.0], [-np.inf, 3.0], [-np.inf, -2.0]])
    lattices = single(2, [0] * size, [0] * size, [(k, 1, k, 1, 1) for k in range(size)])
    links = np.full(size, 0.25)
    assert log_sum(lattices, Weights(table, None, links))[0] == pytest.approx(
        -2.0 + 3.25 * (size - 1), rel=1e-13
    )
    expected = expectations(lattices, Weights(table, None, links))
    np.testing.assert_allclose(expected.arcs, 1.0, rtol=1e-13)
    np.testing.assert_allclose(expected.links, [0.0] + [1.0] * (size - 1), rtol=1e-13)


def test_many_offers_in_one_cell() -> None:
    """The growth rate counts how many arcs begin in a cell: 40 to the 200th is more than a double holds."""
    size, offers = 200, 40
    table = np.array([[-np.inf, 0.0]] * 3)
    lattices = single(
        2, [0] * size, [0] * size, [(k, 1, k, 1, 1) for k in range(size) for _ in range(offers)]
    )
    accepted, linear = in_linear_space(lattices, Weights(table))
    assert accepted[0]
    assert linear.log_sum[0] == pytest.approx(size * np.log(offers), rel=1e-12)
    np.testing.assert_allclose(linear.arcs, 1.0 / offers, rtol=1e-10)


@pytest.mark.parametrize("length", [2, 3])
def test_a_chain_of_long_blocks_of_small_weight(length: int) -> None:
    """Below a growth rate of one, longer blocks weigh more: a rate that fits 1:1 arcs would overflow here."""
    blocks, weight = 200, -6.0
    size = blocks * length
    table = np.array([[-np.inf, weight]] * 3)
    lattices = single(2, [0] * size, [0] * size, [(k, length, k, length, 1) for k in range(0, size, length)])
    accepted, linear = in_linear_space(lattices, Weights(table))
    assert accepted[0]
    assert linear.log_sum[0] == pytest.approx(blocks * weight, rel=1e-12)
    np.testing.assert_allclose(linear.arcs, 1.0, rtol=1e-10)


def uniform(rng: np.random.Generator, shape: int | tuple[int, ...], scale: float) -> Float:
    return np.asarray(rng.uniform(-scale, scale, shape))


def clipped(weights: Float) -> Float:
    """Finite weights brought within what linear space takes; minus infinity stays."""
    return np.where(np.isneginf(weights), weights, np.clip(weights, -LARGEST, LARGEST))


def of_many_scales(rng: np.random.Generator, shape: int | tuple[int, ...]) -> Float:
    scales = rng.choice([0.1, 1.0, 10.0, 50.0, 100.0, 300.0, LARGEST], 2)
    values = np.where(
        rng.random(shape) < rng.random(), uniform(rng, shape, scales[0]), uniform(rng, shape, scales[1])
    )
    if rng.random() < 0.3:
        values = values + rng.uniform(-1.0, 1.0) * rng.choice([10.0, 100.0, 500.0])
    if rng.random() < 0.15:
        values[rng.random(shape) < 0.1] = -np.inf
    return clipped(values)


def mixed(rng: np.random.Generator, lattices: Lattices) -> Weights:
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    return Weights(
        of_many_scales(rng, (states + 1, states)), of_many_scales(rng, arcs), of_many_scales(rng, arcs)
    )


def nearly_even(rng: np.random.Generator, lattices: Lattices) -> Weights:
    """A level per column with little around it: one growth rate fits, so much is accepted."""
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    level = rng.uniform(-1.0, 1.0) * rng.choice([1.0, 30.0, 250.0])
    table = level + uniform(rng, (states + 1, states), rng.choice([0.1, 3.0, 30.0]))
    lengths = lattices.arcs[:, 1] + lattices.arcs[:, 3]
    arc_weights = (lengths - 1) * level + uniform(rng, arcs, 5.0)
    return Weights(clipped(table), clipped(arc_weights), uniform(rng, arcs, rng.choice([1.0, 100.0])))


def cancelling(rng: np.random.Generator, lattices: Lattices) -> Weights:
    """Arc weights that undo large table entries of their states, and the other way round."""
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    table = uniform(rng, (states + 1, states), rng.choice([0.1, 3.0, 50.0, 200.0]))
    table[:, 4:] += rng.uniform(-1.0, 1.0, states - 4) * rng.choice([30.0, 100.0, LARGEST])
    arc_weights = -table[-1, lattices.arcs[:, 4]] + uniform(rng, arcs, rng.choice([0.1, 10.0, 50.0]))
    return Weights(clipped(table), clipped(arc_weights), uniform(rng, arcs, 3.0))


def large_links(rng: np.random.Generator, lattices: Lattices) -> Weights:
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    table = uniform(rng, (states + 1, states), rng.choice([0.1, 10.0, 200.0]))
    links = np.where(
        rng.random(arcs) < 0.5, rng.choice([-LARGEST, 100.0, 300.0, 590.0]), uniform(rng, arcs, 5.0)
    )
    return Weights(table, uniform(rng, arcs, 2.0), links)


def costly_positions(rng: np.random.Generator, lattices: Lattices) -> Weights:
    """Some edits cost so much that the tilted total falls to about the smallest that is accepted."""
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    table = uniform(rng, (states + 1, states), 1.0)
    cost = rng.uniform(250.0, 700.0) / max(1, lattices.delete_states.size)
    table[:, 2:4] -= cost * np.array([1.0, rng.choice([0.5, 1.0, 2.0])])
    return Weights(
        clipped(table), uniform(rng, arcs, 2.0) - rng.choice([0.0, 2.0 * cost]), uniform(rng, arcs, 2.0)
    )


FAMILIES = (mixed, nearly_even, cancelling, large_links, costly_positions)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("max_block", [1, 3, 12])
def test_what_linear_space_accepts_is_right(
    family: Callable[[np.random.Generator, Lattices], Weights], max_block: int
) -> None:
    rng = np.random.default_rng([max_block, FAMILIES.index(family)])
    accepted = 0
    for _ in range(TRIES):
        size = (int(rng.integers(0, 13)), int(rng.integers(0, 13)))
        lattices = random_lattices(
            rng, [size], int(rng.integers(5, 9)), max_block, arcs=rng.choice([0.2, 1.0, 3.0])
        )
        accepted += check_accepted(lattices, family(rng, lattices))
    assert accepted > TRIES // 20, "a search in which nothing is accepted shows nothing"


def test_a_state_the_lattice_does_not_use_may_weigh_anything() -> None:
    """Tilting by a small growth rate must not turn the entries of another state into infinity."""
    table = np.full((4, 3), -300.0)
    table[:, 2] = 250.0
    check_both(single(3, [0], [1], []), Weights(table))
    check_both(single(3, [0, 0], [1], [(1, 1, 0, 1, 1)]), Weights(table))


def test_a_disallowed_block_beside_very_small_weights() -> None:
    """A block whose weight is minus infinity does not raise the growth rate, which may then be tiny."""
    table = np.full((3, 2), -200.0)
    check_both(single(2, [0] * 3, [0] * 3, [(0, 3, 0, 3, 1)]), Weights(table, np.array([-np.inf])))


@pytest.mark.parametrize("length", range(2, 12))
def test_long_blocks_of_small_weight_and_large_table_entries(length: int) -> None:
    """The factor of a long block, divided by the growth rate once per token, must not lose its digits."""
    table = np.array([[-600.0, 600.0]] * 3)
    arcs = [(0, length, 0, length, 1), (length - 1, 1, length - 1, 1, 1)]
    check_both(single(2, [0] * length, [0] * length, arcs), Weights(table, np.array([-600.0, -554.0])))


@pytest.mark.parametrize("cost", [-30.0, -100.0, -230.0, -500.0])
@pytest.mark.parametrize("level", [100.0, 300.0, 600.0])
def test_expected_counts_where_arc_weights_cancel_the_table(level: float, cost: float) -> None:
    """The product of a small arc factor and a small backward mass must not vanish before it is used."""
    table = np.array([[cost, level], [cost, level], [0.0, level]])
    check_both(single(2, [0], [0, 0], [(0, 1, 0, 1, 1)]), Weights(table, np.array([-level])))
