"""The matcher ``glossary``: blocks of words that are the two terms of a line of the glossary.

Options, of which the settings give the first::

    options: {glossary: {file: terms.tsv}}

``file`` is read once, before training. The model then holds the terms themselves (``terms``) and the name and checksum
of the file (``label``), so that it needs the file no more.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pfsm.errors import PfsmError
from pfsm.matchers.plugin import EncodedPairs, MatcherPlugin, Offers, Options
from pfsm_glossary.glossary import Glossary, read_glossary

FEATURES = ("glossary:preferred", "glossary:variant")
PREFERRED, VARIANT = range(2)
# Words of a term, as the ids by which words are compared.
Words = tuple[int, ...]


class GlossaryMatcher(MatcherPlugin):
    """Offers blocks whose words are a preferred term on one side and its variant on the other.

    The feature ``glossary:preferred`` is 1 where the hypothesis has the preferred term, ``glossary:variant`` where it
    has the variant. Terms of more than ``max_block`` words do not match.

    Raises:
        PfsmError: If the glossary cannot be read.
    """

    name = "glossary"
    label = "a term of the glossary"

    def __init__(self, max_block: int, options: Options) -> None:
        super().__init__(max_block, options)
        self._glossary = _glossary(options)

    @classmethod
    def check(cls, options: Options, where: str) -> dict[str, Any]:
        """``file``; or of a model ``label`` and ``terms``.

        Raises:
            PfsmError: If an option is unknown, missing, or not what it must be.
        """
        for key in options:
            if key not in {"file", "label", "terms"}:
                raise PfsmError(f"{where}: unknown option {key!r}; known is file")
        if "terms" not in options:
            file = options.get("file")
            if not isinstance(file, str) or not file:
                raise PfsmError(f"{where}: file is {file!r}, it must be the name of a glossary")
            return {"file": file}
        terms, label = options["terms"], options.get("label")
        if not _is_terms(terms) or not isinstance(label, str):
            raise PfsmError(f"{where}: terms must be pairs of text, and label the name of their file")
        return {"label": label, "terms": [list(pair) for pair in terms]}

    @classmethod
    def learn(cls, options: Options, pairs: EncodedPairs) -> dict[str, Any]:  # noqa: ARG003 - the text does not matter
        """The terms in place of the file."""
        glossary = _glossary(options)
        return {"label": glossary.label, "terms": [list(pair) for pair in glossary.terms]}

    @property
    def resources(self) -> tuple[str, ...]:
        """The glossary, with its checksum."""
        return (self._glossary.label,)

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Blocks of the two terms of a line."""
        linked = self._linked(pairs)
        # Of each pair of sentences its numbers of words, one after the other.
        words = pairs.vocabulary.word_ids
        sides = [
            np.split(words[side.ids], side.offsets[1:-1]) for side in (pairs.references, pairs.hypotheses)
        ]
        found: dict[tuple[int, ...], int] = {}
        for pair, (reference, hypothesis) in enumerate(zip(*sides, strict=True)):
            there = list(_occurrences(hypothesis.tolist(), linked))
            for i, term in _occurrences(reference.tolist(), linked) if there else ():
                for j, other in there:
                    if other in linked[term]:
                        found[pair, i, len(term), j, len(other)] = linked[term][other]
        return Offers(
            np.array(list(found), dtype=np.int32).reshape(-1, 5),
            FEATURES,
            np.arange(len(found)),
            np.array(list(found.values()), dtype=np.int32),
            np.ones(len(found)),
        )

    def _linked(self, pairs: EncodedPairs) -> Mapping[Words, Mapping[Words, int]]:
        """From a term of the reference to those of the hypothesis that may stand for it, and the feature's number."""
        encoded = pairs.vocabulary.encode([term for line in self._glossary.terms for term in line])
        # Asked for after encoding, which may have met new words.
        words = pairs.vocabulary.word_ids
        sides = [tuple(part.tolist()) for part in np.split(words[encoded.ids], encoded.offsets[1:-1])]
        linked: dict[Words, dict[Words, int]] = {}
        for preferred, variant in zip(sides[::2], sides[1::2], strict=True):
            if (
                preferred != variant
                and min(len(preferred), len(variant)) >= 1
                and self._fits(preferred, variant)
            ):
                linked.setdefault(preferred, {}).setdefault(variant, VARIANT)
                linked.setdefault(variant, {}).setdefault(preferred, PREFERRED)
        return linked

    def _fits(self, *terms: Words) -> bool:
        return all(len(term) <= self.max_block for term in terms)


def _occurrences(words: Sequence[int], terms: Mapping[Words, object]) -> Iterator[tuple[int, Words]]:
    """Where terms stand in a sentence, and which."""
    sizes = sorted({len(term) for term in terms})
    for first in range(len(words)):
        for size in sizes:
            term = tuple(words[first : first + size])
            if len(term) == size and term in terms:
                yield first, term


def _glossary(options: Options) -> Glossary:
    if "terms" in options:
        return Glossary(options["label"], tuple((first, second) for first, second in options["terms"]))
    return read_glossary(options["file"])


def _is_terms(value: object) -> bool:
    return isinstance(value, list | tuple) and all(
        isinstance(pair, list | tuple)
        and len(pair) == 2
        and all(isinstance(term, str) and term for term in pair)
        for pair in value
    )
