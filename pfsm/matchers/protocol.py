"""What a matcher is: it looks at encoded sentence pairs and offers blocks."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pfsm.text.vocabulary import EncodedLines, Vocabulary


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """References and hypotheses as token ids of one vocabulary; pair k is line k of both."""

    vocabulary: Vocabulary
    references: EncodedLines
    hypotheses: EncodedLines

    def __len__(self) -> int:
        """Number of sentence pairs."""
        return int(self.references.offsets.size) - 1


class Matcher(Protocol):
    """One kind of knowledge, which becomes one substitution state of the machine."""

    @property
    def name(self) -> str:
        """Name in ``settings.matchers``."""

    @property
    def state(self) -> str:
        """Name of the substitution state, such as ``S_word``."""

    def offers(self, pairs: EncodedPairs) -> NDArray[np.int32]:
        """Blocks this matcher accepts.

        Returns:
            int32 [n_offers, 5], rows (pair, i, p, j, q): p tokens of the reference from i, q tokens of the
            hypothesis from j, p and q at least 1. In any order, without repetition.
        """
