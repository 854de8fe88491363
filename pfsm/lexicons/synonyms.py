"""Synonyms: from a word, through its base forms, to the synsets it belongs to.

A table has parts, one for each part of speech. In each part, a word's base forms are the word itself and its irregular
base forms, if it is on the part's list of irregular forms. A word that is not on the list has as base forms what
remains when its endings are detached (WordNet's ``morphy``, as NLTK's reader applies it: every form that the part knows
counts). A word belongs to the synsets of all its base forms in all parts.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.io.containers import are_lists
from pfsm.lexicons.container import Lexicon

KIND = "synonyms"
Detachments = tuple[tuple[str, str], ...]


def lines_array(lines: Iterable[str]) -> NDArray[np.uint8]:
    """Strings without line feeds as one array of their UTF-8 bytes."""
    text = "\n".join(lines)
    return np.frombuffer(text.encode("utf-8", "backslashreplace"), dtype=np.uint8)


def array_lines(array: NDArray[np.uint8]) -> list[str]:
    """The strings of `lines_array`."""
    return array.tobytes().decode("utf-8").split("\n") if array.size else []


@dataclass(frozen=True)
class _LoadedPart:
    """A part ready for look-ups; its synsets have the numbers in [first, last)."""

    tag: str
    first: int
    last: int
    irregular: Mapping[str, Sequence[str]]
    detachments: Detachments

    def bases(self, word: str, shortest: int = 0) -> list[str]:
        """The word and its possible base forms; an ending is detached only if at least ``shortest`` letters remain."""
        listed = self.irregular.get(word)
        if listed is not None:
            return [word, *listed]
        left = len(word) - shortest
        endings = [(old, new) for old, new in self.detachments if len(old) <= left and word.endswith(old)]
        return [word] + [word[: -len(old)] + new for old, new in endings]

    def holds(self, number: int) -> bool:
        """Whether a synset is one of this part."""
        return self.first <= number < self.last


class SynonymTable:
    """A table of synonyms, ready for look-ups.

    Args:
        lexicon: A lexicon of the kind ``synonyms``.

    Raises:
        PfsmError: If its arrays do not fit together.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.label = lexicon.label
        offsets, synsets = lexicon.array("offsets", np.int32), lexicon.array("synsets", np.int32)
        with lexicon.unpacked():
            lemmas = array_lines(lexicon.array("lemmas", np.uint8))
            self.size = int(lexicon.counts["synsets"])
            self._parts = _loaded_parts(
                lexicon.details["parts"], array_lines(lexicon.array("irregular", np.uint8)), self.size
            )
            # Every synset has a lemma, so that arrays by synset are no larger than the file.
            if self.size > synsets.size or not are_lists(offsets, len(lemmas), synsets, self.size):
                raise lexicon.damaged()
        self._irregular = frozenset(word for part in self._parts for word in part.irregular)
        self._place = {lemma: place for place, lemma in enumerate(lemmas)}
        # Numbers side by side are read faster than a list of as many objects.
        self._offsets, self._synsets = array("i", offsets.tobytes()), array("i", synsets.tobytes())

    def lemma(self, word: str, tag: str) -> str:
        """The base form of a lower-cased word in one part of speech, by WordNet's rules (`morphy`).

        It is the base form on the part's list of irregular forms. If the word is not on the list, it is the first form
        that the part knows among the word itself and what remains without its endings. Otherwise it is the word.

        Args:
            word: The word in lower case.
            tag: A part of speech of the table, such as ``n``; for one that the table lacks, every word is its own
                lemma.
        """
        part = next((part for part in self._parts if part.tag == tag), None)
        if part is None:
            return word
        if word in part.irregular:
            return part.irregular[word][0]
        bases = part.bases(word)
        return next((base for base in bases if self._is_in(base, part)), word)

    def synsets(self, word: str) -> list[int]:
        """Numbers of the synsets of a word in increasing order, ignoring case. Empty for an unknown word."""
        word = word.lower()
        found = self._numbers(word)  # the word itself is a base form in every part
        if word in self._irregular:
            bases = [(base, part) for part in self._parts for base in part.bases(word)[1:]]
        else:
            rules = self._endings.get(word[-1:], ())
            bases = [(word[: -len(old)] + new, part) for old, new, part in rules if word.endswith(old)]
        bases = [entry for entry in bases if entry[0] in self._place]  # most endings leave no word behind
        others = [at for base, part in bases for at in self._numbers(base) if part.first <= at < part.last]
        return sorted({*found, *others}) if others else found.tolist()

    @cached_property
    def _endings(self) -> Mapping[str, Sequence[tuple[str, str, _LoadedPart]]]:
        """What is detached in any part, by its last letter."""
        found: dict[str, list[tuple[str, str, _LoadedPart]]] = {}
        for part in self._parts:
            for old, new in part.detachments:
                found.setdefault(old[-1:], []).append((old, new, part))
        return found

    def lemmas(self, word: str) -> list[tuple[str, str]]:
        """Parts of speech and base forms of a word that are in the table, ignoring case."""
        word = word.lower()
        return [
            (part.tag, base)
            for part in self._parts
            for base in dict.fromkeys(part.bases(word))
            if self._is_in(base, part)
        ]

    def senses(self, lemma: str, tag: str) -> list[int]:
        """Numbers of the synsets of a lower-cased base form in one part of speech; empty for an unknown one."""
        part = next((part for part in self._parts if part.tag == tag), None)
        return [] if part is None else list(filter(part.holds, self._numbers(lemma)))

    def words(self, number: int) -> list[str]:
        """The lemmas of a synset, in alphabetical order; spaces in them are underscores."""
        return self._words.get(number, [])

    @cached_property
    def _words(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for lemma, place in self._place.items():
            for number in self._synsets[self._offsets[place] : self._offsets[place + 1]]:
                found.setdefault(number, []).append(lemma)
        return found

    def _is_in(self, lemma: str, part: _LoadedPart) -> bool:
        return any(map(part.holds, self._numbers(lemma)))

    def _numbers(self, lemma: str) -> "array[int]":
        place = self._place.get(lemma)
        if place is None:
            return array("i")
        return self._synsets[self._offsets[place] : self._offsets[place + 1]]

    def synsets_of_bases(self, word: str) -> list[int]:
        """Numbers of the synsets of all base forms of a word, in increasing order, as METEOR computes them.

        Each base form counts in every part of speech, so ``facing`` has the synsets of the noun ``face`` too. For
        METEOR an ending is not detached if fewer than two letters remain.
        """
        word = word.lower()
        found: set[int] = set()
        for base in {base for part in self._parts for base in part.bases(word, 2)}:
            found.update(self._numbers(base))
        return sorted(found)


@lru_cache(maxsize=4)
def shared_table(lexicon: Lexicon) -> SynonymTable:
    """The table of a lexicon, one for all that ask: it never changes.

    Raises:
        PfsmError: As `SynonymTable`.
    """
    return SynonymTable(lexicon)


def _loaded_parts(ranges: Sequence[Sequence[Any]], lines: Iterable[str], size: int) -> list[_LoadedPart]:
    irregular: dict[str, dict[str, list[str]]] = {str(tag): {} for tag, *_ in ranges}
    for line in lines:
        tag, form, *bases = line.split("\t")
        if not bases:
            raise ValueError(f"{form} is irregular, but of no word")
        irregular[tag][form] = bases
    if not all(0 <= first <= last <= size for _, first, last, _ in ranges):
        raise ValueError("a part's synsets are not among those of the table")
    return [
        _LoadedPart(
            str(tag),
            int(first),
            int(last),
            irregular[str(tag)],
            tuple((str(old), str(new)) for old, new in rules),
        )
        for tag, first, last, rules in ranges
    ]
