"""The weights of an encoder of BERT's family, under whatever names its checkpoint stores them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.safetensors import SCALE, BlockRows, Rows, quantised
from pfsm.errors import PfsmError

Array = NDArray[np.float32]
FAMILIES = ("bert", "roberta", "xlm-roberta", "camembert", "distilbert", "mpnet")
# In these families positions are counted from the padding id, which never occurs in their texts.
_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert"})
# Its positions are counted from 2, whatever the padding.
_MPNET = "mpnet"
_PREFIXES = ("", "bert.", "roberta.", "distilbert.", "mpnet.")
_DISTIL = {
    "attention.self.query": "attention.q_lin",
    "attention.self.key": "attention.k_lin",
    "attention.self.value": "attention.v_lin",
    "attention.output.dense": "attention.out_lin",
    "attention.output.LayerNorm": "sa_layer_norm",
    "intermediate.dense": "ffn.lin1",
    "output.dense": "ffn.lin2",
    "output.LayerNorm": "output_layer_norm",
}
_MPNETS = {
    "attention.self.query": "attention.attn.q",
    "attention.self.key": "attention.attn.k",
    "attention.self.value": "attention.attn.v",
    "attention.output.dense": "attention.attn.o",
    "attention.output.LayerNorm": "attention.LayerNorm",
}
_OWN_NAMES = {"distilbert": _DISTIL, _MPNET: _MPNETS}
_NO_SEGMENTS = frozenset({"distilbert", _MPNET})
ACTIVATIONS = {"gelu": "none", "gelu_new": "tanh", "gelu_pytorch_tanh": "tanh", "relu": ""}


@dataclass(frozen=True)
class Shape:
    """The properties of a network given in its configuration.

    Attributes:
        family: One of ``FAMILIES``.
        layers: Number of layers.
        heads: Number of attention heads.
        epsilon: Epsilon of the layer normalisations.
        activation: One of ``ACTIVATIONS``.
        first_position: Row of the position embeddings for the first piece.
    """

    family: str
    layers: int
    heads: int
    epsilon: float
    activation: str
    first_position: int


@dataclass(frozen=True, eq=False)
class Linear:
    """``x @ weight + bias``.

    Attributes:
        stored: The weight, float32 [d_in, d_out], or its transpose in 4 bits.
        bias: float32 [d_out].
    """

    stored: Array | BlockRows
    bias: Array

    @property
    def weight(self) -> Array:
        """float32 [d_in, d_out]."""
        return self.stored if isinstance(self.stored, np.ndarray) else np.ascontiguousarray(self.stored[:].T)


@dataclass(frozen=True, eq=False)
class Norm:
    """A layer normalisation: float32 [d] each."""

    scale: Array
    shift: Array


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer; queries are already scaled, so that attention is ``softmax(q @ k.T) @ v``."""

    query_key_value: Linear
    output: Linear
    output_norm: Norm
    first: Linear
    second: Linear
    norm: Norm


@dataclass(frozen=True, eq=False)
class Weights:
    """An encoder.

    Attributes:
        words: [n_pieces, d], read by rows.
        positions: float32 [n_positions, d]; the embedding of the first segment is added to each row.
        norm: Layer normalisation of the embeddings.
        layers: As many layers as are needed.
        distances: float32 [heads, 2 n_positions - 1], what is added to the scores of attention for each distance, from
            the key farthest to the left; None: nothing.
    """

    words: Rows
    positions: Array
    norm: Norm
    layers: tuple[Layer, ...]
    distances: Array | None = None


def read_shape(config: Mapping[str, Any], where: str) -> Shape:
    """The properties of the network given in ``config.json``.

    Raises:
        PfsmError: If the family is unknown or an entry is missing.
    """
    family = config.get("model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        raise PfsmError(
            f"{where}: model_type is {family!r}, only {', '.join(FAMILIES)} are known; export the model to ONNX and "
            "give a folder with model.onnx and tokenizer.json"
        )
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise PfsmError(
            f"{where}: position_embedding_type must be absolute; export the model to ONNX instead"
        )
    distilled = family == "distilbert"
    activation = config.get("activation" if distilled else "hidden_act", "gelu")
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        raise PfsmError(
            f"{where}: the activation is {activation!r}, one of {', '.join(ACTIVATIONS)} is needed"
        )
    try:
        layers = int(config["n_layers" if distilled else "num_hidden_layers"])
        heads = int(config["n_heads" if distilled else "num_attention_heads"])
        epsilon = float(config.get("layer_norm_eps", 1e-12))
        padding = int(config.get("pad_token_id", 1)) if family in _OFFSET_POSITIONS else -1
        padding = 1 if family == _MPNET else padding
    except (KeyError, TypeError, ValueError):
        raise PfsmError(f"{where}: the numbers of layers and heads are missing or not numbers") from None
    if layers < 0 or heads < 1:
        raise PfsmError(f"{where}: {layers} layers of {heads} heads are not possible")
    return Shape(str(family), layers, heads, epsilon, str(activation), padding + 1)


def take_weights(tensors: Mapping[str, Rows], shape: Shape, layers: int, where: str) -> Weights:
    """The weights of the embeddings and of the first layers.

    Args:
        tensors: The checkpoint.
        shape: The properties in its configuration.
        layers: How many layers are needed.
        where: What to call the checkpoint in errors.

    Raises:
        PfsmError: If a tensor is missing, or sizes do not fit together.
    """
    return _Checkpoint(tensors, shape, where).weights(layers)


# Of MPNet (Song et al., 2020), as in T5 (Raffel et al., 2020, section 2.1).
_BUCKETS, _FARTHEST = 32, 128


def _bucket(distances: NDArray[np.int64]) -> NDArray[np.int64]:
    """The kind of each distance of a key from its query, int64 [n]."""
    half = _BUCKETS // 2
    exact = half // 2
    far = np.maximum(np.abs(distances), 1).astype(np.float32)
    # In float32, as the network was trained.
    ranges = (
        np.log(far / np.float32(exact)) / np.float32(np.log(_FARTHEST / exact)) * np.float32(half - exact)
    )
    wide = np.minimum(exact + ranges.astype(np.int64), half - 1)
    near: NDArray[np.int64] = np.where(np.abs(distances) < exact, np.abs(distances), wide)
    return near + half * (distances > 0)


class _Checkpoint:
    """Tensors under the names of BERT's checkpoints."""

    def __init__(self, tensors: Mapping[str, Rows], shape: Shape, where: str) -> None:
        self._tensors = tensors
        self._shape = shape
        self._where = where
        first = "embeddings.word_embeddings.weight"
        self._prefix = next((prefix for prefix in _PREFIXES if prefix + first in tensors), "")

    def weights(self, layers: int) -> Weights:
        words = self._stored("embeddings.word_embeddings.weight")
        if len(words.shape) != 2 or words.shape[1] % self._shape.heads:
            raise PfsmError(f"{self._where}: vectors of {words.shape[1:]} do not divide among the heads")
        d = words.shape[1]
        positions = self._get("embeddings.position_embeddings.weight", -1, d)[self._shape.first_position :]
        if self._shape.family not in _NO_SEGMENTS:
            positions = positions + self._get("embeddings.token_type_embeddings.weight", -1, d)[:1]
        norm = self._norm("embeddings.LayerNorm", d)
        own = tuple(self._layer(number, d) for number in range(layers))
        return Weights(words, positions, norm, own, self._distances(len(positions)))

    def _distances(self, positions: int) -> Array | None:
        if self._shape.family != _MPNET:
            return None
        buckets = self._get("encoder.relative_attention_bias.weight", -1, self._shape.heads)
        if len(buckets) < _BUCKETS:
            raise PfsmError(f"{self._where}: {len(buckets)} kinds of distances, {_BUCKETS} are needed")
        return np.ascontiguousarray(buckets[_bucket(np.arange(1 - positions, positions))].T)

    def _layer(self, number: int, d: int) -> Layer:
        stem = f"{'transformer' if self._shape.family == 'distilbert' else 'encoder'}.layer.{number}."
        query, key, value = (
            self._linear(stem, f"attention.self.{what}", d, d) for what in ("query", "key", "value")
        )
        scale = np.float32(1.0 / np.sqrt(d / self._shape.heads))
        first = self._linear(stem, "intermediate.dense", d, -1)
        return Layer(
            _beside(Linear(_scaled(query.stored, scale), query.bias * scale), key, value),
            self._linear(stem, "attention.output.dense", d, d),
            self._norm(stem + self._own("attention.output.LayerNorm"), d),
            first,
            self._linear(stem, "output.dense", first.bias.size, d),
            self._norm(stem + self._own("output.LayerNorm"), d),
        )

    def _own(self, name: str) -> str:
        return _OWN_NAMES.get(self._shape.family, {}).get(name, name)

    def _linear(self, stem: str, name: str, d_in: int, d_out: int) -> Linear:
        stem += self._own(name)
        weight = self._stored(f"{stem}.weight", d_out, d_in)
        stored = weight if isinstance(weight, BlockRows) else np.ascontiguousarray(weight[:].T)
        return Linear(stored, self._get(f"{stem}.bias", weight.shape[0]))

    def _norm(self, stem: str, d: int) -> Norm:
        # Checkpoints converted from TensorFlow have gamma and beta.
        old = self._prefix + f"{stem}.gamma" in self._tensors
        scale, shift = ("gamma", "beta") if old else ("weight", "bias")
        return Norm(self._get(f"{stem}.{scale}", d), self._get(f"{stem}.{shift}", d))

    def _get(self, name: str, *sizes: int) -> Array:
        """A tensor; ``sizes`` are its required sizes, -1 for any."""
        return self._stored(name, *sizes)[:]

    def _stored(self, name: str, *sizes: int) -> Rows:
        """As `_get`, as the file holds it."""
        tensor = self._tensors.get(self._prefix + name)
        if tensor is None:
            raise PfsmError(f"{self._where}: has no tensor {name}; is it an encoder of {self._shape.family}?")
        if sizes and not _fits(tensor, sizes):
            raise PfsmError(f"{self._where}: the tensor {name} has the wrong shape {tensor.shape}")
        return tensor


def _scaled(weight: Array | BlockRows, scale: np.float32) -> Array | BlockRows:
    return weight * scale if isinstance(weight, np.ndarray) else replace(weight, scale=weight.scale * scale)


def _beside(*parts: Linear) -> Linear:
    """One map with the outputs of all."""
    bias = np.concatenate([part.bias for part in parts])
    blocks = [part.stored for part in parts if isinstance(part.stored, BlockRows)]
    if len(blocks) < len(parts):
        return Linear(np.concatenate([part.weight for part in parts], axis=1), bias)
    halves, scale = (np.concatenate([getattr(one, what) for one in blocks]) for what in ("halves", "scale"))
    return Linear(BlockRows(halves, scale), bias)


Tuned = Mapping[str, Array]
LINEARS = ("query_key_value", "output", "first", "second")
NORMS = ("output_norm", "norm")
WEIGHT, BIAS, DOWN, UP = "weight", "bias", "down", "up"
SCALING, SHIFT = "scale", "shift"
_STEM = "layer."
_NAME = re.compile(
    rf"layer\.(?P<layer>0|[1-9][0-9]{{0,2}})\.(?:(?:{'|'.join(LINEARS)})\.(?:{WEIGHT}|{BIAS}|{DOWN}|{UP})"
    rf"|(?:{'|'.join(NORMS)})\.(?:{SCALING}|{SHIFT}))"
)


def is_tuned(name: str) -> bool:
    """Whether an array is one of these."""
    return name.startswith(_STEM)


def tuned_name(layer: int, part: str, what: str) -> str:
    """Name of an array."""
    return f"{_STEM}{layer}.{part}.{what}"


def stored_tensors(tuned: Tuned) -> dict[str, NDArray[Any]]:
    """The arrays as a file holds them: matrices that replace others as int8 and scales."""
    stored: dict[str, NDArray[Any]] = {}
    for name, values in tuned.items():
        if name.endswith(f".{WEIGHT}"):
            stored[name], stored[name + SCALE] = quantised(values)
        else:
            stored[name] = values.astype(np.float32)
    return stored


def tuned_layers(names: Iterable[str]) -> list[int]:
    """The layers that something was learned of, counted from 0."""
    return sorted({int(match["layer"]) for name in names if (match := _NAME.fullmatch(name))})


def with_tuned(weights: Weights, tuned: Tuned, layers: int, where: str) -> Weights:
    """The weights with what was learned in place of what it replaces.

    Args:
        weights: The encoder's, up to some layer.
        tuned: What was learned; of layers above, nothing is used.
        layers: How many the whole encoder has.
        where: What to call it in errors.

    Raises:
        PfsmError: If a name or a shape does not fit the encoder.
    """
    for name in tuned:
        match = _NAME.fullmatch(name)
        if match is None or int(match["layer"]) >= layers:
            raise PfsmError(f"{where}: has the array {name!r}, which this encoder has no place for")
    own = [_tuned_layer(layer, number, tuned, where) for number, layer in enumerate(weights.layers)]
    return replace(weights, layers=tuple(own))


def _tuned_layer(layer: Layer, number: int, tuned: Tuned, where: str) -> Layer:
    def get(part: str, what: str, *sizes: int) -> Array | None:
        name = tuned_name(number, part, what)
        values = tuned.get(name)
        if values is not None and not _fits(values, sizes):
            raise PfsmError(
                f"{where}: {name} has the shape {list(values.shape)}, the encoder needs {list(sizes)}"
            )
        return values

    parts: dict[str, Linear | Norm] = {}
    for part in NORMS:
        norm: Norm = getattr(layer, part)
        scale, shift = (get(part, what, *norm.scale.shape) for what in (SCALING, SHIFT))
        parts[part] = Norm(norm.scale if scale is None else scale, norm.shift if shift is None else shift)
    for part in LINEARS:
        if not any(tuned_name(number, part, what) in tuned for what in (WEIGHT, BIAS, DOWN, UP)):
            continue  # as it is stored
        linear: Linear = getattr(layer, part)
        new = linear.weight
        d_in, d_out = new.shape
        weight, bias = get(part, WEIGHT, d_out, d_in), get(part, BIAS, d_out)
        if weight is not None:
            new = np.ascontiguousarray(weight.T)
        down, up = get(part, DOWN, -1, d_in), get(part, UP, d_out, -1)
        if down is not None and up is not None and len(down) == up.shape[1]:
            # Added up in a fixed order, in float64, so that every processor gets the same weights.
            more = np.einsum("ri,or->io", down.astype(np.float64), up.astype(np.float64))
            new = (new + more).astype(np.float32)
        elif down is not None or up is not None:
            raise PfsmError(f"{where}: {tuned_name(number, part, DOWN)} and {UP} do not fit together")
        parts[part] = Linear(new, linear.bias if bias is None else bias)
    return replace(layer, **parts)  # type: ignore[arg-type]


def _fits(tensor: Rows, sizes: Sequence[int]) -> bool:
    """Whether a tensor has the required sizes, -1 for any."""
    return len(tensor.shape) == len(sizes) and all(
        size in {-1, own} for size, own in zip(sizes, tensor.shape, strict=True)
    )
