"""Sentence pair + matchers -> the arrays of a lattice. One lattice feeds scoring, training and explaining."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.matchers.protocol import EncodedPairs, Matcher

if TYPE_CHECKING:
    from pfsm_kernels.inference import Jumps, Weights
    from pfsm_kernels.lattices import Lattices

INSERT, DELETE, JUMP = "Insert", "Delete", "Jump"
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ArcFeatures:
    """Named features on arcs, sparse: entry k puts ``value[k]`` of feature ``names[feature[k]]`` on arc ``arc[k]``.

    Attributes:
        names: Weight names, such as ``link:subject``.
        arc: int64 [n_entries].
        feature: int32 [n_entries].
        value: float64 [n_entries].
    """

    names: tuple[str, ...] = ()
    arc: Int64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    feature: Int32 = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    value: Float = field(default_factory=lambda: np.zeros(0))

    def arc_weights(self, weights: Mapping[str, float], n_arcs: int) -> Float | None:
        """Sum of weight x value on every arc, float64 [n_arcs]; None without entries."""
        if not self.arc.size:
            return None
        by_name = np.array([weights.get(name, 0.0) for name in self.names])
        values = by_name[self.feature] * self.value
        sums: Float = np.bincount(self.arc, values, minlength=n_arcs).astype(np.float64)
        return sums


@dataclass(frozen=True, eq=False)
class LatticeBatch:
    """The lattices of a batch of sentence pairs and the names of what is in them.

    Attributes:
        states: Name of each state id; Insert and Delete first, substitutions in the order of the matchers, Jump last.
        lattices: The arrays (``pfsm_kernels.lattices.Lattices``).
        arc_features: Features whose weights are added whenever an arc is taken.
        link_features: Features added when a 1:1 substitution directly continues another (model, "link feature").
        jumps: Where the pushdown machine can jump; None for the finite-state machine.
    """

    states: tuple[str, ...]
    lattices: "Lattices"
    arc_features: ArcFeatures = ArcFeatures()
    link_features: ArcFeatures = ArcFeatures()
    jumps: "Jumps | None" = None

    def __len__(self) -> int:
        """Number of sentence pairs."""
        return len(self.lattices)

    def weights(self, named: Mapping[str, float]) -> "Weights":
        """The kernel's weights from weights by feature name; an absent name weighs nothing."""
        from pfsm_kernels.inference import Weights  # noqa: PLC0415 - brings numba

        n_arcs = self.lattices.arcs.shape[0]
        return Weights(
            weight_table(self.states, named),
            self.arc_features.arc_weights(named, n_arcs),
            self.link_features.arc_weights(named, n_arcs),
        )


def weight_table(states: Sequence[str], named: Mapping[str, float]) -> Float:
    """``W[prev, cur] = u[cur] + t[prev > cur]``, float64 [S + 1, S]; the last row is Start: ``u[cur]``."""
    visits = np.array([named.get(state, 0.0) for state in states])
    table = np.tile(visits, (len(states) + 1, 1))
    for prev, before in enumerate(states):
        for cur, after in enumerate(states):
            table[prev, cur] += named.get(transition(before, after), 0.0)
    return table


def transition(before: str, after: str) -> str:
    """Name of the transition feature between two states."""
    return f"{before}>{after}"


def state_names(matchers: Sequence[Matcher], max_jump: int = 0) -> tuple[str, ...]:
    """States of the machine that these matchers make."""
    return (INSERT, DELETE, *(matcher.state for matcher in matchers), *([JUMP] if max_jump else []))


def build_lattices(
    pairs: EncodedPairs, matchers: Sequence[Matcher], *, exclusive: bool = True, max_jump: int = 0
) -> LatticeBatch:
    """Lattices of encoded pairs.

    Args:
        pairs: The sentence pairs.
        matchers: In the order in which they are tried.
        exclusive: Whether a block belongs to the first matcher that offers it alone.
        max_jump: Jump limit; 0 is the finite-state machine.

    Raises:
        TooManyCrossingsError: As ``pfsm_kernels.crossings.find_crossings``.
    """
    from pfsm_kernels.lattices import Lattices  # noqa: PLC0415 - brings numba

    states = state_names(matchers, max_jump)
    arcs, arc_offsets = _arcs([matcher.offers(pairs) for matcher in matchers], len(pairs), exclusive)
    offsets = np.column_stack([pairs.references.offsets, pairs.hypotheses.offsets, arc_offsets])
    lattices = Lattices(
        len(states),
        np.full(pairs.references.ids.size, states.index(DELETE), dtype=np.int32),
        np.full(pairs.hypotheses.ids.size, states.index(INSERT), dtype=np.int32),
        arcs,
        offsets,
    )
    return LatticeBatch(states, lattices, jumps=find_jumps(states, lattices, max_jump))


def find_jumps(states: Sequence[str], lattices: "Lattices", max_jump: int) -> "Jumps | None":
    """Where the pushdown machine can jump; None where the limit is 0.

    Raises:
        TooManyCrossingsError: As ``pfsm_kernels.crossings.find_crossings``.
    """
    from pfsm_kernels.inference import find_jumps as kernel_find_jumps  # noqa: PLC0415 - brings numba

    return kernel_find_jumps(lattices, states.index(JUMP), max_jump) if max_jump else None


def _arcs(offers: Sequence[Int32], n_pairs: int, exclusive: bool) -> tuple[Int32, Int64]:
    """Merges the offers of all matchers into sorted arcs (i, p, j, q, state) and their offsets by pair."""
    rank = np.repeat(np.arange(len(offers), dtype=np.int64), [offer.shape[0] for offer in offers])
    rows = np.concatenate([*offers, np.zeros((0, 5), dtype=np.int32)])
    # Sorted by pair, i, j, p, q, then order of the matchers.
    fields = [rows[:, 0], rows[:, 1], rows[:, 3], rows[:, 2], rows[:, 4], rank]
    order = _sorted_order(fields)
    rows, rank = rows[order], rank[order]
    if exclusive and rows.shape[0]:
        first = np.ones(rows.shape[0], dtype=np.bool_)
        first[1:] = (rows[1:] != rows[:-1]).any(axis=1)
        rows, rank = rows[first], rank[first]
    arcs = np.column_stack([rows[:, 1:], rank + 2]).astype(np.int32)
    offsets = np.zeros(n_pairs + 1, dtype=np.int64)
    offsets[1:] = np.cumsum(np.bincount(rows[:, 0], minlength=n_pairs))
    return arcs, offsets


def _sorted_order(fields: Sequence[Int32 | Int64]) -> Int64:
    """Order of the rows by the fields, first field first: as one number where that fits, which is far faster."""
    if not fields[0].size:
        return np.zeros(0, dtype=np.int64)
    sizes = [int(column.max()) + 1 for column in fields]
    if np.prod([float(size) for size in sizes]) >= 2.0**62:
        return np.lexsort(tuple(reversed(fields)))
    key = np.zeros(fields[0].size, dtype=np.int64)
    for column, size in zip(fields, sizes, strict=True):
        key = key * size + column
    return np.argsort(key, kind="stable")
