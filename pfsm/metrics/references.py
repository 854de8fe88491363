"""Several references: streams of them, as sacrebleu takes them, and the references of each segment."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.distinct import Float, PairScorer
from pfsm.metrics.texts import as_texts

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


def best_understood(scores: Float, starts: NDArray[np.int64]) -> Float:
    """The best score of each segment that is known, float64 [n_segments]; NaN where none is.

    Args:
        scores: float64 [n_pairs], NaN where unknown.
        starts: int64 [n_segments], where the pairs of each segment begin.
    """
    if not scores.size:
        return np.zeros(0)
    best = np.maximum.reduceat(np.where(np.isnan(scores), -np.inf, scores), starts)
    return np.where(np.isneginf(best), np.nan, best)


def check_references(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Refuses what are not the references of each of these hypotheses.

    Raises:
        ValueError: If the lists differ in length, a segment has no reference, or a list is a single string.
        TypeError: If a reference is no string.
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
) -> tuple[list[str], list[str], NDArray[np.int64]]:
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


def is_complete(streams: Streams) -> bool:
    """Whether every segment has a reference in every stream."""
    return not any(reference is None for stream in streams for reference in stream)


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
    return len(streams) if is_complete(streams) else number_by_segment(by_segment(streams))


def number_by_segment(references: Sequence[Sequence[str]]) -> NumberOfReferences:
    """How many references the segments have, from the references of each."""
    counts = {len(several) for several in references}
    return counts.pop() if len(counts) == 1 else "var"
