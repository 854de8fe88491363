"""The finite-state machine (pFSM) in the log domain: for what a tilt cannot save, and for best edit sequences.

The recurrence is that of ``sweep``; nothing can underflow. Cost O(m n + arcs) time, 16 bytes a cell of a block of rows;
above ``STORED_CELLS`` cells there are sqrt(m + 1) blocks, of which one row each is kept, and a block is done again when
what goes backward reaches it.

Ties are broken in a fixed order (Insert, Delete, then substitutions by position), so that the same lattice always gives
the same path.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import copy, njit
from pfsm_kernels.machine.sweep import (
    ACROSS,
    ALONG,
    START,
    STOP,
    Masses,
    Walk,
    backward_rows,
    forward_rows,
    make_frame,
    total_mass,
    trace,
    turn_round,
)
from pfsm_kernels.semiring import BEST, LOG, NONE

Int32 = NDArray[np.int32]
Float = NDArray[np.float64]
STORED_CELLS = 32768


class Pair(NamedTuple):
    """One lattice, weights in the log domain.

    Called from Python, kernels take it as a plain tuple, whose types Numba finds out ten times as fast.

    Attributes:
        deletes: int32 [m], state of each Delete.
        inserts: int32 [n], state of each Insert.
        arcs: int32 [n_arcs, 5].
        by_end: int32 [n_arcs].
        weight: float64 [n_arcs].
        link: float64 [n_arcs] or [0].
        W: float64 [S + 1, S].
    """

    deletes: Int32
    inserts: Int32
    arcs: Int32
    by_end: Int32
    weight: Float
    link: Float
    W: Float


@njit(inner=True, inline="always")
def make_masses(none, rows, width, arcs, jump_rows, resumes):
    """Room for masses; ``jump_rows`` rows of exits, and where swaps can end as many of ``back``."""
    exits = np.full((jump_rows, width if jump_rows else 0), none)
    back = np.full((jump_rows if resumes else 0, width if resumes else 0), none)
    return Masses(
        np.full((rows, width), none), np.full((rows + 1, width), none), np.full(arcs, none), exits, exits.copy(),
        back,
    )  # fmt: skip


@njit(inner=True)
def _block_height(m, n):
    return m + 1 if (m + 1) * (n + 1) <= STORED_CELLS else math.ceil(math.sqrt(m + 1.0))


@njit(inner=True)
def _fill_block(semiring, frame, inside, first, kept):
    """Masses of the rows of a block from ``first`` on; ``kept`` is what Deletes bring into its first row."""
    copy(kept, inside.along[0])
    last = min(first + inside.across.shape[0], frame.along.size + 1)
    forward_rows(semiring, frame, inside, np.int64(0), frame.across.size, first, (first, last))
    return inside.along[last - first]


@njit(inner=True, inline="always")
def _fill(semiring, frame, inside, kept):
    """Masses of all rows, block by block, of which the last remains; the rows kept are written. Returns the total."""
    height = inside.across.shape[0]
    for block in range(kept.shape[0]):
        below = _fill_block(semiring, frame, inside, block * height, kept[block])
        if block + 1 < kept.shape[0]:
            copy(below, kept[block + 1])
    return total_mass(semiring, frame, inside, (kept.shape[0] - 1) * height)


@njit(inner=True, inline="always")
def _prepare(pair):
    """Frame, room for the masses of a block, and for the rows kept."""
    deletes, inserts, arcs, by_end, weight, link, W = pair
    m, n, A = deletes.size, inserts.size, weight.size
    frame = make_frame(deletes, inserts, arcs, by_end, weight, link, (W, W, W), np.int64(-1))
    height = _block_height(m, n)
    kept = np.full(((m + height) // height, n + 1), NONE)
    return frame, make_masses(NONE, height, n + 1, A, 0, False), kept


@njit(nogil=True, error_model="numpy")
def log_forward_backward(arrays, derivatives, counts, arc_mass, link_mass):
    """Log-sum of one lattice, a ``Pair`` as a plain tuple; with ``derivatives``, also its expected counts.

    ``counts`` [S + 1, S], ``arc_mass`` [n_arcs] and ``link_mass`` ([n_arcs] or [0]), all zero, are written.
    """
    pair = Pair(*arrays)
    if pair.deletes.size + pair.inserts.size == 0:
        return 0.0
    frame, inside, kept = _prepare(pair)
    log_sum = _fill(LOG, frame, inside, kept)
    # With nothing possible (weights of minus infinity) there is nothing to count either.
    if not derivatives or log_sum == NONE:
        return log_sum
    outside = make_masses(NONE, inside.across.shape[0], inside.across.shape[1], pair.weight.size, 0, False)
    height = inside.across.shape[0]
    for block in range(kept.shape[0] - 1, -1, -1):
        first = block * height
        if block + 1 < kept.shape[0]:
            _fill_block(LOG, frame, inside, first, kept[block])
            copy(outside.along[0], outside.along[height])
        rows = first, min(first + height, frame.along.size + 1)
        bounds = np.int64(first), np.int64(0), frame.across.size
        backward_rows(LOG, frame, inside, outside, bounds, rows, log_sum, counts, link_mass)
    for a in range(pair.weight.size):
        arc_mass[a] = math.exp(inside.arcs[a] + outside.arcs[a] - log_sum)
    return log_sum


@njit(nogil=True, error_model="numpy")
def best_path(arrays, path):
    """Best score of one lattice, a ``Pair`` as a plain tuple, and the edits that reach it.

    ``path`` int32 [m + n] receives the edits in order: ``sweep.INSERT``, ``sweep.DELETE`` or an arc's index. Returns
    the score and the number of edits; the score is minus infinity, with no edits, where nothing is possible.
    """
    pair = Pair(*arrays)
    m, n = pair.deletes.size, pair.inserts.size
    if m + n == 0:
        return 0.0, 0
    frame, inside, kept = _prepare(pair)
    score = _fill(BEST, frame, inside, kept)
    if score == NONE:
        return score, 0
    original = np.arange(pair.weight.size).astype(np.int32)
    walk = Walk(np.array([m, n, STOP]), path, np.zeros(1, np.int64), original, ACROSS, ALONG)
    height = inside.across.shape[0]
    for block in range(kept.shape[0] - 1, -1, -1):
        if walk.place[0] < block * height:
            continue
        if block + 1 < kept.shape[0]:
            _fill_block(BEST, frame, inside, block * height, kept[block])
        if trace(frame, inside, walk, np.int64(0), block * height, np.bool_(False), np.int64(STOP)) == START:
            break
    return score, turn_round(walk)
