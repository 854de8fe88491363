"""Kinds of differences that go across single edits: words in another place, words left untranslated."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from pfsm.lattice.names import DELETE, INSERT, base_state
from pfsm.model.explain.alignments import Alignment

# Of a source, shorter words are as often words of the other language.
SHORTEST = 3


def moved_words(pair: Alignment) -> int:
    """Words that the best edit sequence deletes at one place and inserts at another."""
    deleted, inserted = (Counter(map(str.lower, words)) for words in _left_over(pair))
    return sum((deleted & inserted).values())


def untranslated_words(pair: Alignment, source: str) -> int:
    """Inserted words that stand in the source as they are, and not in the reference."""
    known = {word.lower() for word in pair.reference}
    of_source = {word.strip(".,;:!?()[]\"'").lower() for word in source.split()}
    return sum(
        len(word) >= SHORTEST and word.isalpha() and word.lower() in of_source and word.lower() not in known
        for word in _left_over(pair)[1]
    )


def foreign_words(pair: Alignment, scripts: frozenset[str]) -> int:
    """Inserted words with a letter of a script that is none of these."""
    return sum(not scripts.issuperset(_scripts_of(word)) for word in _left_over(pair)[1])


def scripts_of(lines: Iterable[str]) -> frozenset[str]:
    """The scripts of the letters in some text, by the first word of the letters' names."""
    return frozenset(map(_script, {letter for line in lines for letter in line if letter.isalpha()}))


def _left_over(pair: Alignment) -> tuple[Sequence[str], Sequence[str]]:
    """The words that are deleted and those that are inserted; punctuation is no word."""
    deleted: list[str] = []
    inserted: list[str] = []
    for edit in pair.edits:
        base = base_state(edit.state)
        if base == DELETE:
            deleted += pair.reference[slice(*edit.reference)]
        elif base == INSERT:
            inserted += pair.hypothesis[slice(*edit.hypothesis)]
    return [word for word in deleted if _is_word(word)], [word for word in inserted if _is_word(word)]


@cache
def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


def _scripts_of(word: str) -> set[str]:
    return set() if word.isascii() else {_script(letter) for letter in word if letter.isalpha()}


@cache
def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0]
