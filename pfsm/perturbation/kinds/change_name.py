"""A name is replaced by one of another text."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.names import names_of
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    names = names_of(text)
    if not names:
        return None
    name = dice.choice(names)
    own = text.line.lower()
    for other in text.neighbours():
        # The neighbour is not parsed: its names are judged by their capitals.
        found = [one.form for one in names_of(other) if one.form.lower() not in own]
        found = [form for form in found if not set(form.lower().split()) & set(own.split())]
        if found:
            return edited(text.line, [Edit(name.start, name.end, dice.choice(found))])
    return None


KIND = Kind("change-name", CRITICAL, "a name is replaced by another", _change)
