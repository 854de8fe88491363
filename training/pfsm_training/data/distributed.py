"""Training on a Dask cluster: lattices are built once and stay on the workers, weights go out, sums come back.

The blocks depend only on the data, and their sums are added in order, so that the result does not depend on the
workers. If a worker dies, its blocks are built again on another one.
"""

import threading
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from dask.sizeof import sizeof

from pfsm.arrays import Float
from pfsm.distributed import WorkerFaultError
from pfsm.distributed.cluster import Cluster
from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.model.references import plugin_labels
from pfsm.model.settings import Settings
from pfsm.version import __version__
from pfsm_training.data.training_set import PAIRS_PER_BLOCK, Rows, TrainingSet, text_offsets
from pfsm_training.data.training_text import TrainingText
from pfsm_training.lattices.features import instances, select_pairs, total_instances
from pfsm_training.lattices.store import array_bytes, check_ascending
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Loss, Quadratic, added, loss_model

# The scheduler moves what is small: it must know that lattices are not.
sizeof.register(LatticeBatch, array_bytes)
_lock = threading.Lock()
_builders: dict[str, LatticeBuilder] = {}


def resources_of(builder: LatticeBuilder) -> tuple[str, ...]:
    """Return pfsm, the resources of matchers and plug-ins, as ``NAME@VERSION`` or ``NAME@CHECKSUM``."""
    return (f"pfsm@{__version__}", *builder.resources, *plugin_labels(builder.settings))


def build(
    settings: Settings,
    resources: Sequence[str],
    references: Sequence[str],
    hypotheses: Sequence[str],
    values: Float | None = None,
) -> LatticeBatch:
    """Build the lattices of a block; ``values`` are those of sentence-level features, if they are known.

    A worker loads the resources of matchers once. It must have those of ``resources_of`` where the text comes from.

    Raises:
        WorkerFaultError: This worker lacks a resource, or has another version of one or of pfsm.
        PfsmError: As `pfsm.model.builder.LatticeBuilder.lattices`.
    """
    with _lock:
        key = repr((sorted(settings.to_dict().items()), resources))
        if key not in _builders:
            _builders.clear()
            _builders[key] = _builder(settings, resources)
        builder = _builders[key]
        return builder.lattices(builder.encode(references, hypotheses), values)


def _builder(settings: Settings, resources: Sequence[str]) -> LatticeBuilder:
    try:
        builder = LatticeBuilder(settings)
        found = resources_of(builder)
    except PfsmError as error:
        raise WorkerFaultError(f"cannot build lattices: {error}") from None
    if found != resources:
        raise WorkerFaultError(f"has other resources: {'+'.join(found)}, here {'+'.join(resources)}")
    return builder


def predict(batch: LatticeBatch, machine: LogLinearMachine) -> Float:
    """Return predictions, float64 [n_pairs]."""
    torch.set_num_threads(1)  # sums of few numbers, always in the same order
    with torch.no_grad():
        return np.asarray(machine(batch).numpy())


def model_of(
    batch: LatticeBatch, loss: Loss, machine: LogLinearMachine, free_alpha: bool
) -> tuple[float, Quadratic]:
    """Return the loss of a block's predictions and its quadratic model at these weights."""
    torch.set_num_threads(1)
    return loss_model(machine, batch, loss, free_alpha=free_alpha)


@dataclass(frozen=True, eq=False)
class ClusterLattices:
    """Lattices on workers: a future for those of each block, and int64 [n_blocks + 1], where blocks begin and end."""

    cluster: Cluster
    futures: Sequence[Any]
    offsets: Rows

    def select(self, pairs: Rows) -> "ClusterLattices":
        """Return some of the pairs, in ascending order; blocks without any are left out.

        Raises:
            ValueError: As `pfsm_training.lattices.store.HeldLattices.select`.
        """
        check_ascending(pairs, int(self.offsets[-1]))
        chosen, sizes = [], [0]
        for future, (first, stop) in zip(self.futures, pairwise(self.offsets.tolist()), strict=True):
            rows = pairs[np.searchsorted(pairs, first) : np.searchsorted(pairs, stop)] - first
            if rows.size:
                whole = rows.size == stop - first
                chosen.append(future if whole else self.cluster.submit(select_pairs, future, rows))
                sizes.append(int(rows.size))
        return ClusterLattices(self.cluster, chosen, np.cumsum(sizes))

    def each(self, work: Callable[..., Any], *given: Any) -> list[Any]:
        """Return what workers make of each block, in the order of blocks."""
        return self.cluster.results([self.cluster.submit(work, future, *given) for future in self.futures])


@dataclass(frozen=True, eq=False)
class ClusterData(TrainingSet):
    """Training data whose lattices are on workers."""

    lattices: ClusterLattices

    def instances(self) -> dict[str, int]:
        """As `TrainingSet.instances`."""
        return total_instances(self.lattices.each(instances))

    def predictions_of_blocks(self, machine: LogLinearMachine) -> list[Float]:
        """As `TrainingSet.predictions_of_blocks`."""
        return self.lattices.each(predict, machine.on(1))

    def term(self, loss: Loss) -> "ClusterLoss":
        """As `TrainingSet.term`."""
        of_pairs, cluster = self.items.loss(loss), self.lattices.cluster
        parts = [of_pairs.part(*ends) for ends in pairwise(self.lattices.offsets.tolist())]
        # Copying is the work whose result is a loss on a worker.
        return ClusterLoss(self.lattices, [cluster.submit(copy, part) for part in parts])


@dataclass(frozen=True, eq=False)
class ClusterLoss:
    """A `pfsm_training.loss.objective.Term` that is computed where the lattices are; each block has its loss."""

    lattices: ClusterLattices
    losses: Sequence[Any]

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """As `Term.quadratic`: the blocks' sums, added in the order of blocks."""
        cluster, machine = self.lattices.cluster, machine.on(1)
        futures = [
            cluster.submit(model_of, block, loss, machine, free_alpha)
            for block, loss in zip(self.lattices.futures, self.losses, strict=True)
        ]
        return added(cluster.results(futures), machine.theta.numel() + free_alpha)


def encode_on(cluster: Cluster, text: TrainingText, pairs_per_block: int = PAIRS_PER_BLOCK) -> ClusterData:
    """Build the lattices of all training pairs on workers; the `Encoder` of a cluster.

    Raises:
        PfsmError: The settings name a resource that is not here.
    """
    resources = resources_of(LatticeBuilder(text.settings, text.reader))
    offsets = text_offsets(text, pairs_per_block)
    blocks = [block_of(text, *ends) for ends in pairwise(offsets.tolist())]
    futures = [cluster.submit(build, text.settings, resources, *block) for block in blocks]
    lattices = ClusterLattices(cluster, futures, offsets)
    return ClusterData(lattices, text.items, text.scores, text.better, text.worse, text.votes, text.weights)


def block_of(text: TrainingText, first: int, stop: int) -> tuple[list[str], list[str], Float | None]:
    """Return references and hypotheses of a range of the pairs, and the values of their features if known here."""
    values = None if text.known_values is None else text.known_values[first:stop]
    return [*text.references[first:stop]], [*text.hypotheses[first:stop]], values
