"""Heads that this process knows, by label, and the files that hold them beside the models that name them.

A label is the first 16 digits of the SHA-256 of a head's file. The file lies in the folder of the model's file and is
called ``encoder-LABEL.safetensors``. So no name in a model can lead out of its folder.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from pfsm.arrays import Float32
from pfsm.embeddings.bert_weights import is_tuned, stored_tensors
from pfsm.embeddings.safetensors import safetensors_content, tensors_of
from pfsm.encoder.names import LABEL_DIGITS, labels_in
from pfsm.errors import PfsmError
from pfsm.io.containers import LARGEST_NUMBER, are_bounded
from pfsm.io.files import StrPath, atomic_write, display_name, is_stream, read_bytes
from pfsm.io.limits import HEAD

# What the value of a pair is a weighted sum of, in the order of ``linear``.
PARTS = ("alignment", "length ratio", "length", "precision", "recall", "mean vectors")
N_KNOTS = 6
EPSILON = 1e-12
# Of the logarithm of a piece's weight, either way.
LARGEST_TOKEN_WEIGHT = 4.0
TYPICAL_LENGTH = 25.0
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
        PfsmError: If it is not a head: an array is missing, of another shape, or has numbers out of bounds.
    """
    found = tensors_of(content, where)
    tuned = {name: values for name, values in found.items() if is_tuned(name)}
    arrays = {name: values for name, values in found.items() if name not in tuned}
    for name in (*arrays, *SHAPES):
        if name not in arrays or name not in SHAPES:
            problem = "has no array" if name in SHAPES else "has the unknown array"
            raise PfsmError(f"{where}: {problem} {name!r}, so it is not a head of an encoder")
    sizes = {"L": arrays["mix"].size, "D": arrays["token_weight"].size}
    for name, shape in SHAPES.items():
        wanted = tuple(sizes[size] if isinstance(size, str) else size for size in shape)
        if arrays[name].shape != wanted:
            raise PfsmError(f"{where}: {name} has the shape {list(arrays[name].shape)}, not {list(wanted)}")
    for name, values in found.items():
        if not are_bounded(values):
            raise PfsmError(f"{where}: {name} has a number above {LARGEST_NUMBER:g} either way, or none")
    if not (1 <= sizes["L"] <= _MOST_LAYERS and 1 <= sizes["D"] <= _LARGEST_DIMENSION):
        raise PfsmError(f"{where}: {sizes['L']} layers of {sizes['D']} components are no encoder's")
    own = {name: np.ascontiguousarray(arrays[name]) for name in SHAPES}
    return Head(**own, tuned=tuned, stored=content)


_SHIPPED = Path(__file__).resolve().parent.parent / "resources" / "models"
_known: dict[str, Head] = {}


def label_of(head: Head) -> str:
    """The label of a head."""
    return head.checksum[:LABEL_DIGITS]


def remember(head: Head) -> str:
    """Makes a head known to this process, so that names can refer to it; returns its label."""
    return label_of(_known.setdefault(label_of(head), head))


def known_head(label: str, where: str) -> Head:
    """The head with a label.

    Raises:
        PfsmError: If this process does not know it.
    """
    if label not in _known:
        raise PfsmError(f"{where}: there is no head {label}; it is stored beside the model that names it")
    return _known[label]


def head_path(folder: StrPath, label: str) -> Path:
    """Where a head lies in the folder of a model."""
    return Path(folder) / f"encoder-{label}.safetensors"


def read_heads(names: Iterable[str], folder: StrPath, where: str, *, needed: bool = True) -> None:
    """Makes the heads known that features refer to, from the folder of their model.

    Raises:
        PfsmError: If a file is missing that is needed, too large, has another checksum, or is not a head.
    """
    # Also where the head is known: a file that is missing or damaged must not depend on what this process did before.
    for label in labels_in(names):
        path = head_path(folder, label)
        if not path.is_file() and not needed:
            continue
        if not path.is_file():
            raise PfsmError(
                f"{where}: needs {path.name} in the same folder, which is not there; copy it with the model"
            )
        _remember_content(label, read_bytes(path, HEAD), display_name(path))


def _remember_content(label: str, content: bytes, where: str) -> None:
    """Makes the head known that a file's content holds, unless its checksum is another."""
    found = hashlib.sha256(content).hexdigest()[:LABEL_DIGITS]
    if found != label:
        raise PfsmError(f"{where}: has checksum {found}, the model needs {label}; copy the file again")
    if label not in _known:
        _known[label] = head_from_bytes(content, where)


def write_heads(names: Iterable[str], model: StrPath) -> None:
    """Writes the heads that features refer to beside a model's file; a file that is there already is left alone.

    Raises:
        PfsmError: If this process does not know a head, or the file cannot be written.
    """
    labels = labels_in(names)
    if labels and is_stream(model):
        raise PfsmError(
            f"{display_name(model)}: the model needs a second file beside it; give the name of a file"
        )
    folder = Path(model).resolve().parent
    for label in labels:
        content, path = known_head(label, "the model").content, head_path(folder, label)
        if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
            continue
        with atomic_write(path) as handle:
            handle.buffer.write(content)


def ships(label: str) -> bool:
    """Whether the head came with this installation, so that other processes need not be sent it."""
    return head_path(_SHIPPED, label).is_file()


def remember_shipped(names: Iterable[str]) -> None:
    """Makes the heads known that features refer to and that came with this installation.

    Raises:
        PfsmError: As `read_heads`, if a file is damaged.
    """
    read_heads(names, _SHIPPED, "the model", needed=False)


def contents_of(names: Iterable[str]) -> dict[str, bytes]:
    """The files of the heads that features refer to and this process knows, by label."""
    return {label: _known[label].content for label in labels_in(names) if label in _known}


def remember_contents(contents: Mapping[str, bytes]) -> None:
    """The inverse of `contents_of`, in another process.

    Raises:
        PfsmError: If one has another checksum, or is not a head.
    """
    for label, content in contents.items():
        _remember_content(label, content, f"head {label}")
