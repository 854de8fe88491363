"""The head: everything that was learned over an encoder, as arrays in one safetensors file.

The file holds float32 alone: a header of JSON and numbers, nothing that is run.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.safetensors import safetensors_content, tensors_of
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

    @cached_property
    def content(self) -> bytes:
        """The safetensors file; the same arrays give the same bytes."""
        return safetensors_content({name: getattr(self, name) for name in SHAPES})

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
    arrays = tensors_of(np.frombuffer(content, np.uint8), where)
    for name in (*arrays, *SHAPES):
        if name not in arrays or name not in SHAPES:
            problem = "has no array" if name in SHAPES else "has the unknown array"
            raise PfsmError(f"{where}: {problem} {name!r}, so it is no head of an encoder")
    sizes = {"L": arrays["mix"].size, "D": arrays["token_weight"].size}
    for name, shape in SHAPES.items():
        wanted = tuple(sizes[size] if isinstance(size, str) else size for size in shape)
        if arrays[name].shape != wanted:
            raise PfsmError(f"{where}: {name} has the shape {list(arrays[name].shape)}, not {list(wanted)}")
        # A comparison with NaN is false.
        if not (np.abs(arrays[name]) <= LARGEST_NUMBER).all():
            raise PfsmError(f"{where}: {name} has a number above {LARGEST_NUMBER:g} either way, or none")
    if not (1 <= sizes["L"] <= _MOST_LAYERS and 1 <= sizes["D"] <= _LARGEST_DIMENSION):
        raise PfsmError(f"{where}: {sizes['L']} layers of {sizes['D']} components are no encoder's")
    return Head(**{entry.name: np.ascontiguousarray(arrays[entry.name]) for entry in fields(Head)})
