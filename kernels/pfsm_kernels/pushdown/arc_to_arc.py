"""The restricted pushdown machine in linear space, from arc to arc: for sparse arcs, one Insert and one Delete state.

The swaps are those of ``cell_to_cell``; see there for K, Z, F, V, R and J. Here windows are not filled cell by cell.
Between two arcs there is nothing but Inserts and Deletes, and with one state each their sum depends on no more than
how many there are, so that it stands in tables that all pairs share: M, X and P of ``windows``. For one side, with
"along" the edit of its rows and "across" that of its columns:

    R[x, b]   = w_b sum_(f, l) T1[x, f] M[d, k][f, l] T2[l, b]   from the end of arc x to the start of arc b
    E[x, b]   = R[x, b] + sum_a R[x, a] E[a, b]                  all edit sequences from x that end with b
    K_bc[e]   = sum_a E[b, a] (sum_f T1[a, f] X[c][d, f] + T0[a, Jump] P[c][d])   at the places that a leaves to c
    Z_c[u]    = sum_a E[c, a] sum_f T1[a, f] M[u - row, L - column][f, across] T0[across, Jump]

(arcs that end where the next one, or the jump, begins enter without M). Arcs a lie within the jump limit of x, which no
part of a sequence between them leaves: the pairs (x, b) within the limit are found once, with the crossings. The outer
machine is that of ``cell_to_cell``, and the backward pass again the plain adjoint of everything.

**Tilt.** As in ``machine``, all pairs have the same rate, that of their Inserts and Deletes. What arcs and swaps
of a pair can add to a mass is below ``exp(growth)``, from the rate that ``rates_with_jumps`` finds for the pair alone;
where that is large, or the total small, the pair is left to ``cell_to_cell``.

**Cost.** O(m n + (m + n) D + crossings x arcs in a window x D + groups x (m + n)) time: for 23 words a side and 22 arcs
a quarter of the time of ``cell_to_cell`` with derivatives; worse than it where every window holds many arcs.

One side of a pair is laid out in ``laid_out``; ``swap_blocks`` has R, E, K, Z and their adjoint; ``outer`` the rest.
"""

import math

import numpy as np

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.batch import Cells, Factors, Outputs
from pfsm_kernels.machine.tilt import (
    LARGEST_GROWTH,
    LARGEST_TILTED_ENTRY,
    SMALLEST_TOTAL_WITH_JUMPS,
    column_maxima,
    match_rate,
    tilt_arcs,
)
from pfsm_kernels.pushdown.crossings import Side
from pfsm_kernels.pushdown.laid_out import LANES, Counts, Table, fill_part, make_part, row_starts
from pfsm_kernels.pushdown.outer import Planes, outer_backward, outer_forward
from pfsm_kernels.pushdown.swap_blocks import (
    Slopes,
    between_adjoint,
    blocks_adjoint,
    fill_between,
    fill_blocks,
    tables_adjoint,
)
from pfsm_kernels.pushdown.windows import Windows


@njit(nogil=True, error_model="numpy")
def sparse_pushdown_batch(first, last, chosen, cells, factors, jumping, rates, windows, outputs):
    """As ``pushdown_batch``, from arc to arc.

    Only lattices that are ``chosen`` (bool [n_lattices]) are done: with
    the two states alone, tokens on both sides, and fewer on either than ``windows`` has rows. ``rates`` are those of
    ``tilt``. What comes out not accepted is to be done by ``cell_to_cell``.
    """
    cells, factors, windows, outputs = Cells(*cells), Factors(*factors), Windows(*windows), Outputs(*outputs)
    offsets, arc_factor, link_factor, E = cells.offsets, factors.arcs, factors.links, factors.table
    jump, max_jump, hyp, ref = jumping[0], jumping[1], Side(*jumping[2]), Side(*jumping[3])
    log_sum, accepted, counts, arc_counts, link_counts = outputs
    insert, delete, derivatives = windows.insert, windows.delete, counts.shape[0] > 0
    S = E.shape[1]
    longest, most_arcs, most_crossings, most_groups, most_follow, most_cells = 0, 0, 0, 0, 0, 0
    for k in range(first, last):
        if not chosen[k]:
            continue
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        longest = max(longest, m, n)
        most_arcs = max(most_arcs, a1 - a0)
        most_cells = max(most_cells, (m + 1) * (n + 1 + LANES), (n + 1) * (m + 1 + LANES))
        for side in (hyp, ref):
            most_crossings = max(most_crossings, side.landed_first[a1] - side.landed_first[a0])
            most_groups = max(most_groups, side.group_first[a1] - side.group_first[a0])
            most_follow = max(most_follow, side.follow_first[a1] - side.follow_first[a0])
    width = longest + 2
    rate = windows.rate
    T1, T2, reach = E / rate, E / (rate * rate), column_maxima(E)
    c0, c1, c2, inner = np.empty((S + 1, S)), np.empty((S + 1, S)), np.empty((S + 1, S)), np.empty((2, 5))
    rows = np.zeros((5, width))
    dcolumns, dsums = np.zeros((max_jump, 2, width)), np.zeros((width, 4 * max_jump))
    dleaves, dturns = np.zeros((width, 2 * max_jump)), np.zeros((width, 2 * max_jump))
    dblocks, dopens = np.zeros((S, width, 2 * max_jump)), np.zeros((S, width))
    marked, touched = np.zeros((S, width), np.bool_), np.empty((S * width + 1, 2), np.uintp)
    dE, dR, weighted = np.empty(most_follow), np.empty(most_follow), np.empty((most_crossings, max_jump))
    dZ = np.empty(width + LANES)
    M, B = np.empty(most_arcs), np.empty(most_arcs)
    tilted, slot = np.empty(most_arcs), np.empty(most_arcs, np.uintp)
    masses, link_masses = np.empty((2, most_arcs)), np.empty((2, most_arcs))
    starts, ends = np.empty(width + 1, np.uintp), np.empty(width + 1, np.uintp)
    by_end = np.empty(most_arcs, np.uintp)
    planes = np.empty((5, most_cells))
    insert, delete, limit = np.uintp(insert), np.uintp(delete), np.uintp(max_jump)
    table = Table(E, T1, T2, insert, delete, np.uintp(jump), limit)
    slopes = Slopes(dcolumns, dsums, dleaves, dturns, dblocks, dopens, marked, touched, dE, dR, dZ, weighted)
    sizes, n_links = (most_arcs, most_crossings, most_groups, most_follow), link_factor.size
    hypothesis = make_part(delete, insert, width, sizes, max_jump, n_links > 0)
    reference = make_part(insert, delete, width, sizes, max_jump, n_links > 0)
    order = starts, ends, by_end
    for k in range(first, last):
        if not chosen[k]:
            continue
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        a0, A = offsets[k, 2], offsets[k + 1, 2] - offsets[k, 2]
        growth = (m + n) * max(0.0, math.log(rates[k] / rate)) if rates[k] > 0.0 else np.inf
        _, _, entry = match_rate(reach, a0, a0 + A, cells.arcs, arc_factor, link_factor)
        accepted[k] = growth <= LARGEST_GROWTH and entry <= LARGEST_TILTED_ENTRY * rate * rate
        accepted[k] = accepted[k] and tilt_arcs(rate, a0, a0 + A, cells.arcs, arc_factor, tilted)
        if not accepted[k]:
            continue
        row_starts(a0, A, hyp.arcs, starts[: m + 2], ends[: m + 2])
        for x in range(A):
            by_end[x] = hyp.by_end[a0 + x]
        link = link_factor[a0 : a0 + A] if n_links else link_factor
        weights = tilted, link
        hypothesis = fill_part(hypothesis, hyp, ref.position, (a0, A), m, limit, weights, slot)
        reference = fill_part(reference, ref, ref.original, (a0, A), n, limit, weights, slot)
        for s in range(2):
            part = reference if s else hypothesis
            fill_between(part, table, windows.sums[s])
            fill_blocks(part, table, windows.columns[s], windows.blocks[s], windows.opens[s])
        stride, other = n + 1 + LANES, m + 1 + LANES
        size = (m + 1) * stride
        I, D = planes[0, :size].reshape(m + 1, stride), planes[1, :size].reshape(m + 1, stride)
        V, bV = planes[2, :size].reshape(m + 1, stride), planes[3, :size].reshape(m + 1, stride)
        turned = planes[4, : (n + 1) * other].reshape(n + 1, other)
        V[:] = 0.0
        turned[:] = 0.0
        D[0] = 0.0
        outer = Planes(I, D, V, bV, turned)
        total = outer_forward(hypothesis, reference, table, order, outer, M, rows)
        accepted[k] = total >= SMALLEST_TOTAL_WITH_JUMPS * math.exp(growth)
        if not accepted[k]:
            continue
        log_sum[k] = math.log(total) + (m + n) * math.log(rate)
        if not derivatives:
            continue
        c0[:] = 0.0
        c1[:] = 0.0
        c2[:] = 0.0
        inner[:] = 0.0
        link_masses[:] = 0.0
        bV[:, n + 1 :] = 0.0
        counted = Counts(c0, c1, c2, inner[0], masses[0], link_masses[0])
        outer_backward(hypothesis, reference, table, order, outer, M, B, rows, counted)
        for a in range(A):
            masses[0, a] = M[a] * B[a]
            masses[1, a] = 0.0
        for s in range(2):
            part, plane = (reference, bV) if s else (hypothesis, turned)
            counted = Counts(c0, c1, c2, inner[s], masses[s], link_masses[s])
            blocks = windows.blocks[s]
            touches = blocks_adjoint(
                part, table, windows.columns[s], blocks, windows.opens[s], plane, slopes, counted
            )
            between_adjoint(part, table, windows.sums[s], slopes, counted)
            tables_adjoint(part, table, windows, s, slopes, touches, counted)
        scale = 1.0 / total
        for x in range(A):
            a = ref.original[a0 + x]
            masses[0, a] += masses[1, x]
            if n_links:
                link_masses[0, a] += link_masses[1, x]
        for a in range(A):
            arc_counts[a0 + a] = masses[0, a] * scale
        for a in range(link.size):
            link_counts[a0 + a] = link_masses[0, a] * scale
        for prev in range(S + 1):
            for cur in range(S):
                count = 0.0
                if c0[prev, cur] > 0.0:
                    count += c0[prev, cur] * E[prev, cur]
                if c1[prev, cur] > 0.0:
                    count += c1[prev, cur] * T1[prev, cur]
                if c2[prev, cur] > 0.0:
                    count += c2[prev, cur] * T2[prev, cur]
                counts[k, prev, cur] = count * scale
        for s in range(2):
            along, across = (insert, delete) if s else (delete, insert)
            counts[k, across, across] += inner[s, 0] * scale
            counts[k, along, across] += inner[s, 1] * scale
            counts[k, across, along] += inner[s, 2] * scale
            counts[k, along, along] += inner[s, 3] * scale
            counts[k, jump, along] += inner[s, 4] * scale
