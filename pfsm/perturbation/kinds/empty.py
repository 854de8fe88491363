"""Nothing is left."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - there is one way
    return "" if text.words else None


KIND = Kind("empty", CRITICAL, "nothing is left", _change)
