"""Outputs of several systems compared by one metric or several, as an object and as a page."""

from pfsm.comparison.compared import Compared, MetricResult, agreement, compare_outputs, write_comparison
from pfsm.comparison.facts import SegmentFacts, read_facts, side_by_side

__all__ = [
    "Compared",
    "MetricResult",
    "SegmentFacts",
    "agreement",
    "compare_outputs",
    "read_facts",
    "side_by_side",
    "write_comparison",
]
