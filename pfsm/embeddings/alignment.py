"""Our tokens and a network's word pieces: which pieces a token is made of, by the characters they share.

A network reads text, a matcher knows tokens: the text is the tokens joined by spaces, but for clitics (``n't``,
``'s``), which stand where they were cut off, and quotes, which are written as they were.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# As Penn tokens have them, in lower case.
CLITICS = frozenset({"n't", "'s", "'m", "'d", "'ll", "'re", "'ve", "'"})
QUOTES = {"``": '"', "''": '"'}

Int64 = NDArray[np.int64]
Span = tuple[int, int]


def line_of(tokens: Sequence[str]) -> tuple[str, list[Span]]:
    """The text of a line, and where each token begins and ends in it, counted in characters."""
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
    """The word, with lone surrogates, which no file holds but a caller may pass, as U+FFFD."""
    if word.isascii():
        return word
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in word)


def pieces_of_tokens(spans: Sequence[Span], pieces: Sequence[Span]) -> tuple[Int64, Int64]:
    """Which pieces share a character with each token.

    Args:
        spans: Where tokens begin and end: rising, without overlap.
        pieces: Where pieces begin and end, in their order; several may share a character (bytes of one). A piece of no
            characters belongs to no token.

    Returns:
        int64 [n_entries], the token, rising; int64 [n_entries], the piece. Linear in both.
    """
    tokens: list[int] = []
    members: list[int] = []
    first = 0
    for token, (start, end) in enumerate(spans):
        # Pieces before `first` end before this token begins, and so before all that follow.
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
    """Sum of the vectors of each token's pieces, float64 [n_tokens, dimension]; zeros for a token without any.

    Args:
        rows: int16 [n_pieces, dimension].
        tokens: As `pieces_of_tokens` gives them.
        pieces: As `pieces_of_tokens` gives them.
        n_tokens: Number of tokens.
    """
    sums = np.zeros((n_tokens, rows.shape[1]))
    if tokens.size:
        there, first = np.unique(tokens, return_index=True)
        sums[there] = np.add.reduceat(rows[pieces].astype(np.float64), first)
    return sums
