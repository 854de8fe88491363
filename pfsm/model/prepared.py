"""Sentence pairs whose lattices are kept, so that they can be scored again with other weights at once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.arrays import LatticeBatch, weight_table
from pfsm.model.file import Model
from pfsm.model.long_lines import LongLines
from pfsm.model.settings import RELATIVE

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights

Float = NDArray[np.float64]


def batch_values(batch: LatticeBatch, model: Model, weights: "Weights | None", threads: int) -> Float:
    """What a model makes of lattices before its scale: values of edits and points of features, float64 [n_pairs].

    Args:
        batch: The lattices.
        model: The model, with the settings that they were built under.
        weights: The kernel's weights; None: the model has no edits.
        threads: For the kernel.
    """
    points: Float = batch.sentence_features.points(model.weights, len(batch))
    if weights is None:
        return points
    return batch.values(model.weights, weights, threads) + points


def on_scale(normalised: Float, model: Model) -> Float:
    """Values of `batch_values` as scores, which in the relative form are at most that of a perfect match."""
    values = normalised + model.alpha
    if model.settings.form == RELATIVE:
        values = np.minimum(values, model.alpha)
    return model.scale.mean + model.scale.sd * values


class PreparedPairs:
    """Single-reference pairs that `pfsm.model.metric.Metric.prepare` has read.

    Args:
        batches: Their lattices.
        threads: For the kernel.
        long: What the lattices are of, where some pairs are scored in parts.
    """

    def __init__(self, batches: Sequence[LatticeBatch], threads: int, long: LongLines | None = None) -> None:
        self._batches, self._threads, self._long = batches, threads, long

    def __len__(self) -> int:
        return sum(map(len, self._batches)) if self._long is None else int(self._long.owner[-1]) + 1

    def scores(self, model: Model) -> Float:
        """Scores of the pairs with a model of the same settings, float64 [n_pairs]: those of ``Metric(model)``."""
        found = [np.zeros(0)]
        for batch in self._batches:
            table = weight_table(batch.states, model.weights) if batch.states else None
            weights = None if table is None else batch.weights(model.weights, table)
            found.append(batch_values(batch, model, weights, self._threads))
        scores = on_scale(np.concatenate(found), model)
        return scores if self._long is None else self._long.scores(scores)
