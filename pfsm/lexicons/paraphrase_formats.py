"""Readers of paraphrase tables: METEOR's, TERp's and PPDB's formats; which entries are kept.

All give (phrase, paraphrase, probability of the paraphrase given the phrase):

* METEOR: three lines per entry: the probability, the phrase, the paraphrase.
* TERp: ``PROBABILITY <p>phrase</p> <p>paraphrase</p>``.
* PPDB: ``LHS ||| phrase ||| paraphrase ||| FEATURE=VALUE … ||| …``; the negative natural logarithm of the probability
  is the feature ``-logp(e2|e1)`` in PPDB 2.0, ``p(e|f)`` in PPDB 1.0.
"""

import gzip
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name
from pfsm.io.limits import limited_lines
from pfsm.lexicons.paraphrases import Phrase

Entry = tuple[str, str, float]
PPDB_FEATURES = ("-logp(e2|e1)", "p(e|f)")
_TERP = re.compile(r"\s*(\S+)\s*<p>(?>(.*?)</p>)\s*<p>(?>(.*?)</p>)\s*")


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


def format_of(path: StrPath) -> str:
    """``meteor``, ``terp`` or ``ppdb``, by the first line of a file.

    Raises:
        PfsmError: If it is none of them.
    """
    first = next(lines_of(path), "")
    if " ||| " in first:
        return "ppdb"
    if "<p>" in first:
        return "terp"
    if _number(first) is not None:
        return "meteor"
    raise PfsmError(
        f"{display_name(path)}:1: not the beginning of a paraphrase table of METEOR, TERp or PPDB: {first[:60]!r}"
    )


def read_paraphrases(path: StrPath, layout: str, feature: str | None = None) -> Iterator[Entry]:
    """The entries of a table, one at a time.

    Args:
        path: The file, gzip or plain.
        layout: ``meteor``, ``terp`` or ``ppdb``.
        feature: The PPDB feature with the negative natural logarithm of the probability; None: the usual features.

    Raises:
        PfsmError: If the file cannot be read or a line is malformed.
    """
    if layout == "meteor":
        return _read_meteor(path)
    return _read_lines(path, _terp_entry if layout == "terp" else lambda line: _ppdb_entry(line, feature))


def _read_meteor(path: StrPath) -> Iterator[Entry]:
    lines = lines_of(path)
    for number, (value, phrase, paraphrase) in enumerate(zip(lines, lines, lines, strict=False)):
        probability = _number(value)
        if probability is None:
            raise PfsmError(f"{display_name(path)}:{3 * number + 1}: probability is {value[:60]!r}")
        yield phrase, paraphrase, probability


def _read_lines(path: StrPath, entry_of: Callable[[str], Entry | str]) -> Iterator[Entry]:
    for number, line in enumerate(lines_of(path), 1):
        entry = entry_of(line)
        if isinstance(entry, str):
            raise PfsmError(f"{display_name(path)}:{number}: {entry}: {line[:60]!r}")
        yield entry


def _terp_entry(line: str) -> Entry | str:
    match = _TERP.fullmatch(line)
    probability = _number(match[1]) if match else None
    if match is None or probability is None:
        return "not a line `PROBABILITY <p>phrase</p> <p>paraphrase</p>`"
    return match[2], match[3], probability


def _ppdb_entry(line: str, feature: str | None) -> Entry | str:
    fields = line.split(" ||| ")
    if len(fields) < 4:
        return "not a line `LHS ||| phrase ||| paraphrase ||| features`"
    features = dict(entry.rsplit("=", 1) for entry in fields[3].split() if "=" in entry)
    for name in PPDB_FEATURES if feature is None else (feature,):
        value = _number(features.get(name, ""))
        if value is not None:
            return fields[1], fields[2], math.exp(-max(value, 0.0))
    return f"no number under {feature or ' or '.join(PPDB_FEATURES)}"


def _number(text: str) -> float | None:
    """The number in a text, if it is finite and at least 0 (a probability, or a negative logarithm of one)."""
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
