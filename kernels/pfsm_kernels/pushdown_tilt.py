"""The tilt of the pushdown machine: what every edit is divided by per consumed token, so that no mass overflows.

As in ``machine``, but large enough for swaps as well: all masses stay bounded, so that a total that does not underflow
is exact to rounding. Asked once for each pair, before ``pushdown`` or ``pushdown_sparse``.
"""

import math

import numpy as np
from numba import njit

LARGEST_RATE = 1e150
LARGEST_FACTOR = 1e6
# As in ``machine``: an entry that only a tiny arc factor keeps below one multiplies what underflow left of it.
LARGEST_TILTED_ENTRY = 1e12


@njit(cache=True)
def _growth(E, jump, max_jump, delete_states, insert_states, arcs, arc_factor, link_factor, seen, arc_seen):
    """Growth rate per consumed token that no edit sequence, swaps included, exceeds; 0 where there is none.

    ``seen`` marks the states of Insert (1) and Delete (2). With r = A / rho + B / rho^2 (as in ``machine``) and g the
    largest weight into Jump, swaps add ``2 D g^3 (B / rho^2)^2 / ((1 - r)^2 (1 - A / rho))`` to what can follow an
    edit or another swap: two substitutions that open the blocks, three jumps, and any edits inside.
    """
    S = E.shape[1]
    seen[:] = 0
    for state in insert_states:
        seen[state] |= 1
    for state in delete_states:
        seen[state] |= 2
    arc_seen[:] = -1.0
    largest_link = 1.0
    most, run, longest = 0, 0, 2
    for a in range(arcs.shape[0]):
        state = arcs[a, 4]
        arc_seen[state] = max(arc_seen[state], arc_factor[a])
        if link_factor.size:
            largest_link = max(largest_link, link_factor[a])
        longest = max(longest, arcs[a, 1] + arcs[a, 3])
        run = run + 1 if a and arcs[a, 0] == arcs[a - 1, 0] and arcs[a, 2] == arcs[a - 1, 2] else 1
        most = max(most, run)
    A, B, g, entry = 0.0, 0.0, 0.0, 0.0
    for prev in range(S + 1):
        insert, delete, match = 0.0, 0.0, 0.0
        for cur in range(S):
            if seen[cur] & 1:
                insert = max(insert, E[prev, cur])
            if seen[cur] & 2:
                delete = max(delete, E[prev, cur])
            if arc_seen[cur] >= 0.0:
                match = max(match, E[prev, cur] * arc_seen[cur])
                entry = max(entry, E[prev, cur])
        A = max(A, insert + delete)
        B = max(B, match)
        g = max(g, E[prev, jump])
    B *= most * largest_link
    if not (A + B < LARGEST_RATE) or g > LARGEST_FACTOR or A + B < 1.0 / LARGEST_RATE:
        return 0.0
    low, high = 0.0, A + math.sqrt(B) + 1e-300
    while not _bounded(high, A, B, g, max_jump, longest):
        low, high = high, 2.0 * high
        if high > LARGEST_RATE:
            return 0.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        if _bounded(middle, A, B, g, max_jump, longest):
            high = middle
        else:
            low = middle
        if high - low < 1e-3 * high:
            break
    return high if entry <= LARGEST_TILTED_ENTRY * high * high else 0.0


@njit(cache=True)
def _bounded(rho, A, B, g, max_jump, longest):
    if rho <= 0.0:
        return False
    edit = A / rho
    match = B * max(1.0 / (rho * rho), rho ** -float(longest))
    room = 1.0 - edit - match
    if room <= 0.0:
        return False
    return 2.0 * max_jump * g * g * g * match * match <= room * room * room * (1.0 - edit)


@njit(cache=True)
def _tilt_arcs(rho, arcs, arc_factor, tilted):
    """Arc factors over ``rho`` per token beyond two; returns whether all stay small enough for the error bound."""
    largest = 0.0
    for a in range(arcs.shape[0]):
        extra = arcs[a, 1] + arcs[a, 3] - 2
        tilted[a] = arc_factor[a] if extra == 0 else arc_factor[a] * rho ** -float(extra)
        largest = max(largest, tilted[a])
    return largest <= LARGEST_FACTOR


@njit(cache=True, nogil=True, error_model="numpy")
def tilt_batch(
    offsets, delete_states, insert_states, arcs, arc_factor, link_factor, E, jump, max_jump, rates, tilted
):  # fmt: skip
    """The tilt of every lattice and its arc factors over it.

    Arguments as in ``machine.forward_backward_batch``; ``jump`` is the id of the state Jump. ``rates``, float64
    [n_lattices], becomes the growth rate per consumed token, 0 where log space is needed; ``tilted``, float64 [n_arcs],
    the arc factors over the rate per token beyond two.
    """
    seen, arc_seen = np.empty(E.shape[1], np.int64), np.empty(E.shape[1])
    for k in range(offsets.shape[0] - 1):
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        deletes = delete_states[offsets[k, 0] : offsets[k + 1, 0]]
        inserts = insert_states[offsets[k, 1] : offsets[k + 1, 1]]
        link = link_factor[a0:a1] if link_factor.size else link_factor
        own, factor = arcs[a0:a1], arc_factor[a0:a1]
        rho = _growth(E, jump, max_jump, deletes, inserts, own, factor, link, seen, arc_seen)
        rates[k] = rho if rho > 0.0 and _tilt_arcs(rho, own, factor, tilted[a0:a1]) else 0.0
