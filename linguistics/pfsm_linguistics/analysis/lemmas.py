"""Lemmas of English words by their Penn tags: WordNet's rules and exceptions, and contractions, which WordNet lacks.

A base form stays as it is; an inflected word becomes its `SynonymTable.lemma` for its part of speech.
"""

from functools import lru_cache

from pfsm.lexicons import registry
from pfsm.lexicons.synonyms import KIND, SynonymTable
from pfsm.matchers.synonym import DEFAULT_TABLE

_PART_OF_TAG = {
    "NNS": "n", "NNPS": "n", "VBD": "v", "VBG": "v", "VBN": "v", "VBP": "v", "VBZ": "v", "JJR": "a", "JJS": "a",
    "RBR": "r", "RBS": "r",
    # Universal tags, for text without Penn tags.
    "NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r",
}  # fmt: skip
_CONTRACTIONS = {
    "n't": "not", "n’t": "not", "'m": "be", "’m": "be", "'re": "be", "’re": "be", "'ve": "have", "’ve": "have",
    "'ll": "will", "’ll": "will",
}  # fmt: skip
_MODALS = {"ca": "can", "wo": "will", "sha": "shall"}


def lemma_of(word: str, tag: str) -> str:
    """The lemma of a word, in lower case.

    Args:
        word: The word as in the line.
        tag: Its Penn tag, or its universal one.

    Raises:
        PfsmError: If the shipped table is missing or damaged.
    """
    word = word.lower()
    if word in _CONTRACTIONS:
        return _CONTRACTIONS[word]
    if tag == "MD":
        return _MODALS.get(word, word)
    part = _PART_OF_TAG.get(tag)
    return word if part is None else _lemma(word, part)


# Large enough that every distinct word of a usual text is looked up once.
@lru_cache(maxsize=100_000)
def _lemma(word: str, part: str) -> str:
    return _table().lemma(word, part)


@lru_cache(maxsize=1)
def _table() -> SynonymTable:
    return SynonymTable(registry.load(DEFAULT_TABLE, KIND))
