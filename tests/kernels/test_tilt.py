"""The rate of the pushdown machine: what can follow an edit adds up to at most one, long blocks and swaps included."""

import numpy as np
import pytest

from pfsm_kernels.machine.tilt import growth_rate, growth_rate_with_jumps

# (A, B): rates far below one, near it, above it.
RATES = [
    (1e-3, 1e-5),
    (0.01, 0.02),
    (0.3, 0.0),
    (0.0, 0.2),
    (0.2, 0.3),
    (0.9, 0.9),
    (5.0, 40.0),
    (1e-40, 1e-70),
]


def left(rho: float, a: float, b: float, longest: int) -> float:
    """``A / rho + B / rho^k`` for the block of k tokens, 2 to the longest, that weighs most."""
    return a / rho + max(b / rho**k for k in range(2, longest + 1))


@pytest.mark.parametrize("longest", [2, 3, 14])
@pytest.mark.parametrize(("a", "b"), RATES)
def test_without_jumps(a: float, b: float, longest: int) -> None:
    rho = growth_rate(a, b, longest, 0.0)
    assert left(rho, a, b, longest) <= 1.0 + 1e-9
    # And no larger than need be.
    assert left(0.999 * rho, a, b, longest) > 1.0


@pytest.mark.parametrize("max_jump", [4])
@pytest.mark.parametrize("g", [0.1, 3.0])
@pytest.mark.parametrize("longest", [2, 3, 14])
@pytest.mark.parametrize(("a", "b"), RATES)
def test_with_jumps(a: float, b: float, longest: int, g: float, max_jump: int) -> None:
    """The module's formula: swaps add ``2 D g^3 M^2 / ((1 - r)^2 (1 - A / rho))`` to r, M being the largest match."""

    def whole(rho: float) -> float:
        r = left(rho, a, b, longest)
        match = r - a / rho
        if r >= 1.0:
            return np.inf
        return r + 2.0 * max_jump * g**3 * match**2 / ((1.0 - r) ** 2 * (1.0 - a / rho))

    rho = growth_rate_with_jumps(a, b, g, max_jump, longest, 0.0)
    assert whole(rho) <= 1.0 + 1e-9
    # Bisection stops within a thousandth.
    assert whole(0.997 * rho) > 1.0
