"""Human and predicted scores in standard deviations from the mean of their group, and how far they lie apart.

Metrics have scales of their own, and so have the judges of different groups; in standard deviations all can be
subtracted from each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm_experiments.data import Rows

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HumanScale:
    """The human scores of a test set.

    Attributes:
        members: Group -> int64 row numbers; without the groups whose scores are all equal, which have no scale.
        scores: float64 [n], standardised within the group; NaN for the judgments of other groups.
    """

    members: Mapping[str, Rows]
    scores: Float

    @property
    def rows(self) -> Rows:
        """int64 [m]: every judgment that has a standardised score, in order."""
        return np.flatnonzero(~np.isnan(self.scores))

    def predicted(self, scores: Float) -> Float:
        """A metric's scores, float64 [n], standardised alike; where all of a group are equal, all are average."""
        return _standardised(scores, self.members)

    def errors(self, scores: Float) -> Float:
        """float64 [n]: predicted minus human score, both standardised; NaN where either is missing."""
        difference: Float = self.predicted(scores) - self.scores
        return difference

    def errors_beyond_r(self, scores: Float) -> Float:
        """float64 [n]: what is left of the errors after regression to the mean.

        That is the residual of the regression of standardised predicted on human scores, predicted minus r
        times human, where r is the correlation of the group: within a group it is uncorrelated with the human
        scores, so bins of these that are not near 0 show a bend, not a weak correlation.
        """
        predicted = self.predicted(scores)
        residuals = np.full(predicted.shape, np.nan)
        for rows in self.members.values():
            r = float(np.mean(predicted[rows] * self.scores[rows]))
            residuals[rows] = predicted[rows] - r * self.scores[rows]
        return residuals


def human_scale(scores: Float, members: Mapping[str, Rows]) -> HumanScale:
    """Standardises human scores, float64 [n], within groups."""
    known = {name: rows for name, rows in members.items() if np.ptp(scores[rows]) > 0.0}
    return HumanScale(known, _standardised(scores, known))


def _standardised(scores: Float, members: Mapping[str, Rows]) -> Float:
    result = np.full(scores.shape, np.nan)
    for rows in members.values():
        result[rows] = _of_group(scores[rows])
    return result


def _of_group(scores: Float) -> Float:
    """Deviations from the mean over the (population's) standard deviation; zeros for equal scores."""
    # A power of two that brings all below 1 rounds nothing, and lets no square overflow or vanish.
    scaled: Float = np.ldexp(scores, -int(np.frexp(np.abs(scores).max())[1]))
    # Without a common offset the mean loses no digits, and that of equal scores is exact.
    deviations: Float = scaled - scaled[0]
    deviations -= deviations.mean()
    spread = deviations.std()
    return deviations / spread if spread > 0.0 else deviations
