"""The mark that ends the text is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text, is_word

_ENDS = ".!?。！？।॥؟۔…"


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - there is one way
    line = text.line.rstrip()
    if not line or line[-1] not in _ENDS or len(text.words) < 3:
        return None
    kept = line.rstrip(_ENDS).rstrip()
    # The period of an abbreviation stays.
    if not is_word(kept[-1:]) or (line[-1] == "." and "." in kept.split()[-1]):
        return None
    return kept


KIND = Kind("drop-punctuation", MINOR, "the mark at the end is dropped", _change)
