"""The network's input for a word: its normal form and its characters, as numbers."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# Character numbers 0 to 3; the known characters follow.
PADDING, UNKNOWN_CHARACTER, BEGIN, END = range(4)
# A longer word keeps its first and last characters.
LONGEST = 20
_DIGIT = re.compile(r"\d")


# The parser and the labeller of roles ask for it several times for each word.
@lru_cache(maxsize=20_000)
def normal_form(word: str) -> str:
    """Lower case, digits as 0: the key of the word tables."""
    return _DIGIT.sub("0", word.lower())


def character_numbers(words: Sequence[str], known: Mapping[str, int]) -> NDArray[np.int32]:
    """Characters of each word between `BEGIN` and `END`, int32 [n_words, longest + 3], padded with `PADDING`.

    Every row ends in padding, so that the input for a word does not depend on the longest of its neighbours.

    Args:
        words: The words as written.
        known: Number of each known character, from 4.
    """
    shortened = [
        word if len(word) <= LONGEST else word[: LONGEST // 2] + word[-LONGEST // 2 :] for word in words
    ]
    table = np.full((len(words), max(map(len, shortened), default=0) + 3), PADDING, dtype=np.int32)
    for row, word in zip(table, shortened, strict=True):
        row[0] = BEGIN
        row[1 : len(word) + 1] = [known.get(character, UNKNOWN_CHARACTER) for character in word]
        row[len(word) + 1] = END
    return table
