"""One word with a meaning of its own is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import without
from pfsm.perturbation.kind import MAJOR, Kind
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    if len(text.words) < 4 or not text.content:
        return None
    word = dice.choice(text.content)
    return without(text.line, word.start, word.end)


KIND = Kind("drop-word", MAJOR, "a word is dropped", _change)
