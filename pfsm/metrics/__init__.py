"""Metrics: the class that all of them are, classic ones by name, and what they share."""

from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import best_of_references, score_distinct
from pfsm.metrics.registry import get_metric, metric_names
from pfsm.metrics.score import Score

__all__ = ["Score", "SegmentMetric", "best_of_references", "get_metric", "metric_names", "score_distinct"]
