"""Matchers by agreement: two tokens match if they have the same key (word, stem, punctuation mark)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.matchers.protocol import BuiltIn, EncodedPairs, Offers
from pfsm.text.vocabulary import Vocabulary

Keys = NDArray[np.int32]
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


def agreeing(pairs: EncodedPairs, keys: Keys, max_block: int = 1) -> NDArray[np.int32]:
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


PUNCTUATION = BuiltIn("S_punct", lambda size, _: AgreementMatcher("punct", punctuation_keys, size))
WORDS = BuiltIn("S_word", lambda size, _: AgreementMatcher("word", word_keys, size))
LEMMAS = BuiltIn("S_lemma", lambda size, _: AgreementMatcher("lemma", lemma_keys, size))
