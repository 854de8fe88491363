"""Look-ups in the shipped WordNet for words of running English text."""

from pfsm.lexicons.relations import RelationTable, load_relations

WORDNET = "wordnet-relations-3.0"
TAGS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
"""WordNet's parts of speech by universal ones."""


def wordnet() -> RelationTable:
    """The relations, with their synonyms."""
    return load_relations(WORDNET)


def lemma(form: str, tag: str) -> str:
    """The base form of a lower-cased word."""
    return wordnet().synonyms.lemma(form, tag)


def is_lemma(form: str, tag: str) -> bool:
    """Whether a word is a base form in this part of speech."""
    return (tag, form) in wordnet().synonyms.lemmas(form)
