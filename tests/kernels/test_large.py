"""Long sentences: what is kept and recomputed, thousands of tokens, narrow and wide diagonals; hundreds with jumps."""

import math

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.inference import DELETE, INSERT, Weights, best_path, expectations, find_jumps, log_sum
from pfsm_kernels.lattice.lattices import Lattices, single, table_shape
from pfsm_kernels.machine.by_diagonal import LANES, LONGEST
from pfsm_kernels.machine.log_space import STORED_CELLS
from tests.kernels.kernel_runs import (
    assert_agree,
    by_diagonal,
    by_wide_diagonal,
    cell_to_cell,
    chosen,
    in_log_space,
    uniform,
)
from tests.kernels.lattice_cases import random_lattices, random_weights
from tests.kernels.pushdown_cases import random_batch
from tests.oracles.configuration_graph import add_up
from tests.oracles.enumeration import Arc, EditLattice

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="long sentences need compiled kernels")


def even_weights(
    rng: np.random.Generator, lattices: Lattices, spread: float = 0.1, match: float = -6.0
) -> Weights:
    """Weights under which Insert and Delete share about one unit of mass after every state."""
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    odds = (
        lattices.insert_states.size
        / lattices.delete_states.size
        * np.exp(rng.uniform(-spread, spread, table_shape(states)[0]))
    )
    table = np.empty(table_shape(states))
    table[:, :2] = np.log(odds / (1.0 + odds))[:, None]
    table[:, 2:4] = np.log(1.0 / (1.0 + odds))[:, None]
    table[:, 4:] = match
    table += rng.normal(0.0, spread / 10.0, table.shape)
    arc_weights, links = rng.normal(0.5, 0.5, (2, arcs))
    return Weights(table, arc_weights, links)


# On both sides of the number of cells that are stored whole, and of whole numbers of blocks of rows.
CHECKPOINTED = [(181, 181), (168, 195), (1100, 40), (20, 1700)]
STORED = [(127, 255)]


@pytest.mark.parametrize(("m", "n"), CHECKPOINTED + STORED)
def test_both_ways_of_keeping_rows_agree_with_log_space(m: int, n: int) -> None:
    assert ((m + 1) * (n + 1) > STORED_CELLS) == ((m, n) in CHECKPOINTED)
    rng = np.random.default_rng([m, n])
    lattices = uniform(random_lattices(rng, [(m, n)], 7, max_block=5, arcs=3.0 * min(m, n) / max(m, n)))
    weights = even_weights(rng, lattices)
    accepted, linear = by_wide_diagonal(lattices, weights)
    assert accepted.all()
    assert linear.arcs.max() > 1e-3
    assert linear.links.max() > 1e-5
    assert_agree(linear, in_log_space(lattices, weights), 1e-9)


def score_of(lattices: Lattices, weights: Weights, edits: list[int]) -> float:
    """Q(e) of one sequence, edit by edit; fails where it does not consume every token."""
    assert weights.arcs is not None
    assert weights.links is not None
    parts, prev, previous_arc = [], lattices.n_states, None
    i = j = 0
    for edit in edits:
        arc = lattices.arcs[edit].tolist() if edit >= 0 else None
        if arc is None:
            cur = int(lattices.insert_states[j] if edit == INSERT else lattices.delete_states[i])
            p, q = (0, 1) if edit == INSERT else (1, 0)
        else:
            start_i, p, start_j, q, cur = arc
            assert (start_i, start_j) == (i, j)
            parts.append(weights.arcs[edit])
            if previous_arc is not None and [p, q, *previous_arc[1:4:2]] == [1, 1, 1, 1]:
                parts.append(weights.links[edit])
        parts.append(weights.table[prev, cur])
        prev, previous_arc = cur, arc
        i, j = i + p, j + q
    assert (i, j) == (lattices.delete_states.size, lattices.insert_states.size)
    return math.fsum(parts)


@pytest.mark.parametrize(("m", "n"), [(200, 190), (20, 1700)])
def test_the_best_score_is_the_log_sum_of_a_cold_machine(m: int, n: int) -> None:
    rng = np.random.default_rng([m, n, 2])
    lattices = random_lattices(rng, [(m, n)], n_states=7, max_block=4, arcs=3.0)
    weights = random_weights(rng, lattices, scale=2.0)
    assert weights.arcs is not None
    assert weights.links is not None
    path = best_path(lattices, weights, 0)
    edits = path.edits.tolist()
    assert {INSERT, DELETE} <= set(edits)
    assert max(edits) >= 0
    assert path.score == pytest.approx(score_of(lattices, weights, edits), rel=1e-12)
    beta = 1e8
    cold = Weights(beta * weights.table, beta * weights.arcs, beta * weights.links)
    assert log_sum(lattices, cold)[0] / beta == pytest.approx(path.score, abs=2e-5)


def test_hundreds_of_tokens_a_side_with_jumps() -> None:
    rng = np.random.default_rng(3)
    lattices, _, state = random_batch(rng, [(300, 250)], 0.0, arcs=3.0, spread=8)
    weights = even_weights(rng, lattices, spread=0.02, match=-5.0)
    weights.table[:, state] += 3.0
    jumps = find_jumps(lattices, state, 5)
    accepted, linear = cell_to_cell(lattices, weights, True, jumps)
    truth = in_log_space(lattices, weights, jumps)
    assert accepted.all()
    assert_agree(linear, truth, 1e-9)
    assert truth.table[0, :, state].sum() > 5e-4
    path, plain = best_path(lattices, weights, 0, jumps), best_path(lattices, weights, 0)
    assert plain.score <= path.score <= truth.log_sum[0]


def test_every_token_pair_matches() -> None:
    """The most crossings there can be, far from the sparse matches of real sentences."""
    size = 7
    arcs = [(i, 1, j, 1, 2) for i in range(size) for j in range(size)]
    lattices = single(4, [1] * size, [0] * size, arcs)
    oracle = EditLattice(("1",) * size, ("0",) * size, tuple(Arc(*arc[:4], "2") for arc in arcs))
    for max_jump in (1, 2, 4):
        jumps = find_jumps(lattices, 3, max_jump)
        truth = add_up(oracle, {}, max_jump)
        weights = Weights(np.zeros(table_shape(lattices.n_states)))
        assert log_sum(lattices, weights, jumps=jumps)[0] == pytest.approx(
            math.log(truth.n_sequences), rel=1e-12
        )
        found = expectations(lattices, weights, jumps=jumps)
        np.testing.assert_allclose(found.arcs, truth.arc_posteriors, rtol=1e-9, atol=1e-12)
        assert found.table[0, 3, 2] == pytest.approx(truth.expected_counts["Jump>2"], rel=1e-9)


Float = NDArray[np.float64]
NEAR_LANES = (1, LANES - 1, LANES, LANES + 1, 4 * LANES - 1, 4 * LANES)
SIZES = [(m, n) for m in NEAR_LANES for n in NEAR_LANES]
LONG = [(LONGEST, LONGEST), (LONGEST, 1), (1, LONGEST), (LONGEST - 1, 30), (30, LONGEST)]


def of_uniform_states(sizes: list[tuple[int, int]]) -> tuple[Lattices, Weights]:
    rng = np.random.default_rng(7)
    lattices = uniform(random_lattices(rng, sizes, 6))
    return lattices, random_weights(rng, lattices, 0.3)


def test_which_pairs() -> None:
    sizes = [(5, 5), (5, 0), (0, 5), (0, 0), (LONGEST, 2), (LONGEST + 1, 2), (2, LONGEST + 1)]
    lattices, weights = of_uniform_states(sizes)
    assert by_diagonal(lattices, weights)[0].tolist() == [True, False, False, False, True, False, False]
    assert by_wide_diagonal(lattices, weights)[0].tolist() == [True, False, False, False, True, True, True]
    inserts = lattices.insert_states.copy()
    inserts[0] += 1
    split = Lattices(6, lattices.delete_states, inserts, lattices.arcs, lattices.offsets)
    assert not by_diagonal(split, weights)[0][0]


@pytest.mark.parametrize("sizes", [SIZES, LONG], ids=["lanes", "long"])
def test_narrow_and_wide_agree(sizes: list[tuple[int, int]]) -> None:
    lattices, weights = of_uniform_states(sizes)
    narrow, found = by_diagonal(lattices, weights)
    wide, expected = by_wide_diagonal(lattices, weights)
    assert narrow.mean() > 0.5
    assert wide.all()
    assert_agree(chosen(found, lattices, narrow), chosen(expected, lattices, narrow), 1e-11)
    assert_agree(expected, in_log_space(lattices, weights), 1e-9)
