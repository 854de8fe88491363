"""Metrics by name."""

from collections.abc import Mapping
from typing import Any

from pfsm.errors import PfsmError
from pfsm.metrics.length import LengthRatio
from pfsm.metrics.protocol import SegmentMetric
from pfsm.metrics.sacre import OPTIONS, SacreMetric

_DESCRIPTIONS: Mapping[str, str] = {
    "bleu": "sentence BLEU, smoothed, effective order (sacrebleu)",
    "chrf": "chrF, character n-grams (sacrebleu)",
    "chrf++": "chrF++, character and word n-grams (sacrebleu)",
    "ter": "translation edit rate, negated: 0 is best (sacrebleu)",
    "length_ratio": "shorter length over longer, in characters",
}


def metric_names() -> tuple[str, ...]:
    """Names of the metrics that come with pfsm besides its models."""
    return tuple(_DESCRIPTIONS)


def describe_metric(name: str) -> str:
    """A metric in half a line.

    Raises:
        PfsmError: If there is no metric of this name.
    """
    if name not in _DESCRIPTIONS:
        raise PfsmError(f"unknown metric {name!r}; known are {', '.join(metric_names())}")
    return _DESCRIPTIONS[name]


def get_metric(name: str, **options: Any) -> SegmentMetric:
    """A metric by its name.

    Args:
        name: One of `metric_names`.
        options: Of sacrebleu's metrics, its own: ``lowercase``; for BLEU ``tokenize``; for TER ``normalized``,
            ``no_punct``, ``asian_support``, ``case_sensitive``.

    Raises:
        PfsmError: If there is no such metric, or it has no such option or value.
    """
    describe_metric(name)
    if name in OPTIONS:
        return SacreMetric(name, options)
    if options:
        raise PfsmError(f"metric {name}: has no options, but was given {', '.join(options)}")
    return LengthRatio()
