"""The shipped word lists and WordNet, for words of running English text."""

from functools import cache
from importlib.resources import files

from pfsm.lexicons.relations import RelationTable, load_relations

WORDNET = "wordnet-relations-3.0"
TAGS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
"""WordNet's parts of speech by universal ones."""


@cache
def rows(name: str) -> tuple[tuple[str, ...], ...]:
    """The rows of a shipped list, each split at spaces; lines that begin with ``#`` are comments."""
    text = (files("pfsm.resources") / "perturbation" / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(tuple(line.split()) for line in text.splitlines() if line and not line.startswith("#"))


def words(name: str) -> frozenset[str]:
    """One of the short lists, by the name in brackets above it."""
    return frozenset(word for row in table(name) for word in row)


def by_word(name: str) -> dict[str, str]:
    """A list whose rows begin with what is said of the other words in them."""
    return {word: value for value, *several in table(name) for word in several}


def table(name: str) -> list[tuple[str, ...]]:
    """The rows of one of the short lists."""
    return _lists()[name]


@cache
def _lists() -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    current: list[tuple[str, ...]] = []
    for row in rows("words"):
        if row[0].startswith("["):
            current = found.setdefault(row[0].strip("[]"), [])
        else:
            current.append(row)
    return found


def wordnet() -> RelationTable:
    """The relations, with their synonyms."""
    return load_relations(WORDNET)


def lemma(form: str, tag: str) -> str:
    """The base form of a lower-cased word."""
    return wordnet().synonyms.lemma(form, tag)


def is_lemma(form: str, tag: str) -> bool:
    """Whether a word is a base form in this part of speech."""
    return (tag, form) in wordnet().synonyms.lemmas(form)


def is_common_noun(form: str) -> bool:
    """Whether a word in lower case may be a common noun.

    WordNet writes names in lower case too. A noun is common if it is a plural, is another part of speech as well, or
    names a sort of which there are others below it.
    """
    if form in _NAMES:
        return False
    table = wordnet().synonyms
    base = table.lemma(form, "n")
    senses = table.senses(base, "n")
    if not senses:
        return False
    return base != form or is_lemma(form, "v") or not _sorts().isdisjoint(senses)


# Names of which WordNet has sorts: Great Russians, Easter Sundays.
_NAMES = words("dictionary-names")


@cache
def _sorts() -> frozenset[int]:
    table = wordnet()
    return frozenset(parent for number in range(table.synonyms.size) for parent in table.parents(number))
