"""What a cell scores as corpora: the systems or documents of a test set, of which a metric may pool counts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.evaluation.catalogue import SEGMENT
from pfsm.evaluation.pooled import PooledScores, corpus_statistics, oriented_scores
from pfsm.metrics import get_metric
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.references import number_by_segment
from pfsm_experiments.data import TestSet, segments_of
from pfsm_experiments.questions import questions_of
from pfsm_experiments.spec import RowSpec, level_of

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Corpora:
    """The systems, or the documents, of a test set.

    Attributes:
        test: Name of the test set.
        level: One of `pfsm.evaluation.catalogue.LEVELS`.
        hypotheses: [n], of every row of the test set; of preferences every translation once.
        references: [n], all references of each.
        members: int64 [n], the corpus of each.
    """

    test: str
    level: str
    hypotheses: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    members: NDArray[np.int64]


def corpora_of(test: TestSet, statistics: Sequence[str], resample: str) -> list[Corpora]:
    """The corpora that statistics of a test set are about; none for statistics of segments."""
    hypotheses, references = segments_of(test.data)
    names = [name for name in statistics if level_of(name) != SEGMENT]
    found = []
    for question, _ in questions_of(test, names, resample):
        chosen = question.translations
        if chosen is not None:
            hypotheses = tuple(hypotheses[at] for at in chosen.tolist())
            references = tuple(references[at] for at in chosen.tolist())
        found.append(Corpora(test.name, question.level, hypotheses, references, question.corpora))
    return found


def pooling_metric(row: RowSpec) -> SegmentMetric | None:
    """The metric of a row, if it pools counts to score corpora.

    Raises:
        PfsmError: If something that it needs is not installed.
    """
    if row.metric is None:
        return None
    metric = get_metric(row.metric, **row.options)
    return None if metric.averages else metric


def statistics_and_signature(metric: SegmentMetric, corpora: Corpora) -> tuple[Float, str]:
    """What every row adds to the score of its corpus, float64 [n, k], and the signature of these scores."""
    statistics = corpus_statistics(metric, corpora.hypotheses, corpora.references, corpora.members)
    return statistics, metric.get_signature(number_by_segment(corpora.references), "corpus")


def pooled_scores(row: RowSpec, statistics: Float) -> PooledScores | None:
    """The statistics of a row's metric as scores; None if it does not pool."""
    metric = pooling_metric(row)
    return None if metric is None else PooledScores(statistics, oriented_scores(metric))
