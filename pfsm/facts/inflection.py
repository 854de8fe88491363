"""Forms of one English word: what tells two of them apart.

Two forms differ in tense, number, person, aspect, degree, gender, case or a short form. Regular and irregular nouns,
verbs and adjectives are looked up in a dictionary's parts of speech and base forms; auxiliaries, modal verbs and
pronouns are on the lists below. A form that can be several things is each of them: ``cut`` is the present and the past.
Two forms differ in a category where every reading of the same base form differs in it.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from pfsm.facts.lists import table

TENSE, NUMBER, PERSON, ASPECT, DEGREE = "tense", "number", "person", "aspect", "degree"
GENDER, CASE, SHORT, OTHER = "gender", "case", "short", "other"
CATEGORIES = (TENSE, NUMBER, PERSON, ASPECT, DEGREE, GENDER, CASE, SHORT, OTHER)

# From a lower-cased word to its parts of speech (n, v, a, r) and base forms.
Lemmas = Callable[[str], Iterable[tuple[str, str]]]


class Form(NamedTuple):
    """One reading of a word.

    Attributes:
        lemma: Base form with its part of speech, such as ``v:walk``; of pronouns ``pronoun``.
        features: What it is in the categories in which it is anything: category and value.
    """

    lemma: str
    features: tuple[tuple[str, str], ...]


def _form(lemma: str, **features: str) -> Form:
    return Form(lemma, tuple(sorted(features.items())))


_PRESENT, _PAST = "present", "past"


def _features(given: Iterable[str]) -> dict[str, str]:
    return dict(one.split("=") for one in given)


_LISTED: dict[str, tuple[Form, ...]] = {
    word: (_form(lemma, **_features(features)),) for word, lemma, *features in table("inflection-listed")
}
for _modal, _was in (("will", "would"), ("can", "could"), ("shall", "should"), ("may", "might")):
    _LISTED[_modal] = (_form(f"m:{_modal}", tense=_PRESENT),)
    _LISTED[_was] = (_form(f"m:{_modal}", tense=_PAST),)
# Short forms as tokenisers cut them off, and what they can be short for.
for _short, *_long in table("inflection-short"):
    _LISTED[_short] = tuple(
        _form(form.lemma, short="yes", **dict(form.features)) for word in _long for form in _LISTED[word]
    )
_CASES = ("subject", "object", "possessive", "absolute", "reflexive")
for _row in table("inflection-pronouns"):
    _bar = _row.index("|")
    for _case, _word in zip(_CASES, _row[_bar + 1 :], strict=True):
        _pronoun = _form("pronoun", case=_case, **_features(_row[:_bar]))
        _LISTED[_word] = (*_LISTED.get(_word, ()), _pronoun)


def base_forms(word: str, lemmas: Lemmas) -> set[str]:
    """The base forms of all readings of a word, as `Form` has them."""
    word = word.lower().replace("\u2019", "'")
    if word in _LISTED:
        return {form.lemma for form in _LISTED[word]}
    return {f"{tag}:{base}" for tag, base in lemmas(word)} if word.isalpha() else set()


def forms(word: str, lemmas: Lemmas) -> tuple[Form, ...]:
    """All readings of a word; none of a word that is neither on the lists nor in the dictionary."""
    word = word.lower().replace("\u2019", "'")
    if word in _LISTED:
        return _LISTED[word]
    return tuple(dict.fromkeys(_reading(word, tag, base) for tag, base in lemmas(word)))


def _reading(word: str, tag: str, base: str) -> Form:
    lemma = f"{tag}:{base}"
    if tag == "n":
        return _form(lemma, number="singular" if word == base else "plural")
    if tag != "v":
        degree = "positive" if word == base else "superlative" if word.endswith("st") else "comparative"
        return _form(lemma, degree=degree)
    if word == base:
        return _form(lemma, tense=_PRESENT, number="plural", aspect="finite")
    if word.endswith("ing"):
        return _form(lemma, aspect="gerund")
    if word.endswith("s"):
        return _form(lemma, tense=_PRESENT, number="singular", aspect="finite")
    # The past tense and the participle of most verbs are one form.
    return _form(lemma, tense=_PAST, aspect="finite")


def differences(ours: Iterable[Form], theirs: Iterable[Form]) -> tuple[str, ...] | None:
    """The categories in which two different forms of one word differ; None if no base form is the same.

    Of several pairs of readings with the same base form the one with the fewest differences counts, the first of them.
    A category in which one of the two is nothing in particular makes no difference, but for `SHORT`: ``'s`` against
    ``is``. If none does, they differ in `OTHER`.
    """
    theirs = tuple(theirs)
    found = [_between(one, other) for one in ours for other in theirs if one.lemma == other.lemma]
    return min(found, key=len) or (OTHER,) if found else None


def _between(one: Form, other: Form) -> tuple[str, ...]:
    ours, theirs = dict(one.features), dict(other.features)
    differing = {name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]}
    if (SHORT in ours) != (SHORT in theirs):
        differing.add(SHORT)
    # Without a finite form there is no tense, so that aspect alone tells the two apart.
    return tuple(name for name in CATEGORIES if name in differing)
