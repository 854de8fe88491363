"""The words, characters, tags and labels that a parser knows, and their numbers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pfsm.analysis.constituents import CHAIN, labelled_spans
from pfsm.english.parser.network import normal_form
from pfsm.english.parser.weights import END
from pfsm_training.parsing.treebank import Example, all_words

# Not a constituent: a span that exists only because the tree was made binary.
NO_LABEL = ""


@dataclass(frozen=True)
class Inventory:
    """Names in the order of their numbers.

    Attributes:
        words: Normal forms with a learned vector; their numbers begin at 1, since 0 is the unknown word.
        counts: How often each of them occurs.
        characters: Known characters; their numbers begin after the markers of `character_numbers`.
        upos: Universal tags.
        xpos: Tags of the language.
        labels: Dependency labels, ``root`` first.
        span_labels: Labels of spans; the first is ``NO_LABEL``.
    """

    words: tuple[str, ...]
    counts: tuple[int, ...]
    characters: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    labels: tuple[str, ...]
    span_labels: tuple[str, ...]

    @property
    def word_numbers(self) -> dict[str, int]:
        """Number of each known word, from 1."""
        return {word: number for number, word in enumerate(self.words, 1)}

    @property
    def character_numbers(self) -> dict[str, int]:
        """Number of each known character."""
        return {character: number for number, character in enumerate(self.characters, END + 1)}


def take_inventory(
    examples: Sequence[Example], *, min_word: int, min_character: int, min_span_label: int
) -> Inventory:
    """The inventory of the examples; words, characters and span labels must occur at least as often as given."""
    words = Counter(map(normal_form, all_words(examples)))
    characters = Counter("".join(all_words(examples)))
    known = _frequent(words, min_word)
    columns = [example.dependencies for example in examples]
    spans = Counter(
        label
        for example in examples
        if example.constituents
        for label in labelled_spans(example.constituents).values()
    )
    return Inventory(
        known,
        tuple(words[word] for word in known),
        _frequent(characters, min_character),
        tuple(sorted({tag for column in columns for tag in column.upos})),
        tuple(sorted({tag for column in columns for tag in column.xpos})),
        ("root", *sorted({label for column in columns for label in column.labels} - {"root"})),
        (NO_LABEL, *sorted(_frequent(spans, min_span_label))),
    )


def _frequent(counts: Mapping[str, int], least: int) -> tuple[str, ...]:
    return tuple(
        sorted((key for key, count in counts.items() if count >= least), key=lambda key: (-counts[key], key))
    )


def span_label_number(label: str, known: Mapping[str, int]) -> int:
    """Number of a chain of labels; if the chain is unknown, that of its longest known part from the top."""
    parts = label.split(CHAIN)
    for size in range(len(parts), 0, -1):
        number = known.get(CHAIN.join(parts[:size]))
        if number is not None:
            return number
    return 0


def numbered(names: Iterable[str]) -> dict[str, int]:
    """Number of each name, from 0."""
    return {name: number for number, name in enumerate(names)}
