"""Hill climbing with random restarts, as TERp's optimiser does it (Kahn, Snover and Ostendorf 2009, section 6)."""

import numpy as np
from numpy.typing import NDArray

from pfsm_training.tuning.target import Moments

Float = NDArray[np.float64]
# Steps in units of a feature's standard deviation.
FIRST_STEP, LAST_STEP = 1.0, 1e-4
_SMALLEST_GAIN = 1e-10
# By so much another start must be better than the one before it, lest costs jump for nothing.
_WORTH_A_JUMP = 1e-6
_MOST_MOVES = 20_000


def climb(
    moments: Moments, start: Float, lowest: Float, restarts: int, random: np.random.Generator
) -> tuple[Float, float]:
    """Weights with the largest correlation that was found, and that correlation.

    From each start the one weight is changed, up or down by a step, that raises the correlation most; where none does,
    the step is halved. Of all starts the best end counts, the first among those that are as good.

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
    for _ in range(_MOST_MOVES):
        length = float(np.linalg.norm(weights))
        if length > 0.0:
            # Only the direction counts; unit length keeps steps in proportion.
            weights = weights / length
        changes = np.stack([np.full(weights.size, step), np.maximum(-step, bounds - weights)])
        values = _after(moments, weights, changes)
        row, column = divmod(int(values.argmax()), weights.size)
        if values[row, column] > value + _SMALLEST_GAIN:
            weights[column] += changes[row, column]
            value = float(values[row, column])
            continue
        step /= 2.0
        if step < LAST_STEP:
            break
    return weights, value


def _after(moments: Moments, weights: Float, changes: Float) -> Float:
    """`Moments.correlation` once one weight is changed by so much, for each of the changes [2, k] by itself."""
    turned = moments.features @ weights
    squares = weights @ turned + changes * (2.0 * turned + changes * np.diag(moments.features))
    products = weights @ moments.products + changes * moments.products
    below = np.sqrt(np.maximum(squares, 0.0) * moments.human)
    return np.divide(products, below, out=np.zeros(products.shape), where=below > 0.0)
