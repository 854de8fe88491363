"""Sentence pair + matchers -> the arrays of a lattice. One lattice feeds scoring, training and explaining."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.matchers.merging import merged
from pfsm.matchers.protocol import Annotator, EncodedPairs, Matcher, Offers
from pfsm.text.vocabulary import EncodedLines, Vocabulary

if TYPE_CHECKING:
    from pfsm_kernels.inference import Jumps, Weights
    from pfsm_kernels.lattices import Lattices

INSERT, DELETE, JUMP = "Insert", "Delete", "Jump"
CLASS_MARK = ":"
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
        return self.weights_on_arcs(np.array([weights.get(name, 0.0) for name in self.names]), n_arcs)

    def weights_on_arcs(self, by_name: Float, n_arcs: int) -> Float | None:
        """The same from float64 [n_names], the weight of each name."""
        if not self.arc.size:
            return None
        values = by_name[self.feature] * self.value
        sums: Float = np.bincount(self.arc, values, minlength=n_arcs).astype(np.float64)
        return sums


@dataclass(frozen=True, eq=False)
class Split:
    """Which states are split by the class of the word they consume, and into what.

    The class is that of the hypothesis's word for Insert, else of the first word of the reference's block.

    Attributes:
        states: Names of the states that are split, such as ``Insert``.
        classes: Names of the classes.
        of_types: From a vocabulary to int32 [n_types], the class of each token type.
    """

    states: frozenset[str] = frozenset()
    classes: tuple[str, ...] = ()
    of_types: "Callable[[Vocabulary], Int32] | None" = None

    def names(self, state: str) -> tuple[str, ...]:
        """The states that a state becomes: itself, or one for each class."""
        if state not in self.states:
            return (state,)
        return tuple(f"{state}{CLASS_MARK}{name}" for name in self.classes)


NO_SPLIT = Split()


FEATURE_FAMILY = "feature:"


@dataclass(frozen=True, eq=False)
class SentenceFeatures:
    """Numbers about whole pairs, such as another metric's score, each a regressor beside the edit score.

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
        lattices: The arrays (``pfsm_kernels.lattices.Lattices``).
        arc_features: Features whose weights are added whenever an arc is taken.
        link_features: Features added when a 1:1 substitution directly continues another (model, "link feature").
        jumps: Where the pushdown machine can jump; None for the finite-state machine.
        sentence_features: Numbers about the pairs.
    """

    states: tuple[str, ...]
    lattices: "Lattices"
    arc_features: ArcFeatures = ArcFeatures()
    link_features: ArcFeatures = ArcFeatures()
    jumps: "Jumps | None" = None
    sentence_features: SentenceFeatures = SentenceFeatures()

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
    """``W[prev, cur] = u[cur] + t[prev > cur]``, float64 [S + 1, S]; the last row is Start: ``u[cur]``.

    A state split by word class has the weights of the unsplit state in addition to its own.
    """
    visits = np.array([sum(named.get(name, 0.0) for name in (cur, *shared(cur))) for cur in states])
    table = np.tile(visits, (len(states) + 1, 1))
    for prev, before in enumerate(states):
        for cur, after in enumerate(states):
            name = transition(before, after)
            table[prev, cur] += sum(named.get(key, 0.0) for key in (name, *shared(name)))
    return table


def transition(before: str, after: str) -> str:
    """Name of the transition feature between two states."""
    return f"{before}>{after}"


def base_state(state: str) -> str:
    """The state without its word class: ``Insert`` for ``Insert:function``."""
    return state.partition(CLASS_MARK)[0]


def shared(name: str) -> tuple[str, ...]:
    """The feature of a state or transition without word classes, where it differs from the feature itself."""
    base = ">".join(map(base_state, name.split(">")))
    return () if base == name else (base,)


def state_names(matchers: Sequence[Matcher], max_jump: int = 0, split: Split = NO_SPLIT) -> tuple[str, ...]:
    """States of the machine that these matchers make."""
    bases = (INSERT, DELETE, *(matcher.state for matcher in matchers if matcher.state))
    return (*(name for base in bases for name in split.names(base)), *([JUMP] if max_jump else []))


def without_edits(n_pairs: int) -> LatticeBatch:
    """As many pairs in which nothing is edited: no states, no tokens, a log-sum of 0."""
    from pfsm_kernels.lattices import Lattices  # noqa: PLC0415 - brings numba

    none = np.zeros(0, dtype=np.int32)
    arcs = np.zeros((0, 5), dtype=np.int32)
    return LatticeBatch((), Lattices(0, none, none, arcs, np.zeros((n_pairs + 1, 3), dtype=np.int64)))


def build_lattices(
    pairs: EncodedPairs,
    matchers: Sequence[Matcher],
    *,
    exclusive: bool = True,
    max_jump: int = 0,
    split: Split = NO_SPLIT,
) -> LatticeBatch:
    """Lattices of encoded pairs.

    Args:
        pairs: The sentence pairs.
        matchers: In the order in which they are tried.
        exclusive: Whether a block belongs to the first matcher that offers it alone.
        max_jump: Jump limit; 0 is the finite-state machine.
        split: Which states are split by word class.

    Raises:
        TooManyCrossingsError: As ``pfsm_kernels.crossings.find_crossings``.
    """
    from pfsm_kernels.lattices import Lattices  # noqa: PLC0415 - brings numba

    states = state_names(matchers, max_jump, split)
    annotators = [matcher for matcher in matchers if isinstance(matcher, Annotator)]
    matchers = [matcher for matcher in matchers if matcher.state]
    offers = [matcher.offers(pairs) for matcher in matchers]
    arcs, rank, per_pair, places = merged([offer.blocks for offer in offers], len(pairs), exclusive)
    arc_offsets = np.zeros(len(pairs) + 1, dtype=np.int64)
    np.cumsum(per_pair, out=arc_offsets[1:])
    offsets = np.column_stack([pairs.references.offsets, pairs.hypotheses.offsets, arc_offsets])
    classes = _Classes(states, split, pairs.vocabulary)
    _set_states(arcs, rank, per_pair, matchers, classes, pairs.references)
    lattices = Lattices(
        len(states),
        classes.states(DELETE, pairs.references.ids),
        classes.states(INSERT, pairs.hypotheses.ids),
        arcs,
        offsets,
    )
    features, links = _annotated(_arc_features(offers, places), annotators, pairs, lattices)
    return LatticeBatch(states, lattices, features, links, jumps=find_jumps(states, lattices, max_jump))


@dataclass(frozen=True, eq=False)
class _Classes:
    """Ids of states, by the class of a token where the state is split."""

    names: tuple[str, ...]
    split: Split
    vocabulary: Vocabulary

    def first(self, state: str) -> int:
        """The state's id, or that of the first state it is split into."""
        return self.names.index(self.split.names(state)[0])

    def states(self, state: str, tokens: Int32 | Int64) -> Int32:
        """The state's id at each of the tokens, int32 [n_tokens]."""
        first = self.first(state)
        if state not in self.split.states or self.split.of_types is None:
            return np.full(tokens.size, first, dtype=np.int32)
        return (first + self.split.of_types(self.vocabulary)[tokens]).astype(np.int32)


def find_jumps(states: Sequence[str], lattices: "Lattices", max_jump: int) -> "Jumps | None":
    """Where the pushdown machine can jump; None where the limit is 0.

    Raises:
        TooManyCrossingsError: As ``pfsm_kernels.crossings.find_crossings``.
    """
    from pfsm_kernels.inference import find_jumps as kernel_find_jumps  # noqa: PLC0415 - brings numba

    return kernel_find_jumps(lattices, states.index(JUMP), max_jump) if max_jump else None


def _set_states(
    arcs: Int32,
    rank: Int32,
    per_pair: Int64,
    matchers: Sequence[Matcher],
    classes: "_Classes",
    references: EncodedLines,
) -> None:
    """Writes the state of each arc, by its matcher and, where that is split, by the first word of its block."""
    first = [classes.first(matcher.state) for matcher in matchers]
    arcs[:, 4] = np.array(first, dtype=np.int32)[rank] if first else 0
    for place, matcher in enumerate(matchers):
        if matcher.state in classes.split.states:
            of_matcher = rank == place
            pair = np.repeat(np.arange(per_pair.size), per_pair)[of_matcher]
            # An offer outside its pair is for the lattice to refuse.
            words = references.ids.take(references.offsets[pair] + arcs[of_matcher, 0], mode="clip")
            arcs[of_matcher, 4] = classes.states(matcher.state, words)


def _annotated(
    features: ArcFeatures, annotators: Sequence[Annotator], pairs: EncodedPairs, lattices: "Lattices"
) -> tuple[ArcFeatures, ArcFeatures]:
    """The features of arcs with those of the annotators, and their link features."""
    if not annotators:
        return features, ArcFeatures()
    blocks = np.column_stack([lattices.pair_of_arc, lattices.arcs[:, :4]]).astype(np.int32)
    found = [annotator.annotate(pairs, blocks) for annotator in annotators]
    return (
        _gathered([features, *(_entries(one.arc_names, one.arcs) for one in found)]),
        _gathered([_entries(one.link_names, one.links) for one in found]),
    )


def _entries(names: tuple[str, ...], rows: Sequence[tuple[int, int, float]]) -> ArcFeatures:
    arcs, features, values = zip(*rows, strict=True) if rows else ((), (), ())
    return ArcFeatures(
        names,
        np.array(arcs, dtype=np.int64),
        np.array(features, dtype=np.int32),
        np.array(values, dtype=np.float64),
    )


def _gathered(parts: Sequence[ArcFeatures]) -> ArcFeatures:
    """All features as one table."""
    first = np.cumsum([0, *(len(part.names) for part in parts)])
    numbers = [part.feature + shift for part, shift in zip(parts, first[:-1], strict=True)]
    return ArcFeatures(
        tuple(name for part in parts for name in part.names),
        np.concatenate([part.arc for part in parts]),
        np.concatenate(numbers).astype(np.int32),
        np.concatenate([part.value for part in parts]),
    )


def _arc_features(offers: Sequence[Offers], places: Int64) -> ArcFeatures:
    """The features of the offers on the arcs that they became."""
    names: list[str] = []
    arcs, features, values = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int32)], [np.zeros(0)]
    first = 0
    for offer in offers:
        arc = places[first + offer.offer]
        taken = arc >= 0
        arcs.append(arc[taken])
        features.append((offer.feature[taken] + len(names)).astype(np.int32))
        values.append(offer.value[taken])
        names.extend(offer.names)
        first += offer.blocks.shape[0]
    return ArcFeatures(tuple(names), np.concatenate(arcs), np.concatenate(features), np.concatenate(values))
