"""Stemmers by name: Porter's, those of the Snowball project, and none."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pfsm.errors import PfsmError
from pfsm.registry import Table
from pfsm.runtime.names import known_names
from pfsm.text.segmenters import PREFIX, STEMMER_NAMES, nltk_label, stems_of

NO_STEMMER = "none"

# Snowball's "porter" undoes a list of nine double consonants before -ed and -ing; the published algorithm (step 1b,
# condition *d) undoes all except l, s, z, as in "revving" and "trekking". No rule of steps 1a and 1b applies to what is
# left, so what is left can be stemmed in place of the word.
_OTHER_DOUBLE = re.compile(r"(.*([^aeiouylszbdfgmnprt]))\2(?:ed|ing)s?", re.DOTALL)
_PARTICIPLES = ("ed", "ing", "eds", "ings")
_VOWEL = re.compile(r"[aeiou]|[^aeiou]y")


@dataclass(frozen=True)
class Stemmer:
    """A stemmer of lower-cased words.

    Attributes:
        name: its name in settings and model files.
        stems: gives the stem of each word in a list. Only one thread at a time may call it.
    """

    name: str
    stems: Callable[[Sequence[str]], list[str]]


def validating_stemmer(name: str, value: Any) -> Stemmer:
    """A plug-in as the registry holds it; its stems are validated.

    Args:
        name: What it is registered under.
        value: A `Stemmer`, or a function from a list of lower-cased words to their stems.
    """
    stems = value.stems if isinstance(value, Stemmer) else value
    if not callable(stems):
        raise PfsmError("is neither a pfsm.text.stemming.Stemmer nor a function of a list of words")

    def validated(words: Sequence[str]) -> list[str]:
        found = list(stems(list(words)))
        if len(found) != len(words) or not all(isinstance(stem, str) for stem in found):
            raise PfsmError(
                f"stemmer {name!r}: gives {len(found)} stems of {len(words)} words, or other than text"
            )
        return found

    return Stemmer(name, validated)


def built_in_stemmers() -> tuple[str, ...]:
    """``none`` and the algorithms of the installed PyStemmer, among them ``porter``."""
    from Stemmer import algorithms  # noqa: PLC0415

    return (NO_STEMMER, *algorithms())


STEMMERS: Table[Stemmer] = Table("stemmer", {}, validating_stemmer, lambda name: name in built_in_stemmers())
"""Of other packages: those that come with pfsm are made anew for each vocabulary."""


def stemmer_name_in_signatures(name: str) -> str:
    """The name as signatures have it: of plug-ins and NLTK's stemmers with the version."""
    return nltk_label(name) if name.startswith(PREFIX) else STEMMERS.label(name)


def stemmer_names() -> tuple[str, ...]:
    """All stemmers: ``none``, PyStemmer's, those of other packages."""
    return (*built_in_stemmers(), *STEMMERS)


def check_stemmer(name: str) -> None:
    """Checks the name of a stemmer."""
    if name in built_in_stemmers() or name in STEMMER_NAMES:
        return
    if name.startswith(PREFIX):
        raise PfsmError(f"stemmer is {name!r}, of NLTK there are {', '.join(STEMMER_NAMES)}")
    if name not in STEMMERS:
        known = known_names(name, stemmer_names(), "`docs/settings.md`")
        raise PfsmError(f"stemmer is {name!r}, there is none of this name; {known}")
    _ = STEMMERS[name]


def stemmer_named(name: str) -> Stemmer:
    """The stemmer of a name.

    ``porter`` is the algorithm as published (Porter, 1980: An algorithm for suffix stripping). The others are
    those of Snowball, which know the ASCII apostrophe (``l'eau``, ``dog's``), so U+2019 is read as one.
    """
    check_stemmer(name)
    if name == NO_STEMMER:
        return Stemmer(name, list)
    if name in STEMMERS:
        return STEMMERS[name]
    if name.startswith(PREFIX):
        return Stemmer(name, stems_of(name))

    from Stemmer import Stemmer as Snowball  # noqa: PLC0415

    # Each word comes only once, so a cache inside the stemmer would not pay.
    stem_words = Snowball(name, 0).stemWords
    if name == "porter":
        return Stemmer(name, lambda words: list(stem_words([_undoubled(word) for word in words])))
    return Stemmer(name, lambda words: list(stem_words([word.replace("’", "'") for word in words])))


def _undoubled(word: str) -> str:
    if word.endswith(_PARTICIPLES) and (match := _OTHER_DOUBLE.fullmatch(word)) and _VOWEL.search(match[1]):
        return match[1]
    return word
