"""English, harmless: a word is replaced by a synonym from a short list."""

from functools import cache

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of, with_article
from pfsm.perturbation.english.dictionary import TAGS, lemma
from pfsm.perturbation.english.inflection import inflected_like, verb_lemma
from pfsm.perturbation.kind import NONE, english
from pfsm.perturbation.lists import rows
from pfsm.perturbation.text import Parse, Text, Token


@cache
def _synonyms() -> dict[tuple[str, str], list[str]]:
    """One way only: the second word of a row is the more general one."""
    found: dict[tuple[str, str], list[str]] = {}
    for tag, word, other in rows("synonyms"):
        found.setdefault((tag, word), []).append(other)
    return found


def _change(text: Text, dice: Dice) -> str | None:
    found = [(token, new) for token in text.parse.tokens for new in _other(text.parse, token)]
    if not found:
        return None
    token, new = dice.choice(found)
    changed = edited(text.line, [Edit(token.start, token.end, in_case_of(new, token.form))])
    return with_article(changed, token.start)


def _other(parse: Parse, token: Token) -> list[str]:
    tag = TAGS.get(token.upos)
    before, after = parse.previous(token), parse.next(token)
    if (
        tag is None
        or (after is not None and after.form == "-")
        or (before is not None and before.form == "-")
    ):
        return []
    if token.label in {"compound", "fixed", "flat"} or parse.children(token, "compound:prt", "fixed"):
        return []
    if not token.form.islower() and not parse.is_first(token):
        return []
    base = verb_lemma(token.lower) if tag == "v" else lemma(token.lower, tag)
    forms = [inflected_like(one, token.form, token.xpos) for one in _synonyms().get((tag, base), ())]
    if tag in {"a", "r"} and base != token.lower:  # "stronger"
        return []
    return [form for form in forms if form is not None]


KIND = english("synonym", NONE, "a word is replaced by a synonym", _change)
