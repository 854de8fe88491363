"""Words that can be misspelt, and whether a spelling is a word of its own."""

from pfsm.analysis.tokens import Word
from pfsm.lexicons.relations import load_relations
from pfsm.perturbation.text import Text
from pfsm.text.classes import SHIPPED, default_lists, normal_form

_WORDNET = "wordnet-relations-3.0"
_LEAST = 5


def spellable(text: Text) -> list[Word]:
    """Words of small letters that are long enough for a slip not to make another word of them."""
    return [
        word
        for word in text.words
        if len(word.form) >= _LEAST and word.form.isalpha() and word.form.islower()
    ]


def is_known(text: Text, form: str) -> bool:
    """Whether a spelling is a word: in English by WordNet and the word lists, else by the words of the text."""
    if any(word.form == form for word in text.words):
        return True
    if default_lists(text.language) not in SHIPPED:
        return False
    classes, word = text.classes, normal_form(form)
    return (
        word in classes.function
        or word in classes.negation
        or word in classes.number
        or bool(load_relations(_WORDNET).synonyms.synsets(form))
    )
