"""Segment-level metrics: those of others, and our models behind the same interface."""

from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.protocol import SegmentMetric, SegmentScorer
from pfsm.metrics.references import best_of_references
from pfsm.metrics.registry import get_metric, metric_names

__all__ = [
    "SegmentMetric",
    "SegmentScorer",
    "best_of_references",
    "get_metric",
    "metric_names",
    "score_distinct",
]
