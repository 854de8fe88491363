"""A sentence as the labeller sees it: numbers of words, tags and relations, its tree and constituents, states of words.

LSTMs read words, tags, relations and parents in both directions; their states go beside the words' vectors.
"""

import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int64
from pfsm_linguistics.analysis.constituents import Constituent, labelled_spans
from pfsm_linguistics.analysis.lemmas import lemma_of
from pfsm_linguistics.analysis.roles import NOUN, VERB
from pfsm_linguistics.analysis.sentence import DependencyTree
from pfsm_linguistics.parser.network import normal_form
from pfsm_linguistics.parser.weights import Matrix, ParserWeights

# More spans than any sentence of a hundred words has.
MOST_CANDIDATES = 1200
_RELATIONS = (
    "aux:pass", "nsubj:pass", "aux", "compound:prt", "case", "mark", "nsubj", "obj", "iobj", "xcomp", "ccomp", "obl",
    "VBN", "csubj", "WDT", "WP", "WP$", "WRB",
)  # fmt: skip
_MARKS = frozenset({"``", "''", ",", ".", ":", "-LRB-", "-RRB-", "HYPH", "NFP"})
# Tags of words whose lemma is another word than they are.
_INFLECTED = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "NNS"})
# Smaller numbers stand for what is not there.
_FIRST_NUMBER = 16


class SentenceArrays(NamedTuple):
    """One sentence; all int64.

    Attributes:
        words: [n], numbers of the words' normal forms.
        lemmas: [n], numbers of the lemmas of verbs and of plurals, else of the normal forms.
        xpos: [n], numbers of the Penn tags.
        relations: [n], numbers of the relations.
        heads: [n], heads from 0; -1 for the root.
        first: [n], first word of each word's subtree.
        last: [n], the word after its last.
        depth: [n], distance from the root.
        marks: [n], 1 for marks of punctuation.
        spans: [m, 7], constituents as `pfsm_linguistics.kernels.roles.candidates` takes them.
        given: Whether the trees are known to be right; a parser's are not.
    """

    words: Int64
    lemmas: Int64
    xpos: Int64
    relations: Int64
    heads: Int64
    first: Int64
    last: Int64
    depth: Int64
    marks: Int64
    spans: Int64
    given: bool


class Candidates(NamedTuple):
    """Spans offered for one predicate.

    Attributes:
        spans: int64 [n, 3], as `pfsm_linguistics.kernels.roles.candidates` writes them.
        features: uint64 [n, N_SLOTS], their features.
        heads: int64 [n], their head words.
    """

    spans: Int64
    features: NDArray[np.uint64]
    heads: Int64


@lru_cache(maxsize=20_000)
def number_of(text: str) -> int:
    """The number of a word, tag or relation: the same in every process."""
    return zlib.crc32(text.encode("utf-8", "backslashreplace")) + _FIRST_NUMBER


CODES = np.array([number_of(name) for name in _RELATIONS], dtype=np.int64)


@lru_cache(maxsize=20_000)
def predicate_lemma(word: str, xpos: str, upos: str = VERB) -> str:
    """The lemma of a predicate, in lower case; of a noun, the noun's.

    Args:
        word: The word.
        xpos: Its Penn tag; one that does not fit the universal tag counts as the plainest that does.
        upos: Its universal tag, `VERB` or `NOUN`.
    """
    first, plain = ("N", "NN") if upos == NOUN else ("V", "VB")
    return lemma_of(word, xpos if xpos.startswith(first) else plain)


def sentence_arrays(
    words: Sequence[str],
    tags: tuple[Sequence[str], Sequence[str]],
    heads: Sequence[int],
    labels: Sequence[str],
    constituents: Constituent | None,
    *,
    given: bool = False,
) -> SentenceArrays:
    """The arrays of a sentence.

    Args:
        words: Its words.
        tags: Universal and Penn tags.
        heads: Heads as in `DependencyTree`, of this sentence alone.
        labels: Relations.
        constituents: Its constituent tree, words counted from 0; None if there is none.
        given: Whether the trees are known to be right, as those of a treebank.
    """
    from pfsm_linguistics.kernels.roles.candidates import tree_numbers  # noqa: PLC0415 - brings numba

    upos, xpos = tags
    n = len(words)
    first, last, depth = (np.zeros(n, dtype=np.int64) for _ in range(3))
    above = np.array(heads, dtype=np.int64) - 1
    tree_numbers(above, first, last, depth)
    forms = [normal_form(word) for word in words]
    lemmas = [
        lemma_of(word, tag) if tag in _INFLECTED else form
        for word, tag, form in zip(words, xpos, forms, strict=True)
    ]
    marks = [tag in _MARKS or universal == "PUNCT" for universal, tag in zip(upos, xpos, strict=True)]
    own, bases, tag_numbers, relations = (
        np.array(list(map(number_of, texts)), dtype=np.int64) for texts in (forms, lemmas, xpos, labels)
    )
    is_mark, spans = np.array(marks, dtype=np.int64), _spans(constituents, xpos)
    return SentenceArrays(
        own, bases, tag_numbers, relations, above, first, last, depth, is_mark, spans, given
    )


def _spans(tree: Constituent | None, tags: Sequence[str]) -> Int64:
    found = {} if tree is None else labelled_spans(tree)
    for word, tag in enumerate(tags):
        found.setdefault((word, word + 1), tag)
    rows: list[tuple[int, ...]] = []
    around: list[tuple[int, int]] = [(-1, -1), (-1, -1)]
    for (start, end), label in sorted(found.items(), key=lambda one: (one[0][0], -one[0][1])):
        while len(around) > 2 and around[-1][1] <= start:
            around.pop()
        rows.append((start, end, *around[-1], *around[-2], number_of(label)))
        around.append((start, end))
    return np.array(rows, dtype=np.int64).reshape(-1, 7)


def candidates_of(sentence: SentenceArrays, predicate: int) -> Candidates:
    """The spans offered for a predicate, with their features."""
    from pfsm_linguistics.kernels.roles.candidates import candidates  # noqa: PLC0415 - brings numba
    from pfsm_linguistics.kernels.roles.features import N_SLOTS, features  # noqa: PLC0415

    spans = np.zeros((MOST_CANDIDATES, 3), dtype=np.int64)
    s = sentence
    n = int(candidates(s.heads, s.first, s.last, s.marks, s.spans, predicate, spans))
    hashes = np.zeros((n, N_SLOTS), dtype=np.uint64)
    heads = np.zeros(n, dtype=np.int64)
    features(
        s.words, s.lemmas, s.xpos, s.relations, s.heads, s.first, s.depth, s.marks, s.spans, CODES,
        int(s.given), predicate, spans, n, hashes, heads,
    )  # fmt: skip
    return Candidates(spans[:n].copy(), hashes, heads)


class Numbers:
    """Numbers of words, tags and relations in the parser's inventories; 0 for what it does not know."""

    def __init__(self, parser: ParserWeights) -> None:
        self._words, self._tags, self._relations = (
            {name: k for k, name in enumerate(parser.inventories[kind], 1)}
            for kind in ("vector_words", "xpos", "labels")
        )

    def of(self, words: Sequence[str], xpos: Sequence[str], tree: DependencyTree) -> Int64:
        """Rows of the vectors of each word and its parent, of its tag and its relation, int64 [n_words, 4].

        Args:
            words: The words of one sentence.
            xpos: Their Penn tags.
            tree: Their tree, heads counted within the sentence.
        """
        own = [self._words.get(normal_form(word), 0) for word in words]
        found = np.zeros((len(words), 4), dtype=np.int64)
        found[:, 0] = own
        found[:, 1] = [own[head - 1] if head else 0 for head in tree.heads]
        found[:, 2] = [self._tags.get(tag, 0) for tag in xpos]
        found[:, 3] = [self._relations.get(label, 0) for label in tree.labels]
        return found


def states_of(numbers: Int64, vectors: Matrix, arrays: Mapping[str, Matrix]) -> Matrix:
    """States of the words of one sentence, float32 [n_words, 2 * state + vector size].

    Args:
        numbers: As `Numbers` gives them.
        vectors: Word vectors; row 0 is for words without one.
        arrays: The labeller's.
    """
    from pfsm_kernels.dense.vectors import lstm  # noqa: PLC0415 - brings numba

    own, parent, tags, relations = numbers.T
    fixed = vectors[own]
    inputs = np.concatenate(
        [fixed, vectors[parent], arrays["tags"][tags], arrays["relations"][relations]], axis=1
    )
    for layer in range(layers_of(arrays)):
        columns = []
        for name, backward in (("ahead", False), ("back", True)):
            recurrent = arrays[f"{name}.{layer}.recurrent"]
            given = inputs @ arrays[f"{name}.{layer}.input"] + arrays[f"{name}.{layer}.bias"]
            out = np.zeros((len(numbers), recurrent.shape[0]), dtype=np.float32)
            lstm(given, recurrent, backward, out)
            columns.append(out)
        inputs = np.concatenate(columns, axis=1)
    return np.concatenate([inputs, fixed], axis=1)


def layers_of(arrays: Mapping[str, Matrix]) -> int:
    """Number of stacked LSTMs."""
    return sum(name.startswith("ahead.") and name.endswith(".input") for name in arrays)
