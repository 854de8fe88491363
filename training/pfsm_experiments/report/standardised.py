"""Human and predicted scores in standard deviations from the mean of their group, and their differences.

Each metric has its own scale, and so have the judges of each group. Scores can be subtracted from each other once they
are in standard deviations.
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
        members: int64 row numbers by group; groups whose scores are all equal have no scale and are left out.
        scores: float64 [n], standardised within the group; NaN for judgments of the groups left out.
    """

    members: Mapping[str, Rows]
    scores: Float

    @property
    def rows(self) -> Rows:
        """Row numbers of the judgments with a standardised score, int64 [m], ascending."""
        return np.flatnonzero(~np.isnan(self.scores))

    def predicted(self, scores: Float) -> Float:
        """A metric's scores, float64 [n], standardised in the same way; 0 in a group whose scores are all equal."""
        return _standardised(scores, self.members)

    def errors(self, scores: Float) -> Float:
        """Predicted minus human score, both standardised, float64 [n]; NaN if either is missing."""
        difference: Float = self.predicted(scores) - self.scores
        return difference

    def errors_beyond_r(self, scores: Float) -> Float:
        """The errors that regression to the mean does not explain, float64 [n].

        They are the residuals of the regression of standardised predicted on human scores: predicted minus r times
        human, where r is the correlation within the group. Within a group they are uncorrelated with the human scores,
        so a bin of human scores in which they are not near 0 shows a nonlinear relation, not a weak correlation.
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
    """Deviations from the mean divided by the population standard deviation; 0 for equal scores."""
    # Scaling all below 1 by a power of two does not round, and keeps squares from overflow and underflow.
    scaled: Float = np.ldexp(scores, -int(np.frexp(np.abs(scores).max())[1]))
    # Without a common offset the mean loses no digits, and the mean of equal scores is exact.
    deviations: Float = scaled - scaled[0]
    deviations -= deviations.mean()
    spread = deviations.std()
    return deviations / spread if spread > 0.0 else deviations
