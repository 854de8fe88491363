"""The spaces around marks are missing in a text that has them."""

import re

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text

_APART = re.compile(
    r"(?<=\w) (?=[.,;:!?)\]](?: |$))|(?<=[(\[]) (?=\w)|(?<=\w) (?=n't\b|'(?:s|re|ve|ll|d|m)\b)"
)


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - there is one way
    return _APART.sub("", text.line)


KIND = Kind("detokenise", MINOR, "the spaces before marks are missing, in tokenised text", _change)
