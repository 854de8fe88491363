"""The mark that ends the text is another one."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text

_OTHER = {
    ".": "?,;", "!": ",;", "?": ".,", "。": "？，", "！": "，", "？": "。，", "।": "?,", "؟": "،", "۔": "؟،",
}  # fmt: skip


def _change(text: Text, dice: Dice) -> str | None:
    line = text.line.rstrip()
    if len(text.words) < 3 or line[-1] not in _OTHER or line[-2] in _OTHER:
        return None
    return line[:-1] + dice.choice(_OTHER[line[-1]])


KIND = Kind("change-punctuation", MINOR, "the mark at the end is another one", _change)
