"""The pieces of all training lines, to be computed anew in every pass while the encoder's layers are tuned."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pfsm.embeddings.bert_weights import Weights
from pfsm.embeddings.folder import FolderEncoder
from pfsm_training.encoder.pieces import numbered_lines
from pfsm_training.encoder.transformer import Sequences

Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SequenceBatch:
    """Pairs whose lines are still to be encoded.

    Attributes:
        sequences: The distinct lines.
        lengths: int64 [n_lines], pieces of each.
        references: int64 [n_pairs], which line is the reference of each pair.
        hypotheses: int64 [n_pairs], which is its hypothesis.
    """

    sequences: Sequences
    lengths: Tensor
    references: Tensor
    hypotheses: Tensor


class SequenceLines:
    """The lines of training pairs, in pieces.

    Args:
        encoder: The encoder.
        weights: Its embeddings.
        references: One side of each pair.
        hypotheses: The other.

    Attributes:
        references: int64 [n_pairs], which line is the reference of each pair.
        hypotheses: int64 [n_pairs], which is its hypothesis.
        lengths: int64 [n_pairs], pieces of both sides.
    """

    def __init__(
        self, encoder: FolderEncoder, weights: Weights, references: Sequence[str], hypotheses: Sequence[str]
    ) -> None:
        lines, self.references, self.hypotheses = numbered_lines(references, hypotheses)
        self._parts = [encoder.sequences(line) for line in lines]
        self._marks = tuple(mark.size for mark in encoder.tokenizer.marks)
        around = sum(self._marks)
        self._sizes = np.array([sum(part.size - around for part in parts) for parts in self._parts])
        self.lengths: Int64 = self._sizes[self.references] + self._sizes[self.hypotheses]
        self._weights, self._epsilon = weights, encoder.shape.epsilon

    def __len__(self) -> int:
        return self.references.size

    def batch(self, pairs: Int64, device: torch.device) -> SequenceBatch:
        """Some of the pairs, each distinct line once."""
        sides = self.references[pairs], self.hypotheses[pairs]
        lines, places = np.unique(np.concatenate(sides), return_inverse=True)
        parts = [part for line in lines.tolist() for part in self._parts[line]]
        lengths = np.array([part.size for part in parts], dtype=np.int64)
        ids = np.zeros((len(parts), int(lengths.max())), dtype=np.int64)
        for row, part in enumerate(parts):
            ids[row, : part.size] = part
        given = Sequences(
            self._embedded(ids).to(device),
            torch.from_numpy(lengths).to(device),
            torch.from_numpy(self._inner(lines, lengths, ids.shape[1])).to(device),
        )
        rest = (self._sizes[lines], places[: pairs.size], places[pairs.size :])
        return SequenceBatch(given, *(torch.from_numpy(one).to(device) for one in rest))

    def _embedded(self, ids: Int64) -> Tensor:
        rows = self._weights.words[ids] + self._weights.positions[: ids.shape[1]]
        norm = self._weights.norm
        scale, shift = (torch.from_numpy(one) for one in (norm.scale, norm.shift))
        return nn.functional.layer_norm(torch.from_numpy(rows), rows.shape[-1:], scale, shift, self._epsilon)

    def _inner(self, lines: Int64, lengths: Int64, longest: int) -> Int64:
        """For each piece of each line its place in the flattened sequences, without marks."""
        before, after = self._marks
        inner = np.zeros((lines.size, max(1, int(self._sizes[lines].max(initial=0)))), dtype=np.int64)
        sequence = 0
        for row, line in enumerate(lines.tolist()):
            own = []
            for _ in self._parts[line]:
                first = sequence * longest
                own.append(np.arange(first + before, first + int(lengths[sequence]) - after))
                sequence += 1
            places = np.concatenate(own)
            inner[row, : places.size] = places
        return inner
