"""Alignment of two tokenisations of the same text, by their characters without white space.

Tokenisers write quotes and brackets in many ways (``"`` as two backticks or two apostrophes, a bracket as ``-LRB-``).
Each of these counts as the one character that it stands for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SPELLINGS = {
    "``": '"', "''": '"', "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "`": "'",
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
}  # fmt: skip


def plain_spelling(token: str) -> str:
    """The token without white space, with quotes and brackets as the characters that they stand for."""
    known = _SPELLINGS.get(token)
    if known is not None:
        return known
    squeezed = "".join(token.split())
    for spelled, character in (("``", '"'), ("''", '"'), ("“", '"'), ("”", '"'), ("’", "'"), ("‘", "'")):
        squeezed = squeezed.replace(spelled, character)
    return squeezed


def squeezed(tokens: Sequence[str]) -> str:
    """All characters of the tokens in `plain_spelling`; the same for every tokenisation of a text."""
    return "".join(map(plain_spelling, tokens))


@dataclass(frozen=True, eq=False)
class TokenAlignment:
    """Two tokenisations of one text.

    Attributes:
        first: int32 [n_ours], the first of their tokens that shares a character with our token; -1 for none.
        last: int32 [n_ours], the last such token.
        ours: int32 [n_theirs], the first of our tokens that shares a character with their token; -1 for none.
    """

    first: NDArray[np.int32]
    last: NDArray[np.int32]
    ours: NDArray[np.int32]


def align(ours: Sequence[str], theirs: Sequence[str]) -> TokenAlignment | None:
    """Aligns our tokens to theirs; None if the characters differ, because the texts are then not the same."""
    our_sizes, their_sizes = ([len(plain_spelling(token)) for token in side] for side in (ours, theirs))
    if squeezed(ours).casefold() != squeezed(theirs).casefold() or sum(our_sizes) != sum(their_sizes):
        return None
    our_of = np.repeat(np.arange(len(ours), dtype=np.int32), our_sizes)
    their_of = np.repeat(np.arange(len(theirs), dtype=np.int32), their_sizes)
    first = np.full(len(ours), -1, dtype=np.int32)
    last = np.full(len(ours), -1, dtype=np.int32)
    back = np.full(len(theirs), -1, dtype=np.int32)
    # Writing back to front leaves the entry of the first character.
    first[our_of[::-1]] = their_of[::-1]
    last[our_of] = their_of
    back[their_of[::-1]] = our_of[::-1]
    return TokenAlignment(first, last, back)
