"""The head: everything that was learned over an encoder, as arrays in one safetensors file.

The file holds a header of JSON and numbers, nothing that is run. Where the encoder itself was tuned, what was learned
of it stands beside the head's own arrays (`pfsm.embeddings.tuned_weights`).
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.safetensors import safetensors_content, tensors_of
from pfsm.embeddings.tuned_weights import is_tuned, stored_tensors
from pfsm.errors import PfsmError

Float32 = NDArray[np.float32]

# What the value of a pair is a weighted sum of, in the order of ``linear``.
PARTS = ("alignment", "length ratio", "length", "precision", "recall", "mean vectors")
N_KNOTS = 6
EPSILON = 1e-12
# Of the logarithm of a piece's weight, either way.
LARGEST_TOKEN_WEIGHT = 4.0
TYPICAL_LENGTH = 25.0
# Of any number in a file: beyond, sums over a line could lose everything else.
LARGEST_NUMBER = 1e4
_MOST_LAYERS, _LARGEST_DIMENSION = 200, 16384
# By array, its shape: L layers, D components.
SHAPES: Mapping[str, tuple[str | int, ...]] = {
    "mix": ("L",),
    "projection": ("D", "D"),
    "token_edits": ("D", 3),
    "token_weight": ("D",),
    "knots": (N_KNOTS,),
    "edits": (2,),
    "transitions": (3, 3),
    "linear": (len(PARTS),),
    "constant": (1,),
}


@dataclass(frozen=True, eq=False)
class Head:
    """What was learned, as `pfsm.encoder` defines it; all float32.

    Attributes:
        mix: [L], share of each layer, the embeddings first.
        projection: [D, D].
        token_edits: [D, 3], what a piece adds to the weights of Insert, Delete and Substitute.
        token_weight: [D], of the logarithm of a piece's weight in the order-free part.
        knots: [6], weight of a match at the cosines 0, .2 … 1.
        edits: [2], weights of Insert and Delete.
        transitions: [3, 3], of an operation (column) after another (row): Insert, Delete, Substitute.
        linear: [6], weights of `PARTS`.
        constant: [1].
        tuned: What was learned of the encoder itself, by name; empty if it stays as it is.
        stored: The content of the file that the head was read from; None for a new one.
    """

    mix: Float32
    projection: Float32
    token_edits: Float32
    token_weight: Float32
    knots: Float32
    edits: Float32
    transitions: Float32
    linear: Float32
    constant: Float32
    tuned: Mapping[str, Float32] = field(default_factory=dict)
    stored: bytes | None = None

    @cached_property
    def content(self) -> bytes:
        """The safetensors file; the same arrays give the same bytes.

        Large matrices of a tuned encoder are rounded to int8. Rounding what is read back may change it once more, so a
        head that was read keeps its file.
        """
        if self.stored is not None:
            return self.stored
        return safetensors_content(
            {**{name: getattr(self, name) for name in SHAPES}, **stored_tensors(self.tuned)}
        )

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of the file, 64 hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def layers(self) -> int:
        """Number of layers that are mixed, the embeddings included."""
        return int(self.mix.size)

    @property
    def dimension(self) -> int:
        """Components of a state."""
        return int(self.token_weight.size)


def head_from_bytes(content: bytes, where: str) -> Head:
    """A head from the content of its file.

    Raises:
        PfsmError: If it is no head: an array is missing, of another shape, or has numbers out of bounds.
    """
    found = tensors_of(np.frombuffer(content, np.uint8), where)
    tuned = {name: values for name, values in found.items() if is_tuned(name)}
    arrays = {name: values for name, values in found.items() if name not in tuned}
    for name in (*arrays, *SHAPES):
        if name not in arrays or name not in SHAPES:
            problem = "has no array" if name in SHAPES else "has the unknown array"
            raise PfsmError(f"{where}: {problem} {name!r}, so it is no head of an encoder")
    sizes = {"L": arrays["mix"].size, "D": arrays["token_weight"].size}
    for name, shape in SHAPES.items():
        wanted = tuple(sizes[size] if isinstance(size, str) else size for size in shape)
        if arrays[name].shape != wanted:
            raise PfsmError(f"{where}: {name} has the shape {list(arrays[name].shape)}, not {list(wanted)}")
    for name, values in found.items():
        # A comparison with NaN is false.
        if not (np.abs(values) <= LARGEST_NUMBER).all():
            raise PfsmError(f"{where}: {name} has a number above {LARGEST_NUMBER:g} either way, or none")
    if not (1 <= sizes["L"] <= _MOST_LAYERS and 1 <= sizes["D"] <= _LARGEST_DIMENSION):
        raise PfsmError(f"{where}: {sizes['L']} layers of {sizes['D']} components are no encoder's")
    own = {name: np.ascontiguousarray(arrays[name]) for name in SHAPES}
    return Head(**own, tuned=tuned, stored=content)
