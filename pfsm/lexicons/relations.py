"""Relations between the entries of a table of synonyms: antonyms of words, hypernyms of synsets.

Antonymy holds between lemmas (hot, cold), hypernymy between synsets (a dog is an animal). The synset numbers are those
of the table of synonyms that the relations were compiled with, so they can be used only with that table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from pfsm.errors import PfsmError
from pfsm.io.containers import are_lists
from pfsm.lexicons import registry, synonyms
from pfsm.lexicons.compiling import Part, synset_numbers
from pfsm.lexicons.container import Lexicon, Source
from pfsm.lexicons.synonyms import SynonymTable, array_lines, lines_array

KIND = "relations"


@dataclass(frozen=True)
class Relations:
    """The relations of one part of speech in a dictionary.

    Attributes:
        tag: Its name, such as ``n``.
        antonyms: Pairs of lower-cased lemmas; the order within a pair does not matter.
        hypernyms: Key of a synset -> keys of the synsets right above it.
    """

    tag: str
    antonyms: Iterable[tuple[str, str]] = ()
    hypernyms: Mapping[str, Sequence[str]] = field(default_factory=dict)


def compile_relations(
    name: str,
    relations: Sequence[Relations],
    table: Lexicon,
    parts: Sequence[Part],
    sources: Sequence[Source],
    about: str = "",
) -> Lexicon:
    """The lexicon of a dictionary's relations; the order of the input does not matter.

    Args:
        name: Name of the lexicon.
        relations: The relations by part of speech, in the order of ``parts``.
        table: The table of synonyms, as it was read from its file.
        parts: The parts that this table was compiled from.
        sources: The files that the relations come from.
        about: One line that describes it.
    """
    numbers = synset_numbers(parts)
    above: list[set[int]] = [set() for _ in range(len(numbers))]
    for place, part in enumerate(relations):
        for key, keys in part.hypernyms.items():
            above[numbers[place, key]].update(numbers[place, other] for other in keys)
    pairs = {
        "\t".join([part.tag, *sorted(pair)])
        for part in relations
        for pair in part.antonyms
        if pair[0] != pair[1]
    }
    parents = [number for entry in above for number in sorted(entry)]
    return Lexicon(
        KIND,
        name,
        table.licence,
        tuple(sources),
        {"antonym pairs": len(pairs), "hypernyms": len(parents)},
        {
            "sizes": np.array([len(entry) for entry in above], dtype=np.uint8),
            "parents": np.array(parents, dtype=np.int32),
            "antonyms": lines_array(sorted(pairs)),
        },
        {"about": about, "synonyms": table.label},
    )


class RelationTable:
    """A table of relations, ready for look-ups.

    Args:
        lexicon: A lexicon of the kind ``relations``.
        table: The table of synonyms that it was compiled with.

    Raises:
        PfsmError: If it was compiled with another table, or its arrays do not fit together.
    """

    def __init__(self, lexicon: Lexicon, table: SynonymTable) -> None:
        if lexicon.details.get("synonyms") != table.label:
            raise PfsmError(
                f"{lexicon.name}: belongs to {lexicon.details.get('synonyms')}, not to {table.label}; compile it again"
            )
        self.label = lexicon.label
        self.synonyms = table
        sizes = lexicon.array("sizes", np.uint8)
        parents = lexicon.array("parents", np.int32)
        offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        with lexicon.unpacked():
            self._pairs = [
                tuple(line.split("\t")) for line in array_lines(lexicon.array("antonyms", np.uint8))
            ]
        if not are_lists(offsets, table.size, parents, table.size) or any(
            len(row) != 3 for row in self._pairs
        ):
            raise lexicon.damaged()
        self._parents: list[int] = parents.tolist()
        self._offsets: list[int] = offsets.tolist()

    def are_antonyms(self, word: str, other: str) -> bool:
        """Whether base forms of the two words are antonyms in one part of speech, ignoring case."""
        theirs = self.synonyms.lemmas(other)
        return any(
            (tag, opposite) in theirs
            for tag, lemma in self.synonyms.lemmas(word)
            for opposite in self.antonyms(lemma, tag)
        )

    def above(self, word: str, steps: int) -> frozenset[int]:
        """Synsets that are at most so many steps above a synset of the word; the word's own synsets are left out."""
        own = frozenset(self.synonyms.synsets(word))
        found: set[int] = set()
        level: set[int] = set(own)
        for _ in range(steps):
            level = {parent for number in level for parent in self.parents(number)} - found
            found |= level
        return frozenset(found) - own

    def is_kind_of(self, specific: str, general: str, steps: int) -> bool:
        """Whether one word has a synset at most so many steps below a synset of the other word."""
        return not self.above(specific, steps).isdisjoint(self.synonyms.synsets(general))

    def antonyms(self, lemma: str, tag: str) -> tuple[str, ...]:
        """The antonyms of a lower-cased base form in one part of speech, such as ``n``, in alphabetical order."""
        return self._opposites.get((tag, lemma), ())

    @cached_property
    def _opposites(self) -> dict[tuple[str, str], tuple[str, ...]]:
        found: dict[tuple[str, str], set[str]] = {}
        for tag, one, other in self._pairs:
            found.setdefault((tag, one), set()).add(other)
            found.setdefault((tag, other), set()).add(one)
        return {key: tuple(sorted(lemmas)) for key, lemmas in found.items()}

    def parents(self, number: int) -> list[int]:
        """The synsets right above a synset."""
        return self._parents[self._offsets[number] : self._offsets[number + 1]]


@lru_cache(maxsize=2)
def load_relations(name: str) -> RelationTable:
    """The table of this name with the table of synonyms that it belongs to.

    Raises:
        PfsmError: If one of them is missing or damaged, or they do not belong together.
    """
    lexicon = registry.load(name, KIND)
    return RelationTable(
        lexicon, SynonymTable(registry.load(str(lexicon.details.get("synonyms")), synonyms.KIND))
    )
