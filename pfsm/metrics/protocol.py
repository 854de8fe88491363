"""What a segment-level metric is, and what any of them can do with several references."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

NREFS = "nrefs:1"


class SegmentMetric(Protocol):
    """Scores single-reference pairs of a translation and its reference; higher is better."""

    @property
    def name(self) -> str:
        """What scores are reported under."""

    @property
    def signature(self) -> str:
        """Everything that can change a score of a pair: ``nrefs:1|key:value|…|version:X``, the version last."""

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """Scores of pairs.

        Args:
            hypotheses: Translations, one string each.
            references: As many references.

        Returns:
            float64 [n_pairs], finite; higher is better.

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
        """


class SegmentScorer:
    """A segment-level metric with several references: the best one counts, as for our models.

    Args:
        metric: Scores the pairs.
        asked: What `pfsm.metrics.get_metric` makes it from: its name, with options if it was given any.
    """

    def __init__(self, metric: SegmentMetric, asked: str = "") -> None:
        self.metric = metric
        self.asked = asked or metric.name

    @property
    def name(self) -> str:
        """Name of the metric."""
        return self.metric.name

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """Scores of single-reference pairs, as `SegmentMetric.score_pairs` gives them."""
        return self.metric.score_pairs(hypotheses, references)

    def segment_scores(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
    ) -> NDArray[np.float64]:
        """Scores of segments against reference streams; the best reference counts.

        Args:
            hypotheses: One translation a segment.
            references: Streams: ``references[k][i]`` is the k-th reference of segment i.

        Returns:
            float64 [n_segments].

        Raises:
            ValueError: If there is no stream, or one differs in length from the hypotheses.
        """
        if isinstance(references, str) or not references:
            raise ValueError("references must be a list of streams, each a list of strings")
        scores: NDArray[np.float64] = np.max(
            [self.metric.score_pairs(hypotheses, stream) for stream in references], axis=0
        )
        return scores

    def get_signature(self, nrefs: int | None = 1) -> str:
        """The metric's signature for so many references (None: their number varies)."""
        if nrefs == 1:
            return self.metric.signature
        count = "var" if nrefs is None else str(nrefs)
        return self.metric.signature.replace(NREFS, f"nrefs:{count}|refs:best", 1)


def check_pairs(hypotheses: Sequence[str], references: Sequence[str]) -> None:
    """Refuses what is no series of pairs.

    Raises:
        ValueError: If the lists differ in length, or one of them is a single string.
    """
    for name, value in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(value, str):
            raise ValueError(f"{name} must be a list of strings, not one string")
    if len(references) != len(hypotheses):
        raise ValueError(f"{len(references)} references for {len(hypotheses)} hypotheses")
