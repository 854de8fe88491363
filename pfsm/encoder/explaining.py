"""Why the feature has its value: what each part adds, and which pieces were matched."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.encoder.feature import PieceReader
from pfsm.encoder.head import PARTS
from pfsm.encoder.scoring import HeadScorer, LineVectors

Float = NDArray[np.float64]


@dataclass(frozen=True)
class PieceMatch:
    """Two pieces that may be matched.

    Attributes:
        reference: Piece of the reference, by its place.
        hypothesis: Piece of the hypothesis, by its place.
        cosine: Of their vectors.
        posterior: Probability of the match under the machine.
        value: What the match adds to the value: posterior times weight, by the length of the pair and ``linear``.
    """

    reference: int
    hypothesis: int
    cosine: float
    posterior: float
    value: float


@dataclass(frozen=True)
class ValueParts:
    """A value, taken apart: ``constant`` and the values of all parts add up to it.

    Attributes:
        reference: Pieces of the reference.
        hypothesis: Pieces of the hypothesis.
        constant: What every pair gets.
        parts: Of each of `pfsm.encoder.head.PARTS`, its number and what it adds.
        matches: What may be matched with at least the posterior that was asked for, in the order of the reference.
    """

    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    constant: float
    parts: tuple[tuple[str, float, float], ...]
    matches: tuple[PieceMatch, ...]


def value_parts(
    reader: PieceReader, references: Sequence[str], hypotheses: Sequence[str], least: float
) -> list[ValueParts]:
    """The values of pairs, taken apart.

    Args:
        reader: The head and its encoder.
        references: One side of each pair.
        hypotheses: The other.
        least: The smallest posterior of a match that is listed.
    """
    lines = list(dict.fromkeys([*references, *hypotheses]))
    known = dict(zip(lines, reader.lines(lines), strict=True))
    return [
        _parts(reader.scorer, known[reference], known[hypothesis], least)
        for reference, hypothesis in zip(references, hypotheses, strict=True)
    ]


Line = tuple[LineVectors, tuple[str, ...]]


def _parts(scorer: HeadScorer, reference: Line, hypothesis: Line, least: float) -> ValueParts:
    numbers = scorer.parts(reference[0], hypothesis[0])
    values = numbers * scorer.linear
    parts = tuple(zip(PARTS, numbers.tolist(), values.tolist(), strict=True))
    return ValueParts(
        reference[1],
        hypothesis[1],
        scorer.constant,
        parts,
        _matches(scorer, reference[0], hypothesis[0], least),
    )


def _matches(
    scorer: HeadScorer, reference: LineVectors, hypothesis: LineVectors, least: float
) -> tuple[PieceMatch, ...]:
    from pfsm_kernels.dense.machine import expected_counts  # noqa: PLC0415 - brings numba

    cosines = scorer.cosines(reference, hypothesis)
    weights = scorer.pair_weights(cosines, reference, hypothesis)
    posteriors = expected_counts(
        weights.substitute, weights.delete, weights.insert, weights.transitions, *weights.sizes
    )[1][0]
    each = posteriors * weights.substitute[0] * (scorer.linear[0] / max(sum(cosines.shape), 1))
    return tuple(
        PieceMatch(i, j, float(cosines[i, j]), float(posteriors[i, j]), float(each[i, j]))
        for i, j in np.argwhere(posteriors >= least).tolist()
    )
