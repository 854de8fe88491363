"""Matchers by agreement: two tokens match if they have the same key (word, stem, punctuation mark).

``S_swap``: two neighbouring words, or runs of words, that stand the other way round. Where the reference has ``A B``
and the translation ``B A``, word for word the same, the four runs are one block. So the machine without jumps matches
both of them, and a weight of its own says what the swap costs.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int32, Int64
from pfsm.matchers.protocol import NO_BLOCKS, EncodedPairs, MatcherKind, Offers
from pfsm.text.vocabulary import Vocabulary

Keys = Int32
NO_KEY = -1


@dataclass(frozen=True)
class AgreementMatcher:
    """Offers blocks with 1 to ``max_block`` tokens on both sides, which agree token by token.

    Attributes:
        name: Name in ``settings.matchers``; the state is ``S_`` and the name.
        keys: Gives the key of each token type of a vocabulary, int32 [n_types]; ``NO_KEY`` matches nothing.
        max_block: Largest number of tokens on either side.
    """

    name: str
    keys: Callable[[Vocabulary], Keys]
    max_block: int

    @property
    def state(self) -> str:
        """Name of the substitution state."""
        return f"S_{self.name}"

    @property
    def resources(self) -> tuple[str, ...]:
        """Empty: words, stems and punctuation come from the text itself."""
        return ()

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Blocks whose tokens agree one by one."""
        return Offers(agreeing(pairs, self.keys(pairs.vocabulary), self.max_block))


def agreeing(pairs: EncodedPairs, keys: Keys, max_block: int = 1) -> Int32:
    """Blocks of up to so many tokens whose types have the same key one by one, int32 [n_blocks, 5]."""
    from pfsm_kernels.strings.matching import agreeing_blocks  # noqa: PLC0415 - brings numba

    ours, theirs = pairs.references, pairs.hypotheses
    return agreeing_blocks(keys[ours.ids], ours.offsets, keys[theirs.ids], theirs.offsets, max_block)


def punctuation_keys(vocabulary: Vocabulary) -> Keys:
    """The word, if none of its characters is a letter or digit."""
    return np.where(vocabulary.is_punctuation, vocabulary.word_ids, np.int32(NO_KEY))


def word_keys(vocabulary: Vocabulary) -> Keys:
    """The word, if it has a letter or digit."""
    return np.where(vocabulary.is_punctuation, np.int32(NO_KEY), vocabulary.word_ids)


def lemma_keys(vocabulary: Vocabulary) -> Keys:
    """The stem, if the word has a letter or digit."""
    return np.where(vocabulary.is_punctuation, np.int32(NO_KEY), vocabulary.stem_ids)


def _agreement(name: str, keys: Callable[[Vocabulary], Keys], label: str) -> MatcherKind:
    return MatcherKind(f"S_{name}", lambda size, _: AgreementMatcher(name, keys, size), label=label)


PUNCTUATION = _agreement("punct", punctuation_keys, "the same punctuation mark")
WORDS = _agreement("word", word_keys, "the same word")
LEMMAS = _agreement("lemma", lemma_keys, "another form of the word")

SMALLEST = 2
"""Tokens of the smallest swap."""


@dataclass(frozen=True)
class SwapMatcher:
    """Offers blocks of two neighbouring runs that have changed places.

    Attributes:
        max_block: Largest number of tokens of both runs together; with 1 there is nothing to swap.
    """

    max_block: int

    name = "swap"
    state = "S_swap"
    resources = ()

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Blocks ``A B`` of the reference and ``B A`` of the hypothesis, but for those that are the same both ways."""
        if self.max_block < SMALLEST:
            return NO_BLOCKS
        words = pairs.vocabulary.word_ids
        ours, theirs = words[pairs.references.ids], words[pairs.hypotheses.ids]
        offsets = pairs.references.offsets, pairs.hypotheses.offsets
        runs = agreeing(pairs, words, self.max_block - 1)
        first, second = _meeting(runs)
        fits = runs[first, 2] + runs[second, 2] <= self.max_block
        first, second = first[fits], second[fits]
        sizes = runs[first, 2] + runs[second, 2]
        blocks = np.column_stack([runs[first, 0], runs[first, 1], sizes, runs[second, 3], sizes])
        blocks = np.unique(blocks, axis=0).astype(np.int32, copy=False)
        return Offers(blocks[~_is_straight(blocks, ours, offsets[0], theirs, offsets[1])])


def _meeting(runs: Int32) -> tuple[Int64, Int64]:
    """Which runs stand before which on the side of the reference, and right behind them on the other."""
    pair, i, size, j, _ = runs.T.astype(np.int64)
    width = int(max(i.max(), j.max(), 0)) + int(size.max()) + 1 if pair.size else 1
    # The place where the earlier run of the reference ends and that of the hypothesis begins.
    ends = (pair * width + i + size) * width + j
    begins = (pair * width + i) * width + j + size
    order = np.argsort(begins, kind="stable")
    low, high = (np.searchsorted(begins[order], ends, side=side) for side in ("left", "right"))
    counts = high - low
    first = np.repeat(np.arange(runs.shape[0]), counts)
    within = np.arange(first.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return first, order[np.repeat(low, counts) + within]


def _is_straight(
    blocks: Int32, ours: Int32, our_offsets: Int64, theirs: Int32, their_offsets: Int64
) -> NDArray[np.bool_]:
    """Whether the tokens of a block are the same one by one too, as in ``the the``."""
    straight = np.ones(blocks.shape[0], dtype=np.bool_)
    pair, i, size, j, _ = blocks.T
    for step in range(int(size.max(initial=0))):
        inside = np.flatnonzero(step < size)
        left = ours[our_offsets[pair[inside]] + i[inside] + step]
        right = theirs[their_offsets[pair[inside]] + j[inside] + step]
        straight[inside] &= left == right
    return straight


SWAPS = MatcherKind(
    "S_swap", lambda max_block, _: SwapMatcher(max_block), label="neighbours that changed places"
)
