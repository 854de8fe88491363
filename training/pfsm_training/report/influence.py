"""Influence: how far the predictions move when one judgment or preference is left out of training.

Without item i the minimum moves by about ``H_i^-1 g_i``, where ``g_i`` is the gradient of the item's loss and ``H_i``
the curvature of the objective without it (Cook and Weisberg 1982). Leaving out a judgment also moves the mean and the
standard deviation of the scores, by which all targets are standardised, and with scores and preferences every item
moves the balance of the two: this is added to the gradient. (The slope of preferences is taken as given.) The
curvature is the exact one where that is quick, else that of Gauss and Newton (`pfsm_training.report.items`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm_training.report.items import Local, product, solved

Float = NDArray[np.float64]
Rows = NDArray[np.int64]

SHOWN = 10
# An item whose removal leaves nothing to hold a weight in place would have infinite influence.
MOST_LEVERAGE = 1.0 - 1e-9


@dataclass(frozen=True, eq=False)
class Influence:
    """The influence of each item, judgments first.

    Attributes:
        movement: float64 [n_items], root mean square over all translations, each counted as its judgment is, of the
            change of their predictions, when the item is left out; in standard deviations of the human scores, or in
            log odds without scores.
        leverage: float64 [n_items], from 0 to 1: how much of its own prediction an item determines.
        without: float64 [n_items], the prediction for the item after it is left out, in the units of the data; for a
            preference the margin between its translations.
        changes: float64 [n_items, n_parameters], change of the parameters when the item is left out.
    """

    movement: Float
    leverage: Float
    without: Float
    changes: Float

    def order(self) -> Rows:
        """Items by their movement, the largest first; equal ones in the order of the data."""
        return np.argsort(-self.movement, kind="stable")


def influence(at: Local) -> Influence | None:
    """The influence of each item; None where the curvature has no inverse, or nothing is left without an item."""
    free = at.free
    rows = at.rows[:, free]
    if not free.any() or at.n_items < 2:
        return None
    slopes, bends = at.slopes(at.targets)
    gram = product(rows.T * bends, rows) + np.diag(at.stiffness[free])
    inverse = solved(gram + at.bending[np.ix_(free, free)], np.eye(rows.shape[1]))
    if inverse is None:
        inverse = solved(gram, np.eye(rows.shape[1]))
    if inverse is None:
        return None
    moved = _standardisation(at, slopes, bends)
    if moved is None:
        return None
    pulls, means, sds = moved
    spread = product(rows, inverse)
    leverage = np.clip(bends * (spread * rows).sum(axis=1), 0.0, MOST_LEVERAGE)
    changes = product(pulls[:, free], inverse)
    changes += spread * (bends * (changes * rows).sum(axis=1) / (1.0 - leverage))[:, np.newaxis]
    whole = np.zeros((at.n_items, free.size))
    whole[:, free] = changes
    return Influence(_movement(at, whole, means, sds), leverage, _without(at, whole, means, sds), whole)


def _standardisation(at: Local, slopes: Float, bends: Float) -> tuple[Float, Float, Float] | None:
    """Gradients of the items, with what leaving them out does to the targets of the others.

    Returns:
        float64 [n_items, n_parameters]; float64 [n_items] each, mean and standard deviation of the scores without the
        item; None where a standard deviation would be zero.
    """
    pulls = slopes[:, np.newaxis] * at.rows
    if at.data.scores.size and at.data.votes.size:
        pulls -= _rebalanced(at, pulls)
    means, sds = np.full(at.n_items, at.mean), np.full(at.n_items, at.sd)
    count = at.data.scores.size
    if not count or at.raw:
        return pulls, means, sds
    targets, own = at.targets, at.weights
    total = float(own.sum())
    rest = total - own
    if count < 2 or rest.min() <= 1e-12 * total:
        return None
    # Of standardised scores without one of them.
    variance = total / rest - own * targets**2 * total / rest**2
    if variance.min() <= 1e-12:
        return None
    means[:count] = at.mean - at.sd * own * targets / rest
    sds[:count] = at.sd * np.sqrt(variance)
    scored = at.rows[:count] * bends[:count, np.newaxis]
    shift, stretch = own * targets / rest, 1.0 / np.sqrt(variance) - 1.0
    for factor, weights in ((shift, np.ones(count)), (stretch, targets)):
        # The gradient falls by bend * row for each unit by which a target rises.
        weighted = scored * weights[:, np.newaxis]
        pulls[:count] += factor[:, np.newaxis] * (weighted.sum(axis=0) - weighted)
    return pulls, means, sds


def _rebalanced(at: Local, pulls: Float) -> Float:
    """How the gradient rises because the preferences keep their share in the objective, float64 [n_items, …]."""
    count, votes = at.data.scores.size, at.data.votes
    preferred = pulls[count:]
    total = preferred.sum(axis=0)
    rest = float(votes.sum()) - votes
    # Without a judgment, one in n, each vote weighs 1 / n less; without a preference the other votes weigh more.
    more = np.divide(votes, rest, out=np.zeros(votes.size), where=rest > 0.0)
    return np.concatenate(
        [-(at.weights[:, np.newaxis] * total) / at.weights.sum(), more[:, np.newaxis] * (total - preferred)]
    )


def _movement(at: Local, changes: Float, means: Float, sds: Float) -> Float:
    """Root mean square change of all predictions, in standard deviations of the scores, float64 [n_items]."""
    # As in ``mean' + sd' (p + J change)``, minus ``mean + sd p``, divided by sd.
    shift, stretch = (means - at.mean) / at.sd, sds / at.sd
    columns = np.column_stack([np.ones(len(at.predictions)), at.predictions, at.jacobian])
    moves = np.column_stack([shift, stretch - 1.0, changes * stretch[:, np.newaxis]])
    weights = at.data.items.weights(at.data.weights)
    total = float(len(at.predictions) if weights is None else weights.sum())
    weighted = columns if weights is None else weights[:, np.newaxis] * columns
    squares = (product(moves, product(columns.T, weighted)) * moves).sum(axis=1) / total
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)) / at.spread)


def _without(at: Local, changes: Float, means: Float, sds: Float) -> Float:
    """Predictions and margins for the items themselves, in the units of the data."""
    moved = (changes * at.rows).sum(axis=1)
    count = at.data.scores.size
    numbers = np.concatenate(
        [at.predictions[:count], at.predictions[at.data.better] - at.predictions[at.data.worse]]
    )
    result = sds * (numbers + moved)
    result[:count] += means[:count]
    return np.asarray(result)
