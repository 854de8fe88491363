"""The group of the entailment features."""

from pfsm.metrics.entailment.features import FEATURES, entailment_label, entailment_values
from pfsm.metrics.metric_group import MetricGroup

GROUPS = (
    MetricGroup(
        parts={"rte": FEATURES},
        values=entailment_values,
        label=entailment_label,
        about={"rte": "a feature of textual entailment"},
    ),
)
