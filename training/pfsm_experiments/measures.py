"""One statistic of one group of a test set: its value for a metric's scores, and its values in resamples.

What is drawn are segments: all judgments of one reference together, since they are not independent of each
other. Where every reference is there once, that is the same as drawing judgments.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.data.documents import document_names
from pfsm.evaluation import kendall_tau_b, pearson, spearman
from pfsm.evaluation.bootstrap import resampled_statistics, resampled_sums
from pfsm.evaluation.catalogue import DOCUMENT_LEVEL, SEGMENT_LEVEL
from pfsm.evaluation.centring import MomentPearson
from pfsm.evaluation.document_level import TranslatedDocuments, translated_documents
from pfsm.evaluation.measure import Measure, SegmentRankCorrelation, scored_items
from pfsm.evaluation.preference import (
    PreferenceStatistic,
    count_votes,
    statistic_of_votes,
    sums_of_segments,
    votes_by_outcome,
)
from pfsm.evaluation.samples import Sample, dense_ids
from pfsm.text.plain import token_counts
from pfsm_experiments.data import Rows, TestSet
from pfsm_experiments.spec import DOCUMENTS

Float = NDArray[np.float64]
Draw = tuple[int, tuple[int, int]]
"""Number of resamples, and their seed."""

_CORRELATIONS = {"pearson": pearson, "spearman": spearman, "kendall_tau_b": kendall_tau_b}
# Of the catalogue of `pfsm evaluate`, under its names there.
_CENTRED_OR_WEIGHTED = ("mean-removed", "length-weighted", "mean-removed-weighted")
_OF_VOTES: dict[str, PreferenceStatistic] = {
    "accuracy": "accuracy",
    "tau_wmt12": "wmt12",
    "tau_wmt13": "wmt13",
    "tau_wmt14": "wmt14",
    "tau_darr": "darr",
}


def group_sample(statistic: str, test: TestSet, scores: Float, rows: Rows, draw: Draw) -> Sample:
    """A statistic of some rows of a test set, and of its resamples.

    Args:
        statistic: Name of one that the test set has.
        test: The test set.
        scores: float64 [n], or [2 n] with the better translations first; NaN where the row was not tested.
        rows: int64 [m].
        draw: Number and seed of the resamples.

    Returns:
        NaN throughout where one of the rows was not tested.
    """
    segments = _segments(test, rows)
    if isinstance(test.data, Judgments):
        x, y = scores[rows], test.data.scores[rows]
        if np.isnan(x).any():
            return _untested(draw)
        if statistic in DOCUMENTS:
            return _of_documents(statistic, test.data, x, rows, draw)
        if statistic in _CENTRED_OR_WEIGHTED:
            measure = _measure(statistic, test.data, rows, segments)
            return Sample(measure.value(x), measure.resampled(x, *draw))
        return _correlation(statistic, x, y, segments, draw)
    data: Preferences = test.data
    better, worse = scores[: len(data)][rows], scores[len(data) :][rows]
    if np.isnan(better).any():
        return _untested(draw)
    outcomes = votes_by_outcome(better, worse, data.votes[rows])
    drawn = outcomes if segments is None else sums_of_segments(outcomes, segments)
    name = _OF_VOTES[statistic]
    return Sample(
        count_votes(outcomes).statistic(name), statistic_of_votes(resampled_sums(drawn, *draw), name)
    )


def count(statistic: str, test: TestSet, rows: Rows) -> int:
    """What a statistic of some rows is of: as many judgments or, for one of documents, translated documents."""
    if statistic in DOCUMENTS and isinstance(test.data, Judgments):
        return len(_documents(test.data, rows).items)
    return rows.size


def pearson_sample(test: TestSet, x: Float, y: Float, rows: Rows, draw: Draw) -> Sample:
    """Pearson's correlation of some judgments' numbers, x and y float64 [n], and of its resamples.

    Returns:
        NaN throughout where one of x is NaN.
    """
    if np.isnan(x[rows]).any():
        return _untested(draw)
    return _correlation("pearson", x[rows], y[rows], _segments(test, rows), draw)


def means_of_judgments(test: TestSet, values: Float, rows: Rows, draw: Draw) -> list[Sample]:
    """The means of some judgments' numbers, and of their resamples, which are the same for all columns.

    Args:
        test: The test set.
        values: float64 [n, k], k numbers of every judgment.
        rows: int64 [m].
        draw: Number and seed of the resamples.

    Returns:
        One a column; NaN throughout where one of a column's numbers is NaN.
    """
    segments = _segments(test, rows)
    counted = np.column_stack([values[rows], np.ones(rows.size)])
    sums = resampled_sums(counted if segments is None else sums_of_segments(counted, segments), *draw)
    means = counted.mean(axis=0)
    return [
        _untested(draw) if math.isnan(mean) else Sample(float(mean), column / sums[:, -1])
        for mean, column in zip(means[:-1], sums.T[:-1], strict=True)
    ]


def _segments(test: TestSet, rows: Rows) -> NDArray[np.int64] | None:
    """Which segment each row is of, int64 [m]; None where each has its own."""
    references = [test.data.references[row] for row in rows.tolist()]
    if len(set(references)) == len(references):
        return None
    return dense_ids(references, rows.size, "references")


def _measure(statistic: str, data: Judgments, rows: Rows, segments: NDArray[np.int64] | None) -> Measure:
    """A statistic of `pfsm.evaluation`, tied to people's scores; judgments of one reference are a segment's."""
    units = np.arange(rows.size) if segments is None else segments
    lengths = token_counts([data.references[row] for row in rows.tolist()])
    return SEGMENT_LEVEL[statistic].bind(scored_items(data.scores[rows], units, lengths=lengths))


def _documents(data: Judgments, rows: Rows) -> TranslatedDocuments:
    chosen = data.select(rows)
    return translated_documents(chosen.scores, document_names(chosen), chosen.columns["system"])


def _of_documents(statistic: str, data: Judgments, x: Float, rows: Rows, draw: Draw) -> Sample:
    """A statistic of documents' means, under the name of `pfsm evaluate --level document`; documents are drawn."""
    documents = _documents(data, rows)
    name = statistic.removeprefix("document-").removesuffix("_tau_b")
    measure, means = DOCUMENT_LEVEL[name].bind(documents.items), documents.means(x)
    return Sample(measure.value(means), measure.resampled(means, *draw))


def _untested(draw: Draw) -> Sample:
    return Sample(math.nan, np.full(draw[0], np.nan))


def _correlation(
    statistic: str, x: Float, y: Float, segments: NDArray[np.int64] | None, draw: Draw
) -> Sample:
    correlation = _CORRELATIONS[statistic]
    value = correlation(x, y)
    if segments is None:
        return Sample(value, resampled_statistics(correlation, x, y, n_resamples=draw[0], seed=draw[1]))
    if statistic == "pearson":
        return Sample(value, MomentPearson(y, segments, np.ones(y.size)).resampled(x, *draw))
    return Sample(value, SegmentRankCorrelation(correlation, y, segments).resampled(x, *draw))
