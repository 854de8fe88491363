"""Tables of the pushdown machine from arc to arc (``arc_to_arc``), shared by all pairs with the same states.

For one side, with "along" the edit of its rows and "across" that of its columns, ``T0 = exp(W)``, ``T1 = T0 / rate``,
``T2 = T1 / rate``:

    M[d, k][f, l]  sum over sequences of d along and k across edits, first edit f, last edit l, entry left out
    M[d, k][f, across] = sum_l M[d, k-1][f, l] T1[l, across],   M[d, k][f, along] = sum_l M[d-1, k][f, l] T1[l, along]
    XE[d, f, k]   = sum_l M[d, k][f, l] T0[l, Jump]
    XH[d+1, f, k] = XH[d, f, k] T1[along, along] + XE[d, f, k] T1[Jump, along]
    X[c][d, f, k] = XE[d, f, k] T2[Jump, c] + XH[d, f, k] T2[along, c]
    P[c][d]       = T1[Jump, along] T1[along, along]^(d-1) T2[along, c], for d = 0: T2[Jump, c]

"Across" is 0, "along" is 1 for f and l. N is M times the number of uses of one transition in each sequence.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.machine.tilt import LARGEST_RATE

Float = NDArray[np.float64]


class Windows(NamedTuple):
    """Tables of both sides, that of jumps on the hypothesis first; D is the jump limit, S the number of states.

    Attributes:
        insert: The state of Insert.
        delete: The state of Delete.
        rate: What each edit is divided by per consumed token.
        columns: float64 [2, D, 2, rows], M by k, f and d, of sequences that end with an across edit.
        sums: float64 [2, rows, 4 D], M by d and 4 k + 2 f + l.
        leaves: float64 [2, rows, 2 D], XE by d and f D + k.
        turns: float64 [2, rows, 2 D], XH likewise.
        blocks: float64 [2, S, rows, 2 D], X by state.
        opens: float64 [2, S, rows], P by state.
        counts: float64 [2, 4, rows, 4 D], N like ``sums``, of across > across, along > across, across > along and
            along > along. [2, 4, 0, 4 D] without derivatives.
    """

    insert: int
    delete: int
    rate: float
    columns: Float
    sums: Float
    leaves: Float
    turns: Float
    blocks: Float
    opens: Float
    counts: Float


def make_windows(
    E: Float, states: tuple[int, int, int], max_jump: int, rows: int, derivatives: bool
) -> Windows | None:
    """The tables for weights ``E = exp(table)``; ``states`` are Insert, Delete and Jump.

    The rate is the largest row sum over Insert and Delete, so that no sum exceeds one; None where it is no good.
    """
    S = E.shape[1]
    insert, delete, jump = states
    rate = float((E[:, insert] + E[:, delete]).max())
    if not 1.0 / LARGEST_RATE < rate < LARGEST_RATE:
        return None
    windows = Windows(
        insert,
        delete,
        rate,
        np.empty((2, max_jump, 2, rows)),
        np.empty((2, rows, 4 * max_jump)),
        np.empty((2, rows, 2 * max_jump)),
        np.empty((2, rows, 2 * max_jump)),
        np.empty((2, S, rows, 2 * max_jump)),
        np.empty((2, S, rows)),
        np.empty((2, 4, rows if derivatives else 0, 4 * max_jump)),
    )
    for side, (along, across) in enumerate(((delete, insert), (insert, delete))):
        fill_windows(E, along, across, jump, rate, *(table[side] for table in windows[3:]))
    return windows


@njit(nogil=True, fastmath={"contract"})
def fill_windows(E, along, across, jump, rate, columns, sums, leaves, turns, blocks, opens, counts):
    """Fills the tables of one side, see ``Windows``."""
    _fill_sums(E[across, across] / rate, E[along, across] / rate, E[across, along] / rate, E[along, along] / rate,
               sums, counts)  # fmt: skip
    rows, D = sums.shape[0], columns.shape[0]
    stay, leave = E[along, along] / rate, E[jump, along] / rate
    for d in range(rows):
        for f in range(2):
            for k in range(D):
                at = f * D + k
                columns[k, f, d] = sums[d, 4 * k + 2 * f]
                leaves[d, at] = (
                    sums[d, 4 * k + 2 * f] * E[across, jump] + sums[d, 4 * k + 2 * f + 1] * E[along, jump]
                )
                turns[d, at] = turns[d - 1, at] * stay + leaves[d - 1, at] * leave if d else 0.0
    for state in range(blocks.shape[0]):
        after_jump, after_along = E[jump, state] / (rate * rate), E[along, state] / (rate * rate)
        opened = leave
        for d in range(rows):
            for at in range(2 * D):
                blocks[state, d, at] = leaves[d, at] * after_jump + turns[d, at] * after_along
            if d:
                opens[state, d] = opened * after_along
                opened *= stay
            else:
                opens[state, d] = after_jump


@njit(inner=True, fastmath={"contract"})
def _fill_sums(CC, AC, CA, AA, sums, counts):
    """M, and N of the four transitions in the order of the arguments."""
    width = sums.shape[1]
    for d in range(sums.shape[0]):
        for x in range(0, width, 2):
            across, along = 0.0, 0.0
            if x >= 4:
                across = sums[d, x - 4] * CC + sums[d, x - 3] * AC
            if d:
                along = sums[d - 1, x] * CA + sums[d - 1, x + 1] * AA
            if d == 0 and x == 4:
                across = 1.0
            if d == 1 and x == 2:
                along = 1.0
            sums[d, x] = across
            sums[d, x + 1] = along
    for kind in range(4):
        for d in range(counts.shape[1]):
            for x in range(0, width, 2):
                across, along = 0.0, 0.0
                if x >= 4:
                    stay = counts[kind, d, x - 4] + (sums[d, x - 4] if kind == 0 else 0.0)
                    turn = counts[kind, d, x - 3] + (sums[d, x - 3] if kind == 1 else 0.0)
                    across = stay * CC + turn * AC
                if d:
                    turn = counts[kind, d - 1, x] + (sums[d - 1, x] if kind == 2 else 0.0)
                    stay = counts[kind, d - 1, x + 1] + (sums[d - 1, x + 1] if kind == 3 else 0.0)
                    along = turn * CA + stay * AA
                counts[kind, d, x] = across
                counts[kind, d, x + 1] = along
