"""A word of another text is added."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import inserted, with_article
from pfsm.perturbation.kind import MAJOR, Kind
from pfsm.perturbation.text import Text, is_letters


def foreign_words(text: Text) -> list[str]:
    """Words of the next texts that carry meaning and do not stand in this one."""
    own = {word.form.lower() for word in text.words}
    for other in text.neighbours():
        found = [
            word.form
            for word in other.content
            if is_letters(word.form)
            and word.form.islower() == word.form.lower().islower()
            and word.form.lower() not in own
            and not word.form.endswith("ly")
        ]
        if found:
            return found
    return []


def _change(text: Text, dice: Dice) -> str | None:
    places = [word for word in text.words if word.start not in text.is_first]
    words = foreign_words(text)
    if not places or not words:
        return None
    at = dice.choice(places).start
    changed = inserted(text.line, at, dice.choice(words), spaced=text.spaced)
    return with_article(changed, at)


KIND = Kind("add-word", MAJOR, "a word of another text is added", _change)
