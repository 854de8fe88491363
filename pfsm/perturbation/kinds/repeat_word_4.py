"""One word is repeated four times."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MAJOR, Kind
from pfsm.perturbation.kinds.repeat_word import repeated
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    return repeated(text, dice, 4)


KIND = Kind("repeat-word-4", MAJOR, "a word is repeated four times", _change)
