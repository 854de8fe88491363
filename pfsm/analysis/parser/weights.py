"""A parser as a file (`pfsm.io.containers`).

The header gives name, licence, sources, scores and the inventories. Matrices are int8 with one float32 scale per row,
stored under the array's name with ``.scale``; vectors are float32.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.parser.parameters import Matrix, ParserWeights
from pfsm.analysis.parser.shapes import check_arrays
from pfsm.io.containers import Format, content_bytes, incomplete, read_content, write_content
from pfsm.io.files import StrPath

FORMAT = Format("pfsm-parser-1", "parser", "train one: `pfsm help syntax`", "copy it again")
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


def weights_bytes(weights: ParserWeights) -> bytes:
    """The file's content; the same weights give the same bytes."""
    stored: dict[str, NDArray[Any]] = {}
    for name, array in weights.arrays.items():
        if array.ndim > 1:
            stored[name], stored[name + SCALE] = quantised(array)
        else:
            stored[name] = array.astype(np.float32)
    header = {
        "name": weights.name,
        "licence": weights.licence,
        "card": dict(weights.card),
        "temperatures": dict(weights.temperatures),
        "inventories": {kind: list(names) for kind, names in weights.inventories.items()},
    }
    return content_bytes(FORMAT, header, stored)


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
            _restored(content.arrays),
            content.checksum,
        )
        check_arrays(weights)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        raise incomplete(path, FORMAT) from None
    return weights


def _restored(stored: Mapping[str, NDArray[Any]]) -> dict[str, Matrix]:
    return {
        name: restored(array, stored[name + SCALE]) if array.dtype == np.int8 else array
        for name, array in stored.items()
        if not name.endswith(SCALE)
    }
