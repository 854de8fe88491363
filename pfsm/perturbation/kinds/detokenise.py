"""The space behind a mark is missing.

Spaces in front of marks, as tokenised text has them, are faults of the text itself: to leave them out would mend it.
"""

import re

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text

# Not behind initials and abbreviations, and not before digits: "A.Smith" is written, "1,2" is another number.
_BEHIND = re.compile(r"(?<=[^\W\d_]{4}[.,;:!?)]) (?=[^\W\d_])")


def _change(text: Text, dice: Dice) -> str | None:
    if not text.spaced:
        return None
    places = [found.start() for found in _BEHIND.finditer(text.line)]
    if not places:
        return None
    at = dice.choice(places)
    return text.line[:at] + text.line[at + 1 :]


KIND = Kind("detokenise", MINOR, "the space behind a mark is missing", _change)
