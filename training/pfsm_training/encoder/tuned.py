"""The head together with the encoder's layers below it, learned as one."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pfsm.encoder.head import Head
from pfsm_training.encoder.network import Batch, HeadNetwork
from pfsm_training.encoder.sequences import SequenceBatch
from pfsm_training.encoder.transformer import LayersNetwork
from pfsm_training.options import FULL

# AdamW's rates of the layers; matrices of low rank start at nothing and need a larger one.
FULL_RATE, LORA_RATE, DECAY = 1e-4, 1e-3, 0.01


class TunedNetwork(nn.Module):
    """Values of pairs from the pieces of their lines.

    Args:
        layers: The encoder's layers.
        dimension: Components of a state.
        tune: ``full`` or ``lora``.
    """

    def __init__(self, layers: LayersNetwork, dimension: int, tune: str) -> None:
        super().__init__()
        self.layers, self.upper = layers, HeadNetwork(dimension)
        self._rate = FULL_RATE if tune == FULL else LORA_RATE

    def forward(self, batch: SequenceBatch) -> Tensor:
        """Values of pairs, float64 [n_pairs]."""
        return self.upper.value(self.parts(batch))

    def parts(self, batch: SequenceBatch) -> Tensor:
        """What the value is a weighted sum of, float64 [n_pairs, 6], as `pfsm.encoder.head.PARTS`."""
        rows = self.layers(batch.sequences)
        return self.upper.parts(Batch(rows, batch.lengths, batch.references, batch.hypotheses))

    def start(self, linear: Tensor, constant: float) -> None:
        """Sets the weights of the parts."""
        self.upper.start(linear, constant)

    def groups(self) -> list[dict[str, Any]]:
        """The parameters for AdamW, by rate and decay; vectors do not decay."""
        own = list(self.layers.parameters())
        matrices = {"params": [one for one in own if one.ndim > 1], "lr": self._rate, "weight_decay": DECAY}
        vectors = {"params": [one for one in own if one.ndim < 2], "lr": self._rate, "weight_decay": 0.0}
        return [matrices, vectors, *self.upper.groups()]

    @torch.no_grad()
    def head(self, mix: NDArray[np.float32]) -> Head:
        """What was learned; ``mix`` is the share of each layer, float32 [n_layers]."""
        return self.upper.head(mix, self.layers.tuned())
