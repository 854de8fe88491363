"""Similar spellings: inflected forms, compounds, names and transliterations that are on no word list.

The similarity of two tokens is 1 minus the Levenshtein distance of their lower-cased characters, divided by the length
of the longer one. Two tokens match if their similarity reaches a minimum; the features of the match are soft bins of
the similarity. Tokens without a letter or with a numeral (``1990s`` is not ``1980s``), and tokens outside the length
limits, match nothing.
"""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.matchers.bins import AUTO, BINS, as_knots, known_knots, quantile_knots, ramped
from pfsm.matchers.protocol import EncodedPairs, MatcherKind, Offers, read_options
from pfsm.runtime.typed import Options, number, whole
from pfsm.text.vocabulary import EncodedLines, Vocabulary

NAME = "char"
# By cross-validation on WMT15 direct assessment; see docs/settings.md.
MINIMUM = 0.5
SHORTEST = 4
# The kernel's limit; a longer token is a web address rather than a word.
LONGEST = 64
KNOWN = {
    "minimum": number(MINIMUM, math.ulp(0.0), 1.0, "a number above 0, at most 1"),
    "shortest": whole(SHORTEST, LONGEST),
    "bins": BINS,
}


@dataclass(frozen=True)
class SpellingMatcher:
    """Offers pairs of similar words, one token each.

    Attributes:
        minimum: Least similarity, above 0 and at most 1.
        shortest: Least number of characters of both words.
        knots: Knots of the soft bins over similarities.
    """

    minimum: float = MINIMUM
    shortest: int = SHORTEST
    knots: tuple[float, ...] = ()

    name = NAME
    state = "S_char"
    resources = ()

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Pairs of words at least as similar as the minimum, equal ones included."""
        return ramped(NAME, *self.similar(pairs), self.knots)

    def similar(self, pairs: EncodedPairs) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Blocks, int32 [n_offers, 5], and their similarities, float64 [n_offers]."""
        from pfsm_kernels.strings.spelling import similar_words  # noqa: PLC0415 - brings numba

        references, hypotheses = pairs.references, pairs.hypotheses
        places, codes, words = self._spelled(pairs.vocabulary, references, hypotheses)
        return similar_words(
            places[references.ids],
            references.offsets,
            places[hypotheses.ids],
            hypotheses.offsets,
            codes,
            words,
            self.minimum,
        )

    def _spelled(
        self, vocabulary: Vocabulary, *sides: EncodedLines
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """The words of the text that can match, spelled out."""
        lengths = vocabulary.column(_lengths)
        met = np.zeros(lengths.size, dtype=np.bool_)
        for side in sides:
            met[side.ids] = True
        types = np.flatnonzero(met & (lengths >= max(1, self.shortest)))
        places = np.full(lengths.size, -1, dtype=np.int32)
        places[types] = np.arange(types.size)
        words = np.zeros(types.size + 1, dtype=np.int64)
        np.cumsum(lengths[types], out=words[1:])
        text = "".join([vocabulary.types[place].lower() for place in types.tolist()])
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4")
        return places, codes.astype(np.int32, copy=False), words


def _lengths(tokens: Sequence[str]) -> list[int]:
    """Number of characters in lower case; 0 for a token that can match nothing."""
    return [_length(token.lower()) for token in tokens]


def _length(word: str) -> int:
    if len(word) > LONGEST:
        return 0
    if word.isascii() and word.isalpha():  # as most words are
        return len(word)
    has_numeral = any(unicodedata.category(character)[0] == "N" for character in word)
    return len(word) if any(map(str.isalpha, word)) and not has_numeral else 0


def build(options: Options) -> SpellingMatcher:
    """The matcher from checked options."""
    return SpellingMatcher(options["minimum"], options["shortest"], known_knots(options))


def check_options(options: Options, where: str) -> dict[str, Any]:
    """All options with their defaults: ``minimum``, ``shortest``, ``bins``.

    Raises:
        PfsmError: If an option is unknown or its value is not allowed.
    """
    chosen = read_options(options, KNOWN, where)
    minimum = float(chosen["minimum"])
    return {**chosen, "minimum": minimum, "bins": as_knots(chosen["bins"], minimum)}


def learn_options(options: Options, pairs: EncodedPairs) -> dict[str, Any]:
    """Replaces ``bins: auto`` by quantiles of the similarities of words that share neither form nor stem."""
    if options["bins"] != AUTO:
        return dict(options)
    blocks, values = build(options).similar(pairs)
    stems, words = pairs.vocabulary.stem_ids, pairs.vocabulary.word_ids
    left, right = pairs.first_tokens(blocks)
    other = (stems[left] != stems[right]) & (words[left] != words[right])
    return {**options, "bins": quantile_knots(values[other])}


MATCHER = MatcherKind(
    "S_char", lambda _, options: build(options), check_options, learn_options, label="a similar spelling"
)
