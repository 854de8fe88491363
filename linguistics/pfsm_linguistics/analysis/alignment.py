"""Two tokenisations of the same text aligned, and sentences put on the lines that they come from, by their characters.

Tokenisers write quotes and brackets in many ways (``"`` as two backticks or two apostrophes, a bracket as ``-LRB-``).
Each of these counts as the one character that it stands for. White space does not count.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm_linguistics.analysis.sentence import Analysis, joined, unparsed

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


EMPTY = Analysis(())


class LineFinder:
    """Finds lines among analysed sentences; the lines may come in any order and more than once."""

    def __init__(self, sentences: Sequence[Analysis]) -> None:
        self._known: dict[str, Analysis] = {}
        for sentence in sentences:
            self._known.setdefault(squeezed(sentence.tokens).casefold(), sentence)
        # A sentence without characters is on no line; searching for it would never end.
        self._known.pop("", None)
        self._sizes = sorted({len(text) for text in self._known}, reverse=True)

    def find(self, line: str) -> Analysis | None:
        """The line from one sentence, or from several in a row, the longest first; None if there are none for it."""
        text = plain_spelling(line).casefold()
        parts: list[Analysis] = []
        place = 0
        while place < len(text):
            rest = len(text) - place
            known = (text[place : place + size] for size in self._sizes if size <= rest)
            found = next((part for part in known if part in self._known), None)
            if found is None:
                return None
            parts.append(self._known[found])
            # Not the length of the words as written, because "ß" counts as two letters here.
            place += len(found)
        return joined(parts) if parts else EMPTY


def put_on_lines(
    sentences: Sequence[Analysis], lines: Sequence[str], source: str, *, gaps: bool = False
) -> list[Analysis]:
    """The analyses of lines from their sentences, in the order of the text.

    Args:
        sentences: What was read, in order.
        lines: The lines.
        source: What messages call the place that the sentences come from.
        gaps: Whether lines may have no sentences; their parses failed.

    Raises:
        PfsmError: If the sentences are not those of the lines; the message names the first line that differs.
    """
    found: list[Analysis] = []
    place = 0
    for number, line in enumerate(lines, 1):
        text = plain_spelling(line).casefold()
        count = _sentences_of(text, sentences, place)
        if count is None:
            if not gaps:
                raise PfsmError(
                    f"{source}: its words differ from line {number}; it must keep every character"
                )
            found.append(unparsed(line))
            continue
        found.append(joined(sentences[place : place + count]) if count else EMPTY)
        place += count
    if place < len(sentences):
        raise PfsmError(f"{source}: sentences beyond the last line: {len(sentences) - place}")
    return found


def _sentences_of(text: str, sentences: Sequence[Analysis], place: int) -> int | None:
    """How many sentences from a place on make up a text; None if they do not."""
    read, count = "", 0
    while len(read) < len(text) and place + count < len(sentences):
        read += squeezed(sentences[place + count].tokens).casefold()
        count += 1
    return count if read == text else None
