"""The text has no capitals."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - there is one way
    return text.line.lower()


KIND = Kind("lower-all", MINOR, "all letters are small", _change)
