"""A line as the entailment features see it, and a pair of lines with their words aligned.

Words of the two sides are aligned where they are the same, have the same stem, or are synonyms.
"""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from pfsm.facts.dates import date_spans, ordinal
from pfsm.facts.quantities import english_numbers
from pfsm.text.classes import CLASSES, WordClasses, normal_form, word_classes
from pfsm.text.stemming import Stemmer, stemmer_named
from pfsm_linguistics.analysis.sentence import Analysis

# A year by itself, or behind a day and a month of which nobody knows which is which.
_YEAR = re.compile(r"(?:\d{1,2}/\d{1,2}/)?(1[5-9]\d\d|20\d\d|2100)")


class Date(NamedTuple):
    """What a line says of a date; None where it says nothing. Weekdays count from Monday, 0."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    def agrees(self, other: "Date") -> bool:
        """Whether both say something of the same, and nothing different."""
        both = [(a, b) for a, b in zip(self, other, strict=True) if a is not None and b is not None]
        return bool(both) and all(a == b for a, b in both)


class Found(NamedTuple):
    """A date and the places of its tokens."""

    date: Date
    places: tuple[int, ...]


def dates(forms: Sequence[str]) -> list[Found]:
    """The dates in a line of tokens, in order: days and months with their years, weekdays, and years alone."""
    found: dict[int, Found] = {}
    taken: set[int] = set()
    for start, size, (kind, *said) in date_spans(forms):
        places = range(start, start + size)
        if kind in {"date", "weekday"} and taken.isdisjoint(places):
            date = Date(*said) if kind == "date" else Date(weekday=said[0])  # type: ignore[arg-type]
            found[start] = Found(date, tuple(places))
            taken.update(places)
    for place, form in enumerate(forms):
        if place not in taken and (year := _YEAR.fullmatch(form)):
            found[place] = Found(Date(int(year[1])), (place,))
    return [found[place] for place in sorted(found)]


def numbers(words: Sequence[str], without: Collection[int] = ()) -> list[float]:
    """The values of the numbers in a line of lower-cased tokens: first whole numbers and decimals, then ordinals.

    Args:
        words: The tokens; a hyphen within a number, as in ``twenty - five``, is one of them.
        without: Places that are not looked at, such as those of dates.
    """
    kept = ["" if place in without else word for place, word in enumerate(words) if word != "-"]
    ordinals = (ordinal(word) for word in kept)
    return [*(float(one.value) for one in english_numbers(kept)), *(float(one) for one in ordinals if one)]


LANGUAGE = "en"
STEMMER = "porter"
ROOT = -1
OPEN_TAGS = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"})
_OPEN_CLASSES = frozenset(CLASSES.index(name) for name in ("number", "name", "content"))


@dataclass(frozen=True, eq=False)
class Side:
    """An analysed line; every tuple has an entry for each token.

    Attributes:
        forms: Tokens as they are written.
        words: The same in lower case, apostrophes and hyphens as on a typewriter.
        stems: Their stems.
        tags: Universal part-of-speech tags.
        fine: Penn Treebank tags.
        heads: Place of each token's head, counted from 0; ``ROOT`` for the root of a sentence.
        labels: Relation of each token to its head, with its subtype.
    """

    forms: tuple[str, ...]
    words: tuple[str, ...]
    stems: tuple[str, ...]
    tags: tuple[str, ...]
    fine: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Places of the dependents of each token, rising."""
        found: list[list[int]] = [[] for _ in self.heads]
        for place, head in enumerate(self.heads):
            if head != ROOT:
                found[head].append(place)
        return tuple(map(tuple, found))

    @cached_property
    def content(self) -> tuple[int, ...]:
        """Places of content words: of an open word class, and no function words or negations by the word lists."""
        classes = _classes()
        return tuple(
            place
            for place, (form, tag) in enumerate(zip(self.forms, self.tags, strict=True))
            if tag in OPEN_TAGS and classes.of(form) in _OPEN_CLASSES
        )

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Places of the roots of the sentences."""
        return tuple(place for place, head in enumerate(self.heads) if head == ROOT)

    @cached_property
    def negations(self) -> frozenset[int]:
        """Places of the words that negate."""
        listed = _classes().negation
        return frozenset(place for place, word in enumerate(self.words) if word in listed)

    @cached_property
    def dates(self) -> tuple[Found, ...]:
        """The dates in the line."""
        return tuple(dates(self.forms))

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The values of the numbers that belong to no date."""
        taken = {place for found in self.dates for place in found.places}
        return tuple(numbers(self.words, taken))

    def label(self, place: int) -> str:
        """The relation of a token to its head, without its subtype."""
        return self.labels[place].partition(":")[0]

    def is_word(self, place: int) -> bool:
        """Whether a token is more than punctuation."""
        return self.tags[place] != "PUNCT" and any(map(str.isalnum, self.forms[place]))


def side_of(analysis: Analysis) -> Side:
    """A line from its analysis; a line without a tree or tags has no words here."""
    tree = analysis.tree
    if tree is None or not analysis.upos or not analysis.xpos:
        return Side((), (), (), (), (), (), ())
    words = tuple(map(normal_form, analysis.tokens))
    return Side(
        analysis.tokens,
        words,
        # Lone surrogates are escaped, for the stemmer.
        tuple(_stemmer().stems([word.encode("utf-8", "backslashreplace").decode() for word in words])),
        analysis.upos,
        analysis.xpos,
        tuple(head - 1 for head in tree.heads),
        tree.labels,
    )


@cache
def _stemmer() -> Stemmer:
    return stemmer_named(STEMMER)


@cache
def _classes() -> WordClasses:
    return word_classes(LANGUAGE)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two lines and which word of one stands for which of the other.

    Attributes:
        reference: The side that is asked about: features that have a direction say how much of it is in the other.
        hypothesis: The other side.
        aligned: Place in the reference -> place in the hypothesis, one to one.
    """

    reference: Side
    hypothesis: Side
    aligned: Mapping[int, int]

    @cached_property
    def swapped(self) -> "Pair":
        """The same pair asked the other way round."""
        return Pair(self.hypothesis, self.reference, {j: i for i, j in self.aligned.items()})


def share(found: int, of: int) -> float:
    """A part of a number of things; all of none."""
    return found / of if of else 1.0


# From a word to what another must share with it to be its synonym.
Senses = Callable[[str], Iterable[Hashable]]


def align(reference: Side, hypothesis: Side, senses: Senses) -> Pair:
    """Aligns words one to one: first the same words, then the same stems, then content words that share a sense.

    Of several that could be, those whose places in their lines are most alike are taken first.
    """
    aligned: dict[int, int] = {}
    sides = (reference, hypothesis)
    for left, right in (
        [_keys(side, side.words) for side in sides],
        [_keys(side, side.stems) for side in sides],
        [{place: set(senses(side.words[place])) for place in side.content} for side in sides],
    ):
        _extend(aligned, left, right, (len(reference), len(hypothesis)))
    return Pair(reference, hypothesis, aligned)


Keys = Mapping[int, Collection[Hashable]]


def _keys(side: Side, keys: Sequence[str]) -> Keys:
    return {place: (key,) for place, key in enumerate(keys) if side.is_word(place)}


def _extend(aligned: dict[int, int], left: Keys, right: Keys, sizes: tuple[int, int]) -> None:
    """Adds pairs of free words that share a key."""
    taken = set(aligned.values())
    places: dict[Hashable, list[int]] = {}
    for j, keys in right.items():
        for key in keys if j not in taken else ():
            places.setdefault(key, []).append(j)
    candidates = sorted(
        (abs(i / sizes[0] - j / sizes[1]), i, j)
        for i, keys in left.items()
        if i not in aligned
        for j in {j for key in keys for j in places.get(key, ())}
    )
    for _, i, j in candidates:
        if i not in aligned and j not in taken:
            aligned[i] = j
            taken.add(j)
