"""How agreement grows with the training data, and what more judgments are likely to add.

In every fold of cross-validation, models are trained on nested parts of its training segments: an eighth within a
quarter within a half within all. Their agreement on the held-out segments is the learning curve.

A hint continues the last doubling of the data, from half to all; earlier ones depend more on the penalty. The statistic
is assumed to grow with the number n of training items like ``a - b n^-c``. Where n is large against the number of
weights, the squared error falls like 1 / n: c = 1. Curves of few judgments are often straight in log n: c = 0. The hint
is the mean over the folds for c = 1; its interval covers the 95% intervals (Student's t) for 1, 1/2 and 0. It held what
200 to 1,000 more judgments added in 27 of 30 samples from four data sets. It is an approximation: folds share training
data, and lambda is the same at all sizes.
"""

import hashlib
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.data.groups import SEGMENT, group_names
from pfsm.runtime.terminal import Stage
from pfsm_training.data.training_set import TrainingSet
from pfsm_training.fit.crossval import (
    FEWEST_HELD_OUT,
    agreement,
    t_interval,
    t_interval_of_correlation,
)
from pfsm_training.fit.fitting import Fitter
from pfsm_training.fit.training import AREA, PATIENCE, Training

Rows = NDArray[np.int64]

# Parts of a fold's training segments, and how many disjoint ones of each size are tried; with MANY items, one.
PARTS = ((8, 2), (4, 2), (2, 2))
MANY = 2000
FEWEST_ITEMS, FEWEST_SIZES, FEWEST_FOLDS = 30, 3, 3
EXPONENTS = (1.0, 0.5, 0.0)
ROUND = (10, 20, 50)
TOLERANCE = 1e-6


class Point(NamedTuple):
    """Means over the folds: the number of training items, and the statistic with its 95% interval (Student's t)."""

    items: float
    mean: float
    interval: tuple[float, float]


class LearningCurve(NamedTuple):
    """Points by size, the last with all training items of a fold; and what ``more`` items would add, with its ends."""

    points: list[Point]
    more: int
    gain: float
    low: float
    high: float


# Of a fold: by size, the number of training items and the statistic.
_Fold = list[tuple[float, float]]


def segments_of(judgments: Judgments | None, preferences: Preferences | None, by: str = SEGMENT) -> Rows:
    """Return the number of the segment of each judgment, then of each preference, int64 [n_items].

    Segments are those of cross-validation, with scores and preferences the references; or what else folds hold out
    together on request.
    """
    parts = [part for part in (judgments, preferences) if part is not None]
    keys: list[str] = []
    for part in parts:
        keys += group_names(part, by) if len(parts) == 1 or by != SEGMENT else part.references
    number = {key: at for at, key in enumerate(sorted(set(keys)))}
    return np.array([number[key] for key in keys], dtype=np.int64)


def learning_curve(training: Training, segments: Rows) -> LearningCurve | str:
    """Return the curve, or a sentence that says why there is none.

    Args:
        training: The training.
        segments: int64 [n_items], the segment of each judgment, then of each preference.
    """
    known = training.validated.folds
    if len(known) < FEWEST_FOLDS:
        return f"a learning curve needs {FEWEST_FOLDS} folds with a cross-validated correlation, there are {len(known)}"
    count = segments.size
    sizes = [
        (part, tries if count < MANY else 1)
        for part, tries in PARTS
        if count * (len(known) - 1) // len(known) // part >= FEWEST_ITEMS
    ]
    if len(sizes) + 1 < FEWEST_SIZES:
        return f"a learning curve needs {FEWEST_SIZES} sizes of {FEWEST_ITEMS} judgments or more; {count} are too few"
    folds: list[_Fold] = []
    with Stage(AREA, "report: learning curve", len(known), "folds", patience=PATIENCE) as stage:
        for fold, name in enumerate(training.folds.names):
            if name in known:
                folds.append(_fold(training, segments, fold, known[name], sizes))
                stage.advance()
    complete = [fold for fold in folds if not any(math.isnan(value) for _, value in fold)]
    if len(complete) < FEWEST_FOLDS:
        return "a learning curve needs a defined correlation at every size, and small parts have none"
    points = []
    for at_size in zip(*complete, strict=True):
        items, values = zip(*at_size, strict=True)
        points.append(Point(_mean(items), _mean(values), t_interval_of_correlation(values)))
    # The largest round number that at most doubles the data.
    more = max(base * 10**power for power in range(8) for base in ROUND if base * 10**power <= count)
    return LearningCurve(points, more, *_gain(complete, count, more))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _fold(
    training: Training, segments: Rows, fold: int, whole: float, sizes: Sequence[tuple[int, int]]
) -> _Fold:
    """The statistic of a fold at every size; NaN where it is undefined."""
    member = np.concatenate([training.folds.member, training.folds.preference_member])
    inside = np.flatnonzero(member != fold)
    rank = _ranks(segments, inside)
    n_segments = int(rank.max()) + 1
    held_out = _selected(training.data, np.flatnonzero(member == fold))
    found: _Fold = []
    for part, tries in sizes:
        # Parts of the same size are disjoint, the first of each half of the data; smaller ones lie in larger ones.
        taken = [inside[(rank * part // n_segments) == number * part // 2] for number in range(tries)]
        values = [_trained(training, one, held_out) for one in taken]
        found.append((_mean([one.size for one in taken]), _mean(values)))
    return [*found, (float(inside.size), whole)]


def _ranks(segments: Rows, inside: Rows) -> Rows:
    """The place of each item's segment in an order that the data decide, int64 [n_inside]."""
    distinct, place = np.unique(segments[inside], return_inverse=True)
    keys = [hashlib.sha256(f"curve {number}".encode()).hexdigest() for number in distinct.tolist()]
    return np.asarray(np.argsort(np.argsort(keys))[place])


def _selected(data: TrainingSet, items: Rows) -> TrainingSet:
    count = data.scores.size
    return data.select(items[items < count], items[items >= count] - count)


def _trained(training: Training, items: Rows, held_out: TrainingSet) -> float:
    """The statistic of a model trained on some items; NaN where there is none."""
    part = _selected(training.data, items)
    if part.scores.size + part.votes.size < FEWEST_HELD_OUT or not len(part):
        return math.nan
    own = training.fitter
    quiet = Fitter(own.config, own.init, own.threads, tolerance=TOLERANCE)
    fitted = quiet.fit(part, training.validated.choice, "learning curve")
    return math.nan if fitted is None else agreement(fitted.predict(held_out), held_out)


def _gain(folds: Sequence[_Fold], count: int, more: int) -> tuple[float, float, float]:
    """The expected gain from ``count`` to ``count + more`` items, with its interval: the last doubling, continued."""
    found = [
        [
            (value - before) * _growth(count, count + more, exponent) / _growth(half, whole, exponent)
            for *_, (half, before), (whole, value) in folds
        ]
        for exponent in EXPONENTS
    ]
    ends = [end for values in found for end in t_interval(values)]
    return _mean(found[0]), min(ends), max(ends)


def _growth(first: float, last: float, exponent: float) -> float:
    """How far ``-n^-c`` rises; log n in its place for c = 0."""
    return math.log(last / first) if exponent == 0.0 else float(first**-exponent - last**-exponent)
