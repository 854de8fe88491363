"""The family of the entailment features."""

from pfsm.metrics.entailment.features import FEATURES, entailment_label, entailment_values
from pfsm.metrics.family import Family

FAMILIES = (
    Family(
        parts={"rte": FEATURES},
        values=entailment_values,
        label=entailment_label,
        about={"rte": "a feature of textual entailment"},
    ),
)
