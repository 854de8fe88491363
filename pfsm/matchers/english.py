"""Matchers that know English.

``S_morph``: two forms of one word: ``walks`` and ``walked``, ``is`` and ``were``, ``he`` and ``him``. Features of a
match say what tells the forms apart: ``morph:tense``, ``morph:number`` and so on, as in `pfsm.facts.inflection`.

``S_quantity``: amounts and dates that say the same, written otherwise: ``$5 million`` and ``five million dollars``.
What counts as the same is in `pfsm.facts.quantities`. Numbers without a unit are for the matcher ``num``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from pfsm.arrays import Int32, Int64
from pfsm.facts.contrasts import RUN, SAYS, remembered, token_kind
from pfsm.facts.inflection import CATEGORIES, base_forms, differences, forms
from pfsm.facts.quantities import Quantity, quantities
from pfsm.lexicons import registry
from pfsm.lexicons.synonyms import KIND, shared_table
from pfsm.matchers.protocol import EncodedPairs, MatcherKind, Offers
from pfsm.matchers.synonym import check_options, learn_options
from pfsm.matchers.type_lists import TypeLists
from pfsm.text.vocabulary import EncodedLines, Vocabulary

NAMES = tuple(f"morph:{category}" for category in CATEGORIES)
Options = Mapping[str, Any]


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


@dataclass(frozen=True)
class QuantityMatcher:
    """Offers pairs of places that say the same of an amount or a date, of up to ``max_block`` tokens on either side.

    Attributes:
        max_block: Largest number of tokens of an amount or a date.
    """

    max_block: int

    name = "quantity"
    state = "S_quantity"
    resources = ()

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Pairs of places with equal meaning, but for those that are written with the same words."""
        kinds = pairs.vocabulary.column(_token_kinds)
        ours = self._quantities(pairs.references, pairs.vocabulary, kinds)
        theirs = self._quantities(pairs.hypotheses, pairs.vocabulary, kinds)
        words = pairs.vocabulary.word_ids
        rows = set()
        for pair in ours.keys() & theirs.keys():
            first, other_first = pairs.references.offsets[pair], pairs.hypotheses.offsets[pair]
            for one in ours[pair]:
                mine = words[pairs.references.ids[first + one.start : first + one.start + one.length]]
                for other in theirs[pair]:
                    if one.meaning != other.meaning:
                        continue
                    at = other_first + other.start
                    if not np.array_equal(mine, words[pairs.hypotheses.ids[at : at + other.length]]):
                        rows.add((pair, one.start, one.length, other.start, other.length))
        return Offers(np.array(sorted(rows), dtype=np.int32).reshape(-1, 5))

    def _quantities(
        self, lines: EncodedLines, vocabulary: Vocabulary, kinds: Int32
    ) -> dict[int, list[Quantity]]:
        of_tokens = kinds[lines.ids].astype(np.uint8)
        line_of = np.repeat(np.arange(len(lines)), np.diff(lines.offsets))
        found: dict[int, list[Quantity]] = {}
        for line in np.unique(line_of[of_tokens == SAYS]).tolist():
            first, stop = lines.offsets[line : line + 2].tolist()
            said = []
            for run in RUN.finditer(of_tokens[first:stop].tobytes()):
                ids = lines.ids[first + run.start() : first + run.end()].tolist()
                places = _read(tuple([vocabulary.types[token] for token in ids]))
                said += [one._replace(start=one.start + run.start()) for one in places]
            found[line] = [one for one in said if one.length <= self.max_block]
        return found


_read = remembered(quantities)


def _token_kinds(tokens: Sequence[str]) -> list[int]:
    """What tokens can be part of, as `pfsm.facts.contrasts` has it; no token ends a run."""
    return list(map(token_kind, tokens))


QUANTITY = MatcherKind(
    "S_quantity", lambda max_block, _: QuantityMatcher(max_block), label="a quantity in another unit"
)
