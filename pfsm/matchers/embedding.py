"""``S_emb``: tokens with close vectors; features are soft bins of the cosine."""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int32
from pfsm.embeddings.encoders import DEFAULT_SOURCE, check_layer, check_source, label, load_vectors, pinned
from pfsm.embeddings.vectors import cosine_table
from pfsm.embeddings.words import WordVectors
from pfsm.matchers.bins import AUTO, BINS, as_knots, known_knots, quantile_knots, ramped
from pfsm.matchers.protocol import EncodedPairs, MatcherKind, Offers, read_options
from pfsm.runtime.typed import Option, Options, anything, number

NAME = "emb"
MINIMUM = 0.4
NEAREST = 2
KNOWN = {
    "source": anything(DEFAULT_SOURCE),
    "layer": anything(),
    "minimum": number(MINIMUM, math.ulp(0.0), 1.0, "a number above 0, at most 1"),
    "nearest": Option(NEAREST, lambda value: type(value) is int and value >= 0, "a whole number from 0"),
    "bins": BINS,
}
SHIPPED_WORDS = "shipped:words-"
# Number of pairs whose vectors are in memory at a time.
PAIRS_AT_ONCE = 512


class EmbeddingMatcher:
    """Offers pairs of single tokens whose cosine is at least a minimum.

    Args:
        source: Source of the vectors, see ``pfsm.embeddings.encoders``.
        layer: Layer of a network; None: the last layer, or the source has no layers.
        minimum: Least cosine, above 0 and at most 1.
        nearest: A pair is offered only if each token is among this many nearest tokens of the other; 0: no limit.
        knots: Knots of the soft bins of cosines; with fewer than two there are no bins.

    Raises:
        PfsmError: If the vectors are not installed.
    """

    name = NAME
    state = "S_emb"

    def __init__(
        self,
        source: str = DEFAULT_SOURCE,
        layer: int | None = None,
        minimum: float = MINIMUM,
        nearest: int = NEAREST,
        knots: Sequence[float] = (),
    ) -> None:
        self._vectors = load_vectors(source, layer)
        self.resources = (label(source),)
        self._minimum = minimum
        self._nearest = nearest
        self._knots = tuple(knots)

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Pairs of close tokens, equal ones included, with the soft bins of their cosine."""
        return ramped(NAME, *self.similar(pairs), self._knots)

    def similar(self, pairs: EncodedPairs) -> tuple[Int32, Float]:
        """Blocks, int32 [n_offers, 5], and their cosines, float64 [n_offers]."""
        if isinstance(self._vectors, WordVectors):
            return self._similar_words(pairs, self._vectors)
        blocks, cosines = [np.zeros((0, 5), dtype=np.int32)], [np.zeros(0)]
        for pair, table in enumerate(self._tables(pairs)):
            i, j = np.nonzero(self._close(table))
            ones = np.ones_like(i)
            blocks.append(np.column_stack([np.full_like(i, pair), i, ones, j, ones]).astype(np.int32))
            cosines.append(table[i, j])
        return np.concatenate(blocks), np.concatenate(cosines)

    def _similar_words(self, pairs: EncodedPairs, vectors: WordVectors) -> tuple[Int32, Float]:
        """The same where every word has one vector, which is looked up once."""
        from pfsm_kernels.strings.closeness import close_words  # noqa: PLC0415 - brings numba

        left, right = pairs.references, pairs.hypotheses
        places = pairs.vocabulary.column(vectors.row_numbers)
        return close_words(
            places[left.ids],
            left.offsets,
            places[right.ids],
            right.offsets,
            vectors.rows,
            self._minimum,
            self._nearest,
        )

    def _tables(self, pairs: EncodedPairs) -> Iterator[Float]:
        """The cosines of the tokens of each pair, float64 [m, n]."""
        for first in range(0, len(pairs), PAIRS_AT_ONCE):
            some = pairs.part(first, min(first + PAIRS_AT_ONCE, len(pairs)))
            tokens = [
                [pairs.vocabulary.types[token] for token in side.ids[start:end].tolist()]
                for side in (some.references, some.hypotheses)
                for start, end in itertools.pairwise(side.offsets.tolist())
            ]
            vectors = self._vectors.of_tokens(tokens)
            yield from map(cosine_table, vectors[: len(some)], vectors[len(some) :])

    def _close(self, table: Float) -> NDArray[np.bool_]:
        close = table >= self._minimum
        if self._nearest and table.size:
            for axis in (0, 1):
                close &= table >= _nth_largest(table, self._nearest, axis)
        return close


def _nth_largest(table: Float, n: int, axis: int) -> Float:
    """The n-th largest value along an axis, or the smallest if there are fewer than n; the axis is kept."""
    size = table.shape[axis]
    place = max(size - n, 0)
    return np.take(np.partition(table, place, axis=axis), [place], axis=axis)


def build(options: Options) -> EmbeddingMatcher:
    """The matcher from checked options."""
    source, layer = options["source"], options["layer"]
    return EmbeddingMatcher(source, layer, options["minimum"], options["nearest"], known_knots(options))


def check_options(options: Options, where: str) -> dict[str, Any]:
    """All options with their defaults: ``source``, ``layer``, ``minimum``, ``nearest``, ``bins``.

    Raises:
        PfsmError: If an option is unknown or its value is not allowed.
    """
    chosen = read_options(options, KNOWN, where)
    minimum = float(chosen["minimum"])
    return {
        **chosen,
        "source": check_source(chosen["source"], f"{where}: source"),
        "layer": check_layer(chosen["layer"], f"{where}: layer"),
        "minimum": minimum,
        "bins": as_knots(chosen["bins"], minimum),
    }


def learn_options(options: Options, pairs: EncodedPairs) -> dict[str, Any]:
    """The source with its checksum, ``bins: auto`` as quantiles of the cosines of unequal words.

    Raises:
        PfsmError: If the vectors are not installed.
    """
    result = {**options, "source": pinned(options["source"])}
    if options["bins"] == AUTO:
        blocks, cosines = build(result).similar(pairs)
        left, right = (pairs.vocabulary.word_ids[side] for side in pairs.first_tokens(blocks))
        result["bins"] = quantile_knots(cosines[left != right])
    return result


def is_table(options: Options) -> bool:
    """Return whether the vectors are a table of words that ships, no network."""
    return str(options["source"]).startswith(SHIPPED_WORDS)


MATCHER = MatcherKind(
    "S_emb",
    lambda _, options: build(options),
    check_options,
    learn_options,
    is_table,
    label="a word of similar meaning",
)
