"""What a batch of lattices is made of: arrays, with the blocks of all matchers merged, and names of what is in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pfsm.arrays import Float, Int32, Int64
from pfsm.lattice.names import base_state, shared, state_parts, transition

if TYPE_CHECKING:
    from pfsm_kernels.inference import Jumps, Weights
    from pfsm_kernels.lattice.lattices import Lattices


def merged(offers: Sequence[Int32], n_pairs: int, exclusive: bool) -> tuple[Int32, Int32, Int64, Int64]:
    """The blocks of all matchers in the order of arcs; where ``exclusive``, equal ones become that of the first.

    Returns:
        int32 [n_arcs, 5], rows (i, p, j, q, 0); int32 [n_arcs], the matcher that offered each; int64 [n_pairs], the
        number of arcs of each pair; int64 [n_offers], the arc of each offer, with offers counted through all matchers,
        or -1 if an earlier matcher offered the block.

    Raises:
        ValueError: If a block names a pair that is not there.
    """
    from pfsm_kernels.lattice.lattices import IN_ORDER, in_order  # noqa: PLC0415 - brings numba

    fields = np.concatenate([*(offer.T for offer in offers), np.zeros((5, 0), dtype=np.int32)], axis=1)
    if fields.size and (fields[0].min() < 0 or fields[0].max() >= n_pairs):
        raise ValueError("a block names a pair that is not there")
    matcher = np.repeat(np.arange(len(offers), dtype=np.int32), [len(offer) for offer in offers])
    order, is_first = in_order([fields[field] for field in IN_ORDER])
    kept = is_first if exclusive else np.ones(order.size, dtype=np.bool_)
    places = np.empty(order.size, dtype=np.int64)
    places[order] = np.where(kept, np.cumsum(kept) - 1, -1)
    order = order[kept]
    arcs = np.zeros((order.size, 5), dtype=np.int32)
    for at, column in enumerate(fields[1:]):
        arcs[:, at] = column.take(order)
    return arcs, matcher.take(order), np.bincount(fields[0].take(order), minlength=n_pairs), places


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
        return self.weights_on_arcs(np.array([weights.get(name, 0.0) for name in self.names]), n_arcs)

    def weights_on_arcs(self, by_name: Float, n_arcs: int) -> Float | None:
        """The same from float64 [n_names], the weight of each name."""
        if not self.arc.size:
            return None
        values = by_name[self.feature] * self.value
        sums: Float = np.bincount(self.arc, values, minlength=n_arcs).astype(np.float64)
        return sums


@dataclass(frozen=True, eq=False)
class SentenceFeatures:
    """Numbers about whole pairs, such as another metric's score, each a regressor in addition to the edit score.

    Attributes:
        names: Weight names, such as ``feature:chrf``.
        values: float64 [n_pairs, n_names], standardised.
    """

    names: tuple[str, ...] = ()
    values: Float = field(default_factory=lambda: np.zeros((0, 0)))

    def points(self, weights: Mapping[str, float], n_pairs: int) -> Float:
        """Sum of weight x value for every pair, float64 [n_pairs]."""
        total = np.zeros(n_pairs)
        for name, column in zip(self.names, self.values.T, strict=True):
            total += weights.get(name, 0.0) * column
        return total

    def part(self, first: int, stop: int) -> "SentenceFeatures":
        """Of the pairs ``[first:stop]`` alone."""
        return SentenceFeatures(self.names, self.values[first:stop])


@dataclass(frozen=True, eq=False)
class LatticeBatch:
    """The lattices of a batch of sentence pairs and the names of what is in them.

    Attributes:
        states: Name of each state id; Insert and Delete first, substitutions in the order of the matchers, Jump last.
            None where a model has no edits.
        lattices: The arrays (``pfsm_kernels.lattice.lattices.Lattices``).
        arc_features: Features whose weights are added whenever an arc is taken.
        link_features: Features added when a 1:1 substitution directly continues another (model, "link feature").
        jumps: Where the pushdown machine can jump; None for the finite-state machine.
        sentence_features: Numbers about the pairs.
        perfect: The references against themselves, which the pairs of a relative model are counted from; None: pairs
            are valued alone.
    """

    states: tuple[str, ...]
    lattices: "Lattices"
    arc_features: ArcFeatures = ArcFeatures()
    link_features: ArcFeatures = ArcFeatures()
    jumps: "Jumps | None" = None
    sentence_features: SentenceFeatures = SentenceFeatures()
    perfect: "PerfectMatches | None" = None

    def __len__(self) -> int:
        """Number of sentence pairs."""
        return len(self.lattices)

    def weights(self, named: Mapping[str, float], table: Float | None = None) -> "Weights":
        """The kernel's weights from weights by feature name; an absent name weighs nothing.

        Args:
            named: Weights by feature name.
            table: `weight_table` of the states and these weights, where it is at hand.
        """
        from pfsm_kernels.inference import Weights  # noqa: PLC0415 - brings numba

        n_arcs = self.lattices.arcs.shape[0]
        return Weights(
            weight_table(self.states, named) if table is None else table,
            self.arc_features.arc_weights(named, n_arcs),
            self.link_features.arc_weights(named, n_arcs),
        )

    def values(self, named: Mapping[str, float], weights: "Weights", threads: int = 1) -> Float:
        """``y / (m + n)`` of every pair, less that of its reference with itself where that is known, float64 [n_pairs].

        Arguments as those of `log_sums`. It is 0 for a pair without tokens.
        """
        own = self.log_sums(named, weights, threads) / np.maximum(self.lattices.lengths, 1)
        if self.perfect is None:
            return own
        batch, of = self.perfect.batch, self.perfect.of
        table = weights.table if batch.states == self.states else None
        return own - batch.values(named, batch.weights(named, table), threads)[of]

    def normalised(self, named: Mapping[str, float], weights: "Weights | None", threads: int = 1) -> Float:
        """Return what a model makes of the pairs before its scale: values of edits and points of features.

        Args:
            named: Weights by feature name.
            weights: The same as `weights` gives them; None: the model has no edits.
            threads: Threads over pairs; the result does not depend on it.

        Returns:
            float64 [n_pairs].
        """
        points: Float = self.sentence_features.points(named, len(self))
        return points if weights is None else self.values(named, weights, threads) + points

    def log_sums(self, named: Mapping[str, float], weights: "Weights", threads: int = 1) -> Float:
        """y of every pair, equation (2) of Wang and Manning (2012), float64 [n_pairs], in the log domain.

        It is found by whole states where states are split by word class.

        Args:
            named: Weights by feature name.
            weights: The same as `weights` gives them.
            threads: Threads over pairs; the result does not depend on it.
        """
        from pfsm_kernels.inference import Weights, log_sum  # noqa: PLC0415 - brings numba
        from pfsm_kernels.whole_states import Parts, are_small, whole_log_sum  # noqa: PLC0415

        used = [name for name, weight in named.items() if weight]
        if (parts := state_parts(self.states, used)) is not None:
            whole, of = parts
            visits = np.array(
                [named.get(state, 0.0) if base_state(state) != state else 0.0 for state in self.states]
            )
            if are_small(visits):
                given = Weights(weight_table(whole, named), weights.arcs, weights.links)
                return whole_log_sum(self.lattices, given, Parts(of, len(whole)), visits, threads, self.jumps)
        return log_sum(self.lattices, weights, threads, self.jumps)


@dataclass(frozen=True, eq=False)
class PerfectMatches:
    """References against themselves.

    Attributes:
        batch: Of the distinct references of a batch.
        of: int64 [n_pairs], which of them is the reference of each pair.
    """

    batch: LatticeBatch
    of: Int64


def weight_table(states: Sequence[str], named: Mapping[str, float]) -> Float:
    """``W[prev, cur] = u[cur] + t[prev > cur]``, float64 [S + 1, S]; the last row is Start: ``u[cur]``.

    A state split by word class has the weights of the unsplit state in addition to its own.
    """
    from pfsm_kernels.lattice.lattices import table_shape  # noqa: PLC0415 - brings numba

    visits = np.array([sum(named.get(name, 0.0) for name in (cur, *shared(cur))) for cur in states])
    table = np.empty(table_shape(len(states)))
    table[:] = visits
    for prev, before in enumerate(states):
        for cur, after in enumerate(states):
            name = transition(before, after)
            table[prev, cur] += sum(named.get(key, 0.0) for key in (name, *shared(name)))
    return table


def without_edits(n_pairs: int) -> LatticeBatch:
    """As many pairs in which nothing is edited: no states, no tokens, a log-sum of 0."""
    from pfsm_kernels.lattice.lattices import Lattices  # noqa: PLC0415 - brings numba

    none = np.zeros(0, dtype=np.int32)
    arcs = np.zeros((0, 5), dtype=np.int32)
    return LatticeBatch((), Lattices(0, none, none, arcs, np.zeros((n_pairs + 1, 3), dtype=np.int64)))
