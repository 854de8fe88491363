"""Metrics from vectors, such as greedy matching; each is a sentence-level feature of the same name too."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.features import (
    DESCRIPTIONS,
    embedding_values,
    feature_label,
    parse_feature,
    pinned_feature,
)
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import score_distinct
from pfsm.metrics.metric_group import MetricGroup, without_options


class EmbeddingMetric(SegmentMetric):
    """One of ``pfsm.embeddings.features``. Several references: the best one of each segment counts.

    Args:
        name: ``embedding_f1`` or the like, with source and layer in parentheses where they are not the usual ones.

    Raises:
        PfsmError: If there is no such metric.
    """

    def __init__(self, name: str) -> None:
        parse_feature(name)
        self.name = name

    def entries(self) -> Mapping[str, str]:
        """The feature with name and checksum of its vectors."""
        return {"metric": feature_label(self.name)}

    @property
    def resources(self) -> tuple[str, ...]:
        """The vectors."""
        return (feature_label(self.name),)

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """Values, float64 [n_pairs]."""
        return score_distinct(
            lambda some, others: embedding_values(self.name, some, others)[self.name], hypotheses, references
        )


GROUPS = (
    MetricGroup(
        DESCRIPTIONS,
        without_options(EmbeddingMetric),
        values=embedding_values,
        label=feature_label,
        pin=pinned_feature,
        listed=False,
    ),
)
