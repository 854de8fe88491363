"""Scripts that are written without spaces between words, and tokenisers that find words between spaces alone.

A sentence of Chinese, Japanese, Thai, Lao, Khmer, Burmese or Tibetan is one token to such a tokeniser, so that two
sentences either are equal or have nothing in common. Korean has spaces.

Lines without white space, and how long they are then.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from pfsm.errors import PfsmError
from pfsm.text.characters import composed
from pfsm.text.chunks import LineCache
from pfsm.text.plain import UNSPACED

_TIBETAN = (0x0F00, 0x0FFF)
_WITHOUT_SPACES = re.compile(
    "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in (*UNSPACED, _TIBETAN)) + "]"
)
# Of a line's characters, that make it a line without spaces: a name in Chinese does not make an English line Chinese.
_LEAST_SHARE = 0.3
# Lines that are looked at, and the share of them that makes a text one without spaces.
MOST_LINES, REFUSED = 5_000, 0.25


def needs_spaces(tokeniser: str) -> bool:
    """Whether a tokeniser finds words by spaces and punctuation alone; what plug-ins do is their own affair."""
    return tokeniser == "penn" or tokeniser.startswith("nltk:")


def is_without_spaces(line: str) -> bool:
    """Whether a line is in a script written without spaces between words."""
    if line.isascii():
        return False
    line = composed(line)
    return len(_WITHOUT_SPACES.findall(line)) > _LEAST_SHARE * sum(map(len, line.split()))


def _n_words(line: str) -> float:
    chunks = composed(line).split()
    return sum(map(len, chunks)) / 2 if is_without_spaces(line) else float(len(chunks))


n_words = LineCache(_n_words).__getitem__  # of a pair it is asked for time and again
"""About how many words a line has; in a script without spaces, half its characters."""


def lines_without_spaces(lines: Iterable[str]) -> tuple[int, int]:
    """How many lines, of those looked at, are in a script without spaces; and how many were looked at."""
    seen = list(islice(lines, MOST_LINES))
    return sum(map(is_without_spaces, seen)), len(seen)


def refuse_text(what: str, lines: Iterable[str], other: str) -> None:
    """Refuses text of which a quarter of the lines or more are in a script without spaces between words."""
    found, seen = lines_without_spaces(lines)
    if seen and found >= REFUSED * seen:
        raise PfsmError(
            f"{what} finds words between spaces, but {found} of {seen} lines are in a script without them; {other}, "
            "--force goes on"
        )


def spaceless(lines: Sequence[str]) -> tuple[str, list[int]]:
    """The characters of all lines that are no white space, one line after the other, and the number in each."""
    text = "".join(lines)
    if text.isprintable():
        return text.replace(" ", ""), _printable_sizes(lines)
    without = list(map(_without, lines))
    return "".join(without), list(map(len, without))


def spaceless_sizes(lines: Sequence[str]) -> list[int]:
    """The number of characters in each line that are no white space."""
    return (
        _printable_sizes(lines) if "".join(lines).isprintable() else [len(_without(line)) for line in lines]
    )


def _printable_sizes(lines: Sequence[str]) -> list[int]:
    # The only printable white space is the space.
    return [len(line) - line.count(" ") for line in lines]


def _without(line: str) -> str:
    return line.replace(" ", "") if line.isprintable() else "".join(line.split())
