"""DPM and DPMF by name."""

from collections.abc import Mapping
from typing import Any

from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.dpmf.names import DPM, DPMF, DPMF_BASE
from pfsm.metrics.metric_group import MetricGroup, with_options


def _make(name: str, options: Mapping[str, Any]) -> SegmentMetric:
    # Who asks for another metric does not wait for these.
    from pfsm.metrics.dpmf.dpm import dpm_metric  # noqa: PLC0415
    from pfsm.metrics.dpmf.dpmf import DpmfMetric  # noqa: PLC0415

    return dpm_metric(name, options) if name == DPM else DpmfMetric(name, options)


GROUPS = (
    MetricGroup(
        {
            DPM: "DPM: a parsing model of the reference alone derives the hypothesis (English)",
            DPMF: "DPMF: DPM times METEOR's F (English; needs the extra paraphrases)",
            DPMF_BASE: "DPMF with what ships: no paraphrases, own function words (English)",
        },
        with_options(_make),
    ),
)
