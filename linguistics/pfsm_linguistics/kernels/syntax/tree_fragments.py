"""The number of subtrees that two lines' trees have in common, counted without listing them (Collins and Duffy 2001).

With C(a, b) what the subtrees weigh that are rooted in both a and b,

    C(a, b) = decay * product over children k of (1 + C(a_k, b_k))     if a and b have the same production
    C(a, b) = 0                                                        otherwise, and for leaves
    K = sum over nodes a of one line and b of the other of C(a, b)

and decay = 1 counts every subtree once. Numbers grow exponentially with the trees, so all of this is in logarithms.

Cost per pair: the numbers of nodes multiplied, and as many numbers of memory.
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Int64 = NDArray[np.int64]
Float = NDArray[np.float64]


@njit(inner=True, nogil=True)
def _add(one, other):
    """``log(exp(one) + exp(other))``."""
    large, small = max(one, other), min(one, other)
    return large if small == -np.inf else large + np.log1p(np.exp(small - large))


@njit(inner=True, nogil=True)
def _log_kernel(productions, child_offsets, children, a_first, a_last, b_first, b_last, log_decay, table):
    total = -np.inf
    for a in range(a_first, a_last):
        for b in range(b_first, b_last):
            if productions[a] != productions[b]:
                table[a - a_first, b - b_first] = -np.inf
                continue
            value = log_decay
            for k in range(child_offsets[a + 1] - child_offsets[a]):
                one, other = children[child_offsets[a] + k], children[child_offsets[b] + k]
                if one >= 0 and other >= 0:
                    value += _add(0.0, table[one, other])
            table[a - a_first, b - b_first] = value
            total = _add(total, value)
    return total


@njit(nogil=True)
def _log_kernels(productions, child_offsets, children, line_offsets, left, right, log_decay, table, result):
    for pair in range(result.size):
        a, b = left[pair], right[pair]
        result[pair] = _log_kernel(
            productions,
            child_offsets,
            children,
            line_offsets[a],
            line_offsets[a + 1],
            line_offsets[b],
            line_offsets[b + 1],
            log_decay,
            table,
        )


def log_tree_kernels(
    productions: Int64,
    child_offsets: Int64,
    children: Int64,
    line_offsets: Int64,
    left: Int64,
    right: Int64,
    log_decay: float,
) -> Float:
    """Logarithms of tree kernels of pairs of lines, float64 [n_pairs]; minus infinity where nothing is in common.

    Args:
        productions: int64 [n_nodes], equal where a node and its children have the same labels; nodes of all lines, one
            line after the other, children before their parents.
        child_offsets: int64 [n_nodes + 1], where the children of each node begin.
        children: int64 [n_children], which node of its line a child is, counted from 0; -1 for a leaf.
        line_offsets: int64 [n_lines + 1], where the nodes of each line begin.
        left: int64 [n_pairs], lines.
        right: int64 [n_pairs], lines.
        log_decay: Natural logarithm of what every production weighs.
    """
    largest = int(np.diff(line_offsets).max(initial=0))
    result = np.empty(left.size)
    _log_kernels(
        productions,
        child_offsets,
        children,
        line_offsets,
        left,
        right,
        log_decay,
        np.empty((largest, largest)),
        result,
    )
    return result
