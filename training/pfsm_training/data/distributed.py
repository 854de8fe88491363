"""Training on a Dask cluster: lattices are built once and stay on the workers, weights go out, sums come back.

The blocks depend only on the data, and their sums are added in order, so that the result does not depend on the
workers. If a worker dies, its blocks are built again on another one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from pfsm.distributed.pools import Report
from pfsm.model.builder import LatticeBuilder
from pfsm.model.plugins import plugin_labels
from pfsm_training.data import blocks
from pfsm_training.data.blocks import BlockModel, BlockText, Weights
from pfsm_training.data.training_set import (
    PAIRS_PER_BLOCK,
    Float,
    Rows,
    selected_items,
    selected_weights,
    text_offsets,
)
from pfsm_training.data.training_text import TrainingText
from pfsm_training.lattices.features import total_instances
from pfsm_training.lattices.store import check_ascending
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Loss, Quadratic, added, penalty_of
from pfsm_training.loss.references import PairsOfItems

if TYPE_CHECKING:
    from pfsm.distributed.cluster import Cluster


@dataclass(frozen=True, eq=False)
class ClusterLattices:
    """Lattices on workers.

    Attributes:
        cluster: The workers.
        report: Counts what is done.
        futures: Of a `pfsm_training.data.blocks.Block` each, in the order of pairs.
        offsets: int64 [n_blocks + 1], the first pair of each block, and the number of pairs.
    """

    cluster: "Cluster"
    report: Report
    futures: tuple[Any, ...]
    offsets: Rows

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def ranges(self) -> Iterator[tuple[Any, int, int]]:
        """Each block with its first pair and the one behind its last."""
        return zip(self.futures, self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)

    def select(self, pairs: Rows) -> "ClusterLattices":
        """Some of the pairs, in ascending order; blocks without any are left out.

        Raises:
            ValueError: As `pfsm_training.lattices.store.HeldLattices.select`.
        """
        check_ascending(pairs, int(self.offsets[-1]))
        chosen, sizes = [], [0]
        for future, first, stop in self.ranges():
            rows = pairs[np.searchsorted(pairs, first) : np.searchsorted(pairs, stop)] - first
            if rows.size:
                whole = rows.size == stop - first
                chosen.append(future if whole else self.cluster.submit(blocks.select, future, rows))
                sizes.append(int(rows.size))
        return ClusterLattices(self.cluster, self.report, tuple(chosen), np.cumsum(sizes))

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """The results, in the order of blocks."""
        return self.cluster.results(futures)


@dataclass(frozen=True, eq=False)
class ClusterData:
    """Training data on workers; a `pfsm_training.data.training_set.TrainingSet`.

    Attributes:
        lattices: Of all pairs: first the scored ones, then those of the preferences.
        items: As in `pfsm_training.data.training_set.TrainingData`.
        scores: As in `pfsm_training.data.training_set.TrainingData`, and likewise:
        better: int64 [n_preferences].
        worse: int64 [n_preferences].
        votes: float64 [n_preferences].
        weights: float64 [n_scored], or None.
    """

    lattices: ClusterLattices
    items: PairsOfItems
    scores: Float
    better: Rows
    worse: Rows
    votes: Float
    weights: Float | None = None

    def __len__(self) -> int:
        return len(self.lattices)

    def select(self, scored: Rows, preferences: Rows) -> "ClusterData":
        """As `pfsm_training.data.training_set.TrainingSet.select`."""
        chosen = selected_items(self, scored, preferences)
        lattices = self.lattices.select(chosen.pairs)
        scores, votes = self.scores[scored], self.votes[preferences]
        weights = selected_weights(self, scored)
        return ClusterData(lattices, chosen.items, scores, chosen.better, chosen.worse, votes, weights)

    def without_preferences(self) -> "ClusterData":
        """The scored pairs alone."""
        return self.select(np.arange(self.scores.size), np.zeros(0, dtype=np.int64))

    def instances(self) -> dict[str, int]:
        """As `pfsm_training.data.training_set.TrainingSet.instances`."""
        lattices = self.lattices
        asked = [lattices.cluster.submit(blocks.count, one) for one in lattices.futures]
        return total_instances(lattices.results(asked))

    def predictions(self, machine: LogLinearMachine) -> Float:
        """As `pfsm_training.data.training_set.TrainingSet.predictions`."""
        lattices, weights = self.lattices, Weights.of(machine)
        asked = [lattices.cluster.submit(blocks.predict, one, weights) for one in lattices.futures]
        return self.items.predictions(np.concatenate([np.zeros(0), *lattices.results(asked)]))

    def jacobians(self, machine: LogLinearMachine) -> Iterator[tuple[Float, Float]]:
        """As `pfsm_training.data.training_set.TrainingSet.jacobians`; one block after the other comes here."""
        lattices, weights = self.lattices, Weights.of(machine)
        for future in lattices.futures:
            yield from lattices.results([lattices.cluster.submit(blocks.jacobian, future, weights)])

    def objective(self, loss: Loss, penalty: float, centre: Tensor) -> "ClusterObjective":
        """As `pfsm_training.data.training_set.TrainingSet.objective`."""
        lattices, of_pairs = self.lattices, self.items.loss(loss)
        parts = [
            lattices.cluster.submit(blocks.with_loss, future, of_pairs.part(first, stop))
            for future, first, stop in lattices.ranges()
        ]
        held = ClusterLattices(lattices.cluster, lattices.report, tuple(parts), lattices.offsets)
        return ClusterObjective(held, penalty, centre)


@dataclass(frozen=True, eq=False)
class ClusterObjective:
    """A `pfsm_training.loss.objective.Minimised` whose loss is worked out where the lattices are.

    Attributes:
        lattices: The blocks, each with its part of the loss.
        penalty: lambda.
        centre: float64 [n_learned].
    """

    lattices: ClusterLattices
    penalty: float
    centre: Tensor

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """As `Minimised.quadratic`: the blocks' sums, added in the order of blocks."""
        lattices, weights = self.lattices, Weights.of(machine)
        asked = [
            lattices.cluster.submit(blocks.model_of, future, weights, free_alpha)
            for future in lattices.futures
        ]
        models: list[BlockModel] = lattices.results(asked)
        for model, size in zip(models, np.diff(lattices.offsets).tolist(), strict=True):
            lattices.report.add(size, model.seconds)
        value, total = added(
            ((model.value, model.model) for model in models), machine.theta.numel() + free_alpha
        )
        with torch.no_grad():
            return value + float(penalty_of(self, machine)), total


class ClusterEncoder:
    """Builds the lattices on the workers of a cluster; a `pfsm_training.data.training_set.Encoder`.

    Args:
        cluster: The workers.
        report: Counts the blocks that are evaluated.
        pairs_per_block: Sentence pairs in a block, about.
    """

    def __init__(self, cluster: "Cluster", report: Report, pairs_per_block: int = PAIRS_PER_BLOCK) -> None:
        self.cluster = cluster
        self.report = report
        self.pairs_per_block = pairs_per_block

    def __call__(self, text: TrainingText) -> ClusterData:
        """Sends the text out, block by block; each worker encodes what it gets once.

        Raises:
            PfsmError: The settings name a resource that is not here.
        """
        known = LatticeBuilder(text.settings, text.reader).resources
        resources = (*known, *plugin_labels(text.settings))
        offsets = text_offsets(text, self.pairs_per_block)
        futures = tuple(
            self.cluster.submit(blocks.build, _block(text, resources, first, stop))
            for first, stop in pairwise(offsets.tolist())
        )
        lattices = ClusterLattices(self.cluster, self.report, futures, offsets)
        return ClusterData(
            lattices, text.items, text.scores, text.better, text.worse, text.votes, text.weights
        )


def _block(text: TrainingText, resources: tuple[str, ...], first: int, stop: int) -> BlockText:
    """A range of the pairs, with the values of their features if they are known here."""
    values = text.known_values
    return BlockText(
        text.settings,
        resources,
        tuple(text.references[first:stop]),
        tuple(text.hypotheses[first:stop]),
        None if values is None else values[first:stop],
    )
