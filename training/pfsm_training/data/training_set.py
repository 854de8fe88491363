"""Training data: the lattices of scored pairs and of pairs that people compared, in blocks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.arrays import Float
from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.runtime.terminal import Stage
from pfsm_training.data.training_text import TrainingText
from pfsm_training.lattices.features import instances, total_instances
from pfsm_training.lattices.store import HeldLattices, Room, lattice_memory
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import BlocksLoss, Loss, Objective, PairsOfItems, Term

Rows = NDArray[np.int64]


# Sums over pairs are added block by block, here as on a cluster, so that both give the same result. Blocks are small
# enough for threads to share them out evenly.
PAIRS_PER_BLOCK = 2048
# More blocks would cost the scheduler more than they save.
MOST_BLOCKS = 1000


class Lattices(Protocol):
    """Lattices of sentence pairs in blocks, here or on workers."""

    @property
    def offsets(self) -> Rows:
        """int64 [n_blocks + 1], the first pair of each block, and the number of pairs."""

    def select(self, pairs: Rows) -> Self:
        """Some of the pairs, in ascending order; blocks without any are left out."""


@dataclass(frozen=True, eq=False)
class TrainingSet(ABC):
    """Training data: scored translations come first, one a judgment; then the distinct ones of the preferences.

    Attributes:
        lattices: Of all pairs, in blocks.
        items: Which pairs each translation has.
        scores: float64 [n_scored], in the units of the data.
        better: int64 [n_preferences], which item is the preferred translation.
        worse: int64 [n_preferences], which is the other.
        votes: float64 [n_preferences].
        weights: float64 [n_scored], above 0, how much each judgment counts; None: all count the same.
    """

    lattices: Lattices
    items: PairsOfItems
    scores: Float
    better: Rows
    worse: Rows
    votes: Float
    weights: Float | None = None

    def __len__(self) -> int:
        """Number of sentence pairs."""
        return int(self.lattices.offsets[-1])

    def select(self, scored: Rows, preferences: Rows) -> Self:
        """Some of the judgments and some of the preferences, by their numbers in ascending order.

        What is left of each block stays together, here as on a cluster.

        Raises:
            PfsmError: As `pfsm_training.lattices.store.HeldLattices.of`.
        """
        both = np.concatenate([self.better[preferences], self.worse[preferences]])
        kept, places = np.unique(both, return_inverse=True)
        places = places.astype(np.int64) + scored.size
        items, pairs = self.items.select(np.concatenate([scored, kept]))
        return replace(
            self,
            lattices=self.lattices.select(pairs),
            items=items,
            scores=self.scores[scored],
            better=places[: preferences.size],
            worse=places[preferences.size :],
            votes=self.votes[preferences],
            weights=None if self.weights is None else self.weights[scored],
        )

    def without_preferences(self) -> Self:
        """The scored pairs alone."""
        return self.select(np.arange(self.scores.size), np.zeros(0, dtype=np.int64))

    def predictions(self, machine: LogLinearMachine) -> Float:
        """The machine's predictions of judged translations, float64 [n_items], in standardised units."""
        return self.items.predictions(np.concatenate([np.zeros(0), *self.predictions_of_blocks(machine)]))

    @abstractmethod
    def predictions_of_blocks(self, machine: LogLinearMachine) -> Iterable[Float]:
        """The machine's predictions of the pairs of each block."""

    @abstractmethod
    def instances(self) -> dict[str, int]:
        """As `pfsm_training.lattices.features.instances`."""

    @abstractmethod
    def term(self, loss: Loss) -> Term:
        """A loss of the predictions of items, as a part of an objective."""

    def objective(self, loss: Loss, penalty: float, centre: Tensor, others: Sequence[Term] = ()) -> Objective:
        """The function to minimise: a loss of the predictions of items, plus a penalty, and other terms."""
        return Objective(self.term(loss), penalty, centre, tuple(others))


# From training text to training data, wherever its lattices are.
Encoder = Callable[[TrainingText], TrainingSet]


@dataclass(frozen=True, eq=False)
class TrainingData(TrainingSet):
    """Training data whose lattices are in this process."""

    lattices: HeldLattices

    def instances(self) -> dict[str, int]:
        """As `TrainingSet.instances`."""
        return dict(self._instances)

    @cached_property
    def _instances(self) -> dict[str, int]:
        return total_instances(map(instances, self.lattices))

    def predictions_of_blocks(self, machine: LogLinearMachine) -> Iterator[Float]:
        """As `TrainingSet.predictions_of_blocks`."""
        with torch.no_grad():
            for batch in self.lattices:
                yield machine(batch).numpy()

    def term(self, loss: Loss) -> BlocksLoss:
        """As `TrainingSet.term`."""
        return BlocksLoss(self.lattices, self.items.loss(loss))


def amount_judged(data: TrainingSet) -> float:
    """Number of judgments, each counted by its weight."""
    return data.scores.size if data.weights is None else float(data.weights.sum())


def amount_of(data: TrainingSet) -> float:
    """Number of judgments, each counted by its weight, and of preferences."""
    return amount_judged(data) + data.votes.size


def amount_of_pairs(data: TrainingSet) -> float:
    """Number of sentence pairs, each counted as its translation is: the size of sums over them."""
    weights = data.items.weights(data.weights)
    return len(data) if weights is None else float((weights * data.items.sizes).sum())


def encode_here(
    text: TrainingText, pairs_per_block: int = PAIRS_PER_BLOCK, memory: int | None = None
) -> TrainingData:
    """The `Encoder` of one machine: builds the lattices of all training pairs in this process.

    Args:
        text: The training text.
        pairs_per_block: Sentence pairs in a block, about.
        memory: Bytes of lattices to keep in memory, those of selections included; the rest is mapped from a temporary
            file. None: `pfsm_training.lattices.store.lattice_memory`.

    Raises:
        PfsmError: As `pfsm.model.builder.LatticeBuilder.blocks`; or a temporary file is needed and cannot be written.
    """
    room = Room(lattice_memory() if memory is None else memory)
    builder = LatticeBuilder(text.settings, text.reader)
    offsets = text_offsets(text, pairs_per_block)
    batches = builder.blocks(text.pairs, offsets.tolist(), text.feature_values())
    with Stage("training", "matching", len(text), "pairs") as stage:
        lattices = HeldLattices.of(_counted(batches, stage), room)
    return TrainingData(lattices, text.items, text.scores, text.better, text.worse, text.votes, text.weights)


def text_offsets(text: TrainingText, size: int) -> Rows:
    """`block_offsets` of a text: neither preferences nor the references of a translation are torn apart."""
    first, last = text.items.offsets[:-1], text.items.offsets[1:] - 1
    low, high = np.minimum(text.better, text.worse), np.maximum(text.better, text.worse)
    begin, end = np.concatenate([first, first[low]]), np.concatenate([last, last[high]])
    return block_offsets(len(text), begin, end, size)


def _counted(batches: Iterable[LatticeBatch], stage: Stage) -> Iterator[LatticeBatch]:
    for batch in batches:
        stage.advance(len(batch))
        yield batch


def block_offsets(n_pairs: int, better: Rows, worse: Rows, size: int = PAIRS_PER_BLOCK) -> Rows:
    """Where blocks begin: every ``size`` pairs, or as soon after as no preference is torn apart.

    Args:
        n_pairs: Number of pairs.
        better: int64 [n_preferences], one pair of each preference.
        worse: int64 [n_preferences], the other.
        size: Pairs in a block; more where there would be too many blocks.

    Returns:
        int64 [n_blocks + 1], from 0 to ``n_pairs``.
    """
    size = max(size, -(-n_pairs // MOST_BLOCKS))
    low, high = np.minimum(better, worse), np.maximum(better, worse)
    # Preferences that are open between two pairs: one of their pairs is before, the other behind.
    steps = np.bincount(low + 1, minlength=n_pairs + 2) - np.bincount(high + 1, minlength=n_pairs + 2)
    allowed = np.flatnonzero(np.cumsum(steps)[: n_pairs + 1] == 0)
    offsets = [0]
    while offsets[-1] < n_pairs:
        wanted = min(offsets[-1] + size, n_pairs)
        offsets.append(int(allowed[np.searchsorted(allowed, wanted)]))
    return np.array(offsets, dtype=np.int64)
