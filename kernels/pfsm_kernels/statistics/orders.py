"""The order of a few items that agrees with the most judgments: a dynamic program over sets of items.

`wins[i, j]` judgments put item i before item j, `ties[i, j]` put both in the same place. With f(S) the most
judgments that an order of the set S can agree with, when all of S comes before the rest,

    f(S + T) = max over T of  f(S) + sum_{i in S, j in T} wins[i, j] + sum_{i < j in T} ties[i, j]

where T, not empty and apart from S, shares one place. Where no judgment is a tie, a place for each item does
as well as any order, and T is a single item: O(2^n n^2) instead of O(3^n n). (With strict judgments alone this is
the exact solution of the minimum feedback arc set problem, which is hard in general; n is small here.)
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

_Floats = NDArray[np.float64]


@njit(nogil=True)
def _strict(wins: _Floats) -> float:
    n = wins.shape[0]
    best = np.zeros(1 << n)
    gains = np.zeros(n)
    for done in range((1 << n) - 1):
        for item in range(n):
            gains[item] = 0.0
            if not (done >> item) & 1:
                for before in range(n):
                    if (done >> before) & 1:
                        gains[item] += wins[before, item]
        for item in range(n):
            if not (done >> item) & 1:
                more = done | (1 << item)
                best[more] = max(best[more], best[done] + gains[item])
    return float(best[-1])


@njit(nogil=True)
def _weak(wins: _Floats, ties: _Floats) -> float:
    n = wins.shape[0]
    full = (1 << n) - 1
    within = np.zeros(1 << n)
    for place in range(1, 1 << n):
        last = 0
        while not (place >> last) & 1:
            last += 1
        rest = place & (place - 1)
        within[place] = within[rest]
        for item in range(n):
            if (rest >> item) & 1:
                within[place] += ties[last, item]
    best = np.zeros(1 << n)
    gains = np.zeros(n)
    for done in range(full):
        for item in range(n):
            gains[item] = 0.0
            for before in range(n):
                if (done >> before) & 1:
                    gains[item] += wins[before, item]
        left = full & ~done
        place = left
        while place > 0:
            gain = within[place]
            for item in range(n):
                if (place >> item) & 1:
                    gain += gains[item]
            more = done | place
            best[more] = max(best[more], best[done] + gain)
            place = (place - 1) & left
    return float(best[full])


def best_order(wins: _Floats, ties: _Floats) -> float:
    """The most judgments that one order of the items, places shared or not, can agree with.

    Args:
        wins: float64 [n, n], not negative: judgments for the row's item before the column's; n at most 20, and
            at most 13 where there are ties.
        ties: float64 [n, n], not negative, symmetric: judgments that both share a place.

    Returns:
        The sum of the judgments agreed with.

    Raises:
        ValueError: If the shapes do not fit, a number is negative, or there are too many items.
    """
    n = wins.shape[0]
    if wins.shape != (n, n) or ties.shape != (n, n):
        raise ValueError("judgments must be two square tables of one size")
    if not ((wins >= 0.0).all() and (ties >= 0.0).all() and (ties == ties.T).all()):
        raise ValueError("judgments must not be negative, and ties not depend on the order")
    if n > (13 if ties.any() else 20):
        raise ValueError(f"{n} items are too many for an exact search")
    if n == 0:
        return 0.0
    return float(_weak(wins, ties) if ties.any() else _strict(wins))
