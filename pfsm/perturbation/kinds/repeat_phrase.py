"""A run of words stands twice."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.kinds.drop_phrase import runs
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    found = runs(text, dice.between(3, 5))
    if not found:
        return None
    start, end = dice.choice(found)
    gap = " " if text.spaced else ""
    return text.line[:end] + gap + text.line[start:end] + text.line[end:]


KIND = Kind("repeat-phrase", MINOR, "a run of words is repeated", _change)
