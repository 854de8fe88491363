"""Words of another text stand inside the text."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import inserted
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.kinds.drop_phrase import runs
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    places = [word.start for word in text.words if word.start not in text.is_first]
    own = {word.form.lower() for word in text.content}
    for other in text.neighbours():
        found = [other.line[start:end] for start, end in runs(other, dice.between(3, 5))]
        found = [phrase for phrase in found if own.isdisjoint(phrase.lower().split())]
        if found and places:
            return inserted(text.line, dice.choice(places), dice.choice(found), spaced=text.spaced)
    return None


KIND = Kind("add-phrase", CRITICAL, "words of another text are added", _change)
