"""Training on a Dask cluster: lattices are built once and stay on the workers, weights go out, sums come back.

The blocks depend only on the data, and their sums are added in order, so that the result does not depend on the
workers. If a worker dies, its blocks are built again on another one.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.distributed.partitions import WorkerFaultError
from pfsm.distributed.pools import Report
from pfsm.distributed.scorers import worker_name
from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.model.plugins import plugin_labels
from pfsm.model.settings import Settings
from pfsm.version import __version__
from pfsm_training.data.training_set import PAIRS_PER_BLOCK, TrainingSet, text_offsets
from pfsm_training.data.training_text import TrainingText
from pfsm_training.lattices.features import instances, select_pairs, total_instances
from pfsm_training.lattices.store import array_bytes, check_ascending
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Loss, Quadratic, added, loss_model

if TYPE_CHECKING:
    from pfsm.distributed.cluster import Cluster

Rows = NDArray[np.int64]
_lock = threading.Lock()
_builders: dict[str, LatticeBuilder] = {}


@dataclass(frozen=True, eq=False)
class BlockText:
    """The text of a block.

    Attributes:
        settings: Settings of the model, with nothing left to learn.
        resources: The resources of the sender's matchers, as ``NAME@CHECKSUM``, and plug-ins with their versions; the
            worker must have the same.
        references: [n_pairs]
        hypotheses: [n_pairs]
        values: Of sentence-level features, float64 [n_pairs, n_features]; None where the worker computes them.
        version: Of pfsm, at the sender.
    """

    settings: Settings
    resources: tuple[str, ...]
    references: tuple[str, ...]
    hypotheses: tuple[str, ...]
    values: Float | None = None
    version: str = __version__


@dataclass(frozen=True, eq=False)
class Block:
    """The lattices of a block, and the loss of its predictions where the worker is to compute it."""

    batch: LatticeBatch
    loss: Loss | None = None

    def __len__(self) -> int:
        return len(self.batch)

    def __sizeof__(self) -> int:
        # The scheduler moves what is small: it must know that this is not.
        return array_bytes(self.batch)


def build(text: BlockText) -> Block:
    """Builds the lattices of a block's text. A worker loads the resources of matchers once.

    Raises:
        WorkerFaultError: This worker lacks a resource, or has another version of one or of pfsm.
        PfsmError: As `pfsm.model.builder.LatticeBuilder.lattices`.
    """
    with _lock:
        builder = _builder(text)
        return Block(builder.lattices(builder.encode(text.references, text.hypotheses), text.values))


def _builder(text: BlockText) -> LatticeBuilder:
    if text.version != __version__:
        raise WorkerFaultError(
            f"{worker_name()} has pfsm {__version__}, this is {text.version}; install the same"
        )
    key = repr((sorted(text.settings.to_dict().items()), text.resources))
    if key not in _builders:
        try:
            builder = LatticeBuilder(text.settings)
            resources = (*builder.resources, *plugin_labels(text.settings))
        except PfsmError as error:
            raise WorkerFaultError(f"{worker_name()} cannot build lattices: {error}") from None
        if resources != text.resources:
            raise WorkerFaultError(
                f"{worker_name()} has other resources: {'+'.join(resources)}, here {'+'.join(text.resources)}"
            )
        _builders.clear()
        _builders[key] = builder
    return _builders[key]


def select(block: Block, rows: Rows) -> Block:
    """Some of a block's pairs."""
    return Block(select_pairs(block.batch, rows))


def count(block: Block) -> dict[str, int]:
    """Instances of every feature."""
    return instances(block.batch)


def predict(block: Block, machine: LogLinearMachine) -> Float:
    """Predictions, float64 [n_pairs]."""
    torch.set_num_threads(1)  # sums of few numbers, always in the same order
    with torch.no_grad():
        return np.asarray(machine(block.batch).numpy())


def model_of(
    block: Block, machine: LogLinearMachine, free_alpha: bool
) -> tuple[tuple[float, Quadratic], float]:
    """The block's loss and its quadratic model at these weights, and the seconds of a processor that they took."""
    assert block.loss is not None
    torch.set_num_threads(1)
    started = time.thread_time()
    model = loss_model(machine, block.batch, block.loss, free_alpha=free_alpha)
    return model, time.thread_time() - started


@dataclass(frozen=True, eq=False)
class ClusterLattices:
    """Lattices on workers.

    Attributes:
        cluster: The workers.
        report: Counts what is done.
        futures: Of a `pfsm_training.data.distributed.Block` each, in the order of pairs.
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
                chosen.append(future if whole else self.cluster.submit(select, future, rows))
                sizes.append(int(rows.size))
        return ClusterLattices(self.cluster, self.report, tuple(chosen), np.cumsum(sizes))

    def each(self, work: Callable[..., Any], *given: Any) -> list[Any]:
        """What workers make of each block, in the order of blocks."""
        return self.cluster.results([self.cluster.submit(work, future, *given) for future in self.futures])


@dataclass(frozen=True, eq=False)
class ClusterData(TrainingSet):
    """Training data whose lattices are on workers."""

    lattices: ClusterLattices

    def instances(self) -> dict[str, int]:
        """As `TrainingSet.instances`."""
        return total_instances(self.lattices.each(count))

    def predictions_of_blocks(self, machine: LogLinearMachine) -> list[Float]:
        """As `TrainingSet.predictions_of_blocks`."""
        return self.lattices.each(predict, machine.on(1))

    def term(self, loss: Loss) -> "ClusterLoss":
        """As `TrainingSet.term`."""
        lattices, of_pairs = self.lattices, self.items.loss(loss)
        parts = tuple(
            lattices.cluster.submit(partial(replace, loss=of_pairs.part(first, stop)), future)
            for future, first, stop in lattices.ranges()
        )
        return ClusterLoss(replace(lattices, futures=parts))


@dataclass(frozen=True, eq=False)
class ClusterLoss:
    """A `pfsm_training.loss.objective.Term` that is worked out where the lattices are: blocks with their loss."""

    lattices: ClusterLattices

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """As `Term.quadratic`: the blocks' sums, added in the order of blocks."""
        found = self.lattices.each(model_of, machine.on(1), free_alpha)
        for (_, seconds), size in zip(found, np.diff(self.lattices.offsets).tolist(), strict=True):
            self.lattices.report.add(size, seconds)
        return added((model for model, _ in found), machine.theta.numel() + free_alpha)


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
            self.cluster.submit(build, block_text(text, resources, first, stop))
            for first, stop in pairwise(offsets.tolist())
        )
        lattices = ClusterLattices(self.cluster, self.report, futures, offsets)
        return ClusterData(
            lattices, text.items, text.scores, text.better, text.worse, text.votes, text.weights
        )


def block_text(text: TrainingText, resources: tuple[str, ...], first: int, stop: int) -> BlockText:
    """A range of the pairs, with the values of their features if they are known here."""
    values = text.known_values
    return BlockText(
        text.settings,
        resources,
        tuple(text.references[first:stop]),
        tuple(text.hypotheses[first:stop]),
        None if values is None else values[first:stop],
    )
