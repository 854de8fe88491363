"""The parameters of a parser, as they lie in its file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ParserWeights:
    """A parser as it lies in a file.

    Attributes:
        name: What configurations call it.
        licence: Terms of the weights.
        card: Where it comes from and how good it is, plain JSON values.
        inventories: Names by kind: words, vector_words, characters, upos, xpos, labels, span_labels.
        temperatures: By kind of score (arcs, labels, spans), what scores are divided by, so that probabilities are
            as often right as they say.
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
        """LSTMs one above the other."""
        return sum(name.endswith(".forward.input") for name in self.arrays)
