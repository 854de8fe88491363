"""Compiles tables of synonyms and paraphrases; `pfsm.lexicons.synonyms` and `pfsm.lexicons.paraphrases` read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int32
from pfsm.lexicons.container import Lexicon, Source
from pfsm.lexicons.paraphrases import KIND as PARAPHRASES
from pfsm.lexicons.paraphrases import Phrase
from pfsm.lexicons.synonyms import KIND as SYNONYMS
from pfsm.lexicons.synonyms import Detachments, lines_array

# Phrase, paraphrase -> probability.
Pairs = Mapping[tuple[Phrase, Phrase], float]


@dataclass(frozen=True)
class Part:
    """One part of speech of a dictionary.

    Attributes:
        tag: Its name, such as ``n``.
        synsets: Lower-cased lemma -> keys of its synsets, in the dictionary's own notation.
        irregular: Inflected form -> lemmas.
        detachments: Endings and what replaces them.
    """

    tag: str
    synsets: Mapping[str, Sequence[str]]
    irregular: Mapping[str, Sequence[str]] = field(default_factory=dict)
    detachments: Detachments = ()


def compile_synonyms(
    name: str, parts: Sequence[Part], licence: str, sources: Sequence[Source], about: str = ""
) -> Lexicon:
    """The lexicon of a dictionary; the order of the input does not matter."""
    numbers = synset_numbers(parts)
    ranges = []
    first = 0
    for place, part in enumerate(parts):
        last = first + sum(1 for of, _ in numbers if of == place)
        ranges.append([part.tag, first, last, [list(pair) for pair in part.detachments]])
        first = last
    lemmas = sorted({lemma for part in parts for lemma in part.synsets})
    lists = [
        sorted(
            {numbers[place, key] for place, part in enumerate(parts) for key in part.synsets.get(lemma, ())}
        )
        for lemma in lemmas
    ]
    offsets = np.zeros(len(lists) + 1, dtype=np.int32)
    offsets[1:] = np.cumsum([len(entry) for entry in lists])
    irregular = sorted(
        "\t".join([part.tag, form, *bases]) for part in parts for form, bases in part.irregular.items()
    )
    return Lexicon(
        SYNONYMS,
        name,
        licence,
        tuple(sources),
        {"lemmas": len(lemmas), "synsets": len(numbers), "irregular forms": len(irregular)},
        {
            "offsets": offsets,
            "synsets": np.array([number for entry in lists for number in entry], dtype=np.int32),
            "lemmas": lines_array(lemmas),
            "irregular": lines_array(irregular),
        },
        {"about": about, "parts": ranges},
    )


def synset_numbers(parts: Sequence[Part]) -> dict[tuple[int, str], int]:
    """Number of each synset, by the index of its part and its key; counted part by part, in the order of keys."""
    numbers: dict[tuple[int, str], int] = {}
    for place, part in enumerate(parts):
        for key in sorted({key for keys in part.synsets.values() for key in keys}):
            numbers[place, key] = len(numbers)
    return numbers


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

    Phrases are all that occur, each once, in increasing order.
    """
    words = sorted({word for phrase in phrases for word in phrase})
    nodes, child_offsets, child_words = _trie(phrases, words)
    given, meant = nodes[links.phrases], nodes[links.paraphrases]
    order = np.lexsort((meant, given))
    counts = np.bincount(given, minlength=child_offsets.size - 1)
    return Lexicon(
        PARAPHRASES,
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
