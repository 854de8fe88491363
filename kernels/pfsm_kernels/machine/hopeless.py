"""Pairs whose sum is likely to underflow at the rate of ``tilt``: they are tried at a rate of their own (``measured``).

A pass that underflows is slow, as most processors are slow with subnormal numbers. So it is not begun where the score
of two sequences, a lower bound of the sum, lies too far below what the rate allows for.
"""

import math

import numpy as np

from pfsm_kernels.cache import njit
from pfsm_kernels.machine.tilt import SMALLEST_TOTAL

# Of the log of the total: how far it usually lies above that of two sequences.
USUAL_GAIN = 100.0
# Those with more are not measured: all their rows would be kept.
MOST_CELLS = 1 << 20


@njit
def least_log_sum(log_E, delete_states, insert_states):
    """A lower bound of the log-sum: the better of the two sequences without a match and with one turn."""
    start = log_E.shape[0] - 1
    scores = np.zeros(2)
    for order in range(2):
        first, second = (delete_states, insert_states) if order == 0 else (insert_states, delete_states)
        last = start
        for part in (first, second):
            for state in part:
                scores[order] += log_E[last, state]
                last = state
    return max(scores[0], scores[1])


@njit
def least_uniform_log_sum(log_E, insert, delete, m, n):
    """``least_log_sum`` of ``m`` Deletes and ``n`` Inserts, at least one each, with one state each."""
    start = log_E.shape[0] - 1
    runs = (m - 1) * log_E[delete, delete] if m > 1 else 0.0
    runs += (n - 1) * log_E[insert, insert] if n > 1 else 0.0
    inserts_last = log_E[start, delete] + log_E[delete, insert]
    return runs + max(inserts_last, log_E[start, insert] + log_E[insert, delete])


@njit
def is_hopeless(rho, log_E, delete_states, insert_states):
    """Whether the total will usually underflow at rate ``rho``, and a lattice is not too large to be measured.

    Where neither of the two sequences is possible nothing is known.
    """
    least = least_log_sum(log_E, delete_states, insert_states)
    return will_underflow(least, rho, delete_states.size, insert_states.size)


@njit
def will_underflow(least, rho, m, n):
    """As ``is_hopeless``, given the lower bound of the log-sum."""
    if least == -math.inf or (m + 1) * (n + 1) > MOST_CELLS:
        return False
    return least + USUAL_GAIN - (m + n) * math.log(rho) < math.log(SMALLEST_TOTAL)
