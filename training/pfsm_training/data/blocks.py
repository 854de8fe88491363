"""Blocks of training data on workers: from text to lattices, from lattices to sums and predictions."""

import threading
import time
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.distributed.partitions import WorkerFaultError
from pfsm.distributed.scorers import worker_name
from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.model.plugins import plugin_labels
from pfsm.model.settings import Settings
from pfsm.version import __version__
from pfsm_training.lattices.features import instances, select_pairs
from pfsm_training.lattices.mapped_arrays import array_bytes
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Loss, Quadratic, loss_model

Float = NDArray[np.float64]
Rows = NDArray[np.int64]


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


@dataclass(frozen=True)
class Weights:
    """A machine's weights on their way to a worker.

    Attributes:
        learned: Names of the parameters.
        initial: All weights by name, those of the parameters as they are now.
        alpha: The constant.
    """

    learned: tuple[str, ...]
    initial: dict[str, float]
    alpha: float

    @staticmethod
    def of(machine: LogLinearMachine) -> "Weights":
        """A machine's."""
        return Weights(machine.learned, machine.weights(), float(machine.alpha.detach()))

    def machine(self) -> LogLinearMachine:
        """The machine, for one thread."""
        torch.set_num_threads(1)  # sums of few numbers, always in the same order
        return LogLinearMachine(self.learned, self.initial, self.alpha, threads=1)


@dataclass(frozen=True, eq=False)
class BlockModel:
    """A block's share of the objective.

    Attributes:
        value: The loss.
        model: Its quadratic model.
        seconds: Of a processor, that it took.
    """

    value: float
    model: Quadratic
    seconds: float


_lock = threading.Lock()
_builders: dict[str, LatticeBuilder] = {}


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


def with_loss(block: Block, loss: Loss) -> Block:
    """The block with the loss of its predictions."""
    return Block(block.batch, loss)


def count(block: Block) -> dict[str, int]:
    """Instances of every feature."""
    return instances(block.batch)


def predict(block: Block, weights: Weights) -> Float:
    """Predictions, float64 [n_pairs]."""
    with torch.no_grad():
        return np.asarray(weights.machine()(block.batch).numpy())


def jacobian(block: Block, weights: Weights) -> tuple[Float, Float]:
    """Predictions, float64 [n_pairs], and their derivatives, float64 [n_pairs, n_learned + 1]."""
    return weights.machine().with_jacobian(block.batch)


def model_of(block: Block, weights: Weights, free_alpha: bool) -> BlockModel:
    """The block's loss and its quadratic model at these weights."""
    assert block.loss is not None
    started = time.thread_time()
    predictions, jacobian = weights.machine().with_jacobian(block.batch)
    value, model = loss_model(predictions, jacobian, block.loss, free_alpha=free_alpha)
    return BlockModel(value, model, time.thread_time() - started)
