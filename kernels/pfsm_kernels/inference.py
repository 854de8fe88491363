"""The typed front of the machines: log-sums, expected counts and best paths of a batch.

Linear space is tried first (``linear_space``); lattices whose sum it cannot vouch for are done again in log space. What
is computed for a pair depends on that pair and the weights alone: not on the batch it stands in, nor on the number of
threads.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.lattice.lattices import Factors, Lattices, Outputs, Weights, table_shape
from pfsm_kernels.linear_space import cells_of, linear_task
from pfsm_kernels.machine.log_space import best_path as best_of_machine
from pfsm_kernels.machine.log_space import log_forward_backward
from pfsm_kernels.machine.places import place_batch
from pfsm_kernels.machine.sweep import DELETE, INSERT, JUMP
from pfsm_kernels.machine.tilt import LARGEST_WEIGHT
from pfsm_kernels.pushdown.cell_to_cell import best_pushdown, log_pushdown
from pfsm_kernels.pushdown.crossings import Jumps, find_crossings

__all__ = [
    "DELETE",
    "INSERT",
    "JUMP",
    "BestPath",
    "Expectations",
    "Jumps",
    "Lattices",
    "Places",
    "Weights",
    "best_path",
    "expectations",
    "find_jumps",
    "log_sum",
    "place_sums",
]

Float = NDArray[np.float64]

# About a millisecond of work without jumps: small enough to share out evenly and to let Ctrl-C through.
CELLS_PER_TASK = 200_000


@dataclass(frozen=True, eq=False)
class Expectations:
    """Log-sums of a batch and their exact derivatives.

    Attributes:
        log_sum: float64 [n_pairs], y = log sum over edit sequences of exp(score).
        table: float64 [n_pairs, S + 1, S], dy / dW: expected number of uses of each transition.
        arcs: float64 [n_arcs], dy / d(arc weight): posterior probability of each arc.
        links: float64 [n_arcs], dy / d(link weight); empty where no link weights were given.
    """

    log_sum: Float
    table: Float
    arcs: Float
    links: Float


@dataclass(frozen=True, eq=False)
class BestPath:
    """The best edit sequence of one lattice.

    Attributes:
        score: Its score, the maximum of Q(e); minus infinity where nothing is possible.
        edits: int32 [n_edits] in order; ``INSERT``, ``DELETE``, ``JUMP`` or an arc's index.
    """

    score: float
    edits: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Places:
    """Log-sums of a batch, and of every place where an edit is possible the mean over edit sequences.

    Attributes:
        log_sum: float64 [n_pairs], as `log_sum` gives it.
        deletes: float64 [reference tokens, 2], how often the token is deleted, and what the weights of that add to the
            mean score.
        inserts: float64 [hypothesis tokens, 2], likewise.
        arcs: float64 [n_arcs, 2], likewise.
    """

    log_sum: Float
    deletes: Float
    inserts: Float
    arcs: Float


def find_jumps(lattices: Lattices, state: int, max_jump: int) -> Jumps | None:
    """The jumps of a batch, found once and good for any weights; None where the limit is 0.

    Args:
        lattices: The batch.
        state: The state of Jump.
        max_jump: The jump limit.

    Raises:
        ValueError: If ``max_jump`` is negative or ``state`` is not a state.
        TooManyCrossingsError: As ``find_crossings``.
    """
    if not 0 <= state < lattices.n_states:
        raise ValueError(f"state is {state}, the lattices have states 0..{lattices.n_states - 1}")
    crossings = find_crossings(lattices, max_jump)
    return Jumps(state, crossings) if max_jump else None


def log_sum(lattices: Lattices, weights: Weights, threads: int = 1, jumps: Jumps | None = None) -> Float:
    """y = log of the sum over all edit sequences of exp Q(e), equation (2) of Wang and Manning (2012).

    Returns:
        float64 [n_pairs], in the log domain; 0 for an empty pair.

    Raises:
        ValueError: If a weight is NaN or plus infinity, or a shape does not fit the lattices.
    """
    _check_weights(lattices, weights)
    result = np.zeros(len(lattices))
    accepted = np.zeros(len(lattices), dtype=np.bool_)
    factors = _linear_factors(lattices, weights)
    none = np.zeros(0)
    if factors is not None:
        outputs = Outputs(result, accepted, np.zeros((0, 0, 0)), none, none)
        _each(linear_task(lattices, factors, jumps, outputs), list(_tasks(lattices)), threads)
    _in_log_space(lattices, weights, jumps, accepted, result, None, threads)
    return result


def expectations(
    lattices: Lattices, weights: Weights, threads: int = 1, jumps: Jumps | None = None
) -> Expectations:
    """Log-sums with their exact derivatives by forward-backward.

    Raises:
        ValueError: As ``log_sum``.
    """
    _check_weights(lattices, weights)
    n, A, shape = len(lattices), lattices.arcs.shape[0], table_shape(lattices.n_states)
    result = Expectations(
        np.zeros(n), np.zeros((n, *shape)), np.zeros(A), np.zeros(0 if weights.links is None else A)
    )
    accepted = np.zeros(n, dtype=np.bool_)
    factors = _linear_factors(lattices, weights)
    if factors is not None:
        outputs = Outputs(result.log_sum, accepted, result.table, result.arcs, result.links)
        _each(linear_task(lattices, factors, jumps, outputs), list(_tasks(lattices)), threads)
    _in_log_space(lattices, weights, jumps, accepted, result.log_sum, result, threads)
    return result


@np.errstate(over="ignore", invalid="ignore")
def place_sums(lattices: Lattices, weights: Weights) -> Places:
    """Posteriors and mean weights of every place, without jumps: see ``machine.places``.

    Raises:
        ValueError: As ``log_sum``.
    """
    sums = log_sum(lattices, weights)
    A = lattices.arcs.shape[0]
    arcs = np.zeros(A) if weights.arcs is None else weights.arcs
    links = np.zeros(0) if weights.links is None else weights.links
    found = Places(
        sums,
        np.zeros((lattices.delete_states.size, 2)),
        np.zeros((lattices.insert_states.size, 2)),
        np.zeros((A, 2)),
    )
    linked = np.zeros(links.size)
    batch = *cells_of(lattices), arcs, links, weights.table, sums
    place_batch(0, len(lattices), batch, (found.deletes, found.inserts, found.arcs, linked))
    for extra, number in ((arcs, found.arcs[:, 0]), (links, linked)):
        if extra.size:
            # What is impossible weighs minus infinity.
            found.arcs[:, 1] += np.where(number > 0.0, number * np.where(number > 0.0, extra, 0.0), 0.0)
    return found


def best_path(lattices: Lattices, weights: Weights, pair: int, jumps: Jumps | None = None) -> BestPath:
    """The best edit sequence of one pair (Viterbi).

    Raises:
        ValueError: As ``log_sum``, for the weights of this pair.
    """
    _check_weights(lattices, weights, pair)
    (d0, i0, _), (d1, i1, _) = lattices.offsets[pair : pair + 2].tolist()
    path = np.empty((1 if jumps is None else 2) * (d1 - d0 + i1 - i0), dtype=np.int32)
    if jumps is None:
        score, length = best_of_machine(_pair(lattices, weights, pair), path)
    else:
        score, length = best_pushdown(*_swaps(lattices, weights, pair, jumps), path)
    return BestPath(float(score), path[:length])


def _check_weights(lattices: Lattices, weights: Weights, pair: int | None = None) -> None:
    """Checks shapes, and numbers: all, or those of one pair."""
    A = lattices.arcs.shape[0]
    own = slice(None) if pair is None else slice(*lattices.offsets[pair : pair + 2, 2].tolist())
    for name, array, shape in (
        ("table", weights.table, table_shape(lattices.n_states)),
        ("arcs", weights.arcs, (A,)),
        ("links", weights.links, (A,)),
    ):
        if array is None:
            continue
        if array.dtype != np.float64 or array.shape != shape:
            raise ValueError(f"weights.{name} must be float64 {shape}, not {array.dtype} {array.shape}")
        numbers = array if name == "table" else array[own]
        if np.isnan(numbers).any() or (numbers == np.inf).any():
            raise ValueError(f"weights.{name} holds NaN or infinity")


def _linear_factors(lattices: Lattices, weights: Weights) -> Factors | None:
    """exp of the weights as the linear kernels take them; None where they are too large for any tilt."""
    parts = [weights.table, weights.arcs, weights.links]
    for part in parts:
        if part is not None and part.size and (np.abs(part[part > -np.inf]) > LARGEST_WEIGHT).any():
            return None
    arcs = np.ones(lattices.arcs.shape[0]) if weights.arcs is None else np.exp(weights.arcs)
    links = np.zeros(0) if weights.links is None else np.exp(weights.links)
    return Factors(arcs, links, np.exp(weights.table))


def _in_log_space(
    lattices: Lattices,
    weights: Weights,
    jumps: Jumps | None,
    accepted: NDArray[np.bool_],
    result: Float,
    expected: Expectations | None,
    threads: int,
) -> None:
    """Does the pairs that linear space did not accept."""
    table = np.zeros(table_shape(lattices.n_states))

    def one(pair: int) -> None:
        first, last = lattices.offsets[pair : pair + 2, 2]
        counts, arcs, links = table, np.zeros(0), np.zeros(0)
        if expected is not None:
            counts, arcs, links = expected.table[pair], expected.arcs[first:last], expected.links[first:last]
            counts[:] = 0.0
            arcs[:] = 0.0
            links[:] = 0.0
        outputs = expected is not None, counts, arcs, links
        if jumps is None:
            result[pair] = log_forward_backward(_pair(lattices, weights, pair), *outputs)
        else:
            result[pair] = log_pushdown(*_swaps(lattices, weights, pair, jumps), *outputs)

    _each(one, [(pair,) for pair in np.flatnonzero(~accepted).tolist()], threads)


def _each(work: Callable[..., None], items: list[tuple[int, ...]], threads: int) -> None:
    """Does all items; the results of each have a place of their own, so order does not matter."""
    if threads <= 1 or len(items) <= 1:
        for item in items:
            work(*item)
        return
    with ThreadPoolExecutor(min(threads, len(items))) as pool:
        for _ in pool.map(lambda item: work(*item), items):
            pass


def _pair(lattices: Lattices, weights: Weights, pair: int) -> tuple[Any, ...]:
    """One pair as ``machine.log_space`` takes it."""
    (d0, i0, a0), (d1, i1, a1) = lattices.offsets[pair : pair + 2].tolist()
    arc_weights = np.zeros(a1 - a0) if weights.arcs is None else weights.arcs[a0:a1]
    link_weights = np.zeros(0) if weights.links is None else weights.links[a0:a1]
    deletes, inserts = lattices.delete_states[d0:d1], lattices.insert_states[i0:i1]
    arcs, by_end = lattices.arcs[a0:a1], lattices.by_end[a0:a1]
    return deletes, inserts, arcs, by_end, arc_weights, link_weights, weights.table


def _swaps(lattices: Lattices, weights: Weights, pair: int, jumps: Jumps) -> tuple[tuple[Any, ...], ...]:
    """One pair as ``pushdown`` takes it."""
    deletes, inserts, _, _, *arrays = _pair(lattices, weights, pair)
    crossings = jumps.crossings
    limits = jumps.state, crossings.max_jump, int(lattices.offsets[pair, 2])
    return (deletes, inserts, *arrays), limits, tuple(crossings.hypothesis), tuple(crossings.reference)


def _tasks(lattices: Lattices) -> Iterator[tuple[int, int]]:
    """Ranges of pairs of about ``CELLS_PER_TASK`` cells each."""
    steps = np.diff(lattices.offsets, axis=0)
    cells = np.cumsum((steps[:, 0] + 1) * (steps[:, 1] + 1))
    first = 0
    while first < len(lattices):
        done = cells[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(cells, done + CELLS_PER_TASK, side="right")))
        yield first, last
        first = last
