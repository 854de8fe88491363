"""Families of metrics, named ``STEM-*`` and ``STEM-TYPE``."""

from collections.abc import Callable, Mapping

from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.metric_group import MetricGroup
from pfsm.runtime.typed import Options

ALL = "*"


def stem_and_type(name: str) -> tuple[str, str]:
    """``dp-or`` and ``nsubj`` of ``dp-or-nsubj(…)``; the type is empty where there are two parts, both where one is."""
    parts = name.partition("(")[0].split("-", 2)
    # A hyphen with nothing behind it is not a name.
    return "-".join(parts[:2]) if parts[-1] else "", parts[2] if len(parts) == 3 else ""


def typed_family(
    stems: Mapping[str, str], mean: str, make: Callable[[str, Options], SegmentMetric]
) -> MetricGroup:
    """Metrics ``STEM-*``, the mean over all types of something, and ``STEM-TYPE``, which counts one.

    Args:
        stems: By the stem of a name, such as ``dp-or``, half a line on the metrics.
        mean: What ``*`` stands for, in words.
        make: As of `MetricGroup`.
    """

    def family(name: str) -> str | None:
        stem, only = stem_and_type(name)
        return f"{stems[stem]}, {mean if only == ALL else only}" if stem in stems and only else None

    return MetricGroup(
        {f"{stem}-{ALL}": f"{what}, {mean}" for stem, what in stems.items()}, make, family=family
    )
