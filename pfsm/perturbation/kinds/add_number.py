"""A number is added that the text does not have."""

import itertools

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import inserted
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.text import Text, is_letters


def _change(text: Text, dice: Dice) -> str | None:
    if text.is_parsed:
        places = [
            token.start
            for token in text.parse.tokens
            if token.xpos == "NNS"
            and not token.form[0].isupper()
            and token.at
            and text.line[token.start - 1] == " "
            and not any(map(str.isdigit, text.parse.tokens[token.at - 1].form))
            and not text.parse.children(token, "nummod", "amod", "compound")
        ]
    else:
        words = text.words
        places = [
            right.start
            for left, right in itertools.pairwise(words)
            if is_letters(left.form) and is_letters(right.form)
        ]
    if not places:
        return None
    return inserted(text.line, dice.choice(places), str(dice.between(12, 98)), spaced=text.spaced)


KIND = Kind("add-number", CRITICAL, "a number is added", _change)
