"""What training changed of an encoder's layers, under names of its own, whatever the family of the network.

``layer.3.first.weight`` replaces a matrix of layer 3 (counted from 0), float32 [d_out, d_in]. It is stored as int8 with
a scale for each row. ``layer.3.first.down`` [r, d_in] and ``layer.3.first.up`` [d_out, r] are added to the matrix as
their product (LoRA: Hu et al., 2022). ``.bias``, ``.scale`` and ``.shift`` replace vectors. The embeddings stay as they
are.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.bert_weights import Layer, Linear, Norm, Weights
from pfsm.embeddings.safetensors import SCALE, quantised
from pfsm.errors import PfsmError

Array = NDArray[np.float32]
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
    own = [_layer(layer, number, tuned, where) for number, layer in enumerate(weights.layers)]
    return replace(weights, layers=tuple(own))


def _layer(layer: Layer, number: int, tuned: Tuned, where: str) -> Layer:
    parts: dict[str, Any] = {
        part: _linear(getattr(layer, part), number, part, tuned, where) for part in LINEARS
    }
    parts |= {part: _norm(getattr(layer, part), number, part, tuned, where) for part in NORMS}
    return replace(layer, **parts)


def _linear(linear: Linear, number: int, part: str, tuned: Tuned, where: str) -> Linear:
    d_in, d_out = linear.weight.shape

    def get(what: str, shape: tuple[int, ...]) -> Array | None:
        return _fitting(tuned, tuned_name(number, part, what), shape, where)

    weight, bias = get(WEIGHT, (d_out, d_in)), get(BIAS, (d_out,))
    new = linear.weight if weight is None else np.ascontiguousarray(weight.T)
    down, up = get(DOWN, (-1, d_in)), get(UP, (d_out, -1))
    if (down is None) != (up is None) or (down is not None and up is not None and len(down) != up.shape[1]):
        raise PfsmError(f"{where}: {tuned_name(number, part, DOWN)} and {UP} do not fit together")
    if down is not None and up is not None:
        # Added up in a fixed order, in float64, so that every processor gets the same weights.
        new = (new + np.einsum("ri,or->io", down.astype(np.float64), up.astype(np.float64))).astype(
            np.float32
        )
    return Linear(new, linear.bias if bias is None else bias)


def _norm(norm: Norm, number: int, part: str, tuned: Tuned, where: str) -> Norm:
    scale, shift = (
        _fitting(tuned, tuned_name(number, part, what), norm.scale.shape, where) for what in (SCALING, SHIFT)
    )
    return Norm(norm.scale if scale is None else scale, norm.shift if shift is None else shift)


def _fitting(tuned: Tuned, name: str, shape: tuple[int, ...], where: str) -> Array | None:
    """An array, if it is there; -1 in ``shape`` is any size."""
    values = tuned.get(name)
    if values is None:
        return None
    if values.ndim != len(shape) or any(
        size not in {-1, own} for size, own in zip(shape, values.shape, strict=True)
    ):
        raise PfsmError(
            f"{where}: {name} has the shape {list(values.shape)}, the encoder needs {list(shape)}"
        )
    return values
