"""Puts the sentences of a file or program together to the requested lines, by their characters."""

from collections.abc import Sequence

from pfsm.analysis.alignment import plain_spelling, squeezed
from pfsm.analysis.sentence import Analysis, joined, unparsed
from pfsm.errors import PfsmError

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
