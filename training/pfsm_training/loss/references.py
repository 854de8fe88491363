"""Several references in training: predictions of pairs become predictions of judged translations, as in scoring.

With p_k the prediction against reference k of a translation:

    best: p = max_k p_k        d p = d p_b, b the first k whose p_k is the largest
    mean: p = 1/K sum_k p_k    d p = 1/K sum_k d p_k
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.model.settings import BEST, MEAN, UseOfReferences
from pfsm_training.loss.objective import Loss, Quadratic

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PairsOfItems:
    """Which sentence pairs each judged translation, or item, consists of: it against each of its references.

    Attributes:
        offsets: int64 [n_items + 1], the first pair of each item, and the number of pairs.
        use: What several references mean.
    """

    offsets: Int64
    use: UseOfReferences

    @staticmethod
    def of_sizes(sizes: Sequence[int], use: UseOfReferences) -> "PairsOfItems":
        """From the number of references of each item."""
        return PairsOfItems(np.cumsum([0, *sizes], dtype=np.int64), use)

    @staticmethod
    def single(number: int) -> "PairsOfItems":
        """Items of one pair each."""
        return PairsOfItems(np.arange(number + 1), BEST)

    def __len__(self) -> int:
        return self.offsets.size - 1

    @property
    def is_single(self) -> bool:
        """Whether every item has one reference."""
        return int(self.offsets[-1]) == len(self)

    @property
    def sizes(self) -> Int64:
        """int64 [n_items], the references of each."""
        return np.diff(self.offsets)

    def weights(self, of_judged: Float | None) -> Float | None:
        """float64 [n_items], how much each counts: as much as its judgment, and 1 if it is only in preferences.

        Args:
            of_judged: float64 [n_scored], of the first items, the judged ones; None: all count the same.
        """
        if of_judged is None:
            return None
        return np.concatenate([of_judged, np.ones(len(self) - of_judged.size)])

    def select(self, items: Int64) -> tuple["PairsOfItems", Int64]:
        """Some of the items, and int64 the numbers of their pairs.

        Args:
            items: int64 [n], ascending.
        """
        if self.is_single:
            return PairsOfItems(np.arange(items.size + 1), self.use), items
        sizes = self.sizes[items]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        pairs = np.arange(offsets[-1]) + np.repeat(self.offsets[items] - offsets[:-1], sizes)
        return PairsOfItems(offsets, self.use), pairs

    def part(self, first: int, stop: int) -> tuple[int, int, "PairsOfItems"]:
        """The items of the pairs ``[first:stop]``: the first item, the one behind the last, and which pairs they have.

        Raises:
            ValueError: If an item is only partly among the pairs.
        """
        begin, end = np.searchsorted(self.offsets, [first, stop]).tolist()
        if self.offsets[begin] != first or self.offsets[end] != stop:
            raise ValueError("a part must contain all references of a translation or none")
        return begin, end, PairsOfItems(self.offsets[begin : end + 1] - first, self.use)

    def predictions(self, of_pairs: Float) -> Float:
        """Predictions of items, float64 [n_items], from those of pairs, float64 [n_pairs]."""
        return of_pairs if self.is_single else self.over(of_pairs, of_pairs)

    def loss(self, loss: Loss) -> Loss:
        """A loss of items' predictions as one of pairs'."""
        return loss if self.is_single else OverReferences(loss, self)

    def best(self, of_pairs: Float) -> Int64:
        """int64 [n_items], the pair with the highest prediction of each item, the first of equal ones."""
        highest = np.maximum.reduceat(of_pairs, self.offsets[:-1])
        equal = np.flatnonzero(of_pairs == np.repeat(highest, self.sizes))
        return np.asarray(equal[np.searchsorted(equal, self.offsets[:-1])])

    def over(self, of_pairs: Float, values: Float) -> Float:
        """Values of pairs, float64 [n_pairs, …], as those of items: of the best pair, or the mean."""
        if not len(self):
            return values[:0]
        if self.use != MEAN:
            return np.asarray(values[self.best(of_pairs)])
        sizes = self.sizes.reshape(-1, *(1,) * (values.ndim - 1))
        return np.asarray(np.add.reduceat(values, self.offsets[:-1], axis=0) / sizes)


@dataclass(frozen=True, eq=False)
class OverReferences:
    """A `pfsm_training.loss.objective.Loss` of predictions of items, as a loss of predictions of pairs.

    Attributes:
        loss: Of the items.
        items: Which pairs they have.
    """

    loss: Loss
    items: PairsOfItems

    def value(self, predictions: Tensor) -> Tensor:
        """The loss, a scalar."""
        items = self.items
        if items.use != MEAN:
            best = items.best(predictions.detach().numpy()) if len(items) else np.zeros(0, dtype=np.int64)
            return self.loss.value(predictions[torch.from_numpy(best)])
        owner = torch.from_numpy(np.repeat(np.arange(len(items)), items.sizes))
        sums = torch.zeros(len(items), dtype=torch.float64).index_add(0, owner, predictions)
        return self.loss.value(sums / torch.from_numpy(items.sizes))

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The quadratic model: with the best reference, of the pieces of the loss that hold here."""
        over = self.items.over
        return self.loss.quadratic(over(predictions, predictions), over(predictions, jacobian))

    def part(self, first: int, stop: int) -> "OverReferences":
        """The loss of the pairs ``[first:stop]``.

        Raises:
            ValueError: If an item is only partly among them, or what the loss raises.
        """
        begin, end, items = self.items.part(first, stop)
        return OverReferences(self.loss.part(begin, end), items)
