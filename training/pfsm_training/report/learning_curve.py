"""How agreement grows with the training data, and what more judgments are likely to add.

In every fold of cross-validation, models are trained on nested parts of its training segments: an eighth within a
quarter within a half within all. What they say of the held-out segments is the learning curve.

The hint continues the last doubling of the data, from half to all: earlier ones tell more of the penalty, which weighs
heavily on few judgments, than of what is to come. The statistic is taken to grow with the number n of training items
like ``a - b n^-c``. The squared error of a fitted model falls like 1 / n once n is large against the number of weights,
so that c = 1; curves of few judgments are often straight in log n, which is c = 0. The gain is worked out in each fold,
where what makes a fold hard or easy cancels, with both and with c = 1/2. The hint is the mean with c = 1; its interval
holds the 95% intervals over the folds (Student's t) of all three. Of 30 samples of 200 to 1,000 judgments of four data
sets, what as many more added (200 to 1,000) lay in the interval for 27.

The folds share training data, and lambda stays the same at all sizes, so that the interval is an approximation. There
are hints only for up to twice as many judgments as there are.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.data.groups import SEGMENT, group_names
from pfsm.runtime.progress import Stage
from pfsm_training.data.training_set import TrainingSet
from pfsm_training.fit.crossval import (
    FEWEST_HELD_OUT,
    agreement,
    t_interval,
    t_interval_of_correlation,
)
from pfsm_training.fit.fitting import Fitter
from pfsm_training.fit.training import AREA, PATIENCE, Training

Float = NDArray[np.float64]
Rows = NDArray[np.int64]

# Parts of the training segments of a fold, and how many disjoint ones of each size are tried.
PARTS = ((8, 2), (4, 2), (2, 2))
# Where there are more items, one part of each size says enough.
MANY = 2000
FEWEST_ITEMS, FEWEST_SIZES, FEWEST_FOLDS = 30, 3, 3
EXPONENTS = (1.0, 0.5, 0.0)
ROUND = (10, 20, 50)
# A usual question, asked where it asks for no more than twice the data.
USUAL = 500
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Point:
    """Agreement at one size.

    Attributes:
        items: Mean number of training items over the folds.
        mean: Mean of the statistic over the folds.
        interval: Of the mean, 95%, by Student's t over the folds.
    """

    items: float
    mean: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Gain:
    """What more items are likely to add to the statistic.

    Attributes:
        more: How many.
        value: The expected gain.
        low: Low end of its 95% interval.
        high: High end.
    """

    more: int
    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0.0

    @property
    def is_small(self) -> bool:
        """Whether the gain is hardly worth the work: at most a hundredth."""
        return self.high <= 0.01


@dataclass(frozen=True)
class LearningCurve:
    """A learning curve.

    Attributes:
        points: By size, the last with all training items of a fold.
        gains: What more would add; empty where there are too few folds.
        expected: Continuation of the curve, for the picture: (items, low, high) of the statistic.
    """

    points: tuple[Point, ...]
    gains: tuple[Gain, ...]
    expected: tuple[tuple[float, float, float], ...] = ()


# Of a fold: numbers of training items and the statistics, float64 [n_sizes] each.
_Fold = tuple[Float, Float]


def segments_of(judgments: Judgments | None, preferences: Preferences | None, by: str = SEGMENT) -> Rows:
    """Number of the segment of each judgment, then of each preference, int64 [n_items].

    As in cross-validation: rows with the same ``segment_id`` or the same reference belong to one segment. With scores
    and preferences it is always the reference. Likewise for anything else that folds hold out together on request.
    """
    parts = [part for part in (judgments, preferences) if part is not None]
    keys: list[str] = []
    for part in parts:
        keys += group_names(part, by) if len(parts) == 1 or by != SEGMENT else part.references
    number = {key: at for at, key in enumerate(sorted(set(keys)))}
    return np.array([number[key] for key in keys], dtype=np.int64)


def learning_curve(training: Training, segments: Rows) -> LearningCurve | str:
    """The curve, or a sentence that says why there is none.

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
        return (
            f"a learning curve needs parts of {FEWEST_ITEMS} judgments or more in {FEWEST_SIZES} sizes; "
            f"{count} are too few"
        )
    folds = []
    with Stage(AREA, "report: learning curve", len(known), "folds", patience=PATIENCE) as stage:
        for fold, name in enumerate(training.folds.names):
            if name in known:
                found = _fold(training, segments, fold, known[name], sizes)
                if found is not None:
                    folds.append(found)
                stage.advance()
    if len(folds) < FEWEST_FOLDS:
        return "a learning curve needs a defined correlation at every size, and small parts have none"
    return _curve(folds, count)


def _fold(
    training: Training, segments: Rows, fold: int, whole: float, sizes: Sequence[tuple[int, int]]
) -> _Fold | None:
    """The statistic of a fold at every size; None where it is undefined at one."""
    member = np.concatenate([training.folds.member, training.folds.preference_member])
    inside = np.flatnonzero(member != fold)
    rank = _ranks(segments, inside)
    n_segments = int(rank.max()) + 1
    held_out = _selected(training.data, np.flatnonzero(member == fold))
    items, values = [], []
    for part, tries in sizes:
        counts, found = [], []
        for number in range(tries):
            # Parts of the same size are disjoint, the first of each half of the data; smaller ones lie in larger ones.
            taken = inside[(rank * part // n_segments) == number * part // 2]
            value = _trained(training, taken, held_out)
            if math.isfinite(value):
                counts.append(float(taken.size))
                found.append(value)
        if not found:
            return None
        items.append(math.fsum(counts) / len(counts))
        values.append(math.fsum(found) / len(found))
    return np.array([*items, float(inside.size)]), np.array([*values, whole])


def _ranks(segments: Rows, inside: Rows) -> Rows:
    """The place of each item's segment in an order that the data decide, int64 [n_inside]."""
    distinct = np.unique(segments[inside])
    keys = [hashlib.sha256(f"curve {number}".encode()).digest() for number in distinct.tolist()]
    order = sorted(range(distinct.size), key=keys.__getitem__)
    places = np.empty(int(segments.max()) + 1, dtype=np.int64)
    places[distinct[order]] = np.arange(distinct.size)
    return np.asarray(places[segments[inside]])


def _selected(data: TrainingSet, items: Rows) -> TrainingSet:
    count = data.scores.size
    return data.select(items[items < count], items[items >= count] - count)


def _trained(training: Training, items: Rows, held_out: TrainingSet) -> float:
    """The statistic of a model trained on some items; NaN where there is none."""
    part = _selected(training.data, items)
    if part.scores.size + part.votes.size < FEWEST_HELD_OUT or not len(part):
        return math.nan
    choice = training.validated.choice
    own = training.fitter
    quiet = Fitter(own.config, own.init, own.threads, tolerance=TOLERANCE)
    fitted = quiet.fit(part, choice, "learning curve")
    return math.nan if fitted is None else agreement(fitted.predict(held_out), held_out)


def _curve(folds: Sequence[_Fold], count: int) -> LearningCurve:
    points = []
    for at in range(folds[0][0].size):
        values = [float(of_fold[at]) for _, of_fold in folds]
        items = math.fsum(float(of_fold[at]) for of_fold, _ in folds) / len(folds)
        points.append(Point(items, math.fsum(values) / len(values), t_interval_of_correlation(values)))
    gains = [_gain(folds, count, more) for more in _amounts(count)]
    last = points[-1].mean
    ahead = [_gain(folds, count, round(share * count)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    here = _gain(folds, round(points[-1].items), count - round(points[-1].items))
    expected = [
        (
            float(count + gain.more),
            max(-1.0, last + here.low + gain.low),
            min(1.0, last + here.high + gain.high),
        )
        for gain in ahead
    ]
    return LearningCurve(tuple(points), tuple(gains), ((points[-1].items, last, last), *expected))


def _amounts(count: int) -> list[int]:
    """How many more to speak of: a usual number, and the largest round one that at most doubles the data."""
    rounds = [base * 10**power for power in range(8) for base in ROUND if base * 10**power <= count]
    return sorted({*([USUAL] if count >= USUAL else []), rounds[-1]})


def _gain(folds: Sequence[_Fold], count: int, more: int) -> Gain:
    """The expected gain of the statistic from ``count`` to ``count + more`` items."""
    means: list[float] = []
    ends: list[float] = []
    for exponent in EXPONENTS:
        found = [_continued(fold, count, more, exponent) for fold in folds]
        means.append(math.fsum(found) / len(found))
        ends.extend(t_interval(found))
    return Gain(more, means[0], min(ends), max(ends))


def _continued(fold: _Fold, count: int, more: int, exponent: float) -> float:
    """The last doubling of a fold, continued from ``count`` to ``count + more`` items."""
    items, values = fold
    half, whole = items[-2:].tolist()
    doubled = float(values[-1] - values[-2])
    return doubled * _growth(count, count + more, exponent) / _growth(half, whole, exponent)


def _growth(first: float, last: float, exponent: float) -> float:
    """How far ``-n^-c`` rises; log n in its place for c = 0."""
    if exponent == 0.0:
        return math.log(last / first)
    return float(first**-exponent - last**-exponent)
