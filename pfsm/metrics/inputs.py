"""What metrics are given: lists and columns of strings, pairs, streams of references; each distinct pair once."""

import math
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Literal, TypeVar
from unicodedata import is_normalized

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int64
from pfsm.data.segments import given_references
from pfsm.errors import PfsmError, PfsmWarning
from pfsm.text.characters import composed


def as_texts(values: Any, name: str, *, gaps: bool = False) -> Sequence[Any]:
    """A list of strings from a list, or a column of a table; with gaps, None stands where there is no string.

    Raises:
        ValueError: If it is a single string.
        TypeError: If an entry is not a string; the message names its place, from 0.
    """
    listed = _listed(values, name)
    for place, value in enumerate(listed):
        if not (isinstance(value, str) or (gaps and value is None)):
            more = ", or None for no reference" if gaps else ""
            raise TypeError(
                f"{name}[{place}] is {_shown(value)}; give a string, an empty one for an empty line{more}"
            )
    return listed


def _listed(values: Any, name: str) -> Sequence[Any]:
    if isinstance(values, str):
        raise ValueError(f"{name} must be a list of strings, not one string")
    if isinstance(values, bytes | bytearray | memoryview) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is {_shown(values)}, it must be a list of strings")
    if isinstance(values, list | tuple):
        return values
    for method in ("to_pylist", "to_list", "tolist"):  # Arrow; pandas and polars; NumPy
        if hasattr(values, method):
            found: Sequence[Any] = getattr(values, method)()
            return found if isinstance(found, list | tuple) else [found]
    return list(values)


def _shown(value: object) -> str:
    """The value and its type, short."""
    if value is None:
        return "None"
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    text = repr(value)
    kind = "bytes" if isinstance(value, bytes) else type(value).__name__
    return f"{text if len(text) <= 40 else f'{text[:40]}…'} ({kind})"


# Of scores, relative to the best one: sums of logarithms and powers leave about 1e-15.
ROUNDING = 1e-12
PairScorer = Callable[[Sequence[str], Sequence[str]], Float]
# A reference, or all references of a segment.
Reference = TypeVar("Reference", bound=Hashable)


def score_distinct(
    score_pairs: Callable[[Sequence[str], Sequence[Reference]], Float],
    hypotheses: Sequence[str],
    references: Sequence[Reference],
) -> Float:
    """Scores of all pairs by a function that is shown each distinct pair once.

    Args:
        score_pairs: From hypotheses and references to float64 [n_pairs]; a pair's score must depend on it alone.
        hypotheses: Translations.
        references: As many references.

    Returns:
        float64 [n_pairs], in the order given.

    Raises:
        ValueError: If the lists differ in length.
        TypeError: If a hypothesis or reference is not a string.
    """
    check_pairs(hypotheses, references)
    hypotheses, references = as_texts(hypotheses, "hypotheses"), _listed(references, "references")
    if references and not isinstance(references[0], tuple):
        as_texts(references, "references")
    place: dict[tuple[str, Reference], int] = {}
    rows = [place.setdefault(pair, len(place)) for pair in zip(hypotheses, references, strict=True)]
    scores = score_pairs([hypothesis for hypothesis, _ in place], [reference for _, reference in place])
    return scores[np.array(rows, dtype=np.int64)]


def score_composed(
    score_pairs: Callable[[Sequence[str], Sequence[Reference]], Float],
    hypotheses: Sequence[str],
    references: Sequence[Reference],
) -> Float:
    """Return `score_distinct` of lines in Unicode NFC, so that canonically equal text scores the same."""
    theirs: list[Any] = [
        tuple(map(composed, one)) if isinstance(one, tuple) else composed(one)
        for one in _listed(references, "references")
    ]
    return score_distinct(score_pairs, list(map(composed, as_texts(hypotheses, "hypotheses"))), theirs)


def warn_of_forms(name: str, hypotheses: Sequence[str], references: Sequence[Any]) -> None:
    """Warn of pairs of which one side alone is in Unicode NFC, for a metric that tells canonically equal text apart.

    Args:
        name: The metric.
        hypotheses: Translations.
        references: As many references, or the references of each.
    """
    for line, given in zip(hypotheses, references, strict=True):
        if line.isascii():
            continue
        several = [given] if isinstance(given, str) else given
        form = is_normalized("NFC", line)
        if any(not other.isascii() and is_normalized("NFC", other) != form for other in several):
            told = "are in another Unicode normal form than their references, so that equal letters differ"
            warnings.warn(f"{name}: some translations {told}; convert both to NFC", PfsmWarning, stacklevel=1)
            return


def nearly(best: float, scores: Float) -> Float:
    """Return scores where those within rounding of the best one are the best one: copies score it exactly."""
    return np.where(np.abs(scores - best) <= ROUNDING * best, best, scores)


def check_pairs(hypotheses: Sequence[str], references: Sequence[object]) -> None:
    """Refuses what is not a series of pairs.

    Raises:
        ValueError: If the lists differ in length, or one of them is a single string.
    """
    for name, value in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(value, str):
            raise ValueError(f"{name} must be a list of strings, not one string")
    if len(references) != len(hypotheses):
        raise ValueError(f"{len(references)} references for {len(hypotheses)} hypotheses")


def check_words(name: str, most: int, lines: Sequence[str]) -> None:
    """Refuses a line for which a metric would take minutes.

    Args:
        name: The metric.
        most: Words that a line may have; of text without spaces eight characters count as one.
        lines: The text.

    Raises:
        PfsmError: If a line has more.
    """
    for line in lines:
        if len(line) > most:
            words = max(line.count(" ") + 1, len(line) // 8)
            if words > most:
                raise PfsmError(
                    f"{name}: a line has about {words:,} words, it may have {most:,}; break the text into lines: "
                    f"{line[:60]!r} …"
                )


# A stream holds one reference of every segment; None where a segment has fewer references than others.
Streams = Sequence[Sequence[str | None]]
# How many references a segment has; "var" where segments differ.
NumberOfReferences = int | Literal["var"]


def best_of_references(
    score_pairs: PairScorer, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> Float:
    """Scores of translations whose numbers of references may differ.

    Args:
        score_pairs: From hypotheses and references to float64 [n_pairs].
        hypotheses: Translations.
        references: For each of them its references, one at least.

    Returns:
        float64 [n_hypotheses], the score against the best reference.

    Raises:
        ValueError: If the lists differ in length.
    """
    if not hypotheses:
        return np.zeros(0)
    repeated, flat, starts = flat_pairs(hypotheses, references)
    return np.maximum.reduceat(score_pairs(repeated, flat), starts)


def mean_of_references(
    score_pairs: PairScorer, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> Float:
    """As `best_of_references`, but the mean of the scores against each reference."""
    if not hypotheses:
        return np.zeros(0)
    repeated, flat, starts = flat_pairs(hypotheses, references)
    sums = np.add.reduceat(score_pairs(repeated, flat), starts)
    return np.asarray(sums / np.diff([*starts, len(flat)]))


def best_numbers(
    score_pairs: PairScorer, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> list[int]:
    """Of each segment the number of its reference with the best score, from 0; the first of several.

    Args:
        score_pairs: From hypotheses and references to float64 [n_pairs].
        hypotheses: Translations.
        references: For each of them its references, one at least.
    """
    repeated, flat, starts = flat_pairs(hypotheses, references)
    if len(flat) == len(hypotheses):
        return [0] * len(flat)
    return [int(own.argmax()) for own in np.split(score_pairs(repeated, flat), starts[1:])]


def check_references(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Refuses what are not the references of each of these hypotheses.

    Raises:
        ValueError: If the lists differ in length, a segment has no reference, or a list is a single string.
        TypeError: If a reference is not a string.
    """
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise ValueError("hypotheses and references must be lists, not one string")
    if len(hypotheses) != len(references):
        raise ValueError(f"references of {len(references)} segments for {len(hypotheses)} hypotheses")
    for place, several in enumerate(references):
        if isinstance(several, str) or not len(several):
            raise ValueError(f"segment {place} needs a list of references, one at least")
        as_texts(several, f"references[{place}]")


def flat_pairs(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[list[str], list[str], Int64]:
    """Every hypothesis with each of its references: hypotheses, references, and where each hypothesis begins.

    Raises:
        ValueError: If the lists differ in length.
    """
    counts = [len(several) for several in references]
    flat = [reference for several in references for reference in several]
    repeated = [
        hypothesis for hypothesis, count in zip(hypotheses, counts, strict=True) for _ in range(count)
    ]
    return repeated, flat, np.cumsum([0, *counts[:-1]]).astype(np.int64)


def check_streams(hypotheses: Sequence[str], streams: Streams) -> None:
    """Refuses what are no reference streams of these hypotheses.

    Raises:
        ValueError: If there is no stream, one is a single string or differs in length from the hypotheses.
    """
    if isinstance(hypotheses, str):
        raise ValueError("hypotheses must be a list of strings, not one string")
    if isinstance(streams, str) or not streams or any(isinstance(stream, str) for stream in streams):
        raise ValueError("references must be a list of streams, each a list of strings")
    for stream in streams:
        if len(stream) != len(hypotheses):
            raise ValueError(f"{len(stream)} references for {len(hypotheses)} hypotheses")


def by_segment(streams: Streams) -> list[tuple[str, ...]]:
    """The references of each segment.

    Raises:
        ValueError: If a segment has none.
    """
    segments = [
        tuple(reference for reference in several if reference is not None)
        for several in zip(*streams, strict=True)
    ]
    if not all(segments):
        raise ValueError(f"segment {segments.index(())} has no reference")
    return segments


def as_streams(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """Streams from the references of each segment."""
    return [list(stream) for stream in zip_longest(*references)]


def number_of_references(streams: Streams) -> NumberOfReferences:
    """How many references the segments have."""
    complete = not any(reference is None for stream in streams for reference in stream)
    return len(streams) if complete else number_by_segment(by_segment(streams))


def number_by_segment(references: Sequence[Sequence[str]]) -> NumberOfReferences:
    """How many references the segments have, from the references of each."""
    counts = {len(several) for several in references}
    return counts.pop() if len(counts) == 1 else "var"


def checked_streams(hypotheses: Any, references: Any) -> tuple[Sequence[str], Streams]:
    """Hypotheses and streams of references as lists; a blank reference is missing where the segment has others.

    Raises:
        ValueError: As `check_streams`.
        TypeError: If an entry is not a string.
    """
    if isinstance(references, str) or (
        not isinstance(references, Sequence) and not hasattr(references, "__iter__")
    ):
        raise ValueError("references must be a list of streams, each a list of strings")
    streams = [
        stream if isinstance(stream, str) else as_texts(stream, f"references[{number}]", gaps=True)
        for number, stream in enumerate(references)
    ]
    lines = as_texts(hypotheses, "hypotheses")
    check_streams(lines, streams)
    if len(streams) == 1 or not lines:
        return lines, streams
    there = ([one for one in several if one is not None] for several in zip(*streams, strict=True))
    return lines, as_streams([given_references(several) if several else () for several in there])


def sides_of(pair: Any, place: int) -> tuple[str, Sequence[str]]:
    """The hypothesis and the references of a pair."""
    if isinstance(pair, str | bytes) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise TypeError(f"pairs[{place}] is not a pair of a hypothesis and its reference or references")
    hypothesis, references = pair
    several = [references] if isinstance(references, str) or references is None else references
    if isinstance(several, Sequence) and not several:
        raise ValueError(f"pairs[{place}] has no reference")
    where = f"pairs[{place}]"
    return as_texts([hypothesis], f"{where}, hypothesis, ")[0], as_texts(several, f"{where}, references, ")


def quotient(over: Float, under: Float) -> Float:
    """``over / under``, 0 where there is nothing to divide by."""
    return np.divide(over, under, out=np.zeros(over.shape), where=under > 0)


def weighted_sums(rows: Float, weights: Float) -> Float:
    """Return the weighted sum of each row, float64 [n], from float64 [n, k] and [k].

    Added column by column: the order in which a matrix product adds depends on the number of rows.
    """
    return np.asarray(sum((rows[:, k] * weight for k, weight in enumerate(weights)), np.zeros(len(rows))))


def numbered_words(lines: Sequence[Sequence[str]], ids: dict[str, int]) -> tuple[NDArray[np.int32], Int64]:
    """Numbers for the words of all lines, and where each line begins; new words are added to the known ones."""
    flat = np.array([ids.setdefault(word, len(ids)) for line in lines for word in line], dtype=np.int32)
    return flat, np.cumsum([0, *map(len, lines)], dtype=np.int64)


# By the name of a column of the data, a number for each segment.
Columns = Mapping[str, Sequence[float] | Float]
# Features that are columns begin so.
COLUMN = "column:"


def columns_of(features: Sequence[str]) -> tuple[str, ...]:
    """The columns that features are taken from, in their order."""
    return tuple(name.removeprefix(COLUMN) for name in features if name.startswith(COLUMN))


def missing_column(name: str, needed_by: str, *, single: bool = False) -> PfsmError:
    """What to say where a column is needed and only text is there; ``single``: of one translation, not of a list."""
    return PfsmError(
        f"{needed_by} needs {COLUMN}{name}, a number of every translation that its text does not give; score a table "
        f"with the column {name} (pfsm score --table FILE), or in Python give "
        f"columns={{{name!r}: {'NUMBER' if single else '[…]'}}}"
    )


def needed_columns(
    names: Sequence[str], given: Columns | None, n_pairs: int, needed_by: str
) -> dict[str, Float]:
    """The columns that are needed, float64 [n_pairs] each, checked; others are left out.

    Raises:
        PfsmError: A column is missing, or has a number that is not finite.
        ValueError: A column has another length or shape.
    """
    found = {}
    for name in names:
        if given is None or name not in given:
            raise missing_column(name, needed_by)
        try:
            values = np.asarray(given[name], dtype=np.float64)
        except (TypeError, ValueError):
            raise PfsmError(f"columns[{name!r}] holds something that is not a number") from None
        if values.ndim != 1:
            raise ValueError(
                f"columns[{name!r}] must have one number for each hypothesis, not an array of shape {values.shape}"
            )
        if values.size != n_pairs:
            raise ValueError(f"columns[{name!r}] has {values.size} numbers for {n_pairs} hypotheses")
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise PfsmError(f"columns[{name!r}][{row}] is {values[row]}, a finite number is needed")
        found[name] = values + 0.0
    return found
