"""Whether no pair needs a look is told coarsely; it is never told wrongly."""

import numpy as np

from pfsm_kernels.lattice.batch import Factors
from pfsm_kernels.lattice.lattices import single
from pfsm_kernels.linear_space import cells_of, none_is_hopeless, plain
from pfsm_kernels.machine.measured import find_hopeless


def test_what_is_told_of_a_batch_holds_for_its_pairs() -> None:
    """Pairs of many lengths with weights of many sizes, against the kernel that looks at each."""
    rng = np.random.default_rng(5)
    told = []
    for case in range(200):
        m, n = rng.integers(1, 60, 2).tolist()
        places = range(min(m, n))
        arcs = [(i, 1, i, 1, 2 + int(rng.integers(2))) for i in places if rng.random() < 0.7]
        lattices = single(4, rng.choice([0, 3], m).tolist(), rng.choice([1, 3], n).tolist(), arcs)
        table = rng.normal(rng.normal(), 10.0 ** rng.uniform(-1.0, 1.5), (5, 4))
        links = np.exp(rng.normal(size=len(arcs))) if case % 2 else np.zeros(0)
        factors = Factors(np.exp(rng.normal(size=len(arcs))), links, np.exp(np.clip(table, -600.0, 600.0)))
        accepted, marked = np.zeros(1, np.bool_), np.zeros(1, np.bool_)
        found = find_hopeless(0, 1, *plain((cells_of(lattices), factors)), accepted, marked)
        told.append((none_is_hopeless(lattices, factors), bool(found)))
    assert (True, True) not in told
    assert {(True, False), (False, True)} <= set(told)
