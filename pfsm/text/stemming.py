"""Stemmers by name: Porter's, those of the Snowball project, and none."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pfsm.errors import PfsmError
from pfsm.runtime.near_names import known_names

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


def stemmer_names() -> tuple[str, ...]:
    """``none`` and the algorithms of the installed PyStemmer, among them ``porter``."""
    from Stemmer import algorithms  # noqa: PLC0415

    return (NO_STEMMER, *algorithms())


def check_stemmer(name: str) -> None:
    """Checks the name of a stemmer.

    Raises:
        PfsmError: If there is none of this name; the message lists the known ones.
    """
    if name not in stemmer_names():
        known = known_names(name, stemmer_names(), "docs/settings.md")
        raise PfsmError(f"stemmer is {name!r}, there is none of this name; {known}")


def stemmer_named(name: str) -> Stemmer:
    """The stemmer of a name.

    ``porter`` is the algorithm as published (Porter, 1980: An algorithm for suffix stripping). The others are
    those of Snowball, which know the ASCII apostrophe (``l'eau``, ``dog's``), so U+2019 is read as one.

    Raises:
        PfsmError: If there is none of this name; the message lists the known ones.
    """
    check_stemmer(name)
    if name == NO_STEMMER:
        return Stemmer(name, list)

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
