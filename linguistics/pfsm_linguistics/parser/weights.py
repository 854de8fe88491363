"""A parser as a file (`pfsm.io.containers`), and checks that its arrays fit together.

The header gives name, licence, sources, scores and the inventories. Matrices are int8 with one float32 scale per row,
stored under the array's name with ``.scale``; vectors are float32.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.io.containers import (
    LARGEST_NUMBER,
    Format,
    are_bounded,
    content_bytes,
    incomplete,
    is_temperature,
    read_content,
    write_content,
)
from pfsm.io.files import StrPath, is_line

Matrix = NDArray[np.float32]
Shape = tuple[int, ...]
# Character numbers 0 to 3; the known characters follow.
PADDING, UNKNOWN_CHARACTER, BEGIN, END = range(4)


@dataclass(frozen=True, eq=False)
class ParserWeights:
    """A parser as stored in a file.

    Attributes:
        name: Its name in configurations.
        licence: Terms of the weights.
        card: Its origin and its accuracy, plain JSON values.
        inventories: Names by kind: words, vector_words, characters, upos, xpos, labels, span_labels.
        temperatures: By kind of score (arcs, labels, spans), the number that scores are divided by, so that the
            probabilities are calibrated.
        arrays: The weights, float32.
        checksum: First 8 hex digits of the file's digest; empty before it is written.
    """

    name: str
    licence: str
    card: Mapping[str, Any]
    inventories: Mapping[str, tuple[str, ...]] = field(repr=False)
    temperatures: Mapping[str, float]
    arrays: Mapping[str, Matrix] = field(repr=False)
    checksum: str = ""

    @property
    def label(self) -> str:
        """``NAME@CHECKSUM``, as in signatures."""
        return f"{self.name}@{self.checksum}"

    @cached_property
    def layers(self) -> int:
        """Number of stacked LSTMs."""
        return sum(name.endswith(".forward.input") for name in self.arrays)


FORMAT = Format("pfsm-parser-1", "parser", "train one: `docs/syntax.md`", "copy it again")
SCALE = ".scale"
_INVENTORIES = ("words", "vector_words", "characters", "upos", "xpos", "labels", "span_labels")
_LARGEST_LEVEL = 127


def quantised(matrix: Matrix) -> tuple[NDArray[np.int8], Matrix]:
    """Rows in 255 steps: int8 [rows, …], and the size of a step, float32 [rows]."""
    rows = matrix.reshape(matrix.shape[0], -1)
    scale = (np.abs(rows).max(axis=1) / _LARGEST_LEVEL).astype(np.float32)
    steps = np.rint(rows / np.where(scale > 0, scale, 1)[:, None])
    return steps.astype(np.int8).reshape(matrix.shape), scale


def restored(steps: NDArray[np.int8], scale: Matrix) -> Matrix:
    """The matrix from its quantised form, up to rounding."""
    return steps.astype(np.float32) * scale.reshape(-1, *[1] * (steps.ndim - 1))


def stored_arrays(arrays: Mapping[str, Matrix]) -> dict[str, NDArray[Any]]:
    """Arrays as files have them: matrices quantised, beside their scales; vectors as they are."""
    stored: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        if array.ndim > 1:
            stored[name], stored[name + SCALE] = quantised(array)
        else:
            stored[name] = array.astype(np.float32)
    return stored


def restored_arrays(stored: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of a file without their scales.

    Raises:
        KeyError: If a scale is missing.
        ValueError: If there is not one scale for each row, or for all of a vector: nothing is multiplied before.
    """
    for name, array in stored.items():
        if array.dtype == np.int8:
            scale, rows = stored[name + SCALE], array.shape[0] if array.ndim > 1 else 1
            fits = array.ndim and scale.dtype == np.float32 and scale.shape == (rows,)
            if not fits or not are_bounded(scale):
                raise ValueError(f"{name} must have one scale for each row")
    return {
        name: restored(array, stored[name + SCALE]) if array.dtype == np.int8 else array
        for name, array in stored.items()
        if not name.endswith(SCALE)
    }


def check_shapes(arrays: Mapping[str, Matrix], shapes: Iterable[tuple[str, Shape]]) -> None:
    """Checks arrays that a file has.

    Raises:
        ValueError: If one is missing or empty, has another shape, or contains anything but finite float32.
    """
    for name, shape in shapes:
        if _shape(arrays, name) != shape:
            raise ValueError(f"{name} must be {shape}")
        if arrays[name].dtype != np.float32 or not are_bounded(arrays[name]):
            raise ValueError(f"{name} contains other values than finite numbers up to {LARGEST_NUMBER:g}")


def weights_bytes(weights: ParserWeights) -> bytes:
    """The file's content; the same weights give the same bytes."""
    header = {
        "name": weights.name,
        "licence": weights.licence,
        "card": dict(weights.card),
        "temperatures": dict(weights.temperatures),
        "inventories": {kind: list(names) for kind, names in weights.inventories.items()},
    }
    return content_bytes(FORMAT, header, stored_arrays(weights.arrays))


def write_weights(weights: ParserWeights, path: StrPath) -> None:
    """Writes a parser's file; an existing file is replaced only when everything is written.

    Raises:
        PfsmError: If it cannot be written.
    """
    write_content(path, weights_bytes(weights))


def read_weights(path: StrPath) -> ParserWeights:
    """Reads a parser's file and checks that it is complete.

    Raises:
        PfsmError: If it is missing, not a parser, of another format, or damaged.
    """
    content = read_content(path, FORMAT)
    header = content.header
    try:
        weights = ParserWeights(
            str(header["name"]),
            str(header["licence"]),
            dict(header["card"]),
            {kind: tuple(map(str, header["inventories"][kind])) for kind in _INVENTORIES},
            {kind: float(value) for kind, value in header["temperatures"].items()},
            restored_arrays(content.arrays),
            content.checksum,
        )
        check_shapes(weights.arrays, _shapes(weights))
        if not all(is_temperature(weights.temperatures.get(kind, 0.0)) for kind in _TEMPERATURES):
            raise ValueError("a temperature is missing or would make scores infinite")
        if not all(is_line(name) for kind in _PRINTED for name in weights.inventories[kind][1:]):
            raise ValueError("a tag or label is not a line of text, and would break the rows of its trees")
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        raise incomplete(path, FORMAT) from None
    return weights


_TEMPERATURES = ("arcs", "labels", "spans")
_PRINTED = ("upos", "xpos", "labels", "span_labels")
# Fewest labels in an inventory; the first one is the root's or means "no constituent".
_FEWEST_LABELS = 2


def _shapes(weights: ParserWeights) -> Iterator[tuple[str, Shape]]:
    """The required shape of every array, by the inventories and by the arrays that it is multiplied with."""
    arrays = weights.arrays
    counts = {kind: len(names) for kind, names in weights.inventories.items()}
    if min(counts["labels"], counts["span_labels"]) < _FEWEST_LABELS or not counts["upos"] * counts["xpos"]:
        raise ValueError("an inventory is empty")
    width = 0
    for name, known in (("words", 1), ("vectors", 1), ("characters", END + 1)):
        rows = counts["vector_words" if name == "vectors" else name] + known
        size = _shape(arrays, name)[-1]
        yield name, (rows, size)
        width += size if name != "characters" else 0
    filters = _shape(arrays, "filters.bias")[0]
    yield from _linear_shapes("filters", filters, 3 * _shape(arrays, "characters")[-1])
    width += filters
    if not weights.layers:
        raise ValueError("there is no LSTM")
    for layer in range(weights.layers):
        hidden = _shape(arrays, f"lstm.{layer}.forward.recurrent")[-1]
        for name in (f"lstm.{layer}.forward", f"lstm.{layer}.backward"):
            yield f"{name}.input", (4 * hidden, width)
            yield f"{name}.recurrent", (4 * hidden, hidden)
            yield f"{name}.bias", (4 * hidden,)
        width = 2 * hidden
    # The two sides of each score for two words or boundaries.
    for left, right, form, root in (
        ("arc_dependent", "arc_head", "arcs", "root_arc"),
        ("label_dependent", "label_head", "", "root_label"),
        ("span_left", "span_right", "spans", ""),
        ("span_label_left", "span_label_right", "", ""),
    ):
        size = _shape(arrays, f"{left}.bias")[0]
        yield from _linear_shapes(left, size, width)
        yield from _linear_shapes(right, size, width)
        yield from [(form, (size + 1, size + 1))] if form else []
        yield from [(root, (size,))] if root else []
    tags = _shape(arrays, "tag_layer.bias")[0]
    yield from _linear_shapes("tag_layer", tags, width)
    yield from _linear_shapes("starts", 1, width)
    for kind in ("upos", "xpos"):
        yield from _linear_shapes(kind, counts[kind], tags)
    for name, one_side in (("labels", "root_label"), ("span_labels", "span_label_left.bias")):
        side = _shape(arrays, one_side)[0] + 1
        yield name, (counts[name] * side, side)


def _linear_shapes(name: str, outputs: int, inputs: int) -> Iterator[tuple[str, Shape]]:
    yield f"{name}.weight", (outputs, inputs)
    yield f"{name}.bias", (outputs,)


def _shape(arrays: Mapping[str, "Matrix"], name: str) -> Shape:
    array = arrays.get(name)
    if array is None or not array.shape or not array.size:
        raise ValueError(f"{name} is missing")
    return array.shape
