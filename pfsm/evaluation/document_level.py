"""Agreement about documents: a document in a system's translation has the mean of its segments' scores.

That is what people's and the metric's scores are compared by, a point a document and system, documents weighing
alike whatever their length (Kahn et al. 2009, section 3.3 and table Va). A metric that pools counts, as BLEU does,
gives a document its corpus score instead. Once documents have scores, a document is to its translations what a segment
is to its own: mean removal takes off the mean over the systems, and the bootstrap draws documents with all their
translations.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.measure import Items, Names, finite_scores, scored_items
from pfsm.evaluation.pooled import PooledScores, Scores
from pfsm.evaluation.samples import dense_ids


@dataclass(frozen=True, eq=False)
class TranslatedDocuments:
    """What people think of documents, each as some systems translated it; made by `translated_documents`."""

    items: Items
    """An item a document and system, documents in the order of their names, systems within them. `segments`
    holds the document, `systems` the system of each."""
    of_row: NDArray[np.int64]
    """int64 [n]: which item each scored segment is part of."""
    first: NDArray[np.int64]
    """int64 [n_items]: the first row of each item, for what all its rows have in common."""

    @property
    def with_rivals(self) -> bool:
        """Whether any document was translated by two systems; without, mean removal leaves nothing."""
        return self.items.segments is not None and len(self.items) > np.unique(self.items.segments).size

    def scores(self, metric: Scores) -> NDArray[np.float64]:
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
        return np.where(defined, _rounded(np.where(defined, found, 0.0)), np.nan)

    def means(self, scores: ArrayLike) -> NDArray[np.float64]:
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

    Raises:
        ValueError: If lengths differ, or a score is not finite.
    """
    scores = finite_scores(human)
    document, system = (
        dense_ids(documents, scores.size, "documents"),
        dense_ids(systems, scores.size, "systems"),
    )
    n_systems = int(system.max(initial=0)) + 1
    there, first, of_row = np.unique(document * n_systems + system, return_index=True, return_inverse=True)
    of_row = of_row.reshape(-1).astype(np.int64)
    items = scored_items(_means(scores, of_row), there // n_systems, there % n_systems)
    return TranslatedDocuments(items, of_row, first.astype(np.int64))


def document_scores(scores: ArrayLike, documents: Names, systems: Names) -> NDArray[np.float64]:
    """The mean score of every document in every system's translation.

    Args:
        scores: float64 [n], finite.
        documents: [n], names or numbers.
        systems: [n], names or numbers.

    Returns:
        float64 [n_items], in the order of documents' names, and of systems' within a document.

    Raises:
        ValueError: If lengths differ, or a score is not finite.
    """
    return translated_documents(scores, documents, systems).items.human


def _means(scores: NDArray[np.float64], of_row: NDArray[np.int64]) -> NDArray[np.float64]:
    if not scores.size:
        return scores
    offset = scores[0]
    deviations = scores - offset
    # Rounded on one grid, that of the largest deviation: means that are equal must tie, not differ by a last digit.
    scale = np.ldexp(1.0, int(np.frexp(np.abs(deviations).max())[1]))
    means = np.bincount(of_row, weights=deviations / scale) / np.bincount(of_row)
    rounded: NDArray[np.float64] = np.round(means, 12) * scale + offset
    return rounded


def _rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores on the grid of the largest one: those that differ by a rounding error tie."""
    scale = np.ldexp(1.0, int(np.frexp(np.abs(scores).max(initial=0.0))[1]))
    return np.asarray(np.round(scores / scale, 12) * scale)
