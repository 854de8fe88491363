"""The encoder's states of all training lines, mixed to one vector a piece, in a temporary file."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pfsm.embeddings.bert_weights import Weights
from pfsm.embeddings.folder import FolderEncoder
from pfsm.encoder.heads import EPSILON
from pfsm.errors import PfsmError
from pfsm.runtime.terminal import Stage
from pfsm_kernels.dense.vectors import mixed_layers
from pfsm_training.encoder.network import Batch
from pfsm_training.encoder.transformer import SequenceBatch, Sequences

Float32 = NDArray[np.float32]
Int64 = NDArray[np.int64]

LINES_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class PairLines:
    """The lines of training pairs.

    Attributes:
        rows: float32 [n_pieces, dimension], of all distinct lines one after the other; in a file without a name.
        offsets: int64 [n_lines + 1], where each line begins.
        references: int64 [n_pairs], which line is the reference of each pair.
        hypotheses: int64 [n_pairs], which is its hypothesis.
    """

    rows: Float32
    offsets: Int64
    references: Int64
    hypotheses: Int64

    def __len__(self) -> int:
        return self.references.size

    @property
    def lengths(self) -> Int64:
        """Pieces of both sides of each pair, int64 [n_pairs]."""
        sizes = np.diff(self.offsets)
        return np.asarray(sizes[self.references] + sizes[self.hypotheses])

    def batch(self, pairs: Int64, device: torch.device) -> Batch:
        """Some of the pairs, each distinct line once."""
        sides = self.references[pairs], self.hypotheses[pairs]
        lines, places = np.unique(np.concatenate(sides), return_inverse=True)
        lengths = np.diff(self.offsets)[lines]
        rows = np.zeros(
            (lines.size, max(1, int(lengths.max(initial=0))), self.rows.shape[1]), dtype=np.float32
        )
        for place, line in enumerate(lines.tolist()):
            rows[place, : lengths[place]] = self.rows[self.offsets[line] : self.offsets[line + 1]]
        given = (rows, lengths, places[: pairs.size], places[pairs.size :])
        return Batch(*(torch.from_numpy(one).to(device) for one in given))


def uniform_mix(layers: int, used: int | None = None) -> Float32:
    """The same share for each layer, float32 [layers]; with ``used`` for the first ones alone."""
    used = layers if used is None else used
    mix = np.zeros(layers, dtype=np.float32)
    mix[:used] = 1.0 / used
    return mix


def numbered_lines(references: Sequence[str], hypotheses: Sequence[str]) -> tuple[list[str], Int64, Int64]:
    """The distinct lines of pairs, and the number of each side's line: int64 [n_pairs] each."""
    numbers: dict[str, int] = {}
    one, other = (
        np.array([numbers.setdefault(line, len(numbers)) for line in side], dtype=np.int64)
        for side in (references, hypotheses)
    )
    return list(numbers), one, other


def encode_pairs(
    encoder: Any, mix: Float32, references: Sequence[str], hypotheses: Sequence[str]
) -> PairLines:
    """Encodes every distinct line of some pairs once.

    Args:
        encoder: The encoder.
        mix: Share of each layer, float32 [n_layers].
        references: One side of each pair.
        hypotheses: The other.

    Raises:
        PfsmError: If the temporary file cannot be written.
    """
    lines, *sides = numbered_lines(references, hypotheses)
    offsets = [0]
    layers = np.flatnonzero(mix).tolist()
    shares = mix.astype(np.float64)
    try:
        with tempfile.TemporaryFile() as file, Stage("training", "encoding", len(lines), "lines") as stage:
            for first in range(0, len(lines), LINES_AT_ONCE):
                some = lines[first : first + LINES_AT_ONCE]
                for states in encoder.states(some, layers):
                    rows = mixed_layers(np.ascontiguousarray(states.values), shares[layers], EPSILON)
                    file.write(rows.tobytes())
                    offsets.append(offsets[-1] + rows.shape[0])
                stage.advance(len(some))
            file.flush()
            shape = (offsets[-1], encoder.dimension)
            rows = (
                np.memmap(file, np.float32, "r", shape=shape) if offsets[-1] else np.zeros(shape, np.float32)
            )
    except OSError as error:
        raise PfsmError(
            f"the temporary file of the encoder's vectors: {error.strerror}; free some space"
        ) from None
    return PairLines(rows, np.array(offsets, dtype=np.int64), sides[0], sides[1])


class SequenceLines:
    """The lines of training pairs, in pieces.

    Attributes:
        references: int64 [n_pairs], which line is the reference of each pair.
        hypotheses: int64 [n_pairs], which is its hypothesis.
        lengths: int64 [n_pairs], pieces of both sides.
        sizes: int64 [n_lines], pieces of each distinct line, in the order in which they come first.
    """

    def __init__(
        self, encoder: FolderEncoder, weights: Weights, references: Sequence[str], hypotheses: Sequence[str]
    ) -> None:
        lines, self.references, self.hypotheses = numbered_lines(references, hypotheses)
        self._windows = [encoder.windows(line) for line in lines]
        self.sizes = np.array([sum(one.end - one.first for one in windows) for windows in self._windows])
        self.lengths: Int64 = self.sizes[self.references] + self.sizes[self.hypotheses]
        self._weights, self._epsilon = weights, encoder.shape.epsilon

    def __len__(self) -> int:
        return self.references.size

    def batch(self, pairs: Int64, device: torch.device) -> SequenceBatch:
        """Some of the pairs, each distinct line once."""
        sides = self.references[pairs], self.hypotheses[pairs]
        lines, places = np.unique(np.concatenate(sides), return_inverse=True)
        rest = (self.sizes[lines], places[: pairs.size], places[pairs.size :])
        return SequenceBatch(
            self.sequences(lines, device), *(torch.from_numpy(one).to(device) for one in rest)
        )

    def sequences(self, lines: Int64, device: torch.device) -> Sequences:
        """Some of the lines, by number."""
        parts = [window.ids for line in lines.tolist() for window in self._windows[line]]
        lengths = np.array([part.size for part in parts], dtype=np.int64)
        ids = np.zeros((len(parts), int(lengths.max())), dtype=np.int64)
        for row, part in enumerate(parts):
            ids[row, : part.size] = part
        return Sequences(
            self._embedded(ids).to(device),
            torch.from_numpy(lengths).to(device),
            torch.from_numpy(self._inner(lines, ids.shape[1])).to(device),
        )

    def _embedded(self, ids: Int64) -> Tensor:
        rows = self._weights.words[ids] + self._weights.positions[: ids.shape[1]]
        norm = self._weights.norm
        scale, shift = (torch.from_numpy(one) for one in (norm.scale, norm.shift))
        return nn.functional.layer_norm(torch.from_numpy(rows), rows.shape[-1:], scale, shift, self._epsilon)

    def _inner(self, lines: Int64, longest: int) -> Int64:
        """For each piece of each line its place in the flattened sequences, without marks."""
        inner = np.zeros((lines.size, max(1, int(self.sizes[lines].max(initial=0)))), dtype=np.int64)
        sequence = 0
        for row, line in enumerate(lines.tolist()):
            own = []
            for window in self._windows[line]:
                own.append(sequence * longest + np.arange(window.first, window.end))
                sequence += 1
            places = np.concatenate(own)
            inner[row, : places.size] = places
        return inner
