"""A plug-in in a process of its own, as workers of experiments and clusters have it."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

from pfsm.errors import PfsmError
from pfsm.registry import Registered, registered, restore
from pfsm.runtime.interrupts import without_interrupts

Result = TypeVar("Result")


def in_another_process(work: Callable[..., Result], *arguments: Any) -> Result:
    """The result of a function of this package, worked out by a fresh process.

    Raises:
        PfsmError: If the process ends, or what the function raises.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            with without_interrupts():
                future = pool.submit(_restored, registered(), work, *arguments)
            return future.result()
        except BrokenProcessPool:
            raise PfsmError("the process ended before it was done") from None


def _restored(known: Registered, work: Callable[..., Result], *arguments: Any) -> Result:
    restore(known)
    return work(*arguments)
