"""Reads paraphrase tables in METEOR's format, and chooses the entries that are kept.

An entry has three lines: the probability of the paraphrase given the phrase, the phrase, the paraphrase.
"""

import gzip
import math
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name
from pfsm.io.limits import limited_lines
from pfsm.lexicons.paraphrases import Phrase

Entry = tuple[str, str, float]


def lines_of(path: StrPath) -> Iterator[str]:
    """The lines of a file, gzip or plain, one at a time, because these files are too large for memory.

    Raises:
        PfsmError: If the file cannot be read, is not UTF-8 or damaged.
    """
    name = display_name(path)
    try:
        with Path(path).open("rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"
            stream = cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if packed else raw
            with stream:
                for line in limited_lines(stream, name):
                    yield line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise PfsmError(f"{name}: not UTF-8; convert the file to UTF-8") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise PfsmError(f"{name}: the gzip data is damaged; copy or download the file again") from None
    except OSError as error:
        raise PfsmError(f"{name}: cannot be read ({error.strerror or error})") from None


def read_paraphrases(path: StrPath) -> Iterator[Entry]:
    """The entries of a table, one at a time: phrase, paraphrase, probability.

    Args:
        path: The file, gzip or plain.

    Raises:
        PfsmError: If the file cannot be read or a probability is malformed.
    """
    lines = lines_of(path)
    for number, (value, phrase, paraphrase) in enumerate(zip(lines, lines, lines, strict=False)):
        probability = _number(value)
        if probability is None:
            raise PfsmError(f"{display_name(path)}:{3 * number + 1}: probability is {value[:60]!r}")
        yield phrase, paraphrase, probability


def _number(text: str) -> float | None:
    """The number in a text, if it is finite and at least 0."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


LONGEST = 2
SMALLEST_PROBABILITY = 0.01
# Entries between two reports.
STEP = 1_000_000


def pruned(
    entries: Iterable[Entry],
    longest: int = LONGEST,
    smallest: float = SMALLEST_PROBABILITY,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[dict[tuple[Phrase, Phrase], float], int]:
    """The entries worth keeping, and the number of entries read.

    Words are lower-cased. An entry is left out if a side has more than ``longest`` words or a word without a letter or
    digit, if both sides are the same words, or if its probability is 0 or below ``smallest``. Probabilities above 1,
    which some tables have, count as 1. If an entry occurs twice, the larger probability counts.

    Args:
        entries: The entries.
        longest: Largest number of words on a side.
        smallest: Smallest probability.
        progress: Called from time to time with the numbers of entries read and kept.
    """
    pairs: dict[tuple[Phrase, Phrase], float] = {}
    read = 0
    for read, (one, other, probability) in enumerate(entries, 1):
        if progress is not None and not read % STEP:
            progress(read, len(pairs))
        if probability < smallest or probability == 0.0:
            continue
        pair = phrase, paraphrase = tuple(one.lower().split()), tuple(other.lower().split())
        if phrase != paraphrase and all(len(side) <= longest and _is_worded(side) for side in pair):
            pairs[pair] = max(pairs.get(pair, 0.0), min(probability, 1.0))
    return pairs, read


def _is_worded(phrase: Phrase) -> bool:
    return bool(phrase) and all(any(map(str.isalnum, word)) for word in phrase)
