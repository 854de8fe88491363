"""Hill climbing with random restarts, as in TERp's optimiser (Kahn, Snover and Ostendorf 2009, section 6).

Changing one weight at a time makes hardly any progress on a ridge, where two features are nearly the same. So after
some moves follows a *pattern move* (Hooke and Jeeves 1961): in the direction of all of them together, to the highest
point on that line.
"""

import numpy as np
from numpy.typing import NDArray

from pfsm.runtime.choice import simplest_within_noise
from pfsm_training.tuning.target import Moments

Float = NDArray[np.float64]
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
    """The highest point on the line from the weights before to these and beyond, within bounds, and its correlation.

    With w the weights and d the direction, (w + t d)' b / sqrt((w + t d)' A (w + t d)) has its only maximum at
    t = (d'b w'Aw - w'b w'Ad) / (w'b d'Ad - d'b w'Ad).
    """
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
