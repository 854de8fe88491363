"""How often each edit of a lattice is made, and what the weights of its state add: sums for every single place.

With the worth of a place the sum over what may follow it, and the sources of ``sweep``,

    count(source > place)  = mass of the source x W[state of source, state of place] x worth of the place / total
    number(place)          = sum over sources of count                the posterior probability of the place
    weight(place)          = sum over sources of count x log W        what the table adds to the mean of Q(e)

over all cells in which the place can be reached. One forward and one backward pass give them without a state for every
place. In linear space, every edit is divided by ``exp(y / (m + n))`` per consumed token, so that the total is one; the
log-sum y is given. A pair whose masses or factors go far from one is done in log space.

**Cost.** O(m n + arcs) time, 16 bytes a cell.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.machine.log_space import make_masses
from pfsm_kernels.machine.sweep import forward_rows, make_frame, total_mass
from pfsm_kernels.semiring import LINEAR, LOG, plus, share, times, whole_of

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]

# Beyond exp of it no factor is taken in linear space, and no mass times a worth. What underflow loses, 1e-308, is
# multiplied by at most the third power: it stays below 1e-80 of the total.
LARGEST_EXPONENT = 175.0


class PlaceBatch(NamedTuple):
    """Lattices and their weights in the log domain.

    Attributes:
        offsets: int64 [n_lattices + 1, 3], where tokens of r, tokens of s and arcs of each lattice begin.
        deletes: int32 [reference tokens], state of the Delete at each position.
        inserts: int32 [hypothesis tokens], state of the Insert at each position.
        arcs: int32 [n_arcs, 5], rows (i, p, j, q, state) sorted by (i, j) within a lattice.
        by_end: int32 [n_arcs], arcs of a lattice (counted from 0) in order of (i + p, j + q).
        weight: float64 [n_arcs].
        link: float64 [n_arcs] or [0].
        W: float64 [S + 1, S].
        log_sum: float64 [n_lattices].
    """

    offsets: NDArray[np.int64]
    deletes: Int32
    inserts: Int32
    arcs: Int32
    by_end: Int32
    weight: Float
    link: Float
    W: Float
    log_sum: Float


class Sums(NamedTuple):
    """Room for results: rows (number, weight); of links the number alone. All zero at first.

    Attributes:
        deletes: float64 [reference tokens, 2].
        inserts: float64 [hypothesis tokens, 2].
        arcs: float64 [n_arcs, 2].
        links: float64 [n_arcs] or [0], how often each arc carries its link weight.
    """

    deletes: Float
    inserts: Float
    arcs: Float
    links: Float


@njit(inner=True)
def _add(row, count, weight):
    # What is impossible weighs minus infinity.
    if count > 0.0:
        row[0] += count
        row[1] += count * weight


@njit(inner=True)
def _follow(semiring, frame, W, source, cell, worth, whole, sums):
    """The worth of a source: a mass, its state and its arc or -1; adds to the sums of what may follow it in a cell.

    ``cell`` is the row, the column, and the first arc that begins there and one past the last; ``worth`` is that of the
    edit across, of the edit along, of stopping, and of arcs.
    """
    (mass, prev, a), (u, v, s0, s1), (right, low, total, B) = source, cell, worth
    arcs, link = frame.arcs, frame.link
    if v < frame.across.size:
        cur = frame.across[v]
        step = times(semiring, frame.W[prev, cur], right)
        _add(sums.inserts[v], share(semiring, times(semiring, mass, step), whole), W[prev, cur])
        total = plus(semiring, total, step)
    if u < frame.along.size:
        cur = frame.along[u]
        step = times(semiring, frame.W[prev, cur], low)
        _add(sums.deletes[u], share(semiring, times(semiring, mass, step), whole), W[prev, cur])
        total = plus(semiring, total, step)
    for b in range(s0, s1):
        cur = arcs[b, 4]
        linked = link.size > 0 and a >= 0 and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2
        step = times(semiring, frame.into_arcs[prev, cur], times(semiring, frame.weight[b], B[b]))
        if linked:
            step = times(semiring, step, link[b])
        count = share(semiring, times(semiring, mass, step), whole)
        _add(sums.arcs[b], count, W[prev, cur])
        if linked:
            sums.links[b] += count
        total = plus(semiring, total, step)
    return total


@njit(inner=True)
def _backward(semiring, frame, inside, W, whole, sums, limit):
    """Fills the sums; returns whether no worth is larger than the limit."""
    m, n, start = frame.along.size, frame.across.size, frame.W.shape[0] - 1
    I, D, M = inside.across, inside.along, inside.arcs
    none, one = semiring.zero, semiring.one
    B, low = np.full(M.size, none), np.full(n + 1, none)
    largest = one
    for u in range(m, -1, -1):
        s_first, s0, e_first, e0 = frame.starts[u], frame.starts[u + 1], frame.ends[u], frame.ends[u + 1]
        before = np.int64(frame.along[u - 1]) if u else start
        right = none
        for v in range(n, -1, -1):
            s1, e1 = s0, e0
            while s0 > s_first and frame.columns[s0 - 1] == v:
                s0 -= 1
            while e0 > e_first and frame.end_columns[e0 - 1] == v:
                e0 -= 1
            cell = u, v, s0, s1
            worth = right, low[v], one if u == m and v == n else none, B
            for e in range(e0, e1):
                a = np.int64(frame.by_end[e])
                source = M[a], np.int64(frame.arcs[a, 4]), a
                B[a] = _follow(semiring, frame, W, source, cell, worth, whole, sums)
                largest = max(largest, B[a])
            if u + v == 0:
                _follow(semiring, frame, W, (one, start, np.int64(-1)), cell, worth, whole, sums)
            if v:
                source = I[u, v], np.int64(frame.across[v - 1]), np.int64(-1)
                right = _follow(semiring, frame, W, source, cell, worth, whole, sums)
                largest = max(largest, right)
            if u:
                source = D[u, v], before, np.int64(-1)
                low[v] = _follow(semiring, frame, W, source, cell, worth, whole, sums)
                largest = max(largest, low[v])
    return largest < limit


@njit(inner=True)
def _place_sums(semiring, pair, tables, W, sums, limit):
    """Fills the sums of one lattice; returns whether all masses and worths stay below the limit, NaN does not."""
    deletes, inserts, arcs, by_end, weight, link = pair
    m, n = deletes.size, inserts.size
    tables = tables[0], tables[1], tables[0]
    frame = make_frame(deletes, inserts, arcs, by_end, weight, link, tables, np.int64(-1))
    inside = make_masses(semiring.zero, m + 1, n + 1, weight.size, 0, False)
    first = np.int64(0)
    forward_rows(semiring, frame, inside, first, n, first, (first, m + 1))
    total = total_mass(semiring, frame, inside, first)
    largest = total
    for plane in (inside.across, inside.along):
        for mass in plane.ravel():
            largest = max(largest, mass)
    for mass in inside.arcs:
        largest = max(largest, mass)
    if not (total > semiring.zero and largest < limit):
        return False
    return _backward(semiring, frame, inside, W, whole_of(semiring, total), sums, limit)


@njit(inner=True)
def _clear(sums):
    sums.deletes[:] = 0.0
    sums.inserts[:] = 0.0
    sums.arcs[:] = 0.0
    sums.links[:] = 0.0


@njit(inner=True)
def _tilted(values, extra, near):
    """exp of weights over the tilt; whether all are near one, or impossible."""
    factors = np.empty(values.shape)
    flat, out, fine = values.ravel(), factors.ravel(), True
    for k in range(flat.size):
        exponent = flat[k] - extra
        fine = fine and (exponent == -math.inf or abs(exponent) < near)
        out[k] = math.exp(exponent) if exponent < near else 0.0
    return factors, fine


@njit(inner=True)
def _in_linear_space(pair, W, log_sum, sums):
    """Whether one lattice could be done in linear space."""
    deletes, inserts, arcs, by_end, weight, link = pair
    rate = log_sum / (deletes.size + inserts.size)
    if not abs(rate) < LARGEST_EXPONENT:
        return False
    steps, fine = _tilted(W, rate, LARGEST_EXPONENT)
    double, double_fine = _tilted(W, 2.0 * rate, LARGEST_EXPONENT)
    longer = weight - (arcs[:, 1] + arcs[:, 3] - 2) * rate
    factors, factors_fine = _tilted(longer, 0.0, LARGEST_EXPONENT)
    links, links_fine = _tilted(link, 0.0, LARGEST_EXPONENT)
    if not (fine and double_fine and factors_fine and links_fine):
        return False
    tilted = deletes, inserts, arcs, by_end, factors, links
    return _place_sums(LINEAR, tilted, (steps, double), W, sums, math.exp(LARGEST_EXPONENT))


@njit(nogil=True, error_model="numpy")
def place_batch(first, last, batch, sums):
    """Fills the sums of lattices ``first`` to ``last - 1``: a ``PlaceBatch`` and ``Sums``, as plain tuples."""
    batch, sums = PlaceBatch(*batch), Sums(*sums)
    offsets, W = batch.offsets, batch.W
    for k in range(first, last):
        d0, i0, a0 = offsets[k]
        d1, i1, a1 = offsets[k + 1]
        if d1 - d0 + i1 - i0 == 0 or batch.log_sum[k] == -math.inf:
            continue
        link = batch.link[a0:a1] if batch.link.size else batch.link
        pair = (
            batch.deletes[d0:d1], batch.inserts[i0:i1], batch.arcs[a0:a1], batch.by_end[a0:a1],
            batch.weight[a0:a1], link,
        )  # fmt: skip
        own = Sums(
            sums.deletes[d0:d1], sums.inserts[i0:i1], sums.arcs[a0:a1],
            sums.links[a0:a1] if sums.links.size else sums.links,
        )  # fmt: skip
        if not _in_linear_space(pair, W, batch.log_sum[k], own):
            _clear(own)
            _place_sums(LOG, pair, (W, W), W, own, math.inf)
