"""English: an article is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import without
from pfsm.perturbation.kind import MINOR, english
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    # Plurals, names and nouns of mass do without one.
    found = [
        token
        for token in parse.tokens
        if token.lower in {"the", "a", "an"}
        and token.label == "det"
        and (head := parse.head(token)) is not None
        and head.xpos == "NN"
        and head.at > token.at
        and all(
            one.xpos in {"NN", "JJ", "JJS", "VBN", "VBG", "RB"}
            for one in parse.tokens[token.at + 1 : head.at]
        )
        and (not token.at or parse.tokens[token.at - 1].lower not in {"as", "and", ":"})
        and text.line[token.end : token.end + 1] == " "
    ]
    if not found:
        return None
    token = dice.choice(found)
    return without(text.line, token.start, token.end)


KIND = english("article", MINOR, "an article is dropped", _change)
