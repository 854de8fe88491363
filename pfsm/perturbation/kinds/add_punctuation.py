"""A comma stands where none may."""

import itertools

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Text

_TIED = frozenset({
    ("DET", "NOUN"), ("DET", "ADJ"), ("ADP", "DET"), ("ADP", "NOUN"), ("ADP", "PROPN"), ("ADJ", "NOUN"),
    ("PART", "VERB"), ("AUX", "VERB"),
})  # fmt: skip
_MARKS = {"zh": "，", "ja": "、", "ar": "،", "fa": "،", "ur": "،"}


def _change(text: Text, dice: Dice) -> str | None:
    if text.is_parsed:
        tokens = text.parse.tokens
        places = [
            left.end
            for left, right in itertools.pairwise(tokens)
            if (left.upos, right.upos) in _TIED
            and text.line[left.end] == " "
            and left.label not in {"compound:prt", "nsubj", "obj", "root"}
        ]
    else:
        words = text.words
        gap = " " if text.spaced else ""
        places = [
            left.end for left, right in itertools.pairwise(words) if text.line[left.end : right.start] == gap
        ]
    if not places:
        return None
    at = dice.choice(places)
    mark = _MARKS.get(text.language[:2].lower(), ",")
    return f"{text.line[:at]}{mark}{text.line[at:]}"


KIND = Kind("add-punctuation", MINOR, "a comma is added", _change)
