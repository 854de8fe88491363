"""English: a noun is replaced by a more general one."""

from functools import cache

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of, with_article
from pfsm.perturbation.english.dictionary import lemma, wordnet
from pfsm.perturbation.english.inflection import inflected_like
from pfsm.perturbation.kind import MINOR, english
from pfsm.perturbation.lists import rows, words
from pfsm.perturbation.text import Text, Token

_STEPS = 4
# Words whose nearest general noun says the same, or is one of another sense.
_EXCLUDED = words("hypernym-excluded")


def _change(text: Text, dice: Dice) -> str | None:
    line, own = text.line, {token.lower for token in text.parse.tokens}
    found = [
        (token, new)
        for token in text.parse.tokens
        if "-" not in line[max(0, token.start - 1) : token.end + 1]
        for new in _general(token)
        if new not in own and new.removesuffix("s") not in own
    ]
    if not found:
        return None
    token, new = dice.choice(found)
    changed = edited(text.line, [Edit(token.start, token.end, in_case_of(new, token.form))])
    return with_article(changed, token.start)


def _general(token: Token) -> list[str]:
    """The nearest general noun above a noun of a single sense."""
    if (
        token.xpos not in {"NN", "NNS"}
        or not token.form.isalpha()
        or not token.form.islower()
        or len(token.form) < 4
    ):
        return []
    base = lemma(token.lower, "n")
    # "Fields" and "sessions" are entries too: names, or words of another sense.
    if token.xpos == "NNS" and base == token.lower:
        return []
    # A word that may be an adjective or a verb may be one here, whatever its tag.
    tags = {tag for form in (token.lower, base) for tag, _ in wordnet().synonyms.lemmas(form)}
    if tags != {"n"} or base in _EXCLUDED or base.endswith("man"):
        return []
    table = wordnet()
    own = table.synonyms.senses(base, "n")
    if len(own) != 1 or base in general_nouns():
        return []
    level = {own[0]}
    for _ in range(_STEPS):
        level = {parent for number in level for parent in table.parents(number)}
        names = {word for number in level for word in table.synonyms.words(number)}
        above = sorted(word for word in names & general_nouns() if word not in base)
        if above:
            new = inflected_like(above[0], token.form, token.xpos)
            return [] if new is None else [new]
    return []


@cache
def general_nouns() -> frozenset[str]:
    """Nouns that name a sort of things and hardly mean anything else."""
    return frozenset(word for row in rows("general-nouns") for word in row)


KIND = english("hypernym", MINOR, "a noun is replaced by a more general one", _change)
