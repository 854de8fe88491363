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


def _is_sale(text: Text, token: Token) -> bool:
    """Whether something is bought or sold without a buyer and a seller: both words say the same."""
    parse = text.parse
    if token.upos != "VERB" or verb_lemma(token.lower) not in {"buy", "sell", "purchase"}:
        return False
    before = {one.lower for one in parse.tokens[max(0, token.at - 6) : token.at]}
    seller = any(one.label == "nsubj" for one in parse.children(token))
    return not seller or bool(before & {"where", "that", "which"})


def _is_free(text: Text, token: Token) -> bool:
    """Whether a word is no part of a compound or of a name."""
    around = text.line[token.start - 1 : token.start] + text.line[token.end : token.end + 1]
    return (
        "-" not in around
        and not _is_sale(text, token)
        and (token.form.islower() or text.parse.is_first(token))
    )


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
    # The ending of a participle would be put on a form that has it.
    if tag == "a" and token.xpos not in {"JJ", "RB"}:
        return []
    made = (
        inflected_like(one, token.form, token.xpos) for one in wordnet().antonyms(base, tag) if one.isalpha()
    )
    return [form for form in made if form is not None and _is_usual(form, tag, token.lower)]


def _is_usual(form: str, tag: str, old: str) -> bool:
    """Whether people say the antonym, and as that of the word."""
    # "Noncurrent" is no word of news, "fearlessnesses" none at all.
    if form == old or form in _EXCLUDED or form.startswith("non") or form.endswith("nesses"):
        return False
    # "Indecision" and "uncross" are hardly said; adjectives such as "unusual" are.
    if tag in "nv" and form.endswith(old[-5:]):
        return False
    base = lemma(form, tag) if tag == "n" else verb_lemma(form) if tag == "v" else form
    return base not in _EXCLUDED


KIND = english("antonym", CRITICAL, "a word is replaced by its antonym", _change)
