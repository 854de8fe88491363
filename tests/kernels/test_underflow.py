"""Pairs that are left to a rate of their own: their sum would underflow, and they come out right all the same."""

import numpy as np
import pytest

from pfsm_kernels.inference import Weights, expectations
from pfsm_kernels.lattice.lattices import Lattices, single
from pfsm_kernels.machine.tilt import least_log_sum, least_uniform_log_sum
from tests.kernels.kernel_runs import in_linear_space, in_log_space, measured


def cases(number: int) -> list[tuple[Lattices, Weights]]:
    """Pairs of many lengths with weights of many sizes, two states each for Insert and Delete."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(number):
        m, n = rng.integers(1, 60, 2).tolist()
        arcs = [(i, 1, i, 1, 4 + int(rng.integers(2))) for i in range(min(m, n)) if rng.random() < 0.7]
        lattices = single(6, rng.choice([0, 3], m).tolist(), rng.choice([1, 2], n).tolist(), arcs)
        table = np.clip(rng.normal(rng.normal(), 10.0 ** rng.uniform(-1.0, 1.5), (7, 6)), -600.0, 600.0)
        found.append((lattices, Weights(table, rng.normal(size=len(arcs)))))
    return found


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 7), (7, 1), (5, 9)])
def test_one_state_each_has_the_same_bound(m: int, n: int) -> None:
    rng = np.random.default_rng([m, n])
    deletes, inserts = np.zeros(m, dtype=np.int32), np.ones(n, dtype=np.int32)
    for _ in range(50):
        table = np.where(rng.random((4, 3)) < 0.2, -np.inf, rng.normal(0.0, 5.0, (4, 3)))
        expected = least_log_sum(table, deletes, inserts)
        np.testing.assert_allclose(least_uniform_log_sum(table, 1, 0, m, n), expected, rtol=1e-12)


def test_what_is_left_out_comes_out_right_at_a_rate_of_its_own() -> None:
    """Of pairs that are not accepted from cell to cell most are measured; all are right in the end."""
    refused = at_own_rate = 0
    for lattices, weights in cases(200):
        accepted, _ = in_linear_space(lattices, weights)
        refused += not accepted[0]
        at_own_rate += not accepted[0] and bool(measured(lattices, weights)[0][0])
        wanted, found = in_log_space(lattices, weights), expectations(lattices, weights)
        np.testing.assert_allclose(found.log_sum, wanted.log_sum, rtol=1e-11)
        np.testing.assert_allclose(found.table, wanted.table, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(found.arcs, wanted.arcs, rtol=1e-8, atol=1e-10)
    assert 0 < at_own_rate <= refused < 200
