"""All words stand in a random order; marks stay where they are."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    words = text.words
    if len({word.form.lower() for word in words}) < 5:
        return None
    order = dice.shuffled(words)
    if 2 * sum(a.form != b.form for a, b in zip(words, order, strict=True)) < len(words):
        return None
    return edited(text.line, [Edit(a.start, a.end, b.form) for a, b in zip(words, order, strict=True)])


KIND = Kind("shuffle-words", CRITICAL, "all words are shuffled", _change)
