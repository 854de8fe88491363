"""Each implementation of the machines called by itself, and comparisons between results."""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels import inference, linear_space, machine, machine_sparse, pushdown, pushdown_sparse
from pfsm_kernels.inference import Expectations, Jumps, Weights
from pfsm_kernels.lattices import Lattices
from pfsm_kernels.runs import few_arcs, find_groups

Float = NDArray[np.float64]


def empty_expectations(lattices: Lattices, weights: Weights) -> Expectations:
    """Room for the results of a batch, filled with NaN so that nothing unwritten can look right."""
    pairs, states, arcs = len(lattices), lattices.n_states, lattices.arcs.shape[0]
    return Expectations(
        np.full(pairs, np.nan),
        np.full((pairs, states + 1, states), np.nan),
        np.full(arcs, np.nan),
        np.full(0 if weights.links is None else arcs, np.nan),
    )


def linear_factors(weights: Weights, arcs: int) -> tuple[Float, Float, Float]:
    """exp of the weights on arcs, on links and in the table, whatever their size."""
    on_arcs = np.ones(arcs) if weights.arcs is None else np.exp(weights.arcs)
    links = np.zeros(0) if weights.links is None else np.exp(weights.links)
    return on_arcs, links, np.exp(weights.table)


def in_linear_space(
    lattices: Lattices, weights: Weights, jumps: Jumps | None = None
) -> tuple[NDArray[np.bool_], Expectations]:
    """Forward-backward in linear space only, and which pairs it accepted; the rest is meaningless."""
    result = empty_expectations(lattices, weights)
    accepted = np.zeros(len(lattices), dtype=np.bool_)
    factors = linear_factors(weights, lattices.arcs.shape[0])
    outputs = result.table, result.arcs, result.links
    if jumps is None:
        inputs = *linear_space.machine_arrays(lattices), *factors
        machine.forward_backward_batch(0, len(lattices), *inputs, result.log_sum, accepted, *outputs)
    else:
        inputs = linear_space.pushdown_inputs(
            lattices, factors, jumps, *linear_space.tilts(lattices, factors, jumps)
        )
        pushdown.pushdown_batch(0, len(lattices), *inputs, result.log_sum, accepted, True, *outputs)
    return accepted, result


def linear_log_sums(
    lattices: Lattices, weights: Weights, jumps: Jumps | None = None
) -> tuple[NDArray[np.bool_], Float]:
    """The forward pass in linear space only, and which pairs it accepted; the rest is meaningless."""
    result = np.full(len(lattices), np.nan)
    accepted = np.zeros(len(lattices), dtype=np.bool_)
    factors = linear_factors(weights, lattices.arcs.shape[0])
    if jumps is None:
        machine.forward_batch(
            0, len(lattices), *linear_space.machine_arrays(lattices), *factors, result, accepted
        )
    else:
        found, none = linear_space.tilts(lattices, factors, jumps), np.zeros(0)
        inputs = linear_space.pushdown_inputs(lattices, factors, jumps, *found)
        outputs = result, accepted, False, np.zeros((0, 0, 0)), none, none
        pushdown.pushdown_batch(0, len(lattices), *inputs, *outputs)
    return accepted, result


def uniform(lattices: Lattices, insert: int = 0, delete: int = 2) -> Lattices:
    """The lattices with one state for Insert and one for Delete."""
    inserts = np.full_like(lattices.insert_states, insert)
    deletes = np.full_like(lattices.delete_states, delete)
    return Lattices(lattices.n_states, deletes, inserts, lattices.arcs, lattices.offsets)


def arc_to_arc(
    lattices: Lattices, weights: Weights, jumps: Jumps | None = None, derivatives: bool = True
) -> tuple[NDArray[np.bool_], Expectations]:
    """The kernels for sparse arcs only, and which pairs they accepted; the rest is meaningless."""
    result = empty_expectations(lattices, weights)
    accepted = np.zeros(len(lattices), dtype=np.bool_)
    factors = linear_factors(weights, lattices.arcs.shape[0])
    outputs = result.log_sum, accepted, derivatives, result.table, result.arcs, result.links
    few = few_arcs(lattices) if jumps is None else jumps.crossings.sparse
    for group in find_groups(lattices, few):
        if jumps is None:
            tables = group.tables(factors[-1], derivatives)
            if tables is not None:
                inputs = group.wanted, lattices.offsets, lattices.arcs, lattices.by_end, *factors, *tables
                machine_sparse.sparse_batch(0, len(lattices), *inputs, *outputs)
            continue
        crossings = jumps.crossings
        windows = group.windows(factors[-1], jumps.state, crossings.max_jump, derivatives)
        if windows is not None:
            machine_of = jumps.state, crossings.max_jump, crossings.hypothesis, crossings.reference
            rates, _ = linear_space.tilts(lattices, factors, jumps)
            jumping = group.wanted, lattices.offsets, *factors, *machine_of, group.insert, group.delete
            pushdown_sparse.sparse_batch(0, len(lattices), *jumping, rates, windows, *outputs)
    return accepted, result


def chosen(found: Expectations, lattices: Lattices, pairs: NDArray[np.bool_]) -> Expectations:
    """Of some pairs alone."""
    arcs = pairs[lattices.pair_of_arc]
    links = found.links[arcs] if found.links.size else found.links
    return Expectations(found.log_sum[pairs], found.table[pairs], found.arcs[arcs], links)


def in_log_space(lattices: Lattices, weights: Weights, jumps: Jumps | None = None) -> Expectations:
    """Forward-backward in log space only."""
    result = empty_expectations(lattices, weights)
    none = np.zeros(len(lattices), dtype=np.bool_)
    inference._in_log_space(lattices, weights, jumps, none, result.log_sum, result, 1)
    return result


def largest_difference(left: Float, right: Float) -> float:
    """Largest |left - right| / max(1, |right|); infinities agree with themselves, NaN with nothing."""
    if left.shape != right.shape:
        raise AssertionError(f"shapes differ: {left.shape} and {right.shape}")
    differs = left != right
    if not differs.any():
        return 0.0
    gap = np.abs(left[differs] - right[differs]) / np.maximum(1.0, np.abs(right[differs]))
    return float(np.nan_to_num(gap, nan=np.inf).max())


def assert_agree(left: Expectations, right: Expectations, tolerance: float) -> None:
    """Log-sums and all derivatives agree to the tolerance, relative to max(1, |value|)."""
    for name in ("log_sum", "table", "arcs", "links"):
        gap = largest_difference(getattr(left, name), getattr(right, name))
        assert gap <= tolerance, f"{name} differs by {gap:.3g}, more than {tolerance:.3g}"
