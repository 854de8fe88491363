"""Two numbers change places."""

from itertools import combinations

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.text import Text, is_word
from pfsm.text.plain import tokenise

_LEAST_BETWEEN = 2
# Of more, some are drawn: the pairs grow with the square.
_MOST = 30


def _change(text: Text, dice: Dice) -> str | None:
    numbers = [word for word in text.words if all(c.isdecimal() or c in ".,:" for c in word.form)]
    numbers = sorted(dice.shuffled(numbers)[:_MOST], key=lambda word: word.start)
    # "3 and 5" and "3 or 5" mean the same in either order: other words must stand between.
    pairs = [
        (left, right)
        for left, right in combinations(numbers, 2)
        if left.form != right.form
        and sum(map(is_word, tokenise(text.line[left.end : right.start]))) >= _LEAST_BETWEEN
    ]
    if not pairs:
        return None
    left, right = dice.choice(pairs)
    return edited(
        text.line, [Edit(left.start, left.end, right.form), Edit(right.start, right.end, left.form)]
    )


KIND = Kind("swap-numbers", CRITICAL, "two numbers change places", _change)
