"""Outputs of several systems compared by one metric or several, as an object and as a page."""

from pfsm.comparison.compared import Compared, MetricResult, agreement, compare_outputs
from pfsm.comparison.facts import SegmentFacts, read_facts, side_by_side
from pfsm.comparison.page import render_comparison, write_comparison

__all__ = [
    "Compared",
    "MetricResult",
    "SegmentFacts",
    "agreement",
    "compare_outputs",
    "read_facts",
    "render_comparison",
    "side_by_side",
    "write_comparison",
]
