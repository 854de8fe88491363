"""English: the noun of a subject, an object or an adjunct is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import without
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    nouns = [
        token
        for token in parse.tokens
        if token.upos == "NOUN"
        and token.label in {"nsubj", "nsubj:pass", "obj", "obl", "nmod"}
        and token.at
        and (after := parse.next(token)) is not None
        and not (after.start == token.end and after.upos != "PUNCT")
        and after.form != "-"
        and parse.tokens[token.at - 1].form != "-"
        and not parse.children(token, "conj")
    ]
    if not nouns:
        return None
    noun = dice.choice(nouns)
    return without(text.line, noun.start, noun.end)


KIND = english("drop-noun", CRITICAL, "a noun is dropped", _change)
