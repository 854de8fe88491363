"""English: an adjective is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import with_article, without
from pfsm.perturbation.kind import MAJOR, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Parse, Text, Token

# Words that say little: nothing is lost with them.
_EMPTY = words("drop-adjective-empty")


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    adjectives = [
        token
        for token in parse.tokens
        if token.xpos in {"JJ", "JJR", "JJS"}
        and token.label == "amod"
        and token.lower not in _EMPTY
        and token.head > token.at
        and (after := parse.next(token)) is not None
        and text.line[token.end] == " "
        and after.upos != "PUNCT"
        and not parse.children(token, "conj", "cc", "advmod", "obl")
        and parse.tokens[token.at - 1].form not in {"-", ","}
        and not _is_said_again(parse, token)
    ]
    if not adjectives:
        return None
    adjective = dice.choice(adjectives)
    changed = without(text.line, adjective.start, adjective.end)
    return with_article(changed, min(adjective.start, len(changed)))


_NEW = frozenset(["new", "upcoming", "next", "latest", "recent", "novel", "fresh", "future", "coming"])
_SAYS_LITTLE = frozenset([
    ("new", "coronavirus"), ("novel", "coronavirus"), ("heavy", "downpour"), ("heavy", "downpours"),
    ("public", "procurement"), ("great", "britain"),
])  # fmt: skip
_SAID_BY_VERBS = frozenset(["diagnosed", "confirmed", "reported", "registered", "recorded", "detected"])


def _is_said_again(parse: Parse, token: Token) -> bool:
    """Whether other words say the same: "new upcoming", "new cases were registered", "a female nurse and her"."""
    around = {one.lower for one in parse.tokens if one is not token}
    if token.lower in {"male", "female"}:
        return bool(around & {"he", "she", "his", "her", "him", "man", "woman", "girl", "boy"})
    after = parse.next(token)
    # There is one new coronavirus, and every downpour is heavy.
    if (token.lower, "" if after is None else after.lower) in _SAYS_LITTLE:
        return True
    near = {one.lower for one in parse.tokens[max(0, token.at - 3) : token.at + 4] if one is not token}
    return token.lower in _NEW and bool(near & _NEW or around & _SAID_BY_VERBS)


KIND = english("drop-adjective", MAJOR, "an adjective is dropped", _change)
