"""Each implementation of the finite-state machine called by itself, and comparisons between results."""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels import machine, machine_log
from pfsm_kernels.inference import Expectations, Weights
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


def in_linear_space(lattices: Lattices, weights: Weights) -> tuple[NDArray[np.bool_], Expectations]:
    """Forward-backward in linear space only, and which pairs it accepted; the rest is meaningless."""
    result = empty_expectations(lattices, weights)
    accepted = np.zeros(len(lattices), dtype=np.bool_)
    machine.forward_backward_batch(
        0, len(lattices), *linear_arguments(lattices, weights),
        result.log_sum, accepted, result.table, result.arcs, result.links,
    )  # fmt: skip
    return accepted, result


def linear_log_sums(lattices: Lattices, weights: Weights) -> tuple[NDArray[np.bool_], Float]:
    """The forward pass in linear space only, and which pairs it accepted; the rest is meaningless."""
    result = np.full(len(lattices), np.nan)
    accepted = np.zeros(len(lattices), dtype=np.bool_)
    machine.forward_batch(0, len(lattices), *linear_arguments(lattices, weights), result, accepted)
    return accepted, result


def in_log_space(lattices: Lattices, weights: Weights) -> Expectations:
    """Forward-backward in log space only."""
    result = empty_expectations(lattices, weights)
    result.table[:] = 0.0
    result.arcs[:] = 0.0
    result.links[:] = 0.0
    for pair in range(len(lattices)):
        (d0, i0, a0), (d1, i1, a1) = lattices.offsets[pair : pair + 2]
        result.log_sum[pair] = machine_log.log_forward_backward(
            lattices.delete_states[d0:d1],
            lattices.insert_states[i0:i1],
            lattices.arcs[a0:a1],
            lattices.by_end[a0:a1],
            np.zeros(a1 - a0) if weights.arcs is None else weights.arcs[a0:a1],
            np.zeros(0) if weights.links is None else weights.links[a0:a1],
            weights.table,
            result.table[pair],
            result.arcs[a0:a1],
            result.links[a0:a1],
            True,
        )
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
