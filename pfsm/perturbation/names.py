"""Names in a text: by tags where it is parsed, else words with a capital inside a sentence."""

from pfsm.analysis.tokens import Word
from pfsm.perturbation.english.dictionary import is_common_noun
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Text, is_letters

# Where every noun has a capital, it says nothing.
_CAPITAL_NOUNS = ("de", "deu", "lb", "ltz")
_NO_NAMES = words("names-no-names")


def names_of(text: Text) -> list[Word]:
    """The names, each a run of words, with their places; none in languages that write all nouns with a capital."""
    if text.language.replace("_", "-").partition("-")[0].lower() in _CAPITAL_NOUNS:
        return []
    names: list[list[Word]] = []
    for word in _tagged(text) if text.is_parsed else _capitalised(text):
        if names and text.line[names[-1][-1].end : word.start] in {" ", "-"}:
            names[-1].append(word)
        else:
            names.append([word])
    names = [one for one in names if not _is_common(text, one)]
    found = [Word(text.line[one[0].start : one[-1].end], one[0].start, one[-1].end) for one in names]
    return [name for name in found if len(name.form) > 2 and not set(name.form.lower().split()) & _NO_NAMES]


def _is_common(text: Text, words: list[Word]) -> bool:
    """Whether a name of one word may be an English noun, with the capital of a sentence or of a headline."""
    return (
        len(words) == 1
        and text.is_english
        and not words[0].form.isupper()
        and is_common_noun(words[0].form.lower())
    )


def _tagged(text: Text) -> list[Word]:
    return [
        Word(token.form, token.start, token.end)
        for token in text.parse.tokens
        if token.upos == "PROPN" and token.form[:1].isupper() and token.form[-1].isalpha()
    ]


def _capitalised(text: Text) -> list[Word]:
    return [
        word
        for word in text.words
        if word.form[:1].isupper()
        and is_letters(word.form)
        and word.start not in text.is_first
        and text.class_of(word) == "name"
        and word.form != "I"
    ]
