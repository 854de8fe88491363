"""Metrics from vectors, each a sentence-level feature too: how close a translation is to its reference as a whole.

* ``embedding_distance``: minus the distance between the two mean vectors, both scaled to length 1; from -2 to 0, 0 is
  best.
* ``embedding_f1``, ``embedding_precision``, ``embedding_recall``: every piece of one side is matched to the nearest
  piece of the other, and the cosines are averaged (BERTScore, Zhang et al., 2020, section 3, without IDF and
  rescaling).

Options in a name say where the vectors come from: ``embedding_f1(layer=4)``, ``embedding_f1(source=my-vectors.txt)``,
``embedding_f1(layer=4,source=package:NAME)``. Two empty sides count as equal; an empty side is unlike any other side.
"""

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from pfsm.arrays import Float, Int16
from pfsm.embeddings.vectors import Vectors, cosine_table, row_cosines
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import score_composed
from pfsm.metrics.metric_group import MetricGroup, without_options

DESCRIPTIONS: Mapping[str, str] = {
    "embedding_distance": "distance of mean vectors, negated: 0 is best (needs the extra embeddings)",
    "embedding_f1": "greedy matching of vectors, F1 as BERTScore's (needs the extra embeddings)",
    "embedding_precision": "the precision in embedding_f1",
    "embedding_recall": "the recall in embedding_f1",
}
GREEDY = ("embedding_precision", "embedding_recall", "embedding_f1")
FARTHEST = -2.0
# Number of pairs whose vectors are in memory at a time.
PAIRS_AT_ONCE = 512
_NAME = re.compile(
    r"(?P<name>embedding_\w+)(?:\((?:layer=(?P<layer>\d{1,4})(?:,(?=source=)|(?=\))))?(?:source=(?P<source>.+))?\))?"
)


def parse_feature(name: str) -> tuple[str, str, int | None]:
    """The feature, its source and its layer.

    Raises:
        PfsmError: If the name is not one of these features.
    """
    from pfsm.embeddings import encoders  # noqa: PLC0415 - few runs need it

    match = _NAME.fullmatch(name)
    if match is None or match["name"] not in DESCRIPTIONS:
        raise PfsmError(f"unknown feature {name!r}; write it as embedding_f1(layer=4,source=FOLDER)")
    source = encoders.check_source(match["source"] or encoders.DEFAULT_SOURCE, f"feature {name}: source")
    return match["name"], source, None if match["layer"] is None else int(match["layer"])


def feature_name(feature: str, source: str, layer: int | None) -> str:
    """The inverse of `parse_feature`."""
    return f"{feature}({'' if layer is None else f'layer={layer},'}source={source})"


def pinned_feature(name: str) -> str:
    """The name with its source and the source's checksum.

    Raises:
        PfsmError: If the vectors are not installed.
    """
    from pfsm.embeddings import encoders  # noqa: PLC0415 - few runs need it

    feature, source, layer = parse_feature(name)
    return feature_name(feature, encoders.pinned(source), layer)


def feature_label(name: str) -> str:
    """The feature for a signature: with name and checksum of the vectors, without their place.

    Raises:
        PfsmError: If the vectors are not installed.
    """
    from pfsm.embeddings import encoders  # noqa: PLC0415 - few runs need it

    feature, source, layer = parse_feature(name)
    return feature_name(feature, encoders.label(source), layer)


def _values(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """Values of a feature by name, float64 [n_pairs] each, with those of related features that cost nothing extra."""
    from pfsm.embeddings import encoders  # noqa: PLC0415 - few runs need it

    feature, source, layer = parse_feature(name)
    vectors = encoders.load_vectors(source, layer)
    size = len(hypotheses)
    names = GREEDY if feature in GREEDY else (feature,)
    values = np.zeros((size, len(names)))
    for first in range(0, size, PAIRS_AT_ONCE):
        last = first + PAIRS_AT_ONCE
        values[first:last] = _some(feature, vectors, hypotheses[first:last], references[first:last])
    suffix = name.removeprefix(feature)
    return {f"{one}{suffix}": column for one, column in zip(names, values.T, strict=True)}


def _some(feature: str, vectors: Vectors, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    rows = vectors.of_texts([*references, *hypotheses])
    sides = list(zip(rows[: len(references)], rows[len(references) :], strict=True))
    if feature in GREEDY:
        return np.array([_greedy(reference, hypothesis) for reference, hypothesis in sides]).reshape(-1, 3)
    sums = [
        np.array([side.sum(axis=0, dtype=np.float64) for side in column])
        for column in zip(*sides, strict=True)
    ]
    distances = -np.sqrt(2.0 - 2.0 * row_cosines(sums[0], sums[1]))
    sizes = np.array([[len(reference), len(hypothesis)] for reference, hypothesis in sides])
    distances[(sizes == 0).any(axis=1)] = FARTHEST
    distances[(sizes == 0).all(axis=1)] = 0.0
    return (distances + 0.0).reshape(-1, 1)  # +0.0 turns -0.0 into 0.0


def _greedy(reference: Int16, hypothesis: Int16) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    if not len(reference) or not len(hypothesis):
        value = float(len(reference) == len(hypothesis))
        return value, value, value
    table = cosine_table(reference, hypothesis)
    # `fsum` gives the exact sum, rounded once, so it does not depend on the order.
    precision = math.fsum(table.max(axis=0)) / len(hypothesis)
    recall = math.fsum(table.max(axis=1)) / len(reference)
    total = precision + recall
    return precision, recall, 2.0 * precision * recall / total if total > 0.0 else 0.0


class _EmbeddingMetric(SegmentMetric):
    """One of the features from vectors. Several references: the best one of each segment counts."""

    def __init__(self, name: str) -> None:
        parse_feature(name)
        self.name = name

    def entries(self) -> Mapping[str, str]:
        """The feature with name and checksum of its vectors."""
        return {"metric": feature_label(self.name)}

    @property
    def resources(self) -> tuple[str, ...]:
        """The vectors."""
        return (feature_label(self.name),)

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Values, float64 [n_pairs]."""
        return score_composed(
            lambda some, others: _values(self.name, some, others)[self.name], hypotheses, references
        )


GROUPS = (
    MetricGroup(
        DESCRIPTIONS,
        without_options(_EmbeddingMetric),
        takes_names=True,
        values=_values,
        label=feature_label,
        pin=pinned_feature,
        listed=False,
    ),
)
