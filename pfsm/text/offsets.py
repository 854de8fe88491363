"""Where tokens are in the text that they were made of, whatever a tokeniser has rewritten in them."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

# A token may have lost so many characters of the text before its next one.
_LOOK_AHEAD = 8


@dataclass(frozen=True)
class Word:
    """A token and its place.

    Attributes:
        form: The characters of the line.
        start: Position of the first character, counted from 0.
        end: Position after the last character.
    """

    form: str
    start: int
    end: int


def token_offsets(line: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """First character and end of each token in a line, in code points of the line.

    Characters are compared without case and in their compatibility form (NFKC). One that a token has and the line has
    not there, such as a rewritten quotation mark, stands for the next one that is not a space. Combining marks belong
    to what they follow. Tokens neither overlap nor go back.
    """
    found, at, size = [], 0, len(line)
    for token in tokens:
        at = _next(line, at)
        start = at
        rest = _plain(token)
        while rest and at < size:
            place = at
            plain = _plain(line[place])
            while not rest.startswith(plain) and place - at < _LOOK_AHEAD and _next(line, place + 1) < size:
                place = _next(line, place + 1)
                plain = _plain(line[place])
            if not rest.startswith(plain):  # rewritten: quotation marks, dashes, dots
                both = line[at : at + 2] in ("''", "``")  # one mark in two characters
                at, rest = at + 1 + both, "" if not rest[0].isalnum() else rest[1:]
                continue
            if place > at and not rest[0].isalnum():
                # Too far for a mark: it was rewritten, and the same one comes later by chance.
                at, rest = at + 1, ""
                continue
            at, rest = place + 1, rest[max(len(plain), 1) :]
        while at < size and unicodedata.combining(line[at]):
            at += 1
        found.append((min(start, size), max(min(start, size), at)))
    return found


def _next(line: str, at: int) -> int:
    """The next place that is not a space and no character without a form of its own."""
    while at < len(line) and (line[at].isspace() or unicodedata.category(line[at]) in ("Cc", "Cf")):
        at += 1
    return at


def _plain(text: str) -> str:
    """Letters without case, width and marks."""
    text = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in text if not unicodedata.combining(one))
