"""A run of three to six words is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import without
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.text import Text


def runs(text: Text, length: int) -> list[tuple[int, int]]:
    """Places of runs of so many words without a mark between them, with a word that carries meaning."""
    heavy = {word.start for word in text.content}
    found = []
    tokens = text.tokens
    words = {word.start for word in text.words}
    for first in range(1, len(tokens) - length + 1):
        run = tokens[first : first + length]
        if all(token.start in words for token in run) and any(token.start in heavy for token in run):
            found.append((run[0].start, run[-1].end))
    return found


def _change(text: Text, dice: Dice) -> str | None:
    if len(text.words) < 8:
        return None
    found = runs(text, dice.between(3, min(6, len(text.words) // 2)))
    if not found:
        return None
    return without(text.line, *dice.choice(found))


KIND = Kind("drop-phrase", CRITICAL, "three to six words in a row are dropped", _change)
