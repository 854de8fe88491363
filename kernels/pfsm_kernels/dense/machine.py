"""The edit machine in which any token may be matched with any other: log-sum and expected counts.

With ``w_k(i, j)`` the weight of the operation ``k`` that ends at ``(i, j)``, ``from(k)`` the place where it begins, and
``T`` the transitions,

    A_k(i, j) = exp(w_k(i, j)) (1 at the start, else sum_p A_p(from(k)) exp(T[p, k])),      y = log sum_k A_k(m, n)

over the operations Insert (0), Delete (1) and Substitute (2), in time O(m n). Every cell keeps its three numbers
divided by their sum, and the logarithm of that sum, so nothing overflows whatever the length. Expected counts are
products of the forward numbers and of backward numbers that are kept in the same way.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Float = NDArray[np.float64]

INSERT, DELETE, SUBSTITUTE = 0, 1, 2
_NEVER = -1e300


@njit(inner=True, nogil=True)
def _step(shares, scales, table, top, i, j, k, weight):
    """Share (up to a scale) and scale of an operation that begins at (i, j)."""
    if i == 0 and j == 0:
        return 1.0, weight
    total = shares[i, j, 0] * table[0, k] + shares[i, j, 1] * table[1, k] + shares[i, j, 2] * table[2, k]
    return total, weight + top + scales[i, j]


@njit(inner=True, nogil=True)
def _forward(substitute, delete, insert, table, top, m, n, shares, scales):
    """Fills ``shares`` and ``scales``; returns the log-sum."""
    scales[0, 0] = 0.0
    for i in range(m + 1):
        for j in range(n + 1):
            if i == 0 and j == 0:
                continue
            a = b = c = 0.0
            p = q = r = _NEVER
            if j > 0:
                a, p = _step(shares, scales, table, top, i, j - 1, np.int64(0), insert[j - 1])
            if i > 0:
                b, q = _step(shares, scales, table, top, i - 1, j, np.int64(1), delete[i - 1])
            if i > 0 and j > 0:
                c, r = _step(shares, scales, table, top, i - 1, j - 1, np.int64(2), substitute[i - 1, j - 1])
            largest = max(p, q, r)
            a *= math.exp(p - largest)
            b *= math.exp(q - largest)
            c *= math.exp(r - largest)
            total = a + b + c
            shares[i, j, 0] = a / total
            shares[i, j, 1] = b / total
            shares[i, j, 2] = c / total
            scales[i, j] = largest + math.log(total)
    return scales[m, n]


@njit(inner=True, nogil=True)
def _backward(substitute, delete, insert, table, top, m, n, shares, scales):
    """Weights of what may follow each operation at each place, kept as in `_forward`."""
    for i in range(m, -1, -1):
        for j in range(n, -1, -1):
            if i == m and j == n:
                shares[i, j, :] = 1.0
                scales[i, j] = 0.0
                continue
            p = q = r = _NEVER
            if j < n:
                p = insert[j] + scales[i, j + 1]
            if i < m:
                q = delete[i] + scales[i + 1, j]
            if i < m and j < n:
                r = substitute[i, j] + scales[i + 1, j + 1]
            largest = max(p, q, r)
            a = math.exp(p - largest) * shares[i, j + 1, 0] if j < n else 0.0
            b = math.exp(q - largest) * shares[i + 1, j, 1] if i < m else 0.0
            c = math.exp(r - largest) * shares[i + 1, j + 1, 2] if i < m and j < n else 0.0
            total = 0.0
            for k in range(3):
                shares[i, j, k] = a * table[k, 0] + b * table[k, 1] + c * table[k, 2]
                total += shares[i, j, k]
            for k in range(3):
                shares[i, j, k] /= total
            scales[i, j] = largest + top + math.log(total)


@njit(inner=True)
def _factors(transitions, top):
    """exp of the transitions over the largest; entry by entry, as Numba takes long to compile whole arrays."""
    table = np.empty((3, 3))
    for p in range(3):
        for k in range(3):
            table[p, k] = math.exp(transitions[p, k] - top)
    return table


@njit(nogil=True)
def _log_sums(substitute, delete, insert, transitions, top, rows, columns, shares, scales, sums):
    table = _factors(transitions, top)
    for b in range(rows.size):
        sums[b] = _forward(
            substitute[b], delete[b], insert[b], table, top, rows[b], columns[b], shares, scales
        )


@njit(nogil=True)
def _expected(substitute, delete, insert, transitions, rows, columns, sums, of_s, of_d, of_i, of_t):
    top = transitions.max()
    table = np.exp(transitions - top)
    shape = (rows.max() + 1, columns.max() + 1)
    ahead, ahead_scales = np.zeros((shape[0], shape[1], 3)), np.zeros(shape)
    behind, behind_scales = np.zeros((shape[0], shape[1], 3)), np.zeros(shape)
    for b in range(rows.size):
        m, n = rows[b], columns[b]
        w_s, w_d, w_i = substitute[b], delete[b], insert[b]
        y = _forward(w_s, w_d, w_i, table, top, m, n, ahead, ahead_scales)
        _backward(w_s, w_d, w_i, table, top, m, n, behind, behind_scales)
        sums[b] = y
        for i in range(m + 1):
            for j in range(n + 1):
                if i == 0 and j == 0:
                    continue
                scale = math.exp(ahead_scales[i, j] + behind_scales[i, j] - y)
                for k in range(3):
                    count = scale * ahead[i, j, k] * behind[i, j, k]
                    if count == 0.0:
                        continue
                    x = i if k == 0 else i - 1
                    z = j if k == 1 else j - 1
                    if k == 0:
                        of_i[b, j - 1] += count
                    elif k == 1:
                        of_d[b, i - 1] += count
                    else:
                        of_s[b, i - 1, j - 1] += count
                    if x == 0 and z == 0:
                        continue
                    total = (
                        ahead[x, z, 0] * table[0, k]
                        + ahead[x, z, 1] * table[1, k]
                        + ahead[x, z, 2] * table[2, k]
                    )
                    for p in range(3):
                        of_t[b, p, k] += count * ahead[x, z, p] * table[p, k] / total


def log_sums(
    substitute: Float, delete: Float, insert: Float, transitions: Float, rows: Any, columns: Any
) -> Float:
    """Log-sums of a batch of pairs, float64 [n_pairs].

    Args:
        substitute: float64 [n_pairs, M, N], log weight of matching token i of the reference with token j of the
            hypothesis; what is beyond a pair's own lengths is not read.
        delete: float64 [n_pairs, M], log weight of deleting a token of the reference.
        insert: float64 [n_pairs, N], log weight of inserting a token of the hypothesis.
        transitions: float64 [3, 3], log weight of an operation (column) after another (row); the first one is free.
        rows: int64 [n_pairs], tokens of each reference.
        columns: int64 [n_pairs], tokens of each hypothesis.
    """
    sums = np.zeros(len(rows))
    if sums.size:
        shape = int(np.max(rows)) + 1, int(np.max(columns)) + 1
        shares, scales = np.zeros((*shape, 3)), np.zeros(shape)
        top = float(transitions.max())
        _log_sums(substitute, delete, insert, transitions, top, rows, columns, shares, scales, sums)
    return sums


def expected_counts(
    substitute: Float, delete: Float, insert: Float, transitions: Float, rows: Any, columns: Any
) -> tuple[Float, Float, Float, Float, Float]:
    """Log-sums, and their derivatives in every weight; arguments as `log_sums`.

    Returns:
        The log-sums float64 [n_pairs]; expected counts in the shapes of ``substitute``, ``delete`` and ``insert``, zero
        beyond a pair's own lengths; and those of transitions, float64 [n_pairs, 3, 3].
    """
    sums = np.zeros(len(rows))
    counts = np.zeros_like(substitute), np.zeros_like(delete), np.zeros_like(insert)
    of_transitions = np.zeros((len(rows), 3, 3))
    if sums.size:
        _expected(substitute, delete, insert, transitions, rows, columns, sums, *counts, of_transitions)
    return sums, *counts, of_transitions
