"""TERp by name, and its features: sets T, P and B of either TERp, E and N."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.metric_group import MetricGroup, PairFeatures, parse_name, with_options
from pfsm.metrics.terp.errors import NAME, E, N, error_label, error_metric, prepared_errors
from pfsm.metrics.terp.metric import PARTS, TerpMetric
from pfsm.metrics.terp.options import BASE, TERP

Float = NDArray[np.float64]


def _prepared(name: str) -> PairFeatures:
    parsed = parse_name(name)
    _, parenthesis, options = name.partition("(")
    metric = TerpMetric(parsed.base, parsed.options)
    names = tuple(f"{parsed.base}.{part}{parenthesis}{options}" for part in PARTS)

    def values(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        return dict(zip(names, metric.parts(hypotheses, references)[:, 1:].T, strict=True))

    return values


def _check(name: str) -> None:
    parsed = parse_name(name)
    TerpMetric(parsed.base, parsed.options)


def _terp(name: str, about: str) -> MetricGroup:
    return MetricGroup(
        {name: about},
        with_options(TerpMetric),
        {name: tuple(f"{name}.{part}" for part in PARTS)},
        check_part=_check,
        prepared=_prepared,
    )


GROUPS = (
    _terp(
        TERP, "TERp: TER with stems, synonyms, paraphrases and costs (English; needs the extra paraphrases)"
    ),
    _terp(BASE, "TERp with what ships: few paraphrases (English)"),
    MetricGroup(
        parts={NAME: (*E, *N)},
        prepared=prepared_errors,
        check_part=error_metric,
        label=error_label,
        about={NAME: "dependencies and words that are wrong or missing"},
    ),
)
