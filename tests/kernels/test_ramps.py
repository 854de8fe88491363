"""Soft bins against their formula."""

import numpy as np

from pfsm_kernels.lattice.ramps import ramps


def test_shares_are_those_of_the_formula() -> None:
    draw = np.random.default_rng(6)
    for knots in (np.array([0.0, 1.0]), np.array([-2.0, -0.5, 0.1, 3.0])):
        values = np.concatenate([knots, draw.uniform(-3.0, 4.0, 200), [-9.0, 9.0]])
        table = np.clip((values[:, np.newaxis] - knots[:-1]) / np.diff(knots), 0.0, 1.0)
        offer, step = np.nonzero(table)
        found = ramps(values, knots)
        assert [part.tolist() for part in found] == [
            offer.tolist(),
            step.tolist(),
            table[offer, step].tolist(),
        ]
    assert [part.size for part in ramps(np.zeros(0), np.array([0.0, 1.0]))] == [0, 0, 0]
