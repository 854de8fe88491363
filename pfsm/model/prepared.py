"""Sentence pairs whose lattices are kept, so that they can be scored again with other weights at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.arrays import LatticeBatch, weight_table
from pfsm.model.file import Model
from pfsm.model.long_lines import LongLines

Float = NDArray[np.float64]


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
            found.append(batch.normalised(model.weights, weights, self._threads))
        scores = model.on_scale(np.concatenate(found))
        return scores if self._long is None else self._long.scores(scores)
