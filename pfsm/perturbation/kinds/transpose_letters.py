"""Two letters inside a word change places."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.spelling import is_known, spellable
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    for word in dice.shuffled(spellable(text))[:8]:
        at = dice.between(1, len(word.form) - 3)
        form = word.form[:at] + word.form[at + 1] + word.form[at] + word.form[at + 2 :]
        if form != word.form and not is_known(text, form):
            return edited(text.line, [Edit(word.start, word.end, form)])
    return None


KIND = Kind("transpose-letters", MINOR, "two letters of a word change places", _change)
