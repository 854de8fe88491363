"""Which nouns are predicates: a logistic layer over the states of words and over features of each noun.

    p(noun is a predicate) = 1 / (1 + exp(-(bias + w v + sum of the weights of the noun's features)))

v is the noun's state (`pfsm.english.labeller.inputs`). A feature is known by the lowest bits of a number for what it
says; the same text has the same number in every process.
"""

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.roles import NOUN
from pfsm.analysis.sentence import DependencyTree
from pfsm.english.labeller.inputs import predicate_lemma
from pfsm.english.labeller.weights import NOUN_BITS, NominalWeights
from pfsm.english.parser.network import normal_form
from pfsm.english.parser.weights import Matrix
from pfsm.lexicons.lemmas import lemma_of

_MASK = (1 << NOUN_BITS) - 1
_CASES = frozenset({"case", "mark"})
_ENDINGS = (3, 4, 5)


def nouns_of(upos: Sequence[str]) -> list[int]:
    """The words that may be nominal predicates: those tagged NOUN, counted from 0."""
    return [word for word, tag in enumerate(upos) if tag == NOUN]


def noun_log_odds(
    weights: NominalWeights, keys: Sequence[Sequence[int]], states: Matrix
) -> NDArray[np.float64]:
    """The log-odds that each noun is a predicate, float64 [n_nouns].

    Args:
        weights: The weights.
        keys: Keys of the features of each noun, as `noun_keys` gives them.
        states: float32 [n_nouns, state size], their states.
    """
    # A sum of products, not a matrix product, whose order of additions depends on the number of rows.
    odds: NDArray[np.float64] = (states * weights.state).sum(axis=1, dtype=np.float64) + weights.bias
    found = np.array([key for own in keys for key in own], dtype=np.int32)
    places = np.minimum(np.searchsorted(weights.keys, found), weights.keys.size - 1)
    values = np.where(weights.keys[places] == found, weights.weights[places], np.float32(0.0))
    noun_of_each = np.repeat(np.arange(len(keys)), [len(own) for own in keys])
    odds += np.bincount(noun_of_each, values, minlength=len(keys))
    return odds


def noun_key(name: str) -> int:
    """The key of a feature: the same in every process."""
    return zlib.crc32(name.encode("utf-8", "backslashreplace")) & _MASK


def noun_keys(
    words: Sequence[str], xpos: Sequence[str], tree: DependencyTree, nouns: Sequence[int]
) -> list[list[int]]:
    """Keys of the features of nouns: lemma, endings, relation, the word above, and the words below.

    Args:
        words: The words of one sentence.
        xpos: Their Penn tags.
        tree: Their tree, heads counted within the sentence.
        nouns: The nouns, counted from 0.
    """
    below: dict[int, list[int]] = {noun: [] for noun in nouns}
    cases: dict[int, str] = {}
    for word, (head, relation) in enumerate(zip(tree.heads, tree.labels, strict=True)):
        if head - 1 in below:
            below[head - 1].append(word)
        if relation in _CASES:
            cases.setdefault(head - 1, normal_form(words[word]))
    found = []
    for noun in nouns:
        lemma, head = predicate_lemma(words[noun], xpos[noun], NOUN), tree.heads[noun] - 1
        above = lemma_of(words[head], xpos[head]) if head >= 0 else ""
        names = _own_names(lemma, xpos[noun], tree.labels[noun], above, cases.get(noun, ""))
        for word in below[noun]:
            names += _names_below(lemma, normal_form(words[word]), tree.labels[word], cases.get(word, ""))
        found.append([noun_key(name) for name in dict.fromkeys(names)])
    return found


def _own_names(lemma: str, tag: str, relation: str, above: str, case: str) -> list[str]:
    return [
        f"l {lemma}",
        f"lt {lemma} {tag}",
        f"lr {lemma} {relation}",
        f"lc {lemma} {case}",
        f"la {lemma} {relation} {above}",
        f"a {relation} {above}",
        f"rc {relation} {case}",
        f"rct {relation} {case} {tag}",
        *(f"e {lemma[-size:]}" for size in _ENDINGS),
        f"er {lemma[-3:]} {relation} {case}",
    ]


def _names_below(lemma: str, word: str, relation: str, case: str) -> list[str]:
    return [
        f"b {relation} {case}",
        f"bl {lemma} {relation} {case}",
        f"bf {relation} {word}",
        f"be {lemma[-3:]} {relation} {case}",
        *([f"bd {lemma} {word}"] if relation == "det" else []),
    ]
