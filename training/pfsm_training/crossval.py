"""Cross-validation on the training data: how well a model does on groups it has not seen, and which lambda is best."""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.evaluation import pearson

FOLDS = 5
MOST_GROUPS = 10
# Half an order of magnitude a step, around the paper's 5.
PENALTIES = (0.05, 0.15, 0.5, 1.5, 5.0, 15.0, 50.0, 150.0)

Rows = NDArray[np.int64]
# From training rows, test rows and lambda to predictions for the test rows; None where it cannot be fitted.
Predictor = Callable[[Rows, Rows, float], NDArray[np.float64] | None]


@dataclass(frozen=True, eq=False)
class Folds:
    """A division of the training data.

    Attributes:
        by: What is held out together: ``source_lang`` or ``segment``.
        names: Name of each fold.
        member: int64 [n_judgments], the fold each judgment is held out with.
    """

    by: str
    names: tuple[str, ...]
    member: Rows

    def rows(self, fold: int) -> tuple[Rows, Rows]:
        """Rows to train on and rows to test on."""
        return np.flatnonzero(self.member != fold), np.flatnonzero(self.member == fold)


@dataclass(frozen=True)
class CrossValidation:
    """Held-out correlation.

    Attributes:
        by: What was held out together.
        penalty: The lambda used.
        pearson: Pearson's r in each fold; folds where it is undefined are absent.
    """

    by: str
    penalty: float
    pearson: dict[str, float]

    @property
    def mean(self) -> float:
        """Unweighted mean over the folds; NaN without folds."""
        return math.fsum(self.pearson.values()) / len(self.pearson) if self.pearson else math.nan


def make_folds(judgments: Judgments) -> Folds:
    """By source language where the data has several, else by segment.

    Segments go by ``segment_id`` where there is one, else by reference, so that all translations of a segment
    are held out together. The division depends on the judgments alone, not on their order.
    """
    languages = judgments.columns.get("source_lang", ())
    if 2 <= len(set(languages)) <= MOST_GROUPS:
        names = tuple(sorted(set(languages)))
        return Folds(
            "source_lang", names, np.array([names.index(language) for language in languages], dtype=np.int64)
        )
    ids = judgments.columns.get("segment_id", ())
    keys = ids if ids and all(ids) else judgments.references
    distinct = sorted(set(keys), key=lambda key: hashlib.sha256(key.encode()).digest())
    count = min(FOLDS, len(distinct))
    fold_of = {key: place % count for place, key in enumerate(distinct)}
    return Folds(
        "segment",
        tuple(f"fold {number + 1}" for number in range(count)),
        np.array([fold_of[key] for key in keys]),
    )


def cross_validate(
    predict: Predictor, scores: NDArray[np.float64], folds: Folds, penalty: float
) -> CrossValidation:
    """Pearson's r of predictions for each fold by a model trained on the others."""
    results = {}
    for fold, name in enumerate(folds.names):
        train, test = folds.rows(fold)
        predicted = predict(train, test, penalty) if train.size and test.size else None
        if predicted is not None:
            r = pearson(predicted, scores[test])
            if math.isfinite(r):
                results[name] = r
    return CrossValidation(folds.by, penalty, results)


def choose_penalty(tried: Sequence[CrossValidation]) -> CrossValidation:
    """The lambda with the highest mean correlation; of equal ones the largest."""
    usable = [result for result in tried if math.isfinite(result.mean)]
    return max(usable or tried, key=lambda result: (result.mean if usable else 0.0, result.penalty))
