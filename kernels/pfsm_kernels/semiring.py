"""Semirings, and functions that jitted code chooses by the type of their first argument.

A recurrence is written once and says ``plus(semiring, x, y)``. With ``LOG`` it sums over edit sequences, with ``BEST``
it finds the best one. Masses are logarithms in both: a sequence's score is a sum, nothing is minus infinity.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from numba.extending import overload

from pfsm_kernels.cache import njit

NONE = -math.inf


class LogSum(NamedTuple):
    """(log-add, +): sums over edit sequences."""

    zero: float


class Best(NamedTuple):
    """(max, +): the best edit sequence."""

    zero: float


LOG, BEST = LogSum(NONE), Best(NONE)


def by_type(choices: dict[type, Callable[..., Any]]) -> Callable[..., Any]:
    """A function for jitted code: that of ``choices`` for the type, a ``NamedTuple``, of the first argument.

    All choices take the same arguments. Interpreted, as with ``NUMBA_DISABLE_JIT``, it does the same.
    """

    def call(first: Any, *others: Any) -> Any:
        return choices[type(first)](first, *others)

    @overload(call, strict=False)
    def _(first: Any, *others: Any) -> Callable[..., Any] | None:  # noqa: ARG001 - Numba's signature
        return choices.get(getattr(first, "instance_class", None))  # type: ignore[arg-type]

    return call


@njit
def log_add(x, y):
    """log(exp x + exp y), exact at minus infinity."""
    if x < y:
        x, y = y, x
    if y == -math.inf:
        return x
    return x + math.log1p(math.exp(y - x))


def _plus_log(semiring, x, y):  # noqa: ARG001
    return log_add(x, y)


def _plus_best(semiring, x, y):  # noqa: ARG001
    return max(x, y)


plus = by_type({LogSum: _plus_log, Best: _plus_best})
