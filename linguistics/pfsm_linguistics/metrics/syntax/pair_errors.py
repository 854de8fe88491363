"""``edpm-errors``: errors of dependency pairs as features beside those of TERp (Kahn, Snover and Ostendorf 2009, 6.1).

Of a decomposition of both lines into pieces, over the number of pieces of the reference: the pieces of the hypothesis
that are not correct (``extra``), and those of the reference that are not there (``missing``). The paper's set E has
them of ``dl``, ``lh``, ``dlh`` and ``dh``, expected over the 50 likeliest trees with gamma = .25; N of ``1g`` and
``2g``.
"""

from collections.abc import Sequence

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.metric_group import MetricGroup, PairFeatures
from pfsm.metrics.names import parse_name
from pfsm_linguistics.metrics.analysed import PrecisionRecallMetric
from pfsm_linguistics.metrics.syntax.dependency_pairs import EDPM, pair_metric

NAME = "edpm-errors"
SYNTACTIC, SEQUENTIAL = ("dl", "lh", "dlh", "dh"), ("1g", "2g")
SIDES = ("extra", "missing")


def feature_set(decompositions: Sequence[str], options: str = "") -> tuple[str, ...]:
    """Names of the features of some decompositions, with options in parentheses if wanted."""
    return tuple(f"{NAME}.{part}.{side}{options}" for part in decompositions for side in SIDES)


E, N = feature_set(SYNTACTIC), feature_set(SEQUENTIAL)


def _prepared_errors(name: str) -> PairFeatures:
    """What computes all features of E and N, float64 [n_pairs] each, with the options of the one that is named."""
    metric = _error_metric(name)
    _, parenthesis, options = name.partition("(")
    names = feature_set((*SYNTACTIC, *SEQUENTIAL), parenthesis + options)

    def values(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        shared, ours, theirs = np.moveaxis(metric.counts(hypotheses, references), 2, 0)
        pieces = np.maximum(theirs, 1.0)
        rates = np.stack([(ours - shared) / pieces, (theirs - shared) / pieces], axis=2)
        return dict(zip(names, rates.reshape(len(rates), -1).T, strict=True))

    return values


def _error_metric(name: str) -> PrecisionRecallMetric:
    """The metric whose counts the features come from, with the options in the name of one of them."""
    options = parse_name(name).options
    if "parts" in options:
        raise PfsmError(f"feature {name}: its name says which part it is; leave out the option parts")
    return pair_metric(EDPM, {"parts": "+".join((*SYNTACTIC, *SEQUENTIAL)), **options})


GROUPS = (
    MetricGroup(
        parts={NAME: (*E, *N)},
        prepared=_prepared_errors,
        check_part=_error_metric,
        label=lambda name: f"{name}({','.join(_error_metric(name).signature.split('|')[1:-1])})",
        about={NAME: "dependencies and words that are wrong or missing"},
    ),
)
