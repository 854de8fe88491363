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
    own = {one for token in text.parse.tokens for one in (token.lower, lemma(token.lower, "n"))}
    found = [
        (token, new)
        for token in text.parse.tokens
        for new in _other(text.parse, token)
        if own.isdisjoint({new, lemma(new, "n")})
    ]
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
    if not _fits(parse, token, base):
        return []
    forms = [inflected_like(one, token.form, token.xpos) for one in _synonyms().get((tag, base), ())]
    if tag in {"a", "r"} and base != token.lower:  # "stronger"
        return []
    return [form for form in forms if form is not None]


# Words that must follow, words that may not stand in front, and numerals that must follow.
_FOLLOWED = {
    "difficult": {"to"}, "concentrate": {"on", "upon"}, "pleased": {"to", "that", "with"}, "glad": {"to", "that"},
}  # fmt: skip
_BEFORE_NUMBERS = frozenset(["about", "almost", "nearly", "roughly", "approximately"])
_COMPARING = frozenset(["more", "most", "less", "least", "not", "as", "so", "how", "too"])
_OPENING = frozenset(["additionally", "moreover"])
_NOT_OPENING = frozenset(["probably", "primarily", "chiefly", "mostly", "certainly", "definitely"])
_WITH_OBJECT = frozenset(["demonstrate", "end", "terminate", "aid", "postpone", "halt"])
_BEFORE_NOUNS = frozenset(["whole", "entire", "additional", "numerous", "principal"])


def _fits(parse: Parse, token: Token, base: str) -> bool:
    """Whether the word stands where its synonym may stand."""
    before, after = parse.previous(token), parse.next(token)
    follows = "" if after is None else after.lower
    precedes = "" if before is None else before.lower
    if follows not in _FOLLOWED.get(base, {follows}) or (base in _OPENING) > parse.is_first(token):
        return False
    if token.upos == "VERB":
        # A participle that is an adjective, or a finite form that was tagged as one.
        bare = token.xpos == "VBN" and not parse.children(token, "aux")
        lone = base in _WITH_OBJECT and not parse.children(token, "obj", "nsubj:pass", "ccomp")
        return not bare and not lone and token.label != "amod" and follows != "for"
    if token.upos == "NOUN":
        return not parse.children(token, "compound") and precedes != "by"
    if base in _BEFORE_NUMBERS:
        return after is not None and after.upos == "NUM" and precedes not in {"not", "very", "all", "how"}
    if base in _BEFORE_NOUNS and token.label != "amod":
        return False
    if base == "whole" and (before is None or (before.upos != "DET" and before.xpos != "PRP$")):
        return False
    if token.upos == "ADJ":
        return (
            precedes not in _COMPARING
            and not precedes.endswith("ly")
            and not (base == "ill" and token.label == "amod")
        )
    return precedes not in _COMPARING - {"more", "most", "as"} and not (
        base in _NOT_OPENING and parse.is_first(token)
    )


KIND = english("synonym", NONE, "a word is replaced by a synonym", _change)
