"""Hill climbing with random restarts, as in TERp's optimiser (Kahn, Snover and Ostendorf 2009, section 6).

Changing one weight at a time makes hardly any progress on a ridge, where two features are nearly the same. So after
some moves follows a *pattern move* (Hooke and Jeeves 1961): in the direction of all of them together, to the highest
point on that line.

The target is Pearson's correlation with human scores, weighted by length, with segment means removed. With x the
features of a translation and y its human score, both minus the mean of their segment (minus the mean of all if no
segment has two translations), and u the number of words of the reference (their section 3.3),

    r(w) = w' b / sqrt(w' A w c),    A = sum u x x',  b = sum u x y,  c = sum u y^2
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.evaluation import mean_removed
from pfsm.runtime.choice import simplest_within_noise
from pfsm.text.plain import tokenise

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
SEGMENT, LANGUAGE = "segment_id", "source_lang"
# Sum of squares that rounding leaves of a constant after its mean is removed, relative to that of its values.
_NOISE = 1e-20
# Its square is still finite.
LARGEST_SCORE = 1e100
# Steps in units of a feature's standard deviation.
FIRST_STEP, LAST_STEP = 1.0, 1e-6
_SMALLEST_GAIN = 1e-10
# Of a correlation.
_ROUNDING = 1e-11
# Another start must be better by this much, so that costs do not jump without need.
_WORTH_A_JUMP = 1e-6
_MOST_MOVES = 20_000
# Moves per weight before a pattern move.
_MOVES_OF_A_PATTERN = 2


@dataclass(frozen=True, eq=False)
class Moments:
    """Second moments of k features and the human scores.

    Attributes:
        features: float64 [k, k], A in the formula above.
        products: float64 [k], b.
        human: c.
    """

    features: Float
    products: Float
    human: float

    def correlation(self, weights: Float) -> float:
        """Pearson's r of the weighted sum with the human scores; 0 if the sum is constant."""
        square = float(weights @ self.features @ weights) * self.human
        return float(weights @ self.products) / square**0.5 if square > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Target:
    """Human scores, their segments and their weights.

    Attributes:
        scores: float64 [n], higher is better.
        segments: int64 [n], numbers of the segments whose means are removed; if all are 0, the mean of all is.
        weights: float64 [n], number of words of each reference.
    """

    scores: Float
    segments: Int64
    weights: Float

    @staticmethod
    def of(judgments: Judgments) -> "Target":
        """The target of judgments; a segment is identified by source language, ``segment_id`` and reference.

        Raises:
            PfsmError: If the scores differ in no segment, or if one is larger than 1e100 in absolute value.
        """
        if not np.abs(judgments.scores).max(initial=0.0) <= LARGEST_SCORE:
            raise PfsmError(
                f"tuning needs scores of at most {LARGEST_SCORE:g} in absolute value; one is larger"
            )
        n = len(judgments)
        languages = judgments.columns.get(LANGUAGE, ("",) * n)
        names = zip(languages, judgments.columns.get(SEGMENT, ("",) * n), judgments.references, strict=True)
        place: dict[tuple[str, str, str], int] = {}
        segments = np.array([place.setdefault(name, len(place)) for name in names], dtype=np.int64)
        if len(place) == n:
            segments = np.zeros(n, dtype=np.int64)
        known = {reference: float(len(tokenise(reference))) for reference in set(judgments.references)}
        weights = np.array([known[reference] for reference in judgments.references])
        target = Target(judgments.scores, segments, weights)
        if not target.moments(np.zeros((n, 0))).human > 0.0:
            raise PfsmError(
                "all translations of a segment have the same human score, so there is nothing to tune for"
            )
        return target

    @property
    def by_segment(self) -> bool:
        """Whether the means of segments are removed, and not the mean of all."""
        return bool(self.segments.any())

    def moments(self, features: Float) -> Moments:
        """Second moments of features, float64 [n, k]; those of a feature that varies in no segment are 0."""
        centred = np.empty_like(features)
        for k in range(features.shape[1]):
            column = mean_removed(features[:, k], self.segments, self.weights)
            flat = column @ column <= _NOISE * max(1.0, float(features[:, k] @ features[:, k]))
            centred[:, k] = 0.0 if flat else column
        human = mean_removed(self.scores, self.segments, self.weights)
        weighted = self.weights[:, np.newaxis] * centred
        return Moments(weighted.T @ centred, weighted.T @ human, float(self.weights @ human**2))


def climb(
    moments: Moments, start: Float, lowest: Float, restarts: int, random: np.random.Generator
) -> tuple[Float, float]:
    """Weights with the largest correlation found, and that correlation.

    Each move of a climb changes one weight by a step, up or down: the change that raises the correlation most. After
    some moves, or when no move helps, a pattern move changes all weights in the direction of those moves. If that does
    not help either, the step is halved. The result is the best end of all climbs, and the first of equally good ones.

    Args:
        moments: Moments of the features and the human scores.
        start: float64 [k], start of the first climb; features that do not vary keep these weights.
        lowest: float64 [k], smallest weights allowed; minus infinity for no bound.
        restarts: Number of further climbs, from random weights.
        random: Generator of the random weights.
    """
    spread = np.sqrt(np.diag(moments.features))
    varying = spread > 0.0
    if not varying.any():
        return start, 0.0
    own = spread[varying]
    scaled = Moments(
        moments.features[np.ix_(varying, varying)] / np.outer(own, own),
        moments.products[varying] / own,
        moments.human,
    )
    bounds = lowest[varying] * own
    starts = [start[varying] * own, *(_at_random(bounds, random) for _ in range(restarts))]
    best, reached = _climbed(scaled, starts[0], bounds)
    for one in starts[1:]:
        end, value = _climbed(scaled, one, bounds)
        if value > reached + _WORTH_A_JUMP:
            best, reached = end, value
    weights = start.copy()
    weights[varying] = best / own
    return weights, reached


def _at_random(bounds: Float, random: np.random.Generator) -> Float:
    drawn = random.normal(size=bounds.size)
    return np.asarray(np.where(np.isfinite(bounds), np.abs(drawn), drawn))


def _climbed(moments: Moments, start: Float, bounds: Float) -> tuple[Float, float]:
    """The end of a climb and its correlation."""
    weights = np.maximum(start, bounds)
    value, step = moments.correlation(weights), FIRST_STEP
    before, moves = weights, 0
    for _ in range(_MOST_MOVES):
        length = float(np.linalg.norm(weights))
        if length > 0.0:
            # The correlation depends on the direction alone; unit length keeps steps in proportion.
            weights, before = weights / length, before / length
        further, higher = _one_changed(moments, weights, bounds, step)
        moves += 1
        if higher > value + _SMALLEST_GAIN:
            weights, value = further, higher
            if moves < _MOVES_OF_A_PATTERN * weights.size:
                continue
        further, higher = _onward(moments, before, weights, bounds)
        before, moved, moves = weights, moves > 1, 0
        if higher > value + _SMALLEST_GAIN:
            weights, value = further, higher
        elif not moved:
            step /= 2.0
            if step < LAST_STEP:
                break
    return weights, value


def _one_changed(moments: Moments, weights: Float, bounds: Float, step: float) -> tuple[Float, float]:
    """The best weights that differ in one entry by a step, of equal ones the first, and their correlation."""
    changes = np.stack([np.full(weights.size, step), np.maximum(-step, bounds - weights)])
    values = _after(moments, weights, changes)
    row, column = divmod(simplest_within_noise(values.ravel(), _ROUNDING), weights.size)
    changed = weights.copy()
    changed[column] += changes[row, column]
    return changed, float(values[row, column])


def _onward(moments: Moments, before: Float, weights: Float, bounds: Float) -> tuple[Float, float]:
    """The highest point on the line from the weights before to these and beyond, within bounds, and its correlation."""
    direction = weights - before
    turned = moments.features @ direction
    rise, height = float(direction @ moments.products), float(weights @ moments.products)
    above = rise * float(weights @ moments.features @ weights) - height * float(weights @ turned)
    below = height * float(direction @ turned) - rise * float(weights @ turned)
    if not (above > 0.0 and below > 0.0):
        return weights, moments.correlation(weights)
    reached = np.maximum(weights + above / below * direction, bounds)
    return reached, moments.correlation(reached)


def _after(moments: Moments, weights: Float, changes: Float) -> Float:
    """`Moments.correlation` after changing one weight, for each of the ``changes`` [2, k] separately."""
    turned = moments.features @ weights
    squares = weights @ turned + changes * (2.0 * turned + changes * np.diag(moments.features))
    products = weights @ moments.products + changes * moments.products
    below = np.sqrt(np.maximum(squares, 0.0) * moments.human)
    return np.divide(products, below, out=np.zeros(products.shape), where=below > 0.0)
