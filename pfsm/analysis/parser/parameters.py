"""The parameters of a parser, as stored in its file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


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
