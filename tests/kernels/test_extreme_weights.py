"""Weights that linear space cannot hold: it must say so, log space must take over, and nothing else may be lost.

The safety property of the tilt: whatever linear space *accepts* is right. The searches below try to break it.
"""

from collections.abc import Callable

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.inference import Weights, find_jumps
from pfsm_kernels.lattice.lattices import Lattices, table_shape
from tests.fuzz.mutations import EFFORT
from tests.kernels.kernel_runs import (
    LARGEST,
    OVERFLOWS,
    assert_agree,
    chosen,
    in_log_space,
    outcomes,
    uniform,
)
from tests.kernels.lattice_cases import random_lattices
from tests.kernels.pushdown_cases import random_batch

pytestmark = OVERFLOWS

Float = NDArray[np.float64]
Family = Callable[[np.random.Generator, Lattices], Weights]
TRIES = 40 if numba.config.DISABLE_JIT else 100 * min(EFFORT, 20)
JUMP = 7


def check_both(lattices: Lattices, weights: Weights, max_jump: int = 0, state: int = JUMP) -> None:
    """Every implementation, where it accepts, agrees with log space, in values and in derivatives."""
    jumps = find_jumps(lattices, state, max_jump) if max_jump else None
    truth = in_log_space(lattices, weights, jumps)
    for outcome in outcomes(lattices, weights, jumps):
        here = outcome.accepted
        assert_agree(chosen(outcome.expected, lattices, here), chosen(truth, lattices, here), 1e-9)
        np.testing.assert_allclose(outcome.sums[here], truth.log_sum[here], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("scale", [50.0, 600.0, 1e5])
@pytest.mark.parametrize("max_jump", [0, 4])
def test_weights_of_any_size(scale: float, max_jump: int) -> None:
    rng = np.random.default_rng([max_jump, int(scale)])
    sizes = [(0, 0), (0, 4), (3, 0), *[(8, 9), (14, 12), (20, 20)] * 3]
    drawn, _, _ = random_batch(rng, sizes, 0.0)
    for lattices in (drawn, uniform(drawn)) * 3:
        table = of_one_scale(rng, table_shape(lattices.n_states), scale)
        arcs, links = of_one_scale(rng, (2, lattices.arcs.shape[0]), scale)
        check_both(lattices, Weights(table, arcs, links), max_jump)
        check_both(lattices, Weights(table), max_jump)


def of_one_scale(rng: np.random.Generator, shape: int | tuple[int, ...], scale: float) -> Float:
    return np.asarray(rng.uniform(-scale, scale, shape))


def clipped(weights: Float) -> Float:
    """Finite weights brought within what linear space takes; minus infinity stays."""
    return np.where(np.isneginf(weights), weights, np.clip(weights, -LARGEST, LARGEST))


def with_jump_weights(rng: np.random.Generator, weights: Weights) -> Weights:
    """Weights into and out of Jump moved up or down, all of them or some."""
    table = weights.table.copy()
    into, out = rng.choice([-300.0, -60.0, -10.0, -1.0, 0.0, 1.0, 10.0, 60.0, 300.0], 2)
    table[:, JUMP] += into * (rng.random(table.shape[0]) < rng.choice([0.3, 1.0]))
    table[JUMP] += out * (rng.random(table.shape[1]) < rng.choice([0.3, 1.0]))
    if rng.random() < 0.15:
        table[rng.random(table.shape) < 0.15] = -np.inf
    return Weights(clipped(table), weights.arcs, weights.links)


def of_many_scales(rng: np.random.Generator, shape: int | tuple[int, ...]) -> Float:
    scales = rng.choice([0.1, 1.0, 10.0, 50.0, 100.0, 300.0, LARGEST], 2)
    values = np.where(
        rng.random(shape) < rng.random(),
        of_one_scale(rng, shape, scales[0]),
        of_one_scale(rng, shape, scales[1]),
    )
    if rng.random() < 0.3:
        values = values + rng.uniform(-1.0, 1.0) * rng.choice([10.0, 100.0, 500.0])
    if rng.random() < 0.15:
        values[rng.random(shape) < 0.1] = -np.inf
    return clipped(values)


def mixed(rng: np.random.Generator, lattices: Lattices) -> Weights:
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    weights = Weights(
        of_many_scales(rng, table_shape(states)), of_many_scales(rng, arcs), of_many_scales(rng, arcs)
    )
    return with_jump_weights(rng, weights)


def nearly_even(rng: np.random.Generator, lattices: Lattices) -> Weights:
    """A level per consumed token with little around it: one growth rate fits, so much is accepted."""
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    level = rng.uniform(-1.0, 1.0) * rng.choice([1.0, 30.0, 250.0])
    table = of_one_scale(rng, table_shape(states), rng.choice([0.1, 3.0, 15.0]))
    table[:, :JUMP] += level
    lengths = lattices.arcs[:, 1] + lattices.arcs[:, 3]
    arc_weights = clipped((lengths - 1) * level + of_one_scale(rng, arcs, 5.0))
    links = of_one_scale(rng, arcs, rng.choice([1.0, 100.0]))
    return with_jump_weights(rng, Weights(clipped(table), arc_weights, links))


def steps_out_of_windows(rng: np.random.Generator, lattices: Lattices) -> Weights:
    """Edits after matches are all but impossible, so that windows empty out before their mass is used."""
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    table = of_one_scale(rng, table_shape(states), rng.choice([0.1, 3.0]))
    cost, gain = rng.choice([100.0, 300.0, 500.0, 590.0]), rng.choice([0.0, 5.0, 12.0])
    table[4:JUMP, :JUMP] -= cost * (rng.random((JUMP - 4, JUMP)) < 0.6)
    table[JUMP, 4:JUMP] += gain
    table[:4, :4] += rng.choice([0.0, 5.0, 20.0])
    arc_weights = of_one_scale(rng, arcs, 1.0) - rng.choice([0.0, 100.0, 300.0]) * (rng.random(arcs) < 0.3)
    return Weights(clipped(table), clipped(arc_weights), of_one_scale(rng, arcs, rng.choice([1.0, 300.0])))


def cancelling(rng: np.random.Generator, lattices: Lattices) -> Weights:
    """Arc weights that undo large table entries of their states, and the other way round."""
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    table = of_one_scale(rng, table_shape(states), rng.choice([0.1, 3.0, 50.0]))
    table[:, 4:JUMP] += rng.uniform(-1.0, 1.0, JUMP - 4) * rng.choice([30.0, 100.0, LARGEST])
    arc_weights = -table[-1, lattices.arcs[:, 4]] + of_one_scale(rng, arcs, rng.choice([0.1, 10.0, 50.0]))
    return with_jump_weights(rng, Weights(clipped(table), clipped(arc_weights), of_one_scale(rng, arcs, 3.0)))


def costly_positions(rng: np.random.Generator, lattices: Lattices) -> Weights:
    """Some edits cost so much that the tilted total falls to about the smallest that is accepted."""
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    table = of_one_scale(rng, table_shape(states), 1.0)
    cost = rng.uniform(150.0, 700.0) / max(1, lattices.delete_states.size)
    table[:, 2:4] -= cost * np.array([1.0, rng.choice([0.5, 1.0, 2.0])])
    table[:, JUMP] += rng.choice([-cost, -5.0, 0.0, 3.0])
    arc_weights = of_one_scale(rng, arcs, 2.0) - rng.choice([0.0, 2.0 * cost])
    return Weights(clipped(table), clipped(arc_weights), of_one_scale(rng, arcs, 2.0))


FAMILIES = (mixed, nearly_even, steps_out_of_windows, cancelling, costly_positions)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("jumping", [False, True])
def test_what_linear_space_accepts_is_right(family: Family, jumping: bool) -> None:
    rng = np.random.default_rng([FAMILIES.index(family), jumping])
    taken = dict.fromkeys(("cell to cell", "arc to arc") if jumping else ("by diagonals", "wide"), 0)
    for trial in range(TRIES):
        size = (int(rng.integers(0, 13)), int(rng.integers(0, 13)))
        max_block = int(rng.choice([1, 12]))
        lattices, _, _ = random_batch(rng, [size], 0.0, max_block, arcs=rng.choice([0.2, 1.0, 3.0]))
        lattices = uniform(lattices) if trial % 2 else lattices
        weights = family(rng, lattices)
        max_jump = int(rng.choice([1, 2, 3, 5, 12])) if jumping else 0
        jumps = find_jumps(lattices, JUMP, max_jump)
        truth = in_log_space(lattices, weights, jumps)
        for outcome in outcomes(lattices, weights, jumps):
            if outcome.name in taken and outcome.accepted[0]:
                taken[outcome.name] += 1
                assert_agree(outcome.expected, truth, 1e-9)
                np.testing.assert_allclose(outcome.sums, truth.log_sum, rtol=1e-12, atol=1e-12)
    assert all(taken.values()), "a search in which nothing is accepted shows nothing"


def test_far_below_and_far_above_one() -> None:
    """Totals that leave the range of numbers at the common rate go another way, and come out right."""
    rng = np.random.default_rng(7)
    lattices = uniform(random_lattices(rng, [(150, 150), (90, 140)], 6, spread=1))
    for shift in (-14.0, 9.0):
        table = rng.normal(size=table_shape(lattices.n_states))
        weights = Weights(table, np.full(lattices.arcs.shape[0], shift))
        check_both(lattices, weights)
