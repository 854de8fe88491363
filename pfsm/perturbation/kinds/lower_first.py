"""The first letter is a small one."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - there is one way
    if not text.words:
        return None
    word = text.words[0]
    if not word.form[0].isupper() or word.form[1:2].isupper():
        return None
    return edited(text.line, [Edit(word.start, word.start + 1, word.form[0].lower())])


KIND = Kind("lower-first", MINOR, "the first letter is a small one", _change)
