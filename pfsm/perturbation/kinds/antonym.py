"""English: a word is replaced by an antonym."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of, with_article
from pfsm.perturbation.english.dictionary import TAGS, lemma, wordnet
from pfsm.perturbation.english.inflection import inflected_like, verb_lemma
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Text, Token

# Words whose antonyms in WordNet are of a rare sense, or that are little more than grammar.
_EXCLUDED = words("antonym-excluded")
_MOST_SENSES = 9


def _change(text: Text, dice: Dice) -> str | None:
    found = [(token, new) for token in text.parse.tokens if _is_free(text, token) for new in _antonyms(token)]
    if not found:
        return None
    places = sorted({token.at for token, _ in found})
    place = dice.choice(places)
    token, new = dice.choice([one for one in found if one[0].at == place])
    changed = edited(text.line, [Edit(token.start, token.end, in_case_of(new, token.form))])
    return with_article(changed, token.start)


def _is_free(text: Text, token: Token) -> bool:
    """Whether a word is no part of a compound or of a name."""
    around = text.line[token.start - 1 : token.start] + text.line[token.end : token.end + 1]
    return "-" not in around and (token.form.islower() or text.parse.is_first(token))


def _antonyms(token: Token) -> list[str]:
    tag = TAGS.get(token.upos)
    if (
        tag is None
        or token.label in {"aux", "cop", "fixed", "compound:prt", "compound", "flat"}
        or len(token.form) < 3
    ):
        return []
    base = verb_lemma(token.lower) if tag == "v" else lemma(token.lower, tag)
    if base in _EXCLUDED or token.lower in _EXCLUDED or not token.form.isalpha():
        return []
    # A word of many senses has antonyms that fit few of its places.
    if len(wordnet().synonyms.senses(base, tag)) > _MOST_SENSES:
        return []
    forms = [
        inflected_like(one, token.form, token.xpos) for one in wordnet().antonyms(base, tag) if one.isalpha()
    ]
    # "Indecision" and "uncross" are hardly said; adjectives such as "unusual" are.
    forms = [
        form for form in forms if form is not None and not (tag in "nv" and form.endswith(token.lower[-5:]))
    ]
    return [form for form in forms if form is not None and form != token.lower and form not in _EXCLUDED]


KIND = english("antonym", CRITICAL, "a word is replaced by its antonym", _change)
