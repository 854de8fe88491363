"""Errors of dependency pairs (Kahn, Snover and Ostendorf 2009, section 6.1): the feature sets E and N.

Of a decomposition of both lines into pieces, over the number of pieces of the reference: the pieces of the hypothesis
that are not correct (``extra``), and those of the reference that are not there (``missing``). E has them of ``dl``,
``lh``, ``dlh`` and ``dh``, expected over the 50 likeliest trees with gamma = .25; N of ``1g`` and ``2g``.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.metric_group import PairFeatures, parse_name
from pfsm.metrics.syntax.counted import CountedMetric
from pfsm.metrics.syntax.dependency_metrics import EDPM, pair_metric

Float = NDArray[np.float64]
NAME = "edpm-errors"
SYNTACTIC, SEQUENTIAL = ("dl", "lh", "dlh", "dh"), ("1g", "2g")
SIDES = ("extra", "missing")


def feature_set(decompositions: Sequence[str], options: str = "") -> tuple[str, ...]:
    """Names of the features of some decompositions, with options in parentheses if wanted."""
    return tuple(f"{NAME}.{part}.{side}{options}" for part in decompositions for side in SIDES)


E, N = feature_set(SYNTACTIC), feature_set(SEQUENTIAL)


def prepared_errors(name: str) -> PairFeatures:
    """What computes all features of E and N, float64 [n_pairs] each, with the options of the one that is named.

    It raises `PfsmError` if the parser cannot be loaded, `ValueError` if the lists differ in length.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    metric = error_metric(name)
    _, parenthesis, options = name.partition("(")
    names = feature_set((*SYNTACTIC, *SEQUENTIAL), parenthesis + options)

    def values(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        shared, ours, theirs = np.moveaxis(metric.counts(hypotheses, references), 2, 0)
        pieces = np.maximum(theirs, 1.0)
        rates = np.stack([(ours - shared) / pieces, (theirs - shared) / pieces], axis=2)
        return dict(zip(names, rates.reshape(len(rates), -1).T, strict=True))

    return values


def error_label(name: str) -> str:
    """The feature with what decides its values: the trees it is expected over, and the parser."""
    return f"{name}({','.join(error_metric(name).signature.split('|')[1:-1])})"


def error_metric(name: str) -> CountedMetric:
    """The metric whose counts the features come from, with the options in the name of one of them.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    options = parse_name(name).options
    if "parts" in options:
        raise PfsmError(f"feature {name}: its name says which part it is; leave out the option parts")
    return pair_metric(EDPM, {"parts": "+".join((*SYNTACTIC, *SEQUENTIAL)), **options})
