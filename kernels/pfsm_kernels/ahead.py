"""What the second process of a first run does: calls kernels once, on two words, so that they are compiled and kept.

Its only caller is `pfsm_kernels.companion`. Types decide what is compiled, so kernels are called through the functions
that scoring calls, with arrays of the same types.
"""

import os
import sys
import threading

import numpy as np

from pfsm_kernels.inference import Weights, log_sum
from pfsm_kernels.lattice.arcs import is_sorted, merge
from pfsm_kernels.lattice.lattices import single


def fill_machine() -> None:
    """Kernels that make arcs, and the machine's log-sum."""
    rows = np.array([[0, 0, 1, 0, 1], [0, 1, 1, 1, 1]], dtype=np.int32)
    is_sorted(rows)
    arcs, _, _, _ = merge(rows, np.array([0, 2], dtype=np.int64), 1, exclusive=True)
    arcs[:, 4] = 2
    # From cell to cell: so goes what has more than one state for Delete, as most pairs have.
    lattices = single(4, [0, 3], [1, 1], arcs.tolist())
    log_sum(lattices, Weights(np.zeros((5, 4)), np.zeros(2)))


def _end_with_the_parent() -> None:
    """Waits for the end of standard input, which the parent holds open as long as it lives."""
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> None:
    """Compiles; ends as soon as the parent does."""
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    fill_machine()
    os._exit(0)  # the thread that reads would hold up the end of the interpreter


if __name__ == "__main__":
    main()
