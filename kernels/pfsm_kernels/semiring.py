"""Semirings, and functions that jitted code chooses by the type of their first argument.

A recurrence is written once and says ``plus(semiring, x, y)`` and ``times(semiring, x, y)``. With ``LINEAR`` and
``LOG`` it sums over edit sequences, with ``BEST`` it finds the best one. In the last two masses are logarithms: a
sequence's score is a sum, nothing is minus infinity.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from numba.extending import overload

from pfsm_kernels.cache import njit

NONE = -math.inf


class Linear(NamedTuple):
    """(+, x): sums over edit sequences."""

    zero: float
    one: float


class LogSum(NamedTuple):
    """(log-add, +): sums over edit sequences."""

    zero: float
    one: float


class Best(NamedTuple):
    """(max, +): the best edit sequence."""

    zero: float
    one: float


LINEAR, LOG, BEST = Linear(0.0, 1.0), LogSum(NONE, 0.0), Best(NONE, 0.0)


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


plus = by_type(
    {
        Linear: lambda _, x, y: x + y,
        LogSum: lambda _, x, y: log_add(x, y),
        Best: lambda _, x, y: max(x, y),
    }
)
times = by_type({Linear: lambda _, x, y: x * y, LogSum: lambda _, x, y: x + y, Best: lambda _, x, y: x + y})
# A mass as a probability: over the total, which linear space has as its inverse.
whole_of = by_type({Linear: lambda _, total: 1.0 / total, LogSum: lambda _, total: total})
share = by_type(
    {
        Linear: lambda _, x, whole: x * whole,
        LogSum: lambda _, x, whole: math.exp(x - whole) if x > NONE else 0.0,
    }
)
