"""Alignment of our tokens with a network's word pieces, by the characters they share.

A network reads text, but a matcher has tokens. The text is made from the tokens joined by spaces. Exceptions are
clitics (``n't``, ``'s``), which are reattached to their words, and quotes, which get back their original form.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# As Penn tokens, in lower case.
CLITICS = frozenset({"n't", "'s", "'m", "'d", "'ll", "'re", "'ve", "'"})
QUOTES = {"``": '"', "''": '"'}

Int64 = NDArray[np.int64]
Span = tuple[int, int]


def line_of(tokens: Sequence[str]) -> tuple[str, list[Span]]:
    """The text of a line, and the first character and the end of each token in it."""
    parts: list[str] = []
    spans: list[Span] = []
    end = 0
    for token in tokens:
        word = _encodable(QUOTES.get(token, token))
        if parts and token.lower() not in CLITICS:
            parts.append(" ")
            end += 1
        parts.append(word)
        spans.append((end, end + len(word)))
        end += len(word)
    return "".join(parts), spans


def _encodable(word: str) -> str:
    """The word with lone surrogates replaced by U+FFFD; no file holds them, but a caller may pass them."""
    if word.isascii():
        return word
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in word)


def pieces_of_tokens(spans: Sequence[Span], pieces: Sequence[Span]) -> tuple[Int64, Int64]:
    """The pieces that share a character with each token.

    Args:
        spans: Where tokens begin and end, in increasing order and without overlap.
        pieces: Where pieces begin and end, in order; several may share a character (bytes of one). A piece without
            characters belongs to no token.

    Returns:
        The token, int64 [n_entries] in increasing order; the piece, int64 [n_entries]. Takes time linear in both.
    """
    tokens: list[int] = []
    members: list[int] = []
    first = 0
    for token, (start, end) in enumerate(spans):
        # Pieces before `first` end before this token begins, and so before all later tokens.
        while first < len(pieces) and pieces[first][1] <= start:
            first += 1
        piece = first
        while piece < len(pieces) and pieces[piece][0] < end:
            if pieces[piece][1] > max(start, pieces[piece][0]):
                tokens.append(token)
                members.append(piece)
            piece += 1
    return np.array(tokens, dtype=np.int64), np.array(members, dtype=np.int64)


def token_sums(rows: NDArray[np.int16], tokens: Int64, pieces: Int64, n_tokens: int) -> NDArray[np.float64]:
    """Sum of the vectors of each token's pieces, float64 [n_tokens, dimension]; zeros for a token without pieces.

    Args:
        rows: Vectors of the pieces, int16 [n_pieces, dimension].
        tokens: As returned by `pieces_of_tokens`.
        pieces: As returned by `pieces_of_tokens`.
        n_tokens: Number of tokens.
    """
    sums = np.zeros((n_tokens, rows.shape[1]))
    if tokens.size:
        there, first = np.unique(tokens, return_index=True)
        sums[there] = np.add.reduceat(rows[pieces].astype(np.float64), first)
    return sums
