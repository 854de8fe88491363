"""Scores of metrics that pool counts: the score of a system or document is a function of sums over its rows.

    score = f(sum over the rows of their statistics)

BLEU, for example, adds up matched n-grams. A mean is the special case with the statistics (score, 1) and
``f(s, n) = s / n``. In a bootstrap resample the sums are over the rows drawn.

Agreement about documents: a document in a system's translation has the mean of its segments' scores.

That is what people's and the metric's scores are compared by, a point a document and system, documents weighing
alike whatever their length (Kahn et al. 2009, section 3.3 and table Va). A metric that pools counts, as BLEU does,
gives a document its corpus score instead. Once documents have scores, a document is to its translations what a segment
is to its own: mean removal takes off the mean over the systems, and the bootstrap draws documents with all their
translations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import count_ids, dense_ids, sums_of_segments
from pfsm.evaluation.measure import Items, Names, OfTotals, finite_scores, scored_items
from pfsm.metrics import score_distinct
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import as_streams

Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PooledScores:
    """What rows of the data add to scores of systems or documents; `of_totals` turns the sums into scores."""

    statistics: Float
    """float64 [n, k]; NaN for rows that were not scored."""
    of_totals: OfTotals

    def __len__(self) -> int:
        return len(self.statistics)

    def select(self, rows: Int) -> "PooledScores":
        """Those of some rows."""
        return PooledScores(self.statistics[rows], self.of_totals)

    def of_corpora(self, corpora: Int) -> Float:
        """The score of every corpus, float64 [n_corpora].

        Args:
            corpora: int64 [n], from 0 up without gaps: the corpus of each row.
        """
        return self.of_totals(sums_of_segments(self.statistics, corpora))


Scores = Float | PooledScores
"""A metric's scores of the data's rows, float64 [n], or what they add to scores of systems or documents."""


def remembered(of_totals: OfTotals) -> OfTotals:
    """The function with its last result kept: several statistics ask for the scores of one resample."""
    last = [np.empty(0), np.empty(0)]

    def scores(totals: Float) -> Float:
        if not np.array_equal(totals, last[0]):
            last[:] = totals, of_totals(totals)
        return last[1]

    return scores


def oriented_scores(metric: SegmentMetric) -> OfTotals:
    """A metric's corpus scores from sums of its statistics, the sign turned where lower is better."""
    return partial(_oriented, metric)


def _oriented(metric: SegmentMetric, totals: Float) -> Float:
    return metric.oriented(metric.corpus_from_totals(totals))


def pooled_scores(
    metric: SegmentMetric, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]], corpora: Int
) -> PooledScores:
    """What each row adds to the corpus score of its system or document.

    Args:
        metric: Any metric that pools statistics.
        hypotheses: [n], the translations.
        references: [n], the references of each.
        corpora: int64 [n], the corpus of each row, as `Question.corpora` tells; it matters to metrics such as NIST,
            where the statistics of a segment depend on the other segments of the corpus.

    Returns:
        The counts of every translation, to be added up.
    """
    statistics = corpus_statistics(metric, hypotheses, references, corpora)
    return PooledScores(statistics, oriented_scores(metric))


def corpus_statistics(
    metric: SegmentMetric, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]], corpora: Int
) -> Float:
    """The statistics of `pooled_scores`, float64 [n, k]; arguments as there."""

    def counted(ours: Sequence[str], theirs: Sequence[tuple[str, ...]]) -> Float:
        return metric.segment_statistics(ours, as_streams(theirs))

    if metric.is_additive:
        return score_distinct(counted, hypotheses, references)
    order = np.argsort(corpora, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(corpora[order])) + 1)
    found = [
        counted([hypotheses[row] for row in rows], [references[row] for row in rows])
        for rows in (part.tolist() for part in parts)
    ]
    statistics = np.empty((len(hypotheses), found[0].shape[1]))
    statistics[order] = np.concatenate(found)
    return statistics


def segment_scores(metric: Scores) -> Float:
    """A metric's scores, for a test that swaps them between metrics."""
    if isinstance(metric, PooledScores):
        raise PfsmError(
            "PERM-BOTH swaps scores of segments between metrics, but a metric here pools counts to score systems; "
            "use the paired bootstrap"
        )
    return metric


@dataclass(frozen=True, eq=False)
class TranslatedDocuments:
    """Human scores of documents, each translated by some systems; made by `translated_documents`."""

    items: Items
    """An item a document and system, documents in the order of their names, systems within them. `segments`
    holds the document, `systems` the system of each."""
    of_row: Int
    """int64 [n]: which item each scored segment is part of."""
    first: Int
    """int64 [n_items]: the first row of each item, for what all its rows have in common."""

    def scores(self, metric: Scores) -> Float:
        """A metric's scores of the items: means, or corpus scores where it pools counts.

        Returns:
            float64 [n_items]; NaN where the score of a row is not known, or the item's is undefined.

        Raises:
            ValueError: If there are not n scores, or one is infinite.
        """
        if not isinstance(metric, PooledScores):
            return self.means(metric)
        if len(metric) != self.of_row.size:
            raise ValueError(f"there are {self.of_row.size} rows, but {len(metric)} scores")
        found = metric.of_corpora(self.of_row)
        defined = np.isfinite(found)
        # On the grid of the largest one: scores that differ by a rounding error tie.
        known = np.where(defined, found, 0.0)
        scale = np.ldexp(1.0, int(np.frexp(np.abs(known).max(initial=0.0))[1]))
        return np.where(defined, np.round(known / scale, 12) * scale, np.nan)

    def means(self, scores: ArrayLike) -> Float:
        """The mean of scores, float64 [n], over the rows of each item.

        Returns:
            float64 [n_items]; NaN where the score of a row is NaN: it is not known.

        Raises:
            ValueError: If there are not n scores, or one is infinite.
        """
        known = np.asarray(scores, dtype=np.float64)
        unknown = np.isnan(known)
        means = _means(finite_scores(np.where(unknown, 0.0, known), self.of_row.size), self.of_row)
        means[self.of_row[unknown]] = np.nan
        return means


def translated_documents(human: ArrayLike, documents: Names, systems: Names) -> TranslatedDocuments:
    """People's scores of segments as scores of documents.

    Args:
        human: float64 [n], finite, people's score of a segment in a system's translation. Where a segment was
            judged more than once, each judgment counts.
        documents: [n], names or numbers; documents of different test sets or languages need different ones.
        systems: [n], names or numbers.

    Returns:
        The documents, a point for each in one system's translation.

    Raises:
        ValueError: If lengths differ, or a score is not finite.
    """
    scores = finite_scores(human)
    document = dense_ids(documents, scores.size, "documents")
    system = dense_ids(systems, scores.size, "systems")
    n_systems = max(1, count_ids(system))
    there, first, of_row = np.unique(document * n_systems + system, return_index=True, return_inverse=True)
    of_row = of_row.reshape(-1).astype(np.int64)
    items = scored_items(_means(scores, of_row), there // n_systems, there % n_systems)
    return TranslatedDocuments(items, of_row, first.astype(np.int64))


def _means(scores: Float, of_row: Int) -> Float:
    if not scores.size:
        return scores
    offset = scores[0]
    deviations = scores - offset
    # Rounded on one grid, that of the largest deviation: means that are equal must tie, not differ by a last digit.
    scale = np.ldexp(1.0, int(np.frexp(np.abs(deviations).max())[1]))
    means = np.bincount(of_row, weights=deviations / scale) / np.bincount(of_row)
    rounded: Float = np.round(means, 12) * scale + offset
    return rounded
