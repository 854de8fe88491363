"""The shipped word lists and WordNet, for words of running English text."""

from collections.abc import Iterator
from functools import cache, cached_property
from importlib.resources import files

from pfsm.lexicons.relations import RelationTable, load_relations

WORDNET = "wordnet-relations-3.0"
TAGS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
"""WordNet's parts of speech by universal ones."""


class Lists:
    """The word lists of a package, in its folder ``words``."""

    def __init__(self, package: str) -> None:
        self._package = package

    def rows(self, name: str) -> Iterator[tuple[str, ...]]:
        """Yield the rows of a list, each split at spaces; lines that begin with ``#`` are comments."""
        text = (files(self._package) / "words" / f"{name}.txt").read_text(encoding="utf-8")
        return (tuple(line.split()) for line in text.splitlines() if line and not line.startswith("#"))

    def table(self, name: str) -> list[tuple[str, ...]]:
        """Return the rows of one of the short lists, by the name in brackets above it."""
        return self._short[name]

    def words(self, name: str) -> frozenset[str]:
        """Return the words of one of the short lists."""
        return frozenset(word for row in self.table(name) for word in row)

    def by_word(self, name: str) -> dict[str, str]:
        """Return a short list whose rows begin with what is said of the other words in them, by these words."""
        return {word: value for value, *several in self.table(name) for word in several}

    @cached_property
    def _short(self) -> dict[str, list[tuple[str, ...]]]:
        found: dict[str, list[tuple[str, ...]]] = {}
        current: list[tuple[str, ...]] = []
        for row in self.rows("words"):
            if row[0].startswith("["):
                current = found.setdefault(row[0].strip("[]"), [])
            else:
                current.append(row)
        return found


_SHIPPED = Lists("pfsm.resources")
rows, table, words, by_word = _SHIPPED.rows, _SHIPPED.table, _SHIPPED.words, _SHIPPED.by_word


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
