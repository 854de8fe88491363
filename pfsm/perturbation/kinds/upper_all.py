"""The text is written in capitals."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - there is one way
    return text.line.upper()


KIND = Kind("upper-all", MINOR, "all letters are capitals", _change)
