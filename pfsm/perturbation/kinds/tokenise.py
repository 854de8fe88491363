"""Marks stand apart from words."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - there is one way
    if not text.spaced:
        return None
    return " ".join(token.form for token in text.tokens)


KIND = Kind("tokenise", MINOR, "marks stand apart from words", _change)
