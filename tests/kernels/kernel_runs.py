"""Each implementation of the machines called by itself, and comparisons between results."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels import machine, machine_log, pushdown, pushdown_log
from pfsm_kernels.inference import Expectations, Jumps, Weights
from pfsm_kernels.lattices import Lattices

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


def linear_arguments(lattices: Lattices, weights: Weights) -> tuple[NDArray[np.generic], ...]:
    """What the linear kernels take between the range of pairs and the results."""
    arcs = np.zeros(lattices.arcs.shape[0]) if weights.arcs is None else weights.arcs
    links = np.zeros(0) if weights.links is None else np.exp(weights.links)
    return (
        lattices.offsets,
        lattices.delete_states,
        lattices.insert_states,
        lattices.arcs,
        lattices.by_end,
        np.exp(arcs),
        links,
        np.exp(weights.table),
    )


def jump_arguments(jumps: Jumps) -> tuple[Any, ...]:
    """What the kernels with jumps take beside the lattice and its weights."""
    return jumps.state, jumps.crossings.max_jump, jumps.crossings.hypothesis, jumps.crossings.reference


def in_linear_space(
    lattices: Lattices, weights: Weights, jumps: Jumps | None = None
) -> tuple[NDArray[np.bool_], Expectations]:
    """Forward-backward in linear space only, and which pairs it accepted; the rest is meaningless."""
    result = empty_expectations(lattices, weights)
    accepted = np.zeros(len(lattices), dtype=np.bool_)
    linear = linear_arguments(lattices, weights)
    outputs = result.table, result.arcs, result.links
    if jumps is None:
        machine.forward_backward_batch(0, len(lattices), *linear, result.log_sum, accepted, *outputs)
    else:
        inputs = *linear[:3], *linear[5:], *jump_arguments(jumps)
        pushdown.pushdown_batch(0, len(lattices), *inputs, result.log_sum, accepted, True, *outputs)
    return accepted, result


def linear_log_sums(
    lattices: Lattices, weights: Weights, jumps: Jumps | None = None
) -> tuple[NDArray[np.bool_], Float]:
    """The forward pass in linear space only, and which pairs it accepted; the rest is meaningless."""
    result = np.full(len(lattices), np.nan)
    accepted = np.zeros(len(lattices), dtype=np.bool_)
    linear = linear_arguments(lattices, weights)
    if jumps is None:
        machine.forward_batch(0, len(lattices), *linear, result, accepted)
    else:
        inputs, none = (*linear[:3], *linear[5:], *jump_arguments(jumps)), np.zeros(0)
        outputs = result, accepted, False, np.zeros((0, 0, 0)), none, none
        pushdown.pushdown_batch(0, len(lattices), *inputs, *outputs)
    return accepted, result


def in_log_space(lattices: Lattices, weights: Weights, jumps: Jumps | None = None) -> Expectations:
    """Forward-backward in log space only."""
    result = empty_expectations(lattices, weights)
    result.table[:] = 0.0
    result.arcs[:] = 0.0
    result.links[:] = 0.0
    for pair in range(len(lattices)):
        (d0, i0, a0), (d1, i1, a1) = lattices.offsets[pair : pair + 2]
        delete_states, insert_states = lattices.delete_states[d0:d1], lattices.insert_states[i0:i1]
        arcs = np.zeros(a1 - a0) if weights.arcs is None else weights.arcs[a0:a1]
        links = np.zeros(0) if weights.links is None else weights.links[a0:a1]
        outputs = result.table[pair], result.arcs[a0:a1], result.links[a0:a1]
        if jumps is None:
            ordered = lattices.arcs[a0:a1], lattices.by_end[a0:a1]
            log_sum = machine_log.log_forward_backward(
                delete_states, insert_states, *ordered, arcs, links, weights.table, *outputs, True
            )
        else:
            inputs = a0, delete_states, insert_states, arcs, links, weights.table
            log_sum = pushdown_log.log_pushdown(*inputs, *jump_arguments(jumps), True, *outputs)
        result.log_sum[pair] = log_sum
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
