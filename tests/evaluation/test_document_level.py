"""Scores of documents by hand, against SciPy, and resampled document by document."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pfsm.evaluation import document_scores, translated_documents
from pfsm.evaluation.catalogue import DOCUMENT_LEVEL

Float = NDArray[np.float64]


class Judged:
    """Ten documents of one to six segments by two to four systems, rows in an order of their own."""

    def __init__(self) -> None:
        generator = np.random.default_rng(7)
        rows = [
            (f"d{number}", "wxyz"[system])
            for number in range(10)
            for system in range(2 + number % 3)
            for _ in range(1 + number * 5 % 6)
        ]
        order = generator.permutation(len(rows))
        self.documents, self.systems = zip(*[rows[at] for at in order], strict=True)
        self.human, noise = generator.normal(size=(2, len(rows)))
        self.metric = self.human + 2.0 * noise

    def means(self, scores: Float) -> dict[tuple[str, str], float]:
        """One document and system after the other."""
        rows = list(zip(self.documents, self.systems, scores.tolist(), strict=True))
        return {
            cell: float(np.mean([score for document, system, score in rows if (document, system) == cell]))
            for cell in sorted(set(zip(self.documents, self.systems, strict=True)))
        }


def without_difficulty(means: dict[tuple[str, str], float]) -> list[float]:
    """Equation 3 of Kahn et al. (2009), over the systems of a document."""
    documents = {document for document, _ in means}
    level = {name: np.mean([score for cell, score in means.items() if cell[0] == name]) for name in documents}
    return [float(score - level[document]) for (document, _), score in means.items()]


def test_equal_means_are_equal_however_they_came_about() -> None:
    """0.1 + 0.2 + 0.3 in three orders, and 0.2 alone, differ in the last digit where they are just added up."""
    values = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.2, 0.3, 0.1, 0.2]
    for offset in (0.0, 0.7, -40.1):
        found = document_scores(
            [value + offset for value in values], [0] * 3 + [1] * 3 + [2] * 3 + [3], [0] * 10
        )
        assert len(set(found.tolist())) == 1
        assert found[0] == pytest.approx(0.2 + offset, abs=1e-12)


def test_mean_removal_against_scipy() -> None:
    """As the scores of a document with two systems are pulled apart around one mean: documents weigh alike."""
    judged = Judged()
    found = translated_documents(judged.human, judged.documents, judged.systems)
    sides = [without_difficulty(judged.means(scores)) for scores in (judged.metric, judged.human)]
    measure = DOCUMENT_LEVEL["mean-removed"].bind(found.items)
    expected = stats.pearsonr(*sides).statistic
    assert measure.value(found.means(judged.metric)) == pytest.approx(expected, abs=1e-10)
    assert abs(expected - stats.pearsonr(judged.metric, judged.human).statistic) > 0.01


@pytest.mark.parametrize("name", list(DOCUMENT_LEVEL))
def test_whole_documents_are_drawn(name: str) -> None:
    """A document that is drawn twice is two documents, each with all its systems."""
    judged = Judged()
    found = translated_documents(judged.human, judged.documents, judged.systems)
    means = found.means(judged.metric)
    assert found.items.segments is not None
    members = [np.flatnonzero(found.items.segments == number) for number in range(10)]
    generator = np.random.default_rng(8)
    slow = []
    for _ in range(1500):
        drawn = generator.integers(10, size=10)
        rows = np.concatenate([members[number] for number in drawn])
        documents = np.repeat(np.arange(10), [members[number].size for number in drawn])
        again = translated_documents(found.items.human[rows], documents, found.items.systems[rows])  # type: ignore[index]
        slow.append(DOCUMENT_LEVEL[name].bind(again.items).value(again.means(means[rows])))
    fast = DOCUMENT_LEVEL[name].bind(found.items).resampled(means, 1500, 3)
    for share in (0.1, 0.5, 0.9):
        wide = np.quantile(slow, 0.9) - np.quantile(slow, 0.1)
        assert np.quantile(fast, share) == pytest.approx(np.quantile(slow, share), abs=0.1 * wide)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="3 rows, but 2 documents"):
        translated_documents([1.0, 2.0, 3.0], ["a", "b"], ["x", "x", "x"])
    with pytest.raises(ValueError, match="3 rows, but 1 systems"):
        document_scores([1.0, 2.0, 3.0], ["a", "b", "c"], ["x"])
    with pytest.raises(ValueError, match="not finite"):
        document_scores([1.0, math.nan], ["a", "b"], ["x", "x"])
    with pytest.raises(ValueError, match="2 of them"):
        translated_documents([1.0, 2.0], ["a", "b"], ["x", "x"]).means([1.0])
