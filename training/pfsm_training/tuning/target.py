"""What is tuned for: Pearson's correlation with people, long segments counting for more, segments' means taken off.

With x the features of a translation and y what people said, both less the mean of their segment (of all, where no
segment has two translations), and u the words of the reference (Kahn, Snover and Ostendorf 2009, section 3.3),

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
# What rounding leaves of the squares of a constant, relative to those of its values.
_NOISE = 1e-20
# Squares of these are still numbers.
LARGEST_SCORE = 1e100


@dataclass(frozen=True, eq=False)
class Moments:
    """Second moments of k features and the human scores.

    Attributes:
        features: float64 [k, k], the A above.
        products: float64 [k], b.
        human: c.
    """

    features: Float
    products: Float
    human: float

    def correlation(self, weights: Float) -> float:
        """Pearson's r of the weighted sum with people; 0 where it is constant."""
        square = float(weights @ self.features @ weights) * self.human
        return float(weights @ self.products) / square**0.5 if square > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Target:
    """Human scores, by segments.

    Attributes:
        scores: float64 [n], higher is better.
        segments: int64 [n], numbers of the segments whose means are taken off; all zeros: the mean of all.
        weights: float64 [n], words of the references.
    """

    scores: Float
    segments: Int64
    weights: Float

    @staticmethod
    def of(judgments: Judgments) -> "Target":
        """The target of judgments; segments are told apart by ``segment_id``, source language and reference.

        Raises:
            PfsmError: If all scores of a segment are the same in every segment, or one is beyond 1e100.
        """
        if not np.abs(judgments.scores).max(initial=0.0) <= LARGEST_SCORE:
            raise PfsmError(f"a score is beyond {LARGEST_SCORE:g}, which is too large to tune for")
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
            raise PfsmError("people scored all translations of a segment alike, there is nothing to tune for")
        return target

    @property
    def by_segment(self) -> bool:
        """Whether means of segments are taken off, not that of all."""
        return bool(self.segments.any())

    def moments(self, features: Float) -> Moments:
        """Second moments of features, float64 [n, k]; a feature that is constant where it counts has zeros."""
        centred = np.empty_like(features)
        for k in range(features.shape[1]):
            column = mean_removed(features[:, k], self.segments, self.weights)
            flat = column @ column <= _NOISE * max(1.0, float(features[:, k] @ features[:, k]))
            centred[:, k] = 0.0 if flat else column
        human = mean_removed(self.scores, self.segments, self.weights)
        weighted = self.weights[:, np.newaxis] * centred
        return Moments(weighted.T @ centred, weighted.T @ human, float(self.weights @ human**2))
