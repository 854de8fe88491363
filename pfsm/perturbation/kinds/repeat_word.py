"""One word stands twice."""

from pfsm.analysis.tokens import Word
from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text, is_letters

# English says "that that", "had had", "very very" and "so so".
_DOUBLE = frozenset({"that", "had", "very", "so", "really", "much", "long", "far", "many", "no"})


def repeatable(text: Text) -> list[Word]:
    """Words that may not stand twice: no numbers, no letters alone, not next to themselves."""
    forms = [token.form.lower() for token in text.tokens]
    return [
        token
        for at, token in enumerate(text.tokens)
        if is_letters(token.form)
        and token.form.lower() not in _DOUBLE
        and (len(token.form) > 1 or not token.form.isascii())
        and forms[at] not in (forms[at - 1 : at] + forms[at + 1 : at + 2])
    ]


def repeated(text: Text, dice: Dice, times: int) -> str | None:
    """The text with a word that is followed by itself so many times, with a capital only if it is a name."""
    words = repeatable(text)
    if not words:
        return None
    word = dice.choice(words)
    first = word.start in text.is_first and text.class_of(word) != "name"
    again = word.form.lower() if first else word.form
    gap = " " if text.spaced else ""
    return text.line[: word.end] + (gap + again) * times + text.line[word.end :]


def _change(text: Text, dice: Dice) -> str | None:
    return repeated(text, dice, 1)


KIND = Kind("repeat-word", MINOR, "a word is repeated once", _change)
