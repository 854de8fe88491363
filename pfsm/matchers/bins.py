"""Soft bins: a number on an arc becomes features whose weights form a piecewise linear function that never falls.

There is one feature between each two neighbouring knots, ``clip((v - knot_k) / (knot_{k+1} - knot_k), 0, 1)``. With
weights ``w_k`` the sum over the features is 0 at the first knot, rises by ``w_k`` from knot k to the next, and is
constant outside the knots. Training keeps a weight at 0 or above if its name has a ``+`` after the colon.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pfsm.matchers.protocol import Offers
from pfsm.runtime.typed import Option, Options

AUTO = "auto"
QUANTILES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
RISING = ":+"
N_BINS = 4


def ramp_names(prefix: str, knots: Sequence[float]) -> tuple[str, ...]:
    """Names of the features between the knots: ``PREFIX:+0``, ``PREFIX:+1`` and so on."""
    return tuple(f"{prefix}{RISING}{place}" for place in range(len(knots) - 1))


def is_rising(name: str) -> bool:
    """Whether the weight of this feature must be 0 or above."""
    return RISING in name


def ramped(
    prefix: str, blocks: NDArray[np.int32], values: NDArray[np.float64], knots: Sequence[float]
) -> Offers:
    """Offers whose numbers become soft bins.

    Args:
        prefix: Name of the matcher.
        blocks: int32 [n_offers, 5].
        values: The number of each offer, float64 [n_offers], finite.
        knots: Knots in increasing order, at least two (fewer give no features).
    """
    if len(knots) < 2:
        return Offers(blocks)
    from pfsm_kernels.lattice.features import ramps  # noqa: PLC0415 - brings numba

    return Offers(blocks, ramp_names(prefix, knots), *ramps(values, np.asarray(knots, dtype=np.float64)))


def quantile_knots(values: NDArray[np.float64]) -> list[float]:
    """Knots at the quantiles 0, 0.2 … 1 of training values, rounded to four digits, each once, in increasing order."""
    if not values.size:
        return []
    knots = np.unique(np.round(np.quantile(values, QUANTILES), 4))
    return [float(knot) for knot in knots]


def _are_knots(value: object) -> bool:
    return value == AUTO or (
        isinstance(value, list | tuple)
        and all(type(knot) in {int, float} and np.isfinite(knot) for knot in value)
        and all(low < high for low, high in pairwise(value))
    )


BINS = Option(None, _are_knots, f"{AUTO} or a list of increasing numbers")


def as_knots(value: str | Sequence[float] | None, minimum: float = 1.0) -> list[float] | str:
    """The option ``bins``: ``auto``, or knots; None for bins of equal width from a minimum to 1, none if that is 1."""
    if value is None:
        value = np.round(np.linspace(minimum, 1.0, N_BINS + 1), 4).tolist() if minimum < 1.0 else ()
    return AUTO if value == AUTO else [float(knot) for knot in value]


def known_knots(options: Options) -> tuple[float, ...]:
    """The knots of checked options; none where they are still to be learned."""
    return () if options["bins"] == AUTO else tuple(options["bins"])
