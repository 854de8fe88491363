"""The layers of an encoder of BERT's family in PyTorch, to be tuned: the graph of `pfsm.embeddings.bert_graph`.

The embeddings stay as they are, so sequences come embedded. With ``full`` all weights of the layers are learned, with
``lora`` a matrix of low rank that is added to each of theirs (Hu et al., 2022).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pfsm.embeddings.bert_weights import (
    ACTIVATIONS,
    BIAS,
    DOWN,
    LINEARS,
    NORMS,
    SCALING,
    SHIFT,
    UP,
    WEIGHT,
    Layer,
    Linear,
    Norm,
    Shape,
    Weights,
    tuned_name,
)
from pfsm.encoder.heads import EPSILON, Head
from pfsm_training.encoder.network import Batch, HeadNetwork
from pfsm_training.options import FULL, HALF

RANK = 8
DROPOUT = 0.1
Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Sequences:
    """Embedded pieces, with the marks of beginning and end, padded to the longest.

    Attributes:
        embedded: float32 [n_sequences, longest, d], after the norm of the embeddings.
        lengths: int64 [n_sequences], marks included.
        inner: int64 [n_lines, longest line], for each piece of each line its place in the flattened sequences; padding
            points anywhere.
    """

    embedded: Tensor
    lengths: Tensor
    inner: Tensor


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


class LayersNetwork(nn.Module):
    """Layers up to the last that is used.

    Args:
        weights: The encoder's, up to that layer.
        shape: Its configuration.
        mix: Share of each layer, float32 [n_layers + 1], the embeddings first.
        tune: ``full`` or ``lora``.
        precision: Of matrix products, ``float32`` or ``bfloat16``.
    """

    def __init__(self, weights: Weights, shape: Shape, mix: Array, tune: str, precision: str) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(0)
        self.layers = nn.ModuleList(_LayerNetwork(layer, shape, tune, random) for layer in weights.layers)
        self._mix = mix.tolist()[: len(weights.layers) + 1]
        self._half = precision == HALF
        distances = weights.distances
        self._distances = None if distances is None else torch.from_numpy(distances)

    def forward(self, given: Sequences) -> Tensor:
        """The mixed layers of each line's pieces, float32 [n_lines, longest line, d]; padding is any numbers."""
        x = given.embedded
        places = torch.arange(x.shape[1], device=x.device)
        mask = torch.where(places < given.lengths[:, None], 0.0, -math.inf)[:, None, None, :]
        if self._distances is not None:
            middle = self._distances.shape[1] // 2
            by_distance = self._distances.to(x.device)[:, places[None, :] - places[:, None] + middle]
            mask = mask + by_distance
        mixed = self._mix[0] * _standard(x)
        for layer, share in zip(self.layers, self._mix[1:], strict=True):
            with torch.autocast(x.device.type, torch.bfloat16, enabled=self._half):
                x = layer(x, mask)
            if share:
                mixed = mixed + share * _standard(x)
        lines: Tensor = mixed.flatten(0, 1)[given.inner]
        return lines

    @torch.no_grad()
    def tuned(self) -> dict[str, Array]:
        """What was learned, by name."""
        return {
            tuned_name(number, part, what): values
            for number, layer in enumerate(self.layers)
            for (part, what), values in _learned(layer).items()
        }


class _LayerNetwork(nn.Module):
    def __init__(self, layer: Layer, shape: Shape, tune: str, random: torch.Generator) -> None:
        super().__init__()
        self._heads = shape.heads
        self._activation = ACTIVATIONS[shape.activation]
        self.linears = nn.ModuleDict(
            {part: _LinearNetwork(getattr(layer, part), tune, random) for part in LINEARS}
        )
        self.norms = nn.ModuleDict(
            {part: _NormNetwork(getattr(layer, part), shape.epsilon, tune) for part in NORMS}
        )
        self.dropout = _Dropout(DROPOUT)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        attended = self.linears["output"](self._attention(self.linears["query_key_value"](x), mask))
        x = self.norms["output_norm"](_wide(self.dropout(attended)) + x)
        inner = self.linears["first"](x)
        active = nn.functional.gelu(inner, approximate=self._activation) if self._activation else inner.relu()
        result: Tensor = self.norms["norm"](_wide(self.dropout(self.linears["second"](active))) + x)
        return result

    def _attention(self, given: Tensor, mask: Tensor) -> Tensor:
        lines, length, three = given.shape
        query, key, value = given.view(lines, length, 3, self._heads, -1).permute(2, 0, 3, 1, 4)
        shares = torch.softmax(_wide(query @ key.transpose(2, 3)) + mask, dim=-1)
        mixed: Tensor = (shares @ value).transpose(1, 2).reshape(lines, length, three // 3)
        return mixed


class _Dropout(nn.Dropout):
    """PyTorch's, which draws from the process's generator, or with the same result from one of its own."""

    random: torch.Generator | None = None

    def forward(self, x: Tensor) -> Tensor:
        if self.random is None or not self.training:
            return super().forward(x)
        share = 1.0 - self.p
        return x * torch.empty_like(x).bernoulli_(share, generator=self.random).div_(share)


def draw_from(network: nn.Module, random: torch.Generator | None) -> None:
    """Sets what the dropout of a network draws from; None: the process's generator."""
    for module in network.modules():
        if isinstance(module, _Dropout):
            module.random = random


def _learned(layer: nn.Module) -> dict[tuple[str, str], Array]:
    """The parameters of a layer, by part and name."""
    return {
        (name.split(".")[1], name.split(".")[2]): values.detach().cpu().numpy().astype(np.float32)
        for name, values in layer.named_parameters()
    }


class _LinearNetwork(nn.Module):
    """``x @ weight.T + bias``; its parameters have the names that they are stored by."""

    weight: Tensor
    bias: Tensor
    down: Tensor
    up: Tensor

    def __init__(self, linear: Linear, tune: str, random: torch.Generator) -> None:
        super().__init__()
        weight, bias = torch.tensor(linear.weight.T.copy()), torch.tensor(linear.bias)
        if tune == FULL:
            self.register_parameter(WEIGHT, nn.Parameter(weight))
            self.register_parameter(BIAS, nn.Parameter(bias))
            return
        self.register_buffer(WEIGHT, weight)
        self.register_buffer(BIAS, bias)
        d_out, d_in = weight.shape
        start = torch.randn(RANK, d_in, generator=random) / math.sqrt(d_in)
        self.register_parameter(DOWN, nn.Parameter(start))
        self.register_parameter(UP, nn.Parameter(torch.zeros(d_out, RANK)))

    def forward(self, x: Tensor) -> Tensor:
        y = nn.functional.linear(x, self.weight, self.bias)
        if hasattr(self, DOWN):
            y = y + nn.functional.linear(nn.functional.linear(x, self.down), self.up)
        return y


class _NormNetwork(nn.Module):
    scale: Tensor
    shift: Tensor

    def __init__(self, norm: Norm, epsilon: float, tune: str) -> None:
        super().__init__()
        self._epsilon = epsilon
        for name, values in ((SCALING, norm.scale), (SHIFT, norm.shift)):
            if tune == FULL:
                self.register_parameter(name, nn.Parameter(torch.tensor(values)))
            else:
                self.register_buffer(name, torch.tensor(values))

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = nn.functional.layer_norm(
            _wide(x), x.shape[-1:], self.scale, self.shift, self._epsilon
        )
        return result


def _wide(x: Tensor) -> Tensor:
    """What products in bfloat16 came to, in float32; sums and norms need its digits."""
    return x.float() if x.dtype == torch.bfloat16 else x


def _standard(x: Tensor) -> Tensor:
    """Each state with mean 0 and variance 1, as the head mixes them."""
    return nn.functional.layer_norm(x, x.shape[-1:], eps=EPSILON)


# AdamW's rates of the layers; matrices of low rank start at nothing and need a larger one.
FULL_RATE, LORA_RATE, DECAY = 1e-4, 1e-3, 0.01


class TunedNetwork(nn.Module):
    """Values of pairs from the pieces of their lines.

    Args:
        layers: The encoder's layers.
        dimension: Components of a state.
        tune: ``full`` or ``lora``.
        relative: As of `HeadNetwork`.
    """

    def __init__(self, layers: LayersNetwork, dimension: int, tune: str, *, relative: bool = False) -> None:
        super().__init__()
        self.layers, self.upper = layers, HeadNetwork(dimension, relative=relative)
        self._rate = FULL_RATE if tune == FULL else LORA_RATE

    def forward(self, batch: SequenceBatch) -> Tensor:
        """Values of pairs, float64 [n_pairs]."""
        return self.upper.value(self.parts(batch))

    def parts(self, batch: SequenceBatch) -> Tensor:
        """What the value is a weighted sum of, float64 [n_pairs, 6], as `pfsm.encoder.heads.PARTS`."""
        rows = self.layers(batch.sequences)
        return self.upper.parts(Batch(rows, batch.lengths, batch.references, batch.hypotheses))

    @property
    def left_out(self) -> float:
        """As of `HeadNetwork`."""
        return self.upper.left_out

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
