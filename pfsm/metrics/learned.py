"""The feature that a training learns over an encoder. It means nothing without the model that it was learned for."""

from pfsm.encoder.feature import check_feature, feature_label, pinned_feature, prepared_feature
from pfsm.encoder.heads import FEATURE
from pfsm.metrics.metric_group import MetricGroup

GROUP = MetricGroup(
    parts={FEATURE: (FEATURE,)},
    prepared=prepared_feature,
    check_part=check_feature,
    label=feature_label,
    pin=pinned_feature,
    about={FEATURE: "learned over an encoder: a machine over word pieces and order-free similarity"},
)
