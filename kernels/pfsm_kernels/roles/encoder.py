"""One direction of an LSTM over the words of one sentence.

    i, f, g, o = given_t + R h_{t-1}        given: what the inputs add to the gates, with the biases
    c_t = sigmoid(f) c_{t-1} + sigmoid(i) tanh(g)
    h_t = sigmoid(o) tanh(c_t)

All in float32. A sentence is computed alone, so that its numbers do not depend on its neighbours.
"""

import math

import numpy as np

from pfsm_kernels.cache import njit


@njit(nogil=True, error_model="numpy")
def _sigmoid(x):
    return np.float32(1.0) / (np.float32(1.0) + math.exp(-x))


@njit(nogil=True, error_model="numpy")
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
