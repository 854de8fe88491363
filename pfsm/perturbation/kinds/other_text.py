"""Another text stands in the place of the text."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.text import Text

_MOST_SHARED = 0.3


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - the ring of texts is the draw
    own = {word.form.lower() for word in text.content}
    for other in text.neighbours():
        words = {word.form.lower() for word in other.content}
        if words and len(words & own) <= _MOST_SHARED * min(len(words), len(own)):
            return other.line
    return None


KIND = Kind("other-text", CRITICAL, "another text stands in its place", _change)
