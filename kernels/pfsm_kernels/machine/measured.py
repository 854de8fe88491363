"""The finite-state machine in linear space with a rate that is found, not derived: for wide ranges of weights.

The recurrences and the exactness of the tilt are those of ``cell_to_cell``. There the rate is so large that no mass can
exceed one, whatever matches; where weights span several orders of magnitude the total may then underflow, although some
smaller rate would keep every mass of this lattice in range. Here rates are tried, and masses looked at.

**Error.** Let F and B be the largest forward and backward mass; sums of masses stand for them, which are as large at
least and quicker to find. An operation that underflows loses at most 1e-308. What
it loses reaches the total, or a count, times the mass that leads on from it (at most B) or to it (at most F). A product
of a forward and a backward mass that underflows loses as much times a tilted factor. So a total of at least
``SMALLEST_SHARE max(1, F, B)`` is exact to rounding while no tilted factor exceeds ``LARGEST_TILTED``. No tilted factor
underflows by itself, as rates stay within ``LARGEST_LOG_RATE``. Nothing overflows while ``F B`` is at most
``LARGEST_PRODUCT``.

**Rates.** The score of two sequences is a lower bound of the total. The first rate is right for a total somewhat above
it, as most are. The next is the one that makes the total one, which leaves most room on either side. A total that
overflows asks for a larger rate.

**Cost.** A forward pass for each rate that is tried, one backward pass; all rows are kept, 16 (m + 1) (n + 1) bytes.
"""

import math

import numpy as np

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.batch import Cells, Factors, Outputs
from pfsm_kernels.machine.cell_to_cell import (
    Counts,
    Lattice,
    Steps,
    _backward_rows,
    _collect,
    _forward_rows,
    _prepare,
    _total,
)
from pfsm_kernels.machine.tilt import (
    DELETED,
    INSERTED,
    MATCHED,
    MOST_CELLS,
    USUAL_GAIN,
    find_states,
    least_log_sum,
    tilt_arcs,
)

# 1e-308 x 1e10 operations x 1e16 (double precision) x 1e14 (tilted factors of an edit and of its arc).
SMALLEST_SHARE = 1e-268
LARGEST_PRODUCT = 1e290
LARGEST_TILTED = 1e8
SMALLEST_ARC_FACTOR, LARGEST_ARC_FACTOR = 1e-300, 1e6
# With weights within ``tilt.LARGEST_WEIGHT``, a factor over two of them is a normal number.
LARGEST_LOG_RATE = 50.0
# Of the log of the total: a step after an overflow, less than the range of a double; of the log of the rate.
STEP, LARGEST_STEP = 500.0, 10.0
SMALLEST_NORMAL = 1e-300
# Further from one, another rate is worth its pass.
NEAR_ONE = 1e-60
MOST_RATES = 16


@njit(inner=True, fastmath={"reassoc"})
def _sum(values):
    """The sum of masses; infinite or not a number where anything has overflowed."""
    total = 0.0
    for at in range(values.size):
        total += values[at]
    return total


@njit(inner=True)
def _moderate(steps, seen, present, lattice, tilted):
    """Whether no tilted factor of an edit that this lattice offers is too large, and none of an arc too small."""
    T1, T2 = steps.T1, steps.T2
    largest_link = 1.0
    for a in range(lattice.link.size):
        largest_link = max(largest_link, lattice.link[a])
    for prev in present:
        for cur in present[:-1]:
            if seen[cur] & (INSERTED | DELETED) and T1[prev, cur] > LARGEST_TILTED:
                return False
            if seen[cur] & MATCHED and T2[prev, cur] * largest_link > LARGEST_TILTED:
                return False
    for a in range(tilted.size):
        if 0.0 < tilted[a] < SMALLEST_ARC_FACTOR or not tilted[a] <= LARGEST_ARC_FACTOR:
            return False
    return True


@njit(inner=True)
def _forward(least, lattice, E, steps, seen, present, tilted, I, D, rows, M):
    """Tries rates until the total is near one; the last rate and its total, or NaN where there is none that is good."""
    deletes, inserts, arcs, by_end = lattice.deletes, lattice.inserts, lattice.arcs, lattice.by_end
    m, n = deletes.size, inserts.size
    step = min(STEP / (m + n), LARGEST_STEP)
    log_rate = least / (m + n) + min(USUAL_GAIN / (m + n), LARGEST_STEP)
    rho, total = math.nan, math.inf
    for _ in range(MOST_RATES):
        if not abs(log_rate) <= LARGEST_LOG_RATE:
            return math.nan, total
        rho = math.exp(log_rate)
        tilt_arcs(rho, np.int64(0), arcs.shape[0], arcs, lattice.factor, tilted)
        _prepare(rho, E, inserts, seen, present, steps)
        if not _moderate(steps, seen, present, lattice, tilted):
            return math.nan, total
        D[0] = 0.0
        at_rate = Lattice(deletes, inserts, arcs, by_end, tilted, lattice.link)
        _forward_rows((np.int64(0), m), at_rate, steps, I, D, rows[:2], M, np.int64(0), np.int64(0))
        total = _total(m, n, arcs, by_end, M, I[m, n], D[m, n])
        if NEAR_ONE < total < 1.0 / NEAR_ONE:
            break
        if total < math.inf:
            log_rate += math.log(max(total, SMALLEST_NORMAL)) / (m + n)
        else:
            log_rate += step
    return rho, total


@njit(inner=True, error_model="numpy")
def _measured_forward_backward(least, lattice, E, table, arc_counts, link_counts):
    """Log-sum of one lattice with its derivatives; NaN where log space is needed.

    Where the result is not a number, what is written into the counts means nothing.
    """
    deletes, inserts, arcs, by_end = lattice.deletes, lattice.inserts, lattice.arcs, lattice.by_end
    m, n, S, A = deletes.size, inserts.size, E.shape[1], arcs.shape[0]
    seen, listed = np.empty(S, np.int64), np.empty(S + 1, np.int64)
    present = listed[: find_states(deletes, inserts, arcs, np.int64(-1), seen, listed)]
    steps = Steps(
        np.empty((S + 1, S)),
        np.empty((S + 1, S)),
        np.empty(n + 1),
        np.empty((S, n + 1)),
        np.empty((S, n + 1)),
    )
    I, D, M = np.empty((m + 1, n + 1)), np.zeros((m + 2, n + 1)), np.empty(A)
    rows, tilted = np.empty((7, n + 1)), np.empty(A)
    rho, total = _forward(least, lattice, E, steps, seen, present, tilted, I, D, rows, M)
    if math.isnan(rho):
        return math.nan
    forward = 1.0 + _sum(I.ravel()) + _sum(D[: m + 1].ravel()) + _sum(M)
    if not (forward < LARGEST_PRODUCT and total >= SMALLEST_SHARE * forward):
        return math.nan
    at_rate = Lattice(deletes, inserts, arcs, by_end, tilted, lattice.link)
    B = np.zeros(A)
    counts = Counts(
        np.zeros((S + 1, S)), np.zeros((S + 1, S)), np.zeros((S, n + 1)), np.zeros((S, n + 1)), link_counts
    )
    rows[:] = 0.0
    link_counts[:] = 0.0
    backward, next_start, next_end = 1.0, A, A
    for i in range(m, -1, -1):
        next_start, next_end = _backward_rows(
            (i, i), at_rate, steps, I[i : i + 1], D[i : i + 2], rows, M, B, counts, next_start, next_end
        )
        backward += _sum(rows[:2].ravel())
    backward += _sum(B)
    if not (forward * backward <= LARGEST_PRODUCT and total >= SMALLEST_SHARE * backward):
        return math.nan
    _collect(inserts, seen, present, steps, rows[5], counts, total, table)
    for a in range(A):
        arc_counts[a] = M[a] * B[a] / total
    for a in range(link_counts.size):
        link_counts[a] /= total
    return math.log(total) + (m + n) * math.log(rho)


@njit(nogil=True, error_model="numpy")
def measured_batch(first, last, cells, factors, outputs):
    """As ``machine_batch``, for the lattices that are not accepted yet.

    The sums are the same with and without derivatives: what vouches for them needs the backward pass in any case.
    """
    cells, factors, outputs = Cells(*cells), Factors(*factors), Outputs(*outputs)
    offsets, E, accepted = cells.offsets, factors.table, outputs.accepted
    derivatives, n_links = outputs.table.shape[0] > 0, factors.links.size
    log_E = np.log(E)
    for k in range(first, last):
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        if accepted[k] or m + n == 0 or (m + 1) * (n + 1) > MOST_CELLS:
            continue
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        lattice = Lattice(
            cells.deletes[offsets[k, 0] : offsets[k + 1, 0]],
            cells.inserts[offsets[k, 1] : offsets[k + 1, 1]],
            cells.arcs[a0:a1],
            cells.by_end[a0:a1],
            factors.arcs[a0:a1],
            factors.links[a0:a1] if n_links else factors.links,
        )
        least = least_log_sum(log_E, lattice.deletes, lattice.inserts)
        if derivatives:
            table, on_arcs = outputs.table[k], outputs.arcs[a0:a1]
            on_links = outputs.links[a0:a1] if n_links else outputs.links
        else:
            table, on_arcs, on_links = np.empty(E.shape), np.empty(a1 - a0), np.empty(lattice.link.size)
        y = _measured_forward_backward(least, lattice, E, table, on_arcs, on_links)
        accepted[k] = not math.isnan(y)
        if accepted[k]:
            outputs.log_sum[k] = y
