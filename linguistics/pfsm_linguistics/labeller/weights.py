"""A labeller of semantic roles as a file (`pfsm.io.containers`); it stands beside the parser that it reads.

The header gives name, licence, sources, scores, labels, temperature, threshold and the number of layers; ``nominal`` is
there, with three arrays, if the labeller knows nominal predicates (`pfsm_linguistics.labeller.label`). Matrices are
int8 with one float32 scale per row, as in the file of a parser; vectors are float32, keys of features int32.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.io.containers import (
    Format,
    are_bounded,
    content_bytes,
    incomplete,
    is_temperature,
    read_content,
    write_content,
)
from pfsm.io.files import StrPath, is_line
from pfsm_linguistics.labeller.inputs import layers_of
from pfsm_linguistics.parser.weights import (
    SCALE,
    Matrix,
    ParserWeights,
    check_shapes,
    quantised,
    restored_arrays,
    stored_arrays,
)

# Features of nouns are known by so many bits of their numbers.
NOUN_BITS = 24
_KEYS, _WEIGHTS, _STATE = "nouns.keys", "nouns.weights", "nouns.state"
_NUMBERS = ("bias", "temperature", "threshold")


@dataclass(frozen=True, eq=False)
class NominalWeights:
    """Weights of `pfsm_linguistics.labeller.label`, and how arguments of nouns are decided.

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


def _check_nominal(weights: NominalWeights, size: int) -> None:
    keys = weights.keys
    if keys.dtype != np.int32 or keys.ndim != 1 or not keys.size or weights.weights.shape != keys.shape:
        raise ValueError("keys and weights of nouns do not fit together")
    if keys[0] < 0 or keys[-1] >> NOUN_BITS or (np.diff(keys) <= 0).any():
        raise ValueError("keys of nouns must ascend")
    if weights.state.shape != (size,) or weights.state.dtype != np.float32:
        raise ValueError(f"the weights of a noun's state must be float32 [{size}]")
    if not all(are_bounded(np.asarray(array)) for array in (weights.weights, weights.state, weights.bias)):
        raise ValueError("weights of nouns must be finite")
    if not is_temperature(weights.temperature) or not 0.0 <= weights.threshold <= 1.0:
        raise ValueError("temperature or threshold of nouns are out of range")


FORMAT = Format("pfsm-roles-1", "labeller", "train one: `docs/syntax.md`", "copy it again")
SUFFIX = ".roles"
KEYS = "keys"
# Features are known by so many bits of their hashes.
KEY_BITS = 24
PLACES = ("predicate", "head", "first", "last")
_VECTORS = ("bias", "output_bias")
_MATRICES = ("tags", "relations", "features", "output", *PLACES)


@dataclass(frozen=True, eq=False)
class RoleWeights:
    """A labeller as stored in a file.

    Attributes:
        name: Its name.
        licence: Terms of the weights.
        card: Its origin and its accuracy, plain JSON values.
        labels: Labels of spans that verbs have; C-A1 continues an A1.
        temperature: Scores are divided by it, so that probabilities are calibrated.
        threshold: An argument is worth its probability less this.
        keys: int32 [n_features], the lowest `KEY_BITS` bits of each known feature.
        arrays: float32, by name.
        checksum: First 8 hex digits of the file's digest; empty before it is written.
        nominal: What it knows of nominal predicates; None if it labels the arguments of verbs alone.
    """

    name: str
    licence: str
    card: Mapping[str, Any]
    labels: tuple[str, ...]
    temperature: float
    threshold: float
    keys: NDArray[np.int32] = field(repr=False)
    arrays: Mapping[str, Matrix] = field(repr=False)
    checksum: str = ""
    nominal: NominalWeights | None = None

    @property
    def label(self) -> str:
        """``NAME@CHECKSUM``, as in signatures."""
        return f"{self.name}@{self.checksum}"

    @property
    def all_labels(self) -> tuple[str, ...]:
        """Labels of spans in the order of their scores, those that only nouns have last."""
        return self.labels if self.nominal is None else (*self.labels, *self.nominal.labels)

    @property
    def layers(self) -> int:
        """Number of stacked LSTMs."""
        return layers_of(self.arrays)

    @property
    def vector_size(self) -> int:
        """Length of the word vectors of the parser that it reads."""
        given = self.arrays["tags"].shape[1] + self.arrays["relations"].shape[1]
        both: int = self.arrays["ahead.0.input"].shape[0] - given
        return both // 2

    def reads(self, parser: ParserWeights) -> bool:
        """Whether it fits a parser: the length of its word vectors, and its inventories of tags and relations."""
        rows = {"tags": "xpos", "relations": "labels"}
        known = all(len(self.arrays[own]) == len(parser.inventories[of]) + 1 for own, of in rows.items())
        return known and self.vector_size == parser.arrays["vectors"].shape[1]


def write_role_weights(weights: RoleWeights, path: StrPath) -> None:
    """Writes a labeller's file; an existing file is replaced only when everything is written.

    Raises:
        PfsmError: If it cannot be written.
    """
    names = [*_MATRICES, *(name for name, _ in _lstm_shapes(weights.arrays) if not name.endswith(".bias"))]
    names += [*_VECTORS, *(name for name in weights.arrays if name not in {*names, *_VECTORS})]
    stored = {KEYS: weights.keys, **stored_arrays({name: weights.arrays[name] for name in names})}
    header = {
        "name": weights.name,
        "licence": weights.licence,
        "card": dict(weights.card),
        "labels": list(weights.labels),
        "temperature": weights.temperature,
        "threshold": weights.threshold,
        "layers": weights.layers,
    }
    if nouns := weights.nominal:
        # The weights of features have one scale for all.
        steps, scale = quantised(nouns.weights[None])
        stored |= {_KEYS: nouns.keys, _WEIGHTS: steps[0], _WEIGHTS + SCALE: scale}
        stored[_STATE] = nouns.state.astype(np.float32)
        header["nominal"] = {
            "labels": list(nouns.labels),
            **{name: getattr(nouns, name) for name in _NUMBERS},
        }
    write_content(path, content_bytes(FORMAT, header, stored))


def read_role_weights(path: StrPath) -> RoleWeights:
    """Reads a labeller's file and checks that it is complete.

    Raises:
        PfsmError: If it is missing, not a labeller, of another format, or damaged.
    """
    content = read_content(path, FORMAT)
    header = content.header
    try:
        arrays = restored_arrays(content.arrays)
        keys, nominal = arrays.pop(KEYS), None
        if nouns := header.get("nominal"):
            nominal = NominalWeights(
                arrays.pop(_KEYS),
                arrays.pop(_WEIGHTS),
                arrays.pop(_STATE),
                tuple(map(str, nouns["labels"])),
                *(float(nouns[name]) for name in _NUMBERS),
            )
        weights = RoleWeights(
            str(header["name"]),
            str(header["licence"]),
            dict(header["card"]),
            tuple(map(str, header["labels"])),
            float(header["temperature"]),
            float(header["threshold"]),
            keys,
            arrays,
            content.checksum,
            nominal,
        )
        _check_role_arrays(weights)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        raise incomplete(path, FORMAT) from None
    return weights


def _check_role_arrays(weights: RoleWeights) -> None:
    """Raises ValueError if arrays do not fit each other, or hold values that are no finite numbers."""
    arrays = weights.arrays
    hidden, n_labels = arrays["bias"].size, len(weights.all_labels)
    gates, units = arrays["ahead.0.input"].shape[1], arrays["output"].shape[0]
    # States of both directions, and the word's vector.
    size = 2 * (gates // 4) + weights.vector_size
    shapes = {
        "tags": (len(arrays["tags"]), arrays["tags"].shape[-1]),
        "relations": (len(arrays["relations"]), arrays["relations"].shape[-1]),
        "features": (weights.keys.size, hidden),
        "bias": (hidden,),
        "output": (units, n_labels),
        "output_bias": (n_labels,),
        **dict.fromkeys(PLACES, (size, units)),
    }
    check_shapes(arrays, [*shapes.items(), *_lstm_shapes(arrays)])
    if gates % 4 or units < hidden or weights.vector_size < 1:
        raise ValueError("layers do not fit together")
    if not all(map(is_line, weights.all_labels)):
        raise ValueError("a label is not a line of text")
    if weights.keys.dtype != np.int32 or weights.keys.ndim != 1 or not is_temperature(weights.temperature):
        raise ValueError("keys or the temperature are none")
    if not 0.0 <= weights.threshold <= 1.0:
        raise ValueError("the threshold is not a probability")
    if weights.nominal is not None:
        _check_nominal(weights.nominal, size)
    if weights.keys.min() < 0 or np.unique(weights.keys).size != weights.keys.size:
        raise ValueError("a key occurs twice")


def _lstm_shapes(arrays: Mapping[str, Matrix]) -> Iterator[tuple[str, tuple[int, ...]]]:
    inputs, gates = arrays["ahead.0.input"].shape
    for layer in range(layers_of(arrays)):
        for name in ("ahead", "back"):
            yield f"{name}.{layer}.input", (2 * (gates // 4) if layer else inputs, gates)
            yield f"{name}.{layer}.recurrent", (gates // 4, gates)
            yield f"{name}.{layer}.bias", (gates,)
