"""Checks that the arrays of a parser's file fit together, before the network uses them."""

from collections.abc import Iterator, Mapping

import numpy as np

from pfsm.analysis.parser.features import END
from pfsm.analysis.parser.parameters import Matrix, ParserWeights

Shape = tuple[int, ...]
_TEMPERATURES = ("arcs", "labels", "spans")
# Fewest labels in an inventory; the first one is the root's or means "no constituent".
_FEWEST_LABELS = 2


def check_arrays(weights: ParserWeights) -> None:
    """Checks names, shapes and values of all arrays that the network takes from a file.

    Raises:
        ValueError: If an array is missing, has a shape that does not fit its neighbours, or contains NaN or infinity.
    """
    arrays = weights.arrays
    for name, shape in _shapes(weights):
        if _shape(arrays, name) != shape:
            raise ValueError(f"{name} must be {shape}")
    if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in arrays.values()):
        raise ValueError("an array contains other values than finite numbers")
    if not all(0.0 < weights.temperatures.get(kind, 0.0) < np.inf for kind in _TEMPERATURES):
        raise ValueError("a temperature is missing or not a positive number")


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
    yield "filters.weight", (filters, 3 * _shape(arrays, "characters")[-1])
    yield "filters.bias", (filters,)
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
    yield from _heads(arrays, width)
    tags = _shape(arrays, "tag_layer.bias")[0]
    yield from _linear("tag_layer", tags, width)
    yield from _linear("starts", 1, width)
    for kind in ("upos", "xpos"):
        yield from _linear(kind, counts[kind], tags)
    for name, one_side in (("labels", "root_label"), ("span_labels", "span_label_left.bias")):
        side = _shape(arrays, one_side)[0] + 1
        yield name, (counts[name] * side, side)


def _heads(arrays: Mapping[str, "Matrix"], width: int) -> Iterator[tuple[str, Shape]]:
    """The two sides of each score for two words or boundaries."""
    for left, right, form, root in (
        ("arc_dependent", "arc_head", "arcs", "root_arc"),
        ("label_dependent", "label_head", "", "root_label"),
        ("span_left", "span_right", "spans", ""),
        ("span_label_left", "span_label_right", "", ""),
    ):
        size = _shape(arrays, f"{left}.bias")[0]
        yield from _linear(left, size, width)
        yield from _linear(right, size, width)
        if form:
            yield form, (size + 1, size + 1)
        if root:
            yield root, (size,)


def _linear(name: str, outputs: int, inputs: int) -> Iterator[tuple[str, Shape]]:
    yield f"{name}.weight", (outputs, inputs)
    yield f"{name}.bias", (outputs,)


def _shape(arrays: Mapping[str, "Matrix"], name: str) -> Shape:
    array = arrays.get(name)
    if array is None or not array.shape or not array.size:
        raise ValueError(f"{name} is missing")
    return array.shape
