"""TERp by name, and its features: sets T, P and B of either TERp, E and N."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.family import Family, parse_name, with_options
from pfsm.metrics.terp.errors import NAME, E, N, error_label, error_metric, error_values
from pfsm.metrics.terp.metric import PARTS, TerpMetric
from pfsm.metrics.terp.options import BASE, TERP

Float = NDArray[np.float64]


def _values(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    parsed = parse_name(name)
    _, parenthesis, options = name.partition("(")
    rows = TerpMetric(parsed.base, parsed.options).parts(hypotheses, references)[:, 1:]
    names = (f"{parsed.base}.{part}{parenthesis}{options}" for part in PARTS)
    return dict(zip(names, rows.T, strict=True))


def _check(name: str) -> None:
    parsed = parse_name(name)
    TerpMetric(parsed.base, parsed.options)


def _terp(name: str, about: str) -> Family:
    return Family(
        {name: about},
        with_options(TerpMetric),
        {name: tuple(f"{name}.{part}" for part in PARTS)},
        _values,
        _check,
    )


FAMILIES = (
    _terp(
        TERP, "TERp: TER with stems, synonyms, paraphrases and costs (English; needs the extra paraphrases)"
    ),
    _terp(BASE, "TERp with what ships: few paraphrases (English)"),
    Family(
        parts={NAME: (*E, *N)},
        values=error_values,
        check_part=error_metric,
        label=error_label,
        about={NAME: "dependencies and words that are wrong or missing"},
    ),
)
