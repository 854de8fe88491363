"""Paraphrases: pairs (phrase, paraphrase) with the probability of the paraphrase given the phrase.

The phrases are nodes of a trie over words. Single words are nodes 0 to ``n_words - 1``; the nodes of longer phrases
follow level by level, each node's children together and in the order of their words. So the k-th entry of all lists of
children is node ``n_words + k``, and a phrase is found by exact comparison of its words, without hashing. Every node
has a list of targets, the nodes of its paraphrases, in rising order; most have none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int32
from pfsm.io.array_checks import are_bounded, are_lists
from pfsm.lexicons.container import Lexicon, Source
from pfsm.lexicons.synonyms import array_lines, lines_array

KIND = "paraphrases"
Phrase = tuple[str, ...]
# Phrase, paraphrase -> probability.
Pairs = Mapping[tuple[Phrase, Phrase], float]


def compile_paraphrases(
    name: str, pairs: Pairs, licence: str, sources: Sequence[Source], about: str = ""
) -> Lexicon:
    """The lexicon of a table of paraphrases; their order does not matter.

    Args:
        name: What models will call it.
        pairs: Phrases of at least one lower-cased word; probabilities above 0 and at most 1.
        licence: Terms of the table.
        sources: What it was made from.
        about: One line for people.
    """
    phrases = sorted({phrase for pair in pairs for phrase in pair})
    number_of = {phrase: number for number, phrase in enumerate(phrases)}
    given, meant = (
        np.fromiter((number_of[pair[side]] for pair in pairs), np.int32, len(pairs)) for side in (0, 1)
    )
    probabilities = np.fromiter(pairs.values(), np.float64, len(pairs))
    return compile_links(name, phrases, Links(given, meant, probabilities), licence, sources, about)


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of a phrase and its paraphrase, each pair once; phrases are given by their place in a list.

    Attributes:
        phrases: int32 [n_links].
        paraphrases: int32 [n_links].
        probabilities: float64 [n_links], above 0 and at most 1.
    """

    phrases: Int32
    paraphrases: Int32
    probabilities: NDArray[np.float64]


def compile_links(
    name: str,
    phrases: Sequence[Phrase],
    links: Links,
    licence: str,
    sources: Sequence[Source],
    about: str = "",
) -> Lexicon:
    """The lexicon of a table that is too large for a mapping, as `compile_paraphrases` makes it.

    Args:
        name: What models will call it.
        phrases: All phrases, each once, in increasing order.
        links: The table.
        licence: Terms of the table.
        sources: What it was made from.
        about: One line for people.
    """
    words = sorted({word for phrase in phrases for word in phrase})
    nodes, child_offsets, child_words = _trie(phrases, words)
    given, meant = nodes[links.phrases], nodes[links.paraphrases]
    order = np.lexsort((meant, given))
    counts = np.bincount(given, minlength=child_offsets.size - 1)
    return Lexicon(
        KIND,
        name,
        licence,
        tuple(sources),
        {"pairs": given.size, "phrases": len(phrases), "words": len(words)},
        {
            "child_offsets": child_offsets,
            "child_words": child_words,
            "target_offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            "targets": meant[order],
            "probabilities": links.probabilities[order].astype(np.float32),
            "words": lines_array(words),
        },
        {"about": about, "longest": max(map(len, phrases), default=0)},
    )


def _trie(phrases: Sequence[Phrase], words: Sequence[str]) -> tuple[Int32, Int32, Int32]:
    """Node of every phrase; offsets and words of the children, int32 [n_nodes + 1] and int32 [n_nodes - n_words]."""
    word_id = {word: number for number, word in enumerate(words)}
    lengths = np.fromiter(map(len, phrases), np.int64, len(phrases))
    longest = int(lengths.max(initial=1))
    rows = np.full((len(phrases), longest), -1, dtype=np.int32)
    rows[np.arange(longest) < lengths[:, np.newaxis]] = [
        word_id[word] for phrase in phrases for word in phrase
    ]
    begins_anew = np.ones(len(phrases), dtype=np.bool_)
    begins_anew[1:] = rows[1:, 0] != rows[:-1, 0]
    nodes, n_nodes = rows[:, 0].copy(), len(words)
    parents, child_words = [nodes[:0]], [nodes[:0]]
    for level in range(1, longest):
        begins_anew[1:] |= rows[1:, level] != rows[:-1, level]
        reaches = lengths > level
        opens = reaches & begins_anew
        parents.append(nodes[opens])
        child_words.append(rows[opens, level])
        nodes = np.where(reaches, n_nodes - 1 + np.cumsum(opens), nodes).astype(np.int32)
        n_nodes += int(np.count_nonzero(opens))
    counts = np.bincount(np.concatenate(parents), minlength=n_nodes)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return nodes, offsets, np.concatenate(child_words)


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
