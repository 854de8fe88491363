"""Learns which words of a translation are at fault (`pfsm.model.explain.errors`), from marks that experts set.

A word is at fault where raters agree on a mark (`pfsm.evaluation.spans.Marked.levels`); words that one of them calls
major count twice. An error is major from the points on that tell best which errors experts call so. Held-out spans are
found by what was learned from the other groups.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.data.groups import shuffled
from pfsm.errors import PfsmError
from pfsm.evaluation.spans import Mark, Marked
from pfsm.model.explain.errors import FEATURES, Marker, Words, found, words_of
from pfsm.model.explain.explanation import TextError
from pfsm.model.metric import Metric

# Chosen by leaving out documents: runs of the heaviest words that experts' major marks touch.
LEAST, LIKELY, MISSING, MAJOR_COUNTS = 0.35, 0.05, 0.5, 2.0
FOLDS = 5
_RIDGE, _STEPS = 1.0, 30


class Lesson:
    """Marked translations, and what a metric says of their words; ``as_it_was`` are the errors that it finds now.

    Raises:
        PfsmError: If raters agree on no mark.
    """

    def __init__(self, metric: Metric, translations: Sequence[Marked], where: str) -> None:
        hypotheses, references = (
            [getattr(one, side) for one in translations] for side in ("hypothesis", "reference")
        )
        self.units = [one.unit for one in translations]
        self.words: list[Words] = []
        self.losses: list[float] = []
        self.as_it_was: list[list[Mark]] = []
        explained = metric.explanations(hypotheses, references, as_arrays=True)
        for one, hypothesis, reference in zip(explained, hypotheses, references, strict=True):
            self.words.append(words_of(one, hypothesis, reference, metric.language))
            self.as_it_was.append([_as_mark(error) for error in one.errors])
            self.losses.append(0.0 if one.perfect is None else one.perfect - one.score)
        self.levels = [one.levels() for one in translations]
        if not any(level.any() for level in self.levels):
            raise PfsmError(f"{where}: raters agree on no mark, there is nothing to learn errors from")

    def learned(self, rows: Sequence[int]) -> Marker:
        """What some of the translations teach."""
        known = np.concatenate([self.words[row].known for row in rows])
        marked = np.concatenate([self._of_words(row) for row in rows])
        weights = 1.0 + (MAJOR_COUNTS - 1.0) * (marked == 2)
        marker = Marker(learn(known, (marked > 0).astype(np.float64), weights), LEAST, LIKELY, MISSING, 0.0)
        return replace(marker, major=self._major(marker, rows))

    def errors(self, row: int, by: Marker) -> tuple[TextError, ...]:
        """Those of a translation."""
        return found(self.words[row], by, self.losses[row]) if self.losses[row] > 0.0 else ()

    def held_out(self) -> list[list[Mark]]:
        """The errors of each translation, by what the groups of the other folds teach; empty with a single group."""
        if len({*self.units}) < 2:
            return []
        place = {unit: place % FOLDS for place, unit in enumerate(shuffled(self.units))}
        folds = [place[unit] for unit in self.units]
        by = {
            fold: self.learned([row for row, other in enumerate(folds) if other != fold])
            for fold in set(folds)
        }
        return [[_as_mark(one) for one in self.errors(row, by[fold])] for row, fold in enumerate(folds)]

    def _of_words(self, row: int) -> NDArray[np.int64]:
        level = self.levels[row]
        return np.array(
            [level[slice(*span)].max(initial=0) for span in self.words[row].offsets], dtype=np.int64
        )

    def _major(self, by: Marker, rows: Sequence[int]) -> float:
        """From how many points on an error is more often in a major mark than not, of those in one or in none."""
        points, hit = [], []
        for row in rows:
            for one in self.errors(row, by):
                level = self.levels[row][one.start : max(one.end, one.start + 1)].max(initial=0)
                if level != 1:
                    points.append(one.points)
                    hit.append(level == 2)
        order = np.argsort(points, kind="stable")
        yes = np.array(hit, dtype=bool)[order]
        told = np.cumsum(~yes) / max((~yes).sum(), 1) - np.cumsum(yes) / max(yes.sum(), 1)
        return round(float(np.array(points)[order][told.argmax()]), 2) if points else 0.0


def _as_mark(error: TextError) -> Mark:
    return Mark(error.start, error.end, error.severity, points=error.points)


def learn(known: Float, marked: Float, weights: Float) -> dict[str, float]:
    """The weights of a logistic model with a small ridge, by Newton's method, by name of a feature.

    Args:
        known: float64 [n_words, n_features].
        marked: float64 [n_words], share of the raters that marked each word, or 0 and 1.
        weights: float64 [n_words], what each counts.
    """
    w = np.zeros(known.shape[1])
    for _ in range(_STEPS):
        p = 1.0 / (1.0 + np.exp(-(known @ w)))
        gradient = known.T @ (weights * (p - marked)) + _RIDGE * w
        hessian = (known.T * (weights * p * (1.0 - p))) @ known + _RIDGE * np.eye(len(w))
        step = np.linalg.solve(hessian, gradient)
        w -= step
        if np.abs(step).max() < 1e-9:
            break
    return dict(zip(FEATURES, w.tolist(), strict=True))
