"""Posteriors and points of every place of a lattice where an edit is possible.

Without jumps a kernel sums them up (``pfsm_kernels.machine.places``). With jumps, every place becomes a state of its
own, and expected counts of transitions say the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import JUMP

if TYPE_CHECKING:
    from pfsm_kernels.inference import Jumps, Places, Weights
    from pfsm_kernels.lattice.lattices import Lattices

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]

# What is explained is for people to read, and takes memory for every cell, with jumps for every two places.
MOST_PLACES = 6000


@dataclass(frozen=True, eq=False)
class PairPlaces:
    """Places of one pair: Deletes, then Inserts, then arcs, then Jump if there is one.

    Attributes:
        log_sum: y, in the log domain.
        states: int64 [places], ids of states.
        ranges: int64 [places, 4], first and last token of the reference, and of the hypothesis, [first, last).
        numbers: float64 [places], expected number of edits.
        sums: float64 [places], that number times the edit's weights.
    """

    log_sum: float
    states: Int64
    ranges: Int64
    numbers: Float
    sums: Float

    def __post_init__(self) -> None:
        # Each word is in one edit of a sequence. More than rounding adds comes of weights that hide one another.
        of_words = self.numbers[self.ranges.any(axis=1)]
        if not (np.isfinite([self.numbers, self.sums]).all() and (of_words < 1.01).all()):
            raise PfsmError("weights of the model are too far apart to say what each edit adds")


def places_of(batch: LatticeBatch, weights: "Weights") -> Iterator[PairPlaces]:
    """The places of every pair of a batch, in order.

    Raises:
        PfsmError: If a pair has too many places, such as lines of thousands of words, or weights are so far apart that
            expected numbers of edits are lost in rounding; when its turn comes.
    """
    from pfsm_kernels.inference import place_sums  # noqa: PLC0415 - brings numba

    counts = np.diff(batch.lattices.offsets, axis=0).sum(axis=1) + (batch.jumps is not None)
    if batch.jumps is None and (counts <= MOST_PLACES).all():
        sums = place_sums(batch.lattices, weights)
        for pair in range(len(batch)):
            yield _of_pair(batch, sums, pair)
        return
    for pair, count in enumerate(counts.tolist()):
        if count > MOST_PLACES:
            raise PfsmError(
                f"{count} places where an edit is possible are too many to explain one by one "
                f"(at most {MOST_PLACES}); only score such lines, or split them"
            )
        alone, own = _alone(batch, weights, pair)
        if batch.jumps is None:
            yield _of_pair(alone, place_sums(alone.lattices, own), 0)
        else:
            yield _with_jumps(alone, own)


def _of_pair(batch: LatticeBatch, sums: "Places", pair: int) -> PairPlaces:
    lattices = batch.lattices
    (d0, i0, a0), (d1, i1, a1) = lattices.offsets[pair : pair + 2].tolist()
    found = np.concatenate([sums.deletes[d0:d1], sums.inserts[i0:i1], sums.arcs[a0:a1]])
    arcs = lattices.arcs[a0:a1]
    states = np.concatenate([lattices.delete_states[d0:d1], lattices.insert_states[i0:i1], arcs[:, 4]])
    ranges = _ranges(d1 - d0, i1 - i0, arcs)
    return PairPlaces(float(sums.log_sum[pair]), states.astype(np.int64), ranges, found[:, 0], found[:, 1])


def _ranges(m: int, n: int, arcs: NDArray[np.int32], jumps: int = 0) -> Int64:
    ranges = np.zeros((m + n + arcs.shape[0] + jumps, 4), dtype=np.int64)
    ranges[:m, 0] = np.arange(m)
    ranges[:m, 1] = np.arange(1, m + 1)
    ranges[m : m + n, 2] = np.arange(n)
    ranges[m : m + n, 3] = np.arange(1, n + 1)
    own = ranges[m + n : m + n + arcs.shape[0]]
    own[:, ::2] = arcs[:, :3:2]
    own[:, 1::2] = arcs[:, :3:2] + arcs[:, 1:4:2]
    return ranges


def _alone(batch: LatticeBatch, weights: "Weights", pair: int) -> tuple[LatticeBatch, "Weights"]:
    """One pair of a batch as a batch of its own, and its weights."""
    from pfsm_kernels.inference import Weights, find_jumps  # noqa: PLC0415 - brings numba

    lattices = batch.lattices.select(np.array([pair]))
    jumps = batch.jumps
    if jumps is not None:
        jumps = find_jumps(lattices, jumps.state, jumps.crossings.max_jump)
    own = slice(*batch.lattices.offsets[pair : pair + 2, 2].tolist())
    arcs, links = (None if part is None else part[own] for part in (weights.arcs, weights.links))
    return LatticeBatch(batch.states, lattices, jumps=jumps), Weights(weights.table, arcs, links)


@np.errstate(all="ignore")  # what is not finite is refused
def _with_jumps(batch: LatticeBatch, given: "Weights") -> PairPlaces:
    """The places of the only pair of a batch with jumps."""
    from pfsm_kernels.inference import Weights, expectations  # noqa: PLC0415 - brings numba

    lattices = batch.lattices
    m, n = int(lattices.delete_states.size), int(lattices.insert_states.size)
    jump = np.array([batch.states.index(JUMP)])
    states = np.concatenate([lattices.delete_states, lattices.insert_states, lattices.arcs[:, 4], jump])
    ranges = _ranges(m, n, lattices.arcs, 1)
    if m + n == 0:
        return PairPlaces(0.0, states.astype(np.int64), ranges, np.zeros(1), np.zeros(1))
    split, jumps = _split(batch, states.size)
    table = np.ascontiguousarray(given.table[np.ix_(np.append(states, lattices.n_states), states)])
    expected = expectations(split, Weights(table, given.arcs, given.links), 1, jumps)
    counts = expected.table[0]
    # An impossible transition has expected count 0; this avoids 0 times minus infinity.
    sums = np.where(counts > 0.0, counts * np.where(counts > 0.0, table, 0.0), 0.0).sum(axis=0)
    for extra, mass in ((given.arcs, expected.arcs), (given.links, expected.links)):
        if extra is not None:
            sums[m + n : m + n + extra.size] += extra * mass
    numbers = counts.sum(axis=0)
    return PairPlaces(float(expected.log_sum[0]), states.astype(np.int64), ranges, numbers, sums)


def _split(batch: LatticeBatch, n_states: int) -> tuple["Lattices", "Jumps | None"]:
    """The same lattice with a separate state for every place where an edit is possible, and its jumps."""
    from pfsm_kernels.inference import find_jumps  # noqa: PLC0415 - brings numba
    from pfsm_kernels.lattice.lattices import Lattices  # noqa: PLC0415 - brings numba

    arrays, jumps = batch.lattices, batch.jumps
    m, n = arrays.delete_states.size, arrays.insert_states.size
    arcs = arrays.arcs.copy()
    arcs[:, 4] = np.arange(arcs.shape[0]) + m + n
    places = np.arange(m + n, dtype=np.int32)
    split = Lattices(n_states, places[:m], places[m:], arcs, arrays.offsets)
    return split, None if jumps is None else find_jumps(split, n_states - 1, jumps.crossings.max_jump)
