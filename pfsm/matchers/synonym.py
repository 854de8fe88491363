"""Words that a table of synonyms knows together.

``S_syn``: words that share a synset (section 3.1 of Wang and Manning, 2012).

``S_morph``: two forms of one English word: ``walks`` and ``walked``, ``is`` and ``were``, ``he`` and ``him``. Features
of a match say what tells the forms apart: ``morph:tense``, ``morph:number`` and so on, as in `pfsm.facts.inflection`.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from pfsm.arrays import Int32, Int64
from pfsm.facts.inflection import CATEGORIES, base_forms, differences, forms
from pfsm.lexicons import registry
from pfsm.lexicons.synonyms import KIND, shared_table
from pfsm.matchers.protocol import EncodedPairs, MatcherKind, Offers, TypeLists, read_options
from pfsm.runtime.typed import Options, anything
from pfsm.text.vocabulary import Vocabulary

NAMES = tuple(f"morph:{category}" for category in CATEGORIES)
DEFAULT_TABLE = "wordnet-3.0"


class SynonymMatcher:
    """Offers pairs of single words that share a synset, in any part of speech and inflection.

    Args:
        table: ``NAME`` or ``NAME@CHECKSUM`` of the table of synonyms.

    Raises:
        PfsmError: If there is no such table.
    """

    name = "syn"
    state = "S_syn"

    def __init__(self, table: str) -> None:
        self._table = shared_table(registry.load(table, KIND))
        self._synsets = TypeLists(self._synsets_of)

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The table of synonyms."""
        return (self._table.label,)

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Pairs of words that share a synset, including a word with itself if it has a synset."""
        return Offers(self._synsets.sharing(pairs, self._table.size))

    def _synsets_of(self, token: str) -> Sequence[int]:
        """None of punctuation, which has a state of its own."""
        return self._table.synsets(token) if token.isalnum() or any(map(str.isalnum, token)) else ()


def check_options(options: Options, where: str) -> dict[str, Any]:
    """``table``, by default WordNet 3.0.

    Raises:
        PfsmError: If there is another option, or the name of the table is malformed.
    """
    chosen = read_options(options, {"table": anything(DEFAULT_TABLE)}, where)
    return {"table": registry.check_reference(chosen["table"], f"{where}: table")}


def learn_options(options: Options, pairs: EncodedPairs) -> dict[str, Any]:  # noqa: ARG001 - one signature for all
    """The table with its checksum, because a model needs the table that it was trained with.

    Raises:
        PfsmError: If there is no such table.
    """
    return {**options, "table": registry.pinned(options["table"], KIND)}


MATCHER = MatcherKind(
    "S_syn",
    lambda _, options: SynonymMatcher(options["table"]),
    check_options,
    learn_options,
    label="a synonym",
)


class MorphologyMatcher:
    """Offers pairs of different words that are forms of one.

    Args:
        table: ``NAME`` or ``NAME@CHECKSUM`` of the table whose base forms are used.

    Raises:
        PfsmError: If there is no such table.
    """

    name = "morph"
    state = "S_morph"

    def __init__(self, table: str) -> None:
        self._table = shared_table(registry.load(table, KIND))
        self._lemmas: dict[str, int] = {}
        self._lists = TypeLists(self._numbers)
        # Pairs of words come again, from other sentences.
        self._differences = lru_cache(maxsize=50_000)(self._compared)

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The table of base forms."""
        return (self._table.label,)

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Pairs of words with a base form in common, but not of a word with itself."""
        self._lists.of(pairs.vocabulary)
        rows = self._lists.sharing(pairs, len(self._lemmas))
        ours, theirs = (
            side.ids[side.offsets[rows[:, 0]] + rows[:, place]]
            for side, place in ((pairs.references, 1), (pairs.hypotheses, 3))
        )
        words = pairs.vocabulary.word_ids
        other = words[ours] != words[theirs]
        offer, feature = self._features(pairs.vocabulary, ours[other], theirs[other])
        return Offers(rows[other], NAMES, offer, feature.astype(np.int32), np.ones(offer.size))

    def _features(self, vocabulary: Vocabulary, ours: Int32, theirs: Int32) -> tuple[Int64, Int64]:
        """The categories in which pairs of token types differ: number of the pair, number of the category."""
        types = vocabulary.types
        both, place = np.unique(np.column_stack([ours, theirs]), axis=0, return_inverse=True)
        found = [self._differences(types[one], types[two]) for one, two in both.tolist()]
        sizes = np.array([len(names) for names in found], dtype=np.int64)
        flat = np.array([CATEGORIES.index(name) for names in found for name in names], dtype=np.int64)
        counts = sizes[place.ravel()]
        starts = (np.cumsum(sizes) - sizes)[place.ravel()]
        offer = np.repeat(np.arange(ours.size), counts)
        within = np.arange(offer.size) - np.repeat(np.cumsum(counts) - counts, counts)
        return offer, flat[np.repeat(starts, counts) + within]

    def _compared(self, one: str, other: str) -> tuple[str, ...]:
        lemmas = self._table.lemmas
        return differences(forms(one, lemmas), forms(other, lemmas)) or ()

    def _numbers(self, token: str) -> list[int]:
        """Numbers of the base forms of a token, in increasing order."""
        numbers = self._lemmas
        return sorted(
            numbers.setdefault(base, len(numbers)) for base in sorted(base_forms(token, self._table.lemmas))
        )


MORPHOLOGY = MatcherKind(
    "S_morph",
    lambda _, options: MorphologyMatcher(options["table"]),
    check_options,
    learn_options,
    label="another word of the same family",
)
