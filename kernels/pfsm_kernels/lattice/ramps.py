"""Numbers on offers become soft bins: shares of the steps between neighbouring knots."""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Float = NDArray[np.float64]


@njit(nogil=True)
def _fill(values, knots, offer, feature, share):
    count = 0
    for row in range(values.size):
        for step in range(knots.size - 1):
            part = (values[row] - knots[step]) / (knots[step + 1] - knots[step])
            if not part > 0.0:
                break  # and so it is at all later knots
            offer[count], feature[count], share[count] = row, step, min(part, 1.0)
            count += 1
    return count


def ramps(values: Float, knots: Float) -> tuple[NDArray[np.int64], NDArray[np.int32], Float]:
    """The shares above 0 of ``clip((v - knot_k) / (knot_{k+1} - knot_k), 0, 1)``.

    Args:
        values: float64 [n], finite.
        knots: float64 [at least 2], increasing.

    Returns:
        int64, int32 and float64 [n_shares], row by row, then step by step: the place of the value, k, the share.
    """
    most = values.size * (knots.size - 1)
    offer, feature = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int32)
    share = np.empty(most)
    count = _fill(values, knots, offer, feature, share)
    return offer[:count], feature[:count], share[:count]
