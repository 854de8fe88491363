"""Two names change places."""

import re
from itertools import combinations

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.names import names_of
from pfsm.perturbation.text import Text, is_word
from pfsm.text.plain import tokenise

# Of more, some are drawn: the pairs grow with the square.
_MOST = 30


def _change(text: Text, dice: Dice) -> str | None:
    names = sorted(dice.shuffled(names_of(text))[:_MOST], key=lambda name: name.start)
    pairs = [
        (left, right)
        for left, right in combinations(names, 2)
        if left.form != right.form
        and left.form not in right.form
        and right.form not in left.form
        and not _is_list(text.line[left.end : right.start])
    ]
    if not pairs:
        return None
    left, right = dice.choice(pairs)
    return edited(
        text.line, [Edit(left.start, left.end, right.form), Edit(right.start, right.end, left.form)]
    )


def _is_list(between: str) -> bool:
    """Whether names with this between them may be members of a list, or a name and another for the same thing."""
    words = [form for form in tokenise(between) if is_word(form)]
    if "," in between and re.search(r"\b(?:and|or|und|et|y|e|и)\b", between):
        return True
    return sum(word.islower() or (not word.isupper() and not word.istitle()) for word in words) < 2


KIND = Kind("swap-names", CRITICAL, "two names change places", _change)
