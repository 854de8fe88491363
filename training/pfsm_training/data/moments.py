"""Means, standard deviations and correlations of numbers that may count differently, whatever their magnitude."""

import math

import numpy as np

from pfsm.arrays import Float
from pfsm.evaluation import pearson, weighted_pearson


def mean_and_sd(values: Float, weights: Float | None = None) -> tuple[float, float]:
    """Mean and population standard deviation of numbers of any magnitude; 0 and 1 without any.

    Args:
        values: float64 [n].
        weights: float64 [n], above 0: how often each value counts; None: once.
    """
    if not values.size:
        return 0.0, 1.0
    # Near 1 no square overflows or underflows, and scaling by a power of two does not round.
    exponent = int(np.frexp(np.abs(values).max())[1])
    scaled = np.ldexp(values, -exponent)
    if weights is not None:
        # From the first value, so that the mean of equal ones is exact.
        offsets, total = scaled - scaled[0], weights.sum()
        mean = float((weights * offsets).sum() / total)
        sd = float(np.sqrt((weights * (offsets - mean) ** 2).sum() / total))
        return float(np.ldexp(scaled[0] + mean, exponent)), float(np.ldexp(sd, exponent))
    return float(np.ldexp(scaled.mean(), exponent)), float(np.ldexp(scaled.std(), exponent))


def correlation(values: Float, others: Float, weights: Float | None = None) -> float:
    """Pearson's r of two columns; NaN where it is undefined.

    Args:
        values: float64 [n].
        others: float64 [n].
        weights: float64 [n], above 0: how often each row counts; None: once.
    """
    return pearson(values, others) if weights is None else weighted_pearson(values, others, weights)


def finite(value: float) -> float | None:
    """The value as JSON can hold it: None where it is undefined."""
    return value if math.isfinite(value) else None
