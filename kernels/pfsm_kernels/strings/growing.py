"""Room for rows whose number is not known beforehand.

Copied entry by entry: an assignment of one array to another takes Numba two seconds to compile, for the words of its
error message alone.
"""

import numpy as np

from pfsm_kernels.cache import njit


@njit(nogil=True)
def doubled(rows):
    """The rows, int32 [n, fields], in an array of twice as many."""
    more = np.empty((2 * rows.shape[0], rows.shape[1]), np.int32)
    for row in range(rows.shape[0]):
        for field in range(rows.shape[1]):
            more[row, field] = rows[row, field]
    return more


@njit(nogil=True)
def doubled_values(values):
    """As ``doubled``, of float64 [n]."""
    more = np.empty(2 * values.size)
    for row in range(values.size):
        more[row] = values[row]
    return more
