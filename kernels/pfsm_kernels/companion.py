"""A second process that compiles part of the kernels of a first run while this one compiles the others.

Numba compiles on one core. What a first score needs falls into two halves: kernels of strings and vectors, which come
first, and those of arcs and the machine. The companion (this module as a program) compiles the second half into the
folder of kernels; when this process comes to one of them, it waits until that one is there. The companion computes
nothing that a score depends on; without it everything is compiled here. It ends with the block that it was started for,
and with this process however that ends: it reads a pipe from this process, whose end is its own.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np
from numba.core import config

from pfsm_kernels.cache import FOLDER, PACKAGE, KernelCache, is_kept, the_notice

# A kernel without which nothing is scored: where it is there, this is no first run.
_SIGN = "machine/cell_to_cell.machine_batch-*.nbi"
# The modules whose kernels it compiles; the rest of the machine is not waited for.
_SHARE = ("pfsm_kernels.machine.cell_to_cell", "pfsm_kernels.lattice.arcs")


def is_first_run() -> bool:
    """Whether the kernels of the machine are still to be compiled."""
    return next(FOLDER.glob(_SIGN), None) is None


@contextmanager
def companion(threads: int) -> Iterator[None]:
    """As long as the block lasts, a second process compiles ahead, if this is a first run and there is a core for it.

    Where no process can be started, or compiled kernels cannot be kept for another process, none is.

    Args:
        threads: How many cores may be used.
    """
    process = _started() if threads > 1 and _is_of_use() else None
    if process is None:
        yield
        return
    before = KernelCache.is_coming
    KernelCache.is_coming = lambda module: module.startswith(_SHARE) and process.poll() is None
    try:
        yield
    finally:
        KernelCache.is_coming = before
        process.kill()
        if process.stdin is not None:
            process.stdin.close()
        process.wait()


def _is_of_use() -> bool:
    # A program packed into one file is its own interpreter: started again, it would do the whole work again.
    known = bool(sys.executable) and not getattr(sys, "frozen", False)
    return known and not config.DISABLE_JIT and is_kept() and is_first_run()


def _started() -> "subprocess.Popen[bytes] | None":
    the_notice.give()
    path = os.pathsep.join(filter(None, (str(PACKAGE.parent), os.environ.get("PYTHONPATH"))))
    with suppress(OSError, ValueError):
        return subprocess.Popen(
            # -P: nothing is imported from the current folder.
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path, "PFSM_NO_NOTICE": "1"},
            # Ctrl-C is for the parent, which ends this one.
            start_new_session=True,
        )
    return None


def _fill_machine() -> None:
    """Calls kernels that make arcs, and the machine's log-sum, with arrays of the types that scoring gives them."""
    from pfsm_kernels.inference import Weights, log_sum  # noqa: PLC0415 - the parent compiles other kernels first
    from pfsm_kernels.lattice.arcs import each_once, is_sorted, merge  # noqa: PLC0415
    from pfsm_kernels.lattice.lattices import single  # noqa: PLC0415

    rows = np.array([[0, 0, 1, 0, 1], [0, 1, 1, 1, 1]], dtype=np.int32)
    each_once(rows, np.zeros(2, dtype=np.float32), 1)
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


if __name__ == "__main__":
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    _fill_machine()
    os._exit(0)  # the thread that reads would hold up the end of the interpreter
