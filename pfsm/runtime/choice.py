"""A choice by a number that rounding has touched: a near tie goes by rule, not by the last bit.

Another processor adds in another order. Where candidates are equal but for that, it would choose another one.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Of statistics of the size of 1, such as correlations: rounding and the end of a minimisation account for less.
NOISE = 1e-9


def simplest_within_noise(values: Sequence[float] | NDArray[np.float64], noise: float = NOISE) -> int:
    """The number of the first candidate whose value is the highest but for noise.

    Args:
        values: [n], of each candidate, the simplest first; NaN: it is chosen only where all are NaN.
        noise: The largest difference between values that counts as none.
    """
    known = np.nan_to_num(np.asarray(values, dtype=np.float64), nan=-np.inf, posinf=np.inf, neginf=-np.inf)
    return int(np.argmax(known >= known.max() - noise))
