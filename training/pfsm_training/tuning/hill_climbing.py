"""Hill climbing with random restarts, as TERp's optimiser does it (Kahn, Snover and Ostendorf 2009, section 6).

One weight at a time gets nowhere on a ridge: where two features say nearly the same, either alone can only move by
next to nothing. So after some moves comes one in the direction that they went together, as far as it leads up: a
*pattern move* (Hooke and Jeeves 1961).
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_training.tuning.target import Moments

Float = NDArray[np.float64]
# Steps in units of a feature's standard deviation.
FIRST_STEP, LAST_STEP = 1.0, 1e-6
_SMALLEST_GAIN = 1e-10
# By so much another start must be better than the one before it, lest costs jump for nothing.
_WORTH_A_JUMP = 1e-6
_MOST_MOVES = 20_000
# Moves for each weight before one along them all.
_MOVES_OF_A_PATTERN = 2


def climb(
    moments: Moments, start: Float, lowest: Float, restarts: int, random: np.random.Generator
) -> tuple[Float, float]:
    """Weights with the largest correlation that was found, and that correlation.

    From each start the one weight is changed, up or down by a step, that raises the correlation most; after some such
    moves, or where none is left, all weights go on in the direction of these. Where that does not help either, the
    step is halved. Of all starts the best end counts, the first among those that are as good.

    Args:
        moments: Of the features and the human scores.
        start: float64 [k], where the first climb begins; features that do not vary keep these weights.
        lowest: float64 [k], smallest weights allowed; minus infinity for any.
        restarts: Further climbs, from weights at random.
        random: Where these come from.
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
    """Where a climb ends."""
    weights = np.maximum(start, bounds)
    value, step = moments.correlation(weights), FIRST_STEP
    before, moves = weights, 0
    for _ in range(_MOST_MOVES):
        length = float(np.linalg.norm(weights))
        if length > 0.0:
            # Only the direction counts; unit length keeps steps in proportion.
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
    """The best of all weights that differ in one by a step, and their correlation."""
    changes = np.stack([np.full(weights.size, step), np.maximum(-step, bounds - weights)])
    values = _after(moments, weights, changes)
    row, column = divmod(int(values.argmax()), weights.size)
    changed = weights.copy()
    changed[column] += changes[row, column]
    return changed, float(values[row, column])


def _onward(moments: Moments, before: Float, weights: Float, bounds: Float) -> tuple[Float, float]:
    """The highest point on the line from before to here and beyond, within bounds, and its correlation.

    With w the weights and d the direction, (w + t d)' b / sqrt((w + t d)' A (w + t d)) has its one maximum where
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
    """`Moments.correlation` once one weight is changed by so much, for each of the changes [2, k] by itself."""
    turned = moments.features @ weights
    squares = weights @ turned + changes * (2.0 * turned + changes * np.diag(moments.features))
    products = weights @ moments.products + changes * moments.products
    below = np.sqrt(np.maximum(squares, 0.0) * moments.human)
    return np.divide(products, below, out=np.zeros(products.shape), where=below > 0.0)
