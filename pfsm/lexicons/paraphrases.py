"""Paraphrases: pairs (phrase, paraphrase) with the probability of the paraphrase given the phrase.

The phrases are nodes of a trie over words. Single words are nodes 0 to ``n_words - 1``; the nodes of longer phrases
follow level by level, each node's children together and in the order of their words. So the k-th entry of all lists of
children is node ``n_words + k``, and a phrase is found by exact comparison of its words, without hashing. Every node
has a list of targets, the nodes of its paraphrases, in rising order; most have none.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pfsm.arrays import Int32
from pfsm.io.containers import are_bounded, are_lists
from pfsm.lexicons.container import Lexicon
from pfsm.lexicons.synonyms import array_lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

KIND = "paraphrases"
Phrase = tuple[str, ...]


class ParaphraseTable:
    """A table of paraphrases, ready for look-ups.

    Attributes:
        label: ``NAME@CHECKSUM``.
        child_offsets: int32 [n_nodes + 1].
        child_words: int32 [n_nodes - n_words].
        target_offsets: int32 [n_nodes + 1].
        targets: int32 [n_pairs].
        probabilities: float32 [n_pairs].
        is_source: bool [n_nodes], whether the node is a phrase with paraphrases.
        is_target: bool [n_nodes], whether it is a paraphrase of another.

    Args:
        lexicon: A lexicon of the kind ``paraphrases``.

    Raises:
        PfsmError: If its arrays do not fit together.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.label = lexicon.label
        self.child_offsets: Int32 = lexicon.array("child_offsets", np.int32)
        self.child_words: Int32 = lexicon.array("child_words", np.int32)
        self.target_offsets: Int32 = lexicon.array("target_offsets", np.int32)
        self.targets: Int32 = lexicon.array("targets", np.int32)
        self.probabilities: NDArray[np.float32] = lexicon.array("probabilities", np.float32)
        with lexicon.unpacked():
            words = array_lines(lexicon.array("words", np.uint8))
        self._word_numbers = {word: number for number, word in enumerate(words)}
        n_words = len(words)
        n_nodes = n_words + self.child_words.size
        if not (
            are_lists(self.child_offsets, n_nodes, self.child_words, n_words)
            and are_lists(self.target_offsets, n_nodes, self.targets, n_nodes)
            and self.probabilities.size == self.targets.size
            and are_bounded(self.probabilities, 1.0)
            and not (self.probabilities < 0.0).any()
        ):
            raise lexicon.damaged()
        self.is_source = self.target_offsets[1:] > self.target_offsets[:-1]
        self.is_target = np.zeros(n_nodes, dtype=np.bool_)
        self.is_target[self.targets] = True

    def words(self, tokens: Sequence[str]) -> Int32:
        """Numbers of words, int32 [n], ignoring case; -1 if the table does not have one."""
        return np.array([self._word_numbers.get(token.lower(), -1) for token in tokens], dtype=np.int32)
