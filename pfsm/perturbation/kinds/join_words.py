"""The space between two words is missing."""

import itertools

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text, is_letters


def _change(text: Text, dice: Dice) -> str | None:
    words = text.words
    if not text.spaced:
        return None
    places = [
        left.end
        for left, right in itertools.pairwise(words)
        if text.line[left.end : right.start] == " " and is_letters(left.form) and is_letters(right.form)
    ]
    if not places:
        return None
    at = dice.choice(places)
    return text.line[:at] + text.line[at + 1 :]


KIND = Kind("join-words", MINOR, "the space between two words is missing", _change)
