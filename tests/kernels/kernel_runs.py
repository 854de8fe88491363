"""Each implementation of the machines called by itself, and comparisons between results."""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels import inference, machine, pushdown
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
        inputs = *inference._arrays(lattices), *factors
        machine.forward_backward_batch(0, len(lattices), *inputs, result.log_sum, accepted, *outputs)
    else:
        inputs = inference._pushdown_inputs(lattices, factors, jumps)
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
        machine.forward_batch(0, len(lattices), *inference._arrays(lattices), *factors, result, accepted)
    else:
        inputs, none = inference._pushdown_inputs(lattices, factors, jumps), np.zeros(0)
        outputs = result, accepted, False, np.zeros((0, 0, 0)), none, none
        pushdown.pushdown_batch(0, len(lattices), *inputs, *outputs)
    return accepted, result


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
