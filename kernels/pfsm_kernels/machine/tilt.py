"""The tilt of linear space and its limits: what every edit is divided by per consumed token, so that nothing overflows.

Every edit sequence consumes every token exactly once, so dividing each edit by ``rho`` per consumed token rescales the
total by ``rho ** -(m + n)`` exactly, swaps or not. ``rho`` is chosen such that what can follow an edit adds up to at
most one. Then no forward mass, backward mass or product of them exceeds one, nothing overflows, and the absolute error
that underflow can leave in the total is at most (number of operations) x 1e-308. A total that is not too small is
therefore exact to rounding; any other pair is left to log space.

With A the largest row sum of the table over Insert and Delete, and B the largest row entry over substitutions times the
largest number of arcs that start in one cell, ``A / rho + B / rho^2 = 1`` does it. With g the largest weight into Jump,
swaps add ``2 D g^3 (B / rho^2)^2 / ((1 - r)^2 (1 - A / rho))`` to what can follow an edit or another swap, ``r`` being
the left-hand side: two substitutions that open the blocks, three jumps, and any edits inside.

A pass that underflows is slow, as most processors are slow with subnormal numbers. So none is begun where the score of
two sequences, a lower bound of the sum, lies too far below what the rate allows for (``will_underflow``); those pairs
are tried at a rate of their own (``by_diagonal``).

The bounds ask for factors that are normal numbers themselves: a table with entries beyond ``LARGEST_WEIGHT`` is for log
space alone.
"""

import math

import numpy as np

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.lattices import Cells, Factors

LARGEST_WEIGHT = 600.0
LARGEST_RATE = 1e150
LARGEST_FACTOR = 1e6
# A tilted entry that only a tiny arc factor keeps below one multiplies what underflow left of that factor.
LARGEST_TILTED_ENTRY = 1e12
# Totals below are not accepted. 1e-308 (smallest normal number) x 1e10 operations x 1e16 (double precision) leaves a
# wide margin in the first; from arc to arc masses may reach exp(LARGEST_GROWTH), and the smallest total is multiplied
# by exp(growth).
SMALLEST_TOTAL = 1e-280
SMALLEST_TOTAL_WITH_JUMPS = 1e-230
LARGEST_GROWTH = 300.0
# Of the log of the total: how far it usually lies above that of two sequences.
USUAL_GAIN = 100.0
# What a lattice has of a state, as bits.
INSERTED, DELETED, MATCHED = 1, 2, 4
# Of the log of a sum that should be one.
CLOSE_TO_ONE = 1e-12
MOST_STEPS = 60


@njit(inner=True, borrows=True)
def find_states(deletes, inserts, arcs, jump, seen, present):
    """Which states a lattice has; with jumps ``jump`` is the state of Jump, without them -1.

    ``seen``, int64 [S], becomes what it has of each: ``INSERTED``, ``DELETED``, ``MATCHED``. The first places of
    ``present``, int64 [S + 1], become its states in ascending order and then S, which is Start; returned is how many.
    """
    seen[:] = 0
    for state in inserts:
        seen[state] |= INSERTED
    for state in deletes:
        seen[state] |= DELETED
    for a in range(arcs.shape[0]):
        seen[arcs[a, 4]] |= MATCHED
    count = 0
    for state in range(seen.size):
        if seen[state] or state == jump:
            present[count] = state
            count += 1
    present[count] = seen.size
    return count + 1


@njit(inner=True, borrows=True)
def edit_rate(E, seen, present):
    """A: the largest row sum over Insert and Delete, of the states that a lattice has (``find_states``)."""
    largest = 0.0
    for prev in present:
        insert, delete = 0.0, 0.0
        for cur in present[:-1]:
            if seen[cur] & INSERTED:
                insert = max(insert, E[prev, cur])
            if seen[cur] & DELETED:
                delete = max(delete, E[prev, cur])
        largest = max(largest, insert + delete)
    return largest


@njit(inner=True)
def column_maxima(E):
    """The largest weight into each state, float64 [S]."""
    reach = np.zeros(E.shape[1])
    for prev in range(E.shape[0]):
        for cur in range(E.shape[1]):
            reach[cur] = max(reach[cur], E[prev, cur])
    return reach


@njit(inner=True, borrows=True)
def match_rate(reach, first, last, arcs, arc_factor, link_factor):
    """B, the largest number of tokens of an arc (at least 2), and the largest table entry of a substitution.

    Arcs ``first`` to ``last - 1`` are those of the lattice.
    """
    B, entry, largest_link = 0.0, 0.0, 1.0
    most, run, longest = 0, 0, 2
    for a in range(first, last):
        B = max(B, arc_factor[a] * reach[arcs[a, 4]])
        entry = max(entry, reach[arcs[a, 4]])
        if link_factor.size:
            largest_link = max(largest_link, link_factor[a])
        longest = max(longest, arcs[a, 1] + arcs[a, 3])
        run = run + 1 if a > first and arcs[a, 0] == arcs[a - 1, 0] and arcs[a, 2] == arcs[a - 1, 2] else 1
        most = max(most, run)
    return B * (most * largest_link), longest, entry


@njit(inner=True)
def solve(A, B):
    """``rho`` where no arc has more than two tokens, or ``rho`` is at least one."""
    return 0.5 * (A + math.sqrt(A * A + 4.0 * B))


@njit(inner=True)
def _solve_long(A, B, longest, rho):
    """The ``rho`` of ``A / rho + B / rho^longest = 1``, from a smaller one: longer blocks weigh more below 1.

    The log of the left-hand side is convex and falls in log rho, so Newton's steps come from below and never too far.
    """
    # A match alone needs as much; from less, the terms might overflow.
    rho = max(rho, B ** (1.0 / longest))
    for _ in range(MOST_STEPS):
        edit, match = A / rho, B
        for _ in range(longest):
            match /= rho
        above = math.log(edit + match)
        if above <= CLOSE_TO_ONE:
            break
        rho *= math.exp(above * (edit + match) / (edit + longest * match))
    return rho * (1.0 + 2.0 * CLOSE_TO_ONE)


@njit
def growth_rate(A, B, longest, entry):
    """``rho`` without jumps; 0 where there is none that is good."""
    rho = solve(A, B)
    if longest > 2 and rho < 1.0 and B > 0.0:
        rho = _solve_long(A, B, longest, rho)
    good = 1.0 / LARGEST_RATE < rho < LARGEST_RATE and entry <= LARGEST_TILTED_ENTRY * rho * rho
    return rho if good else 0.0


@njit
def growth_rate_with_jumps(A, B, g, max_jump, longest, entry):
    """``rho`` with jumps; 0 where there is none that is good."""
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


@njit(inner=True)
def _bounded(rho, A, B, g, max_jump, longest):
    if rho <= 0.0:
        return False
    edit = A / rho
    match = B
    for _ in range(longest if rho < 1.0 else 2):
        match /= rho
    room = 1.0 - edit - match
    if room <= 0.0:
        return False
    return 2.0 * max_jump * g * g * g * match * match <= room * room * room * (1.0 - edit)


@njit(inner=True, borrows=True)
def tilt_arcs(rho, first, last, arcs, arc_factor, tilted):
    """Arc factors over ``rho`` per token beyond two; returns whether all stay small enough for the error bound.

    ``tilted`` begins with the first arc.
    """
    largest = 0.0
    for a in range(first, last):
        extra = arcs[a, 1] + arcs[a, 3] - 2
        factor = arc_factor[a] if extra == 0 else arc_factor[a] * rho ** -float(extra)
        tilted[a - first] = factor
        largest = max(largest, factor)
    return largest <= LARGEST_FACTOR


@njit(nogil=True, error_model="numpy")
def rates_with_jumps(cells, factors, jump, max_jump):
    """``rho`` of every lattice with jumps, 0 where log space is needed: float64 [n_lattices]."""
    cells, factors = Cells(*cells), Factors(*factors)
    offsets, E = cells.offsets, factors.table
    rates, reach = np.zeros(offsets.shape[0] - 1), column_maxima(E)
    seen, present = np.empty(E.shape[1], np.int64), np.empty(E.shape[0], np.int64)
    for k in range(rates.size):
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        deletes = cells.deletes[offsets[k, 0] : offsets[k + 1, 0]]
        inserts = cells.inserts[offsets[k, 1] : offsets[k + 1, 1]]
        B, longest, entry = match_rate(reach, a0, a1, cells.arcs, factors.arcs, factors.links)
        count = find_states(deletes, inserts, cells.arcs[a0:a1], jump, seen, present)
        A = edit_rate(E, seen, present[:count])
        rates[k] = growth_rate_with_jumps(A, B, reach[jump], max_jump, longest, entry)
    return rates


@njit(inner=True)
def least_log_sum(log_E, insert, delete, m, n):
    """A lower bound of the log-sum of ``m`` Deletes and ``n`` Inserts, of one state each.

    It is the better of the two sequences without a match and with one turn.
    """
    start = log_E.shape[0] - 1
    runs = (m - 1) * log_E[delete, delete] if m > 1 else 0.0
    runs += (n - 1) * log_E[insert, insert] if n > 1 else 0.0
    inserts_last = log_E[start, delete] + log_E[delete, insert]
    return runs + max(inserts_last, log_E[start, insert] + log_E[insert, delete])


@njit(inner=True)
def will_underflow(least):
    """Whether a total will usually underflow, given a lower bound of its log.

    Where neither of the two sequences is possible nothing is known.
    """
    return least > -math.inf and least + USUAL_GAIN < math.log(SMALLEST_TOTAL)
