"""A second process that compiles part of the kernels of a first run while this one compiles the others.

Numba compiles on one core. What a first score needs falls into two halves that do not depend on each other: kernels of
strings and vectors, which come first, and those of arcs and the machine. The companion (`pfsm_kernels.ahead`)
compiles the second half into the folder of kernels; when this process comes to one of them, it waits until that one is
there. The companion computes nothing that a score depends on. Without it everything is compiled here, with the same
results.

The companion ends with the block that it was started for, and with this process however that ends: it reads a pipe from
this process, and the end of the pipe ends it.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from numba.core import config

from pfsm_kernels.cache import FOLDER, OTHERS, PACKAGE, KernelCache, is_kept, the_notice

# A kernel without which nothing is scored: where it is there, this is no first run.
_SIGN = "machine/cell_to_cell.machine_batch-*.nbi"
# The modules whose kernels it compiles; the rest of the machine is not waited for.
_SHARE = ("pfsm_kernels.machine.cell_to_cell", "pfsm_kernels.lattice.arcs")


def is_first_run() -> bool:
    """Whether the kernels of the machine are still to be compiled."""
    return not any(next(place.glob(_SIGN), None) for place in (FOLDER, *OTHERS))


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
    KernelCache.is_coming = lambda module: module.startswith(_SHARE) and process.poll() is None
    try:
        yield
    finally:
        KernelCache.is_coming = _nothing_is_coming
        process.kill()
        if process.stdin is not None:
            process.stdin.close()
        process.wait()


def _nothing_is_coming(module: str) -> bool:  # noqa: ARG001 - as `KernelCache` calls it
    return False


def _is_of_use() -> bool:
    # A program packed into one file is its own interpreter: started again, it would do the whole work again.
    known = bool(sys.executable) and not getattr(sys, "frozen", False)
    return known and not config.DISABLE_JIT and is_kept() and is_first_run()


def _started() -> "subprocess.Popen[bytes] | None":
    the_notice.give()
    path = os.pathsep.join(filter(None, (str(PACKAGE.parent), os.environ.get("PYTHONPATH"))))
    # -P: nothing is imported from the current folder.
    command = [sys.executable, "-P", "-m", "pfsm_kernels.ahead"]
    with suppress(OSError, ValueError):
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path, "PFSM_NO_NOTICE": "1"},
            # Ctrl-C is for the parent, which ends this one.
            start_new_session=True,
        )
    return None
