"""The target of tuning: Pearson's correlation with human scores, weighted by length, with segment means removed.

With x the features of a translation and y its human score, both minus the mean of their segment (minus the mean of all
if no segment has two translations), and u the number of words of the reference (Kahn, Snover and Ostendorf 2009,
section 3.3),

    r(w) = w' b / sqrt(w' A w c),    A = sum u x x',  b = sum u x y,  c = sum u y^2
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.evaluation import mean_removed
from pfsm.text.plain import tokenise

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
SEGMENT, LANGUAGE = "segment_id", "source_lang"
# Sum of squares that rounding leaves of a constant after its mean is removed, relative to that of its values.
_NOISE = 1e-20
# Its square is still finite.
LARGEST_SCORE = 1e100


@dataclass(frozen=True, eq=False)
class Moments:
    """Second moments of k features and the human scores.

    Attributes:
        features: float64 [k, k], A in the formula above.
        products: float64 [k], b.
        human: c.
    """

    features: Float
    products: Float
    human: float

    def correlation(self, weights: Float) -> float:
        """Pearson's r of the weighted sum with the human scores; 0 if the sum is constant."""
        square = float(weights @ self.features @ weights) * self.human
        return float(weights @ self.products) / square**0.5 if square > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Target:
    """Human scores, their segments and their weights.

    Attributes:
        scores: float64 [n], higher is better.
        segments: int64 [n], numbers of the segments whose means are removed; if all are 0, the mean of all is.
        weights: float64 [n], number of words of each reference.
    """

    scores: Float
    segments: Int64
    weights: Float

    @staticmethod
    def of(judgments: Judgments) -> "Target":
        """The target of judgments; a segment is identified by source language, ``segment_id`` and reference.

        Raises:
            PfsmError: If the scores differ in no segment, or if one is larger than 1e100 in absolute value.
        """
        if not np.abs(judgments.scores).max(initial=0.0) <= LARGEST_SCORE:
            raise PfsmError(
                f"tuning needs scores of at most {LARGEST_SCORE:g} in absolute value; one is larger"
            )
        n = len(judgments)
        languages = judgments.columns.get(LANGUAGE, ("",) * n)
        names = zip(languages, judgments.columns.get(SEGMENT, ("",) * n), judgments.references, strict=True)
        place: dict[tuple[str, str, str], int] = {}
        segments = np.array([place.setdefault(name, len(place)) for name in names], dtype=np.int64)
        if len(place) == n:
            segments = np.zeros(n, dtype=np.int64)
        known = {reference: float(len(tokenise(reference))) for reference in set(judgments.references)}
        weights = np.array([known[reference] for reference in judgments.references])
        target = Target(judgments.scores, segments, weights)
        if not target.moments(np.zeros((n, 0))).human > 0.0:
            raise PfsmError(
                "all translations of a segment have the same human score, so there is nothing to tune for"
            )
        return target

    @property
    def by_segment(self) -> bool:
        """Whether the means of segments are removed, and not the mean of all."""
        return bool(self.segments.any())

    def moments(self, features: Float) -> Moments:
        """Second moments of features, float64 [n, k]; those of a feature that varies in no segment are 0."""
        centred = np.empty_like(features)
        for k in range(features.shape[1]):
            column = mean_removed(features[:, k], self.segments, self.weights)
            flat = column @ column <= _NOISE * max(1.0, float(features[:, k] @ features[:, k]))
            centred[:, k] = 0.0 if flat else column
        human = mean_removed(self.scores, self.segments, self.weights)
        weighted = self.weights[:, np.newaxis] * centred
        return Moments(weighted.T @ centred, weighted.T @ human, float(self.weights @ human**2))
