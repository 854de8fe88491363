"""English, harmless: British for American spelling, or the other way round."""

import re
from functools import cache

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.kind import NONE, Kind
from pfsm.perturbation.lists import rows
from pfsm.perturbation.text import Text

_WORD = re.compile(r"\b[a-z]+\b")


@cache
def _variants() -> dict[str, str]:
    pairs = [(british, american) for british, american in rows("spelling-variants")]
    return dict([*pairs, *(pair[::-1] for pair in pairs)])


def _change(text: Text, dice: Dice) -> str | None:
    variants = _variants()
    # Words with a capital may be names, such as that of a theatre or of an organisation.
    found = [
        word
        for word in _WORD.finditer(text.line)
        if word[0] in variants and word[0] not in {"tire", "tires", "program"}
    ]
    if not found:
        return None
    word = dice.choice(found)
    return edited(text.line, [Edit(word.start(), word.end(), in_case_of(variants[word[0]], word[0]))])


KIND = Kind(
    "spelling-variant", NONE, "British for American spelling or the other way round", _change, ("en",)
)
