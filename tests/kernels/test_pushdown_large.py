"""Long sentences with jumps: hundreds of tokens a side, one-sided pairs, and pairs full of matches."""

import math
from dataclasses import replace

import numba
import numpy as np
import pytest

from pfsm_kernels import crossings
from pfsm_kernels.inference import Weights, best_path, expectations, find_jumps, log_sum
from pfsm_kernels.lattices import Lattices, single
from tests.kernels.kernel_runs import assert_agree, in_linear_space, in_log_space
from tests.kernels.pushdown_cases import random_batch
from tests.oracles.configuration_graph import add_up
from tests.oracles.enumeration import Arc, EditLattice

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="long sentences need compiled kernels")


def even_weights(rng: np.random.Generator, lattices: Lattices, state: int, jump: float = -2.0) -> Weights:
    """Weights under which a growth rate fits every row about as well, so that linear space takes long pairs."""
    arcs = lattices.arcs.shape[0]
    odds = lattices.insert_states.size / lattices.delete_states.size
    table = rng.normal(0.0, 0.02, (lattices.n_states + 1, lattices.n_states))
    table[:, :2] += math.log(odds / (1.0 + odds))
    table[:, 2:4] += math.log(1.0 / (1.0 + odds))
    table[:, 4:state] -= 5.0
    table[:, state] += jump
    arc_weights, links = rng.normal(0.5, 0.5, (2, arcs))
    return Weights(table, arc_weights, links)


@pytest.mark.parametrize("max_jump", [5, 10])
@pytest.mark.parametrize(("m", "n"), [(300, 300), (350, 250)])
def test_hundreds_of_tokens_a_side(m: int, n: int, max_jump: int) -> None:
    rng = np.random.default_rng([m, n, max_jump])
    lattices, _, state = random_batch(rng, [(m, n)], 0.0, arcs=3.0, spread=8)
    if m == n:
        assert 700 < lattices.arcs.shape[0] < 1300
    weights = even_weights(rng, lattices, state)
    jumps = find_jumps(lattices, state, max_jump)
    accepted, linear = in_linear_space(lattices, weights, jumps)
    truth = in_log_space(lattices, weights, jumps)
    assert accepted.all()
    assert_agree(linear, truth, 1e-9)
    assert_agree(expectations(lattices, weights, jumps=jumps), truth, 1e-9)
    assert log_sum(lattices, weights, jumps=jumps)[0] == pytest.approx(truth.log_sum[0], rel=1e-12)
    assert truth.table[0, :, state].sum() > 5e-4
    assert truth.table[0, -1].sum() == pytest.approx(1.0, abs=1e-9)
    assert truth.table[0, state].sum() == pytest.approx(truth.table[0, :, state].sum(), abs=1.0)
    path = best_path(lattices, weights, 0, jumps)
    plain = best_path(lattices, weights, 0)
    assert plain.score <= path.score <= truth.log_sum[0]


@pytest.mark.parametrize(("m", "n"), [(200, 220), (20, 300), (300, 20)])
@pytest.mark.parametrize("scale", [1.0, 40.0])
def test_weights_that_no_growth_rate_fits(scale: float, m: int, n: int) -> None:
    """Log space takes over; many swaps, and derivatives that are the slope along a random direction."""
    rng = np.random.default_rng([2, m])
    lattices, weights, state = random_batch(rng, [(m, n)], scale, arcs=2.0)
    weights.table[:, state] += scale
    jumps = find_jumps(lattices, state, 5)
    assert not in_linear_space(lattices, weights, jumps)[0][0]
    truth = expectations(lattices, weights, jumps=jumps)
    assert truth.table[0, :, state].sum() > 3.0
    direction = rng.normal(size=weights.table.shape)
    step = 1e-5
    above, below = (
        log_sum(lattices, replace(weights, table=weights.table + sign * step * direction), jumps=jumps)[0]
        for sign in (1.0, -1.0)
    )
    slope = (truth.table[0] * direction).sum()
    assert (above - below) / (2.0 * step) == pytest.approx(slope, rel=1e-5, abs=1e-5 * m)
    path = best_path(lattices, weights, 0, jumps)
    assert best_path(lattices, weights, 0).score <= path.score <= truth.log_sum[0]


def test_the_best_score_is_the_log_sum_of_a_cold_machine() -> None:
    rng = np.random.default_rng(3)
    lattices, weights, state = random_batch(rng, [(80, 75)], 2.0, arcs=4.0)
    assert weights.arcs is not None
    assert weights.links is not None
    jumps = find_jumps(lattices, state, 7)
    beta = 1e7
    cold = Weights(beta * weights.table, beta * weights.arcs, beta * weights.links)
    best = best_path(lattices, weights, 0, jumps)
    assert log_sum(lattices, cold, jumps=jumps)[0] / beta == pytest.approx(best.score, abs=1e-4)
    assert best.score > best_path(lattices, weights, 0).score


def test_one_sided_pairs_cannot_jump() -> None:
    table = np.array([[-0.5, 0.1, 2.0], [0.2, -0.4, 2.0], [0.3, 0.4, 2.0], [0.3, 0.4, 2.0]])
    for lattices in (single(3, [], [0] * 500, []), single(3, [1] * 500, [], [])):
        with_jumps = expectations(lattices, Weights(table), jumps=find_jumps(lattices, 2, 10))
        assert_agree(with_jumps, expectations(lattices, Weights(table)), 1e-12)


def test_every_token_pair_matches() -> None:
    """The most crossings there can be, far from the sparse matches of real sentences."""
    size = 9
    arcs = [(i, 1, j, 1, 2) for i in range(size) for j in range(size)]
    lattices = single(4, [1] * size, [0] * size, arcs)
    oracle = EditLattice(("1",) * size, ("0",) * size, tuple(Arc(*arc[:4], "2") for arc in arcs))
    for max_jump in (1, 2, 4):
        jumps = find_jumps(lattices, 3, max_jump)
        truth = add_up(oracle, {}, max_jump)
        weights = Weights(np.zeros((5, 4)))
        assert log_sum(lattices, weights, jumps=jumps)[0] == pytest.approx(
            math.log(truth.n_sequences), rel=1e-12
        )
        found = expectations(lattices, weights, jumps=jumps)
        np.testing.assert_allclose(found.arcs, truth.arc_posteriors, rtol=1e-9, atol=1e-12)
        assert found.table[0, 3, 2] == pytest.approx(truth.expected_counts["Jump>2"], rel=1e-9)


def test_a_pair_with_too_many_crossings_is_named() -> None:
    # One word fills both lines: every arc crosses one on every row before it, 1 to 10 columns off.
    small, large = 2, 250
    arcs = [(i, 1, j, 1, 2) for size in (small, large) for i in range(size) for j in range(size)]
    offsets = np.cumsum([(0, 0, 0), *((size, size, size**2) for size in (small, large))], axis=0)
    lattices = Lattices(
        4,
        np.ones(small + large, dtype=np.int32),
        np.zeros(small + large, dtype=np.int32),
        np.array(arcs, dtype=np.int32),
        offsets.astype(np.int64),
    )
    with pytest.raises(crossings.TooManyCrossingsError, match="pair 1 has more than") as caught:
        find_jumps(lattices, 3, 10)
    assert caught.value.pair == 1
