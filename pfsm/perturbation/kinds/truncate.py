"""The text breaks off."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    count = len(text.words)
    if count < 6:
        return None
    kept = dice.between((4 * count + 9) // 10, 7 * count // 10)
    return text.line[: text.words[kept - 1].end]


KIND = Kind("truncate", CRITICAL, "the last third to three fifths are cut off", _change)
