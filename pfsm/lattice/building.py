"""Sentence pairs and matchers in, lattices out. One lattice feeds scoring, training and explaining."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int32, Int64
from pfsm.lattice.arrays import ArcFeatures, LatticeBatch, merged
from pfsm.lattice.names import DELETE, INSERT, JUMP, NO_SPLIT, Split, inserted_repeat, state_names
from pfsm.matchers.protocol import Annotator, EncodedPairs, Matcher, Offers
from pfsm.text.vocabulary import EncodedLines, Vocabulary

if TYPE_CHECKING:
    from pfsm_kernels.inference import Jumps
    from pfsm_kernels.lattice.lattices import Lattices

LONGEST = 8
"""Most tokens of a phrase that is said twice."""

Bool = NDArray[np.bool_]


def repeated_words(lines: EncodedLines, vocabulary: Vocabulary) -> Bool:
    """Which tokens are words of a run of up to `LONGEST` tokens that stands twice in a row, bool [n_tokens].

    Words are compared as the vocabulary compares them. The words of both runs count: which of them an edit sequence
    matches and which it inserts makes no difference then. Punctuation within such a run does not count.
    """
    words = vocabulary.word_ids[lines.ids]
    is_word = ~vocabulary.is_punctuation[lines.ids]
    line = np.repeat(np.arange(len(lines)), np.diff(lines.offsets))
    found = np.zeros(words.size, dtype=np.bool_)
    for size in range(1, min(LONGEST, words.size // 2) + 1):
        agrees = (words[size:] == words[:-size]) & (line[size:] == line[:-size])
        if agrees.any():
            found |= _twice(agrees, size, words.size)
    return found & is_word


def _twice(agrees: Bool, size: int, count: int) -> Bool:
    """The tokens of all runs of a size that stand twice in a row, by where a token agrees with that ``size`` later."""
    sums = np.concatenate([[0], np.cumsum(agrees)])
    first = np.flatnonzero(sums[size:] - sums[:-size] == size)
    marks = np.zeros(count + 1, dtype=np.int64)
    np.add.at(marks, first, 1)
    np.add.at(marks, first + 2 * size, -1)
    return np.cumsum(marks[:-1]) > 0


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
        TooManyCrossingsError: As ``pfsm_kernels.pushdown.crossings.find_crossings``.
    """
    from pfsm_kernels.lattice.lattices import Lattices  # noqa: PLC0415 - brings numba

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
        classes.inserts(pairs.hypotheses),
        arcs,
        offsets,
    )
    features, links = _annotated(_arc_features(offers, places), annotators, pairs, lattices)
    jumps = find_jumps(states, lattices, max_jump)
    return LatticeBatch(states, lattices, features, links, jumps=jumps)


@dataclass(frozen=True, eq=False)
class _Classes:
    """Ids of states, by the class of a token where the state is split."""

    names: tuple[str, ...]
    split: Split
    vocabulary: Vocabulary

    def first(self, state: str) -> int:
        """The state's id, or that of the first state it is split into."""
        return self.names.index(self.split.names(state)[0])

    def inserts(self, hypotheses: EncodedLines) -> Int32:
        """The id of Insert at each token of the hypotheses, int32 [n_tokens]."""
        found = self.states(INSERT, hypotheses.ids)
        if self.split.repeats:
            found[repeated_words(hypotheses, self.vocabulary)] = self.names.index(inserted_repeat())
        return found

    def states(self, state: str, tokens: Int32 | Int64) -> Int32:
        """The state's id at each of the tokens, int32 [n_tokens]."""
        first = self.first(state)
        if state not in self.split.states or self.split.of_types is None:
            return np.full(tokens.size, first, dtype=np.int32)
        return (first + self.split.of_types(self.vocabulary)[tokens]).astype(np.int32)


def find_jumps(states: Sequence[str], lattices: "Lattices", max_jump: int) -> "Jumps | None":
    """Where the pushdown machine can jump; None where the limit is 0.

    Raises:
        TooManyCrossingsError: As ``pfsm_kernels.pushdown.crossings.find_crossings``.
    """
    from pfsm_kernels import inference  # noqa: PLC0415 - brings numba

    return None if not max_jump else inference.find_jumps(lattices, states.index(JUMP), max_jump)


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
    if not parts:
        return ArcFeatures()
    first = np.cumsum([0, *(len(part.names) for part in parts)])
    numbers = [part.feature + shift for part, shift in zip(parts, first[:-1], strict=True)]
    return ArcFeatures(
        tuple(name for part in parts for name in part.names),
        np.concatenate([part.arc for part in parts], dtype=np.int64),
        np.concatenate(numbers).astype(np.int32),
        np.concatenate([part.value for part in parts], dtype=np.float64),
    )


def _arc_features(offers: Sequence[Offers], places: Int64) -> ArcFeatures:
    """The features of the offers on the arcs that they became."""
    parts = []
    first = 0
    for offer in offers:
        arc = places[first + offer.offer]
        taken = arc >= 0
        parts.append(ArcFeatures(offer.names, arc[taken], offer.feature[taken], offer.value[taken]))
        first += offer.blocks.shape[0]
    return _gathered(parts)
