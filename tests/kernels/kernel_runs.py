"""Each implementation of the machines called by itself, and comparisons between results."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from unittest import mock

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels import inference, linear_space
from pfsm_kernels.inference import Expectations, Jumps, Weights
from pfsm_kernels.lattice.lattices import Factors, Lattices, Outputs, table_shape
from pfsm_kernels.pushdown import crossings

Float = NDArray[np.float64]


def empty_expectations(lattices: Lattices, weights: Weights) -> Expectations:
    """Room for the results of a batch, filled with NaN so that nothing unwritten can look right."""
    pairs, states, arcs = len(lattices), lattices.n_states, lattices.arcs.shape[0]
    return Expectations(
        np.full(pairs, np.nan),
        np.full((pairs, *table_shape(states)), np.nan),
        np.full(arcs, np.nan),
        np.full(0 if weights.links is None else arcs, np.nan),
    )


def linear_factors(weights: Weights, arcs: int) -> Factors:
    """exp of the weights on arcs, on links and in the table, whatever their size."""
    on_arcs = np.ones(arcs) if weights.arcs is None else np.exp(weights.arcs)
    links = np.zeros(0) if weights.links is None else np.exp(weights.links)
    return Factors(on_arcs, links, np.exp(weights.table))


def room(lattices: Lattices, weights: Weights, derivatives: bool) -> Outputs:
    """Room for the results of linear space, no pair accepted."""
    result = empty_expectations(lattices, weights)
    accepted = np.zeros(len(lattices), dtype=np.bool_)
    if derivatives:
        return Outputs(result.log_sum, accepted, result.table, result.arcs, result.links)
    return Outputs(result.log_sum, accepted, np.zeros((0, 0, 0)), np.zeros(0), np.zeros(0))


def run_linear(
    way: Callable[..., linear_space.Task],
    lattices: Lattices,
    weights: Weights,
    derivatives: bool = True,
    *jumps: Jumps | None,
) -> tuple[NDArray[np.bool_], Expectations]:
    """One way through linear space, and which pairs it accepted; the rest is meaningless."""
    factors = linear_factors(weights, lattices.arcs.shape[0])
    outputs = room(lattices, weights, derivatives)
    way(lattices, factors, *jumps, outputs)(0, len(lattices))
    return outputs.accepted, Expectations(outputs.log_sum, outputs.table, outputs.arcs, outputs.links)


by_diagonal = partial(run_linear, linear_space.by_diagonal)
by_wide_diagonal = partial(run_linear, linear_space.by_wide_diagonal)
cell_to_cell = partial(run_linear, linear_space.cell_to_cell)
"""With jumps. All take a batch, weights, whether derivatives are asked for, and jumps."""


def uniform(lattices: Lattices, insert: int = 0, delete: int = 2) -> Lattices:
    """The lattices with one state for Insert and one for Delete."""
    inserts = np.full_like(lattices.insert_states, insert)
    deletes = np.full_like(lattices.delete_states, delete)
    return Lattices(lattices.n_states, deletes, inserts, lattices.arcs, lattices.offsets)


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


def log_sums_in_log_space(lattices: Lattices, weights: Weights, jumps: Jumps | None) -> Float:
    """The forward pass in log space only."""
    result = np.full(len(lattices), np.nan)
    inference._in_log_space(
        lattices, weights, jumps, np.zeros(len(lattices), dtype=np.bool_), result, None, 1
    )
    return result


# Linear space is offered no weight whose exp it does not take.
# Interpreted, the kernels warn where they overflow to infinity; compiled, they do so in silence.
OVERFLOWS = pytest.mark.filterwarnings(
    *["ignore:(overflow|invalid value|divide by zero) encountered:RuntimeWarning"]
    * bool(numba.config.DISABLE_JIT)
)
LARGEST = 600.0


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one implementation makes of a batch."""

    name: str
    accepted: NDArray[np.bool_]
    expected: Expectations
    sums: Float


def outcomes(lattices: Lattices, weights: Weights, jumps: Jumps | None = None) -> list[Outcome]:
    """What every implementation makes of a batch: the front, log space, and by diagonals, narrow and wide; with jumps
    from cell to cell and from arc to arc.

    From arc to arc and by diagonals every pair with one state of Insert and one of Delete goes, however many arcs it
    has.
    """
    every = np.ones(len(lattices), dtype=np.bool_)
    found = [
        Outcome("front", every, inference.expectations(lattices, weights, 1, jumps),
                inference.log_sum(lattices, weights, 1, jumps)),
        Outcome("log space", every, in_log_space(lattices, weights, jumps),
                log_sums_in_log_space(lattices, weights, jumps)),
    ]  # fmt: skip
    parts = [part for part in (weights.table, weights.arcs, weights.links) if part is not None]
    if any(np.abs(part[part > -np.inf]).max(initial=0.0) > LARGEST for part in parts):
        return found
    if jumps is None:
        ways = {"by diagonals": by_diagonal, "wide": by_wide_diagonal}
    else:
        ways = {"cell to cell": cell_to_cell, "arc to arc": partial(run_linear, linear_space.arc_to_arc)}
        with mock.patch.object(crossings, "PAIR_OF_ARCS", 0.0):
            jumps = Jumps(jumps.state, crossings.find_crossings(lattices, jumps.crossings.max_jump))
    given = () if jumps is None else (jumps,)
    for name, way in ways.items():
        accepted, expected = way(lattices, weights, True, *given)
        accepted_forward, forward = way(lattices, weights, False, *given)
        np.testing.assert_array_equal(accepted, accepted_forward)
        np.testing.assert_array_equal(expected.log_sum[accepted], forward.log_sum[accepted])
        found.append(Outcome(name, accepted, expected, forward.log_sum))
    return found


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
