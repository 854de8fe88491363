"""``S_emb``: tokens with close vectors; features are soft bins of the cosine and, on request, the word's rarity.

The rarity is that of the reference's word. If n of N different training references contain the word, its rarity is
log((N + 1) / (n + 1)) / log(N + 1): 0 for a word in every line, 1 for a word in none.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.encoders import DEFAULT_SOURCE, check_layer, check_source, label, load_vectors, pinned
from pfsm.embeddings.vectors import cosine_table
from pfsm.errors import PfsmError
from pfsm.matchers.bins import AUTO, check_knots, quantile_knots, ramped
from pfsm.matchers.protocol import BuiltIn, EncodedPairs, Offers
from pfsm.matchers.type_lists import TypeVectors
from pfsm.runtime.yaml_keys import elsewhere
from pfsm.text.vocabulary import EncodedLines

NAME = "emb"
IDF = "idf"
STATE = "S_emb"
MINIMUM = 0.4
NEAREST = 2
BINS = 4
DEFAULTS: dict[str, Any] = {
    "source": DEFAULT_SOURCE,
    "layer": None,
    "minimum": MINIMUM,
    "nearest": NEAREST,
    IDF: False,
}
# Words in fewer references count as unknown; they would fill the model file.
FEWEST_LINES = 2
# Number of pairs whose vectors are in memory at a time.
PAIRS_AT_ONCE = 512

Options = Mapping[str, Any]
Int32 = NDArray[np.int32]
Float = NDArray[np.float64]


class EmbeddingMatcher:
    """Offers pairs of single tokens whose cosine is at least a minimum.

    Args:
        source: Source of the vectors, see ``pfsm.embeddings.encoders``.
        layer: Layer of a network; None: the last layer, or the source has no layers.
        minimum: Least cosine, above 0 and at most 1.
        nearest: A pair is offered only if each token is among this many nearest tokens of the other; 0: no limit.
        knots: Knots of the soft bins of cosines; with fewer than two there are no bins.
        rarity: Rarity of lower-cased words, 1 for words not listed; None: no feature ``emb:idf``.

    Raises:
        PfsmError: If the vectors are not installed.
    """

    name = NAME
    state = STATE

    def __init__(
        self,
        source: str = DEFAULT_SOURCE,
        layer: int | None = None,
        minimum: float = MINIMUM,
        nearest: int = NEAREST,
        knots: Sequence[float] = (),
        rarity: Mapping[str, float] | None = None,
    ) -> None:
        self._vectors = load_vectors(source, layer)
        self._rows = TypeVectors(self._vectors)
        self.resources = (label(source),)
        self._minimum = minimum
        self._nearest = nearest
        self._knots = tuple(knots)
        self._rarity = rarity

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Pairs of close tokens, equal ones included, with the soft bins of their cosine."""
        found = ramped(NAME, *self.similar(pairs), self._knots)
        return found if self._rarity is None else _with_rarity(found, pairs, self._rarity)

    def similar(self, pairs: EncodedPairs) -> tuple[Int32, Float]:
        """Blocks, int32 [n_offers, 5], and their cosines, float64 [n_offers]."""
        if self._vectors.of_single_words:
            return self._similar_words(pairs)
        blocks, cosines = [np.zeros((0, 5), dtype=np.int32)], [np.zeros(0)]
        for pair, table in enumerate(self._tables(pairs)):
            i, j = np.nonzero(self._close(table))
            ones = np.ones_like(i)
            blocks.append(np.column_stack([np.full_like(i, pair), i, ones, j, ones]).astype(np.int32))
            cosines.append(table[i, j])
        return np.concatenate(blocks), np.concatenate(cosines)

    def _similar_words(self, pairs: EncodedPairs) -> tuple[Int32, Float]:
        """The same where every word has one vector, which is looked up once."""
        from pfsm_kernels.strings.closeness import close_words  # noqa: PLC0415 - brings numba

        left, right = pairs.references, pairs.hypotheses
        places, rows = self._rows.of(pairs.vocabulary)
        return close_words(
            places[left.ids],
            left.offsets,
            places[right.ids],
            right.offsets,
            rows,
            self._minimum,
            self._nearest,
        )

    def _tables(self, pairs: EncodedPairs) -> Iterator[Float]:
        """The cosines of the tokens of each pair, float64 [m, n]."""
        types = pairs.vocabulary.types
        for first in range(0, len(pairs), PAIRS_AT_ONCE):
            last = min(first + PAIRS_AT_ONCE, len(pairs))
            references = _tokens(pairs.references, types, first, last)
            hypotheses = _tokens(pairs.hypotheses, types, first, last)
            vectors = self._vectors.of_tokens(references + hypotheses)
            for left, right in zip(vectors[: last - first], vectors[last - first :], strict=True):
                yield cosine_table(left, right)

    def _close(self, table: Float) -> NDArray[np.bool_]:
        close = table >= self._minimum
        if self._nearest and table.size:
            for axis in (0, 1):
                close &= table >= _nth_largest(table, self._nearest, axis)
        return close


def _with_rarity(found: Offers, pairs: EncodedPairs, rarity: Mapping[str, float]) -> Offers:
    """The offers with an additional feature, the rarity of the reference's word."""
    places = pairs.references.offsets[found.blocks[:, 0]] + found.blocks[:, 1]
    types = pairs.vocabulary.types
    words = [types[token].lower() for token in pairs.references.ids[places].tolist()]
    values = np.array([rarity.get(word, 1.0) for word in words])
    rare = np.flatnonzero(values)
    return Offers(
        found.blocks,
        (*found.names, f"{NAME}:{IDF}"),
        np.concatenate([found.offer, rare]),
        np.concatenate([found.feature, np.full(rare.size, len(found.names), dtype=np.int32)]),
        np.concatenate([found.value, values[rare]]),
    )


def _nth_largest(table: Float, n: int, axis: int) -> Float:
    """The n-th largest value along an axis, or the smallest if there are fewer than n; the axis is kept."""
    size = table.shape[axis]
    place = max(size - n, 0)
    return np.take(np.partition(table, place, axis=axis), [place], axis=axis)


def _tokens(lines: EncodedLines, types: Sequence[str], first: int, last: int) -> list[list[str]]:
    offsets = lines.offsets[first : last + 1].tolist()
    ids = lines.ids[offsets[0] : offsets[-1]].tolist()
    words = [types[token] for token in ids]
    return [words[a - offsets[0] : b - offsets[0]] for a, b in itertools.pairwise(offsets)]


def build(options: Options) -> EmbeddingMatcher:
    """The matcher from checked options; bins that are still to be learned are left out."""
    bins = () if options["bins"] == AUTO else options["bins"]
    rarity = _rarity(options[IDF]) if isinstance(options.get(IDF), Mapping) else None
    return EmbeddingMatcher(
        options["source"], options["layer"], options["minimum"], options["nearest"], bins, rarity
    )


def _rarity(counts: Mapping[str, int]) -> dict[str, float]:
    """Rarity from the number of references that contain each word; the empty word stands for all references."""
    lines = counts.get("", 0)
    whole = math.log(lines + 1) or 1.0
    return {word: math.log((lines + 1) / (count + 1)) / whole for word, count in counts.items() if word}


def check_options(options: Options, where: str) -> dict[str, Any]:
    """All options with their defaults: ``source``, ``layer``, ``minimum``, ``nearest``, ``idf``, ``bins``.

    Raises:
        PfsmError: If an option is unknown or its value is not allowed.
    """
    for key in options:
        if key not in {*DEFAULTS, "bins"}:
            belongs = elsewhere(key, (*DEFAULTS, "bins")) or f"known are {', '.join(DEFAULTS)}, bins"
            raise PfsmError(f"{where}: unknown option {key!r}; {belongs}")
    values = {**DEFAULTS, **options}
    minimum, nearest = values["minimum"], values["nearest"]
    if isinstance(minimum, bool) or not isinstance(minimum, int | float) or not 0.0 < minimum <= 1.0:
        raise PfsmError(f"{where}: minimum is {minimum!r}, it must be a number above 0, at most 1")
    if type(nearest) is not int or nearest < 0:
        raise PfsmError(f"{where}: nearest is {nearest!r}, it must be a whole number from 0")
    return {
        "source": check_source(values["source"], f"{where}: source"),
        "layer": check_layer(values["layer"], f"{where}: layer"),
        "minimum": float(minimum),
        "nearest": nearest,
        **({IDF: _checked_idf(values[IDF], where)} if values[IDF] else {}),
        "bins": check_knots(values.get("bins", even_knots(float(minimum))), where),
    }


def _checked_idf(value: object, where: str) -> bool | dict[str, int]:
    if value is True:
        return True
    if isinstance(value, Mapping) and all(type(count) is int and count >= 0 for count in value.values()):
        return {str(word): count for word, count in value.items()}
    raise PfsmError(f"{where}: idf is {value!r:.40}, it must be true or false")


def even_knots(minimum: float) -> list[float]:
    """Knots of bins of equal width from the least cosine to 1; no knots if the least cosine is 1."""
    if minimum >= 1.0:
        return []
    return [round(float(knot), 4) for knot in np.linspace(minimum, 1.0, BINS + 1)]


def learn_options(options: Options, pairs: EncodedPairs) -> dict[str, Any]:
    """The source with its checksum, ``bins: auto`` as quantiles of the cosines of unequal words, ``idf`` as counts.

    Raises:
        PfsmError: If the vectors are not installed.
    """
    result = {**options, "source": pinned(options["source"])}
    if options.get(IDF) is True:
        result[IDF] = _line_counts(pairs)
    if options["bins"] == AUTO:
        blocks, cosines = build(result).similar(pairs)
        words = pairs.vocabulary.word_ids
        left = pairs.references.ids[pairs.references.offsets[blocks[:, 0]] + blocks[:, 1]]
        right = pairs.hypotheses.ids[pairs.hypotheses.offsets[blocks[:, 0]] + blocks[:, 3]]
        result["bins"] = quantile_knots(cosines[words[left] != words[right]])
    return result


def _line_counts(pairs: EncodedPairs) -> dict[str, int]:
    """Number of different references that contain each word, without words in one only; all under the empty word."""
    types = pairs.vocabulary.types
    lines = {tuple(line) for line in _tokens(pairs.references, types, 0, len(pairs))}
    counts = Counter(word for line in lines for word in {token.lower() for token in line})
    return {"": len(lines), **{word: counts[word] for word in sorted(counts) if counts[word] >= FEWEST_LINES}}


MATCHER = BuiltIn("S_emb", lambda _, options: build(options), check_options, learn_options)
