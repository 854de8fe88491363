"""Mean and standard deviation, whatever the magnitude of the numbers."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


def mean_and_sd(values: Float) -> tuple[float, float]:
    """Mean and population standard deviation of numbers of any magnitude; 0 and 1 without any."""
    if not values.size:
        return 0.0, 1.0
    # Near 1 no square overflows or underflows, and scaling by a power of two does not round.
    exponent = int(np.frexp(np.abs(values).max())[1])
    scaled = np.ldexp(values, -exponent)
    return float(np.ldexp(scaled.mean(), exponent)), float(np.ldexp(scaled.std(), exponent))
