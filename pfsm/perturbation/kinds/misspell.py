"""A letter of a word is replaced by another letter of the text."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.spelling import is_known, spellable
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    letters = sorted({letter for word in text.words for letter in word.form if letter.islower()})
    for word in dice.shuffled(spellable(text))[:8]:
        at = dice.between(1, len(word.form) - 2)
        letter = dice.choice(letters)
        form = word.form[:at] + letter + word.form[at + 1 :]
        if letter != word.form[at] and not is_known(text, form):
            return edited(text.line, [Edit(word.start, word.end, form)])
    return None


KIND = Kind("misspell", MINOR, "a letter of a word is replaced", _change)
