"""Where jumps can be made, what a limit means, and what is refused."""

import numpy as np
import pytest

from pfsm_kernels.inference import Jumps, Weights, find_jumps, log_sum
from pfsm_kernels.lattice.lattices import Lattices, single
from pfsm_kernels.pushdown import crossings
from pfsm_kernels.pushdown.crossings import find_crossings


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
