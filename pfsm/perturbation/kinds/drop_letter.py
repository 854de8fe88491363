"""A letter inside a word is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.spelling import is_known, spellable
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    for word in dice.shuffled(spellable(text))[:8]:
        at = dice.between(1, len(word.form) - 2)
        form = word.form[:at] + word.form[at + 1 :]
        if not is_known(text, form):
            return edited(text.line, [Edit(word.start, word.end, form)])
    return None


KIND = Kind("drop-letter", MINOR, "a letter of a word is dropped", _change)
