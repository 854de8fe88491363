"""What a labeller's file says of nominal predicates: three arrays, and ``nominal`` in its header."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.parser.parameters import Matrix
from pfsm.analysis.parser.weights import SCALE, quantised, restored

# Features of nouns are known by so many bits of their numbers.
NOUN_BITS = 24
_KEYS, _WEIGHTS, _STATE = "nouns.keys", "nouns.weights", "nouns.state"
_NUMBERS = ("bias", "temperature", "threshold")


@dataclass(frozen=True, eq=False)
class NominalWeights:
    """Weights of `pfsm.analysis.labeller.nominals`, and how arguments of nouns are decided.

    Attributes:
        keys: int32 [n_features], the lowest `NOUN_BITS` bits of each known feature, ascending.
        weights: float32 [n_features], their weights.
        state: float32 [state size], the weights of a noun's state.
        labels: Labels of spans that only nouns have, as AM-LVB, the verb of "made a decision"; their scores follow
            those of the others.
        bias: What is added for every noun.
        temperature: Scores of the arguments of nouns are divided by it.
        threshold: An argument of a noun is worth its probability less this.
    """

    keys: NDArray[np.int32] = field(repr=False)
    weights: Matrix = field(repr=False)
    state: Matrix = field(repr=False)
    labels: tuple[str, ...]
    bias: float
    temperature: float
    threshold: float


def nominal_header(weights: NominalWeights) -> dict[str, Any]:
    """The entry of the header."""
    return {"labels": list(weights.labels), **{name: getattr(weights, name) for name in _NUMBERS}}


def nominal_arrays(weights: NominalWeights) -> dict[str, NDArray[Any]]:
    """The arrays of the file. The weights of features are int8 with one scale for all."""
    steps, scale = quantised(weights.weights[None])
    return {
        _KEYS: weights.keys,
        _WEIGHTS: steps[0],
        _WEIGHTS + SCALE: scale,
        _STATE: weights.state.astype(np.float32),
    }


def nominal_weights(header: Mapping[str, Any], stored: Mapping[str, NDArray[Any]]) -> NominalWeights:
    """The weights from the header's entry and the file's arrays.

    Raises:
        KeyError: If one is missing.
        ValueError: If a number is none.
    """
    return NominalWeights(
        stored[_KEYS],
        restored(stored[_WEIGHTS][None], stored[_WEIGHTS + SCALE])[0],
        stored[_STATE],
        tuple(map(str, header["labels"])),
        *(float(header[name]) for name in _NUMBERS),
    )


def check_nominal(weights: NominalWeights, size: int) -> None:
    """Checks shapes and values.

    Args:
        weights: The weights.
        size: Length of a word's state.

    Raises:
        ValueError: If an array has another shape, or a value is out of its range.
    """
    keys = weights.keys
    if keys.dtype != np.int32 or keys.ndim != 1 or not keys.size or weights.weights.shape != keys.shape:
        raise ValueError("keys and weights of nouns do not fit together")
    if keys[0] < 0 or keys[-1] >> NOUN_BITS or (np.diff(keys) <= 0).any():
        raise ValueError("keys of nouns must ascend")
    if weights.state.shape != (size,) or weights.state.dtype != np.float32:
        raise ValueError(f"the weights of a noun's state must be float32 [{size}]")
    if not all(np.isfinite(array).all() for array in (weights.weights, weights.state, weights.bias)):
        raise ValueError("weights of nouns must be finite")
    if not 0.0 < weights.temperature < np.inf or not 0.0 <= weights.threshold <= 1.0:
        raise ValueError("temperature or threshold of nouns are out of range")
