"""English: an adjective is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import with_article, without
from pfsm.perturbation.kind import MAJOR, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Text

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
    ]
    if not adjectives:
        return None
    adjective = dice.choice(adjectives)
    changed = without(text.line, adjective.start, adjective.end)
    return with_article(changed, min(adjective.start, len(changed)))


KIND = english("drop-adjective", MAJOR, "an adjective is dropped", _change)
