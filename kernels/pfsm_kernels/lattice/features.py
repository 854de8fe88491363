"""Features: soft bins of numbers on offers, and expected numbers of features from those of transitions and arcs."""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]


@njit(nogil=True)
def _add_table(table, states, transitions, size, counts):
    for k in range(table.shape[0]):
        for prev in range(table.shape[1]):
            for cur in range(table.shape[2]):
                number = table[k, prev, cur]
                if number == 0.0:
                    continue
                for kind in range(states.shape[0]):
                    if states[kind, cur] < size:
                        counts[k, states[kind, cur]] += number
                    if transitions[kind, prev, cur] < size:
                        counts[k, transitions[kind, prev, cur]] += number


@njit(nogil=True)
def _add_arcs(pair_of_arc, arc, places, feature, value, numbers, size, counts):
    for entry in range(arc.size):
        place = places[feature[entry]]
        if place < size:
            counts[pair_of_arc[arc[entry]], place] += numbers[arc[entry]] * value[entry]


def add_table_counts(table: Float, states: Int64, transitions: Int64, counts: Float) -> None:
    """Adds the expected numbers of states and transitions.

    Args:
        table: float64 [n_pairs, S + 1, S], expected number of uses of each transition.
        states: int64 [K, S], the columns that a state counts in; what is not a column of ``counts`` is left out.
        transitions: int64 [K, S + 1, S], those of each transition.
        counts: float64 [n_pairs, n_features], added to.
    """
    _add_table(table, states, transitions, counts.shape[1], counts)


def add_arc_counts(
    pair_of_arc: Int64,
    entries: tuple[Int64, NDArray[np.int32], Float],
    places: Int64,
    numbers: Float,
    counts: Float,
) -> None:
    """Adds the expected values of features on arcs.

    Args:
        pair_of_arc: int64 [n_arcs].
        entries: int64, int32 and float64 [n_entries]: arc, feature and its value there.
        places: int64 [number of these features], the column that each counts in, likewise.
        numbers: float64 [n_arcs], expected number of uses of each arc.
        counts: float64 [n_pairs, n_features], added to.
    """
    arc, feature, value = entries
    _add_arcs(pair_of_arc, arc, places, feature, value, numbers, counts.shape[1], counts)


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
