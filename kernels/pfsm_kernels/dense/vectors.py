"""States of pieces to vectors, cosines of vectors, LSTMs: sums in a fixed order, whatever the threads and neighbours.

A library of linear algebra may add in another order for another number of rows or threads; these loops never do.

One direction of an LSTM over the words of one sentence, in float32:

    i, f, g, o = given_t + R h_{t-1}        given: what the inputs add to the gates, with the biases
    c_t = sigmoid(f) c_{t-1} + sigmoid(i) tanh(g)
    h_t = sigmoid(o) tanh(c_t)
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Float32 = NDArray[np.float32]
Float = NDArray[np.float64]


@njit(nogil=True)
def _mix(states, shares, epsilon, mixed):
    """The sum of the layers of each piece, every one normalised to mean 0 and variance 1."""
    layers, n, d = states.shape
    row = np.zeros(d)
    for i in range(n):
        row[:] = 0.0
        for layer in range(layers):
            share = shares[layer]
            if share == 0.0:
                continue
            total = 0.0
            for k in range(d):
                total += states[layer, i, k]
            mean = total / d
            squares = 0.0
            for k in range(d):
                squares += (states[layer, i, k] - mean) ** 2
            factor = share / math.sqrt(squares / d + epsilon)
            for k in range(d):
                row[k] += factor * (states[layer, i, k] - mean)
        for k in range(d):
            mixed[i, k] = np.float32(row[k])


@njit(nogil=True)
def _project(rows, transposed, result):
    """``rows @ transposed`` in float32; for each number the products are added from the first to the last."""
    n, d = rows.shape
    first = 0
    while first < n:
        last = min(first + 4, n)
        result[first:last] = np.float32(0.0)
        if last - first == 4:
            a, b, c, e = result[first], result[first + 1], result[first + 2], result[first + 3]
            for k in range(d):
                p, q = rows[first, k], rows[first + 1, k]
                r, s = rows[first + 2, k], rows[first + 3, k]
                for j in range(transposed.shape[1]):
                    w = transposed[k, j]
                    a[j] += p * w
                    b[j] += q * w
                    c[j] += r * w
                    e[j] += s * w
        else:
            for i in range(first, last):
                row = result[i]
                for k in range(d):
                    p = rows[i, k]
                    for j in range(transposed.shape[1]):
                        row[j] += p * transposed[k, j]
        first = last


@njit(nogil=True)
def _cosines(transposed, units, result):
    """``units @ transposed`` in float64, added as in `_project`."""
    n, d = units.shape
    for j in range(n):
        for k in range(d):
            value = units[j, k]
            for i in range(transposed.shape[1]):
                result[j, i] += value * transposed[k, i]


def mixed_layers(states: Float32, shares: Float, epsilon: float) -> Float32:
    """Layers of states normalised and added, float32 [n_pieces, dimension].

    Args:
        states: float32 [n_layers, n_pieces, dimension].
        shares: float64 [n_layers].
        epsilon: Added to the variance.
    """
    mixed = np.zeros(states.shape[1:], dtype=np.float32)
    _mix(states, shares, epsilon, mixed)
    return mixed


def projected(rows: Float32, transposed: Any) -> Float32:
    """``rows @ transposed``, float32 [n, d_out], from float32 [n, d_in] and [d_in, d_out], both contiguous."""
    result = np.zeros((rows.shape[0], transposed.shape[1]), dtype=np.float32)
    _project(rows, transposed, result)
    return result


def products(left: Float, right: Float) -> Float:
    """``left @ right.T``, float64 [n_left, n_right]."""
    result = np.zeros((left.shape[0], right.shape[0]))
    _cosines(np.ascontiguousarray(right.T), left, result)
    return result


@njit(inner=True, nogil=True, error_model="numpy")
def _sigmoid(x):
    return np.float32(1.0) / (np.float32(1.0) + math.exp(-x))


@njit(inner=True, nogil=True, error_model="numpy")
def _tanh(x):
    # By one exponential, which takes half the time of the library's tanh.
    return np.float32(1.0) - np.float32(2.0) / (np.float32(1.0) + math.exp(np.float32(2.0) * x))


@njit(nogil=True, error_model="numpy")
def lstm(given, recurrent, backward, out):
    """Writes the states, float32 [n, size].

    ``given`` is float32 [n, 4 size], ``recurrent`` float32 [size, 4 size]; ``backward`` reads from the last word.
    """
    n, size = out.shape
    gates = np.zeros(4 * size, dtype=np.float32)
    cell = np.zeros(size, dtype=np.float32)
    state = np.zeros(size, dtype=np.float32)
    for step in range(n):
        t = n - 1 - step if backward else step
        for j in range(4 * size):
            gates[j] = given[t, j]
        for k in range(size):
            x = state[k]
            row = recurrent[k]
            for j in range(4 * size):
                gates[j] += x * row[j]
        for j in range(size):
            kept = _sigmoid(gates[size + j]) * cell[j]
            cell[j] = kept + _sigmoid(gates[j]) * _tanh(gates[2 * size + j])
            state[j] = _sigmoid(gates[3 * size + j]) * _tanh(cell[j])
            out[t, j] = state[j]
