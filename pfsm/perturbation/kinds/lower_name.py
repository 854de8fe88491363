"""A word inside a sentence loses its capital."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.english.dictionary import is_common_noun
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Text

# Titles and offices are written both ways, as are other nouns within names: "the chamber of commerce".
_EITHER_WAY = words("lower-name-either-way")


def _change(text: Text, dice: Dice) -> str | None:
    words = [
        word
        for word in text.words
        if word.form[0].isupper()
        and word.form[1:].islower()
        and word.start not in text.is_first
        and word.form.lower() not in _EITHER_WAY
    ]
    if text.is_parsed:
        names = {token.start for token in text.parse.tokens if token.upos == "PROPN"}
        words = [word for word in words if word.start in names]
    # In a line of headline capitals a small letter is no fault.
    if not words or 2 * len(words) > len(text.words):
        return None
    if text.is_english:
        words = [word for word in words if not is_common_noun(word.form.lower())]
    if not words:
        return None
    word = dice.choice(words)
    return edited(text.line, [Edit(word.start, word.end, word.form.lower())])


KIND = Kind("lower-name", MINOR, "a name loses its capital", _change)
