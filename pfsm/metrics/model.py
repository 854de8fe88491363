"""A trained model behind the interface of all segment-level metrics."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.metric import Metric
from pfsm.metrics.distinct import score_distinct


class ModelMetric:
    """One of our models.

    Args:
        metric: The model at work, as `pfsm.load` gives it.
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = metric

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.metric.name

    @property
    def signature(self) -> str:
        """The model's signature for one reference."""
        return self.metric.get_signature(1)

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """Scores of pairs, as `pfsm.metric.Metric.score_pairs` gives them; each distinct pair is scored once."""
        return score_distinct(self.metric.score_pairs, hypotheses, references)
