"""A labeller of semantic roles as a file (`pfsm.io.containers`); it stands beside the parser that it reads.

The header gives name, licence, sources, scores, labels and temperature. Matrices are int8 with one float32 scale per
row, as in the file of a parser; vectors are float32, keys of features int32.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.parser.parameters import Matrix
from pfsm.analysis.parser.weights import SCALE, quantised, restored
from pfsm.io.containers import Format, content_bytes, incomplete, read_content, write_content
from pfsm.io.files import StrPath

FORMAT = Format("pfsm-roles-1", "labeller", "train one: `pfsm help parsing`", "copy it again")
SUFFIX = ".roles"
KEYS = "keys"
# Features are known by so many bits of their hashes.
KEY_BITS = 24
_MATRICES = ("features", "predicate", "head", "output")
_VECTORS = ("bias", "output_bias")


@dataclass(frozen=True, eq=False)
class RoleWeights:
    """A labeller as stored in a file.

    Attributes:
        name: Its name.
        licence: Terms of the weights.
        card: Its origin and its accuracy, plain JSON values.
        labels: Labels of spans; C-A1 continues an A1.
        temperature: Scores are divided by it, so that probabilities are calibrated.
        keys: int32 [n_features], the lowest `KEY_BITS` bits of each known feature.
        arrays: float32: features [n_features, hidden], predicate and head [vector size, hidden], bias [hidden], output
            [hidden, n_labels], output_bias [n_labels].
        checksum: First 8 hex digits of the file's digest; empty before it is written.
    """

    name: str
    licence: str
    card: Mapping[str, Any]
    labels: tuple[str, ...]
    temperature: float
    keys: NDArray[np.int32] = field(repr=False)
    arrays: Mapping[str, Matrix] = field(repr=False)
    checksum: str = ""

    @property
    def label(self) -> str:
        """``NAME@CHECKSUM``, as in signatures."""
        return f"{self.name}@{self.checksum}"


def role_weights_bytes(weights: RoleWeights) -> bytes:
    """The file's content; the same weights give the same bytes."""
    stored: dict[str, NDArray[Any]] = {KEYS: weights.keys}
    for name in _MATRICES:
        stored[name], stored[name + SCALE] = quantised(weights.arrays[name])
    for name in _VECTORS:
        stored[name] = weights.arrays[name].astype(np.float32)
    header = {
        "name": weights.name,
        "licence": weights.licence,
        "card": dict(weights.card),
        "labels": list(weights.labels),
        "temperature": weights.temperature,
    }
    return content_bytes(FORMAT, header, stored)


def write_role_weights(weights: RoleWeights, path: StrPath) -> None:
    """Writes a labeller's file; an existing file is replaced only when everything is written.

    Raises:
        PfsmError: If it cannot be written.
    """
    write_content(path, role_weights_bytes(weights))


def read_role_weights(path: StrPath) -> RoleWeights:
    """Reads a labeller's file and checks that it is complete.

    Raises:
        PfsmError: If it is missing, not a labeller, of another format, or damaged.
    """
    content = read_content(path, FORMAT)
    header, stored = content.header, content.arrays
    try:
        arrays = {name: restored(stored[name], stored[name + SCALE]) for name in _MATRICES}
        arrays |= {name: stored[name] for name in _VECTORS}
        weights = RoleWeights(
            str(header["name"]),
            str(header["licence"]),
            dict(header["card"]),
            tuple(map(str, header["labels"])),
            float(header["temperature"]),
            stored[KEYS],
            arrays,
            content.checksum,
        )
        check_role_arrays(weights)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        raise incomplete(path, FORMAT) from None
    return weights


def check_role_arrays(weights: RoleWeights) -> None:
    """Checks names, shapes and values of all arrays.

    Raises:
        ValueError: If an array has a shape that does not fit its neighbours, or values that are no finite numbers.
    """
    arrays = weights.arrays
    hidden, n_labels = arrays["bias"].size, len(weights.labels)
    size = arrays["predicate"].shape[0]
    shapes = {
        "features": (weights.keys.size, hidden),
        "predicate": (size, hidden),
        "head": (size, hidden),
        "output": (hidden, n_labels),
        "bias": (hidden,),
        "output_bias": (n_labels,),
    }
    for name, shape in shapes.items():
        array = arrays[name]
        if (
            array.shape != shape
            or array.dtype != np.float32
            or not np.isfinite(array).all()
            or not array.size
        ):
            raise ValueError(f"{name} must be {shape}")
    if weights.keys.dtype != np.int32 or weights.keys.ndim != 1 or not 0.0 < weights.temperature < np.inf:
        raise ValueError("keys or the temperature are none")
    if weights.keys.min() < 0 or np.unique(weights.keys).size != weights.keys.size:
        raise ValueError("a key occurs twice")
