"""Room for rows whose number is not known beforehand.

A kernel that finds rows writes as many as there is room for and says how many there are. Where that is more, the one
that calls it makes room and lets it begin again. If the kernel took a larger array itself, Numba would count references
to it at every row, which takes longer than to find the row.

Copied entry by entry: an assignment of one array to another takes Numba two seconds to compile, for the words of its
error message alone.
"""

import numpy as np

from pfsm_kernels.cache import njit


@njit(nogil=True)
def enlarged(rows, least):
    """The rows, int32 [n, fields], in an array of at least ``least``, and of at least twice as many."""
    more = np.empty((max(2 * rows.shape[0], least), rows.shape[1]), np.int32)
    for row in range(rows.shape[0]):
        for field in range(rows.shape[1]):
            more[row, field] = rows[row, field]
    return more


@njit(nogil=True)
def enlarged_values(values, least):
    """As ``enlarged``, of float64 [n]."""
    more = np.empty(max(2 * values.size, least))
    for row in range(values.size):
        more[row] = values[row]
    return more


@njit(borrows=True)
def widest(offsets):
    """The largest number of entries of one sequence."""
    largest = np.int64(0)
    for at in range(offsets.size - 1):
        largest = max(largest, offsets[at + 1] - offsets[at])
    return largest
