"""Quotes, apostrophes, dashes and ellipses are other characters of the same meaning."""

import re

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.kind import NONE, Kind
from pfsm.perturbation.text import Text

_TO_TYPEWRITER = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "...", "‑": "-"}
)


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - there is one way
    plain = text.line.translate(_TO_TYPEWRITER)
    if plain != text.line:
        return plain
    line = re.sub(r"(?<=\w)'(?=\w)", "’", text.line)
    line = re.sub(r'(^|[\s(])"(?=\S)', r"\1“", line)
    line = re.sub(r'(?<=\S)"(?=$|[\s.,;:!?)])', "”", line)
    line = line.replace(" - ", " – ").replace("...", "…")
    # Both marks of a pair are replaced, or none is.
    return None if '"' in line and ("“" in line or "”" in line) else line


KIND = Kind("unicode-punctuation", NONE, "quotes, apostrophes and dashes are other characters", _change)
