"""The head as a sentence-level feature: ``encoder(head=LABEL,source=SOURCE@CHECKSUM)``."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings import encoders
from pfsm.encoder.head import Head
from pfsm.encoder.heads import feature_name, known_head, parse_feature
from pfsm.encoder.scoring import HeadScorer, LineVectors, pair_values
from pfsm.errors import PfsmError

Float = NDArray[np.float64]

# Lines whose states are in memory at a time: 300 kB each.
LINES_AT_ONCE = 256
# Pairs whose lines' vectors are in memory at a time: 100 kB a line.
PAIRS_AT_ONCE = 512


def check_feature(name: str) -> None:
    """Refuses a name that is not of the feature's form; nothing is loaded.

    Raises:
        PfsmError: If it is not.
    """
    _, source = parse_feature(name)
    encoders.check_source(source, f"feature {name}: source")


def pinned_feature(name: str) -> str:
    """The name with the checksum of its source.

    Raises:
        PfsmError: If the source is not there.
    """
    label, source = parse_feature(name)
    return feature_name(label, encoders.pinned(source))


def feature_label(name: str) -> str:
    """The feature for a signature: with the encoder's name and checksum, without its place.

    Raises:
        PfsmError: If the source is not there.
    """
    label, source = parse_feature(name)
    return feature_name(label, encoders.label(source))


def prepared_feature(name: str) -> Callable[[Sequence[str], Sequence[str]], dict[str, Float]]:
    """A function from hypotheses and references to the values of the feature by its name.

    Raises:
        PfsmError: If the head is not known to this process, or the encoder is not there or does not fit it.
    """
    reader = PieceReader(*parse_feature(name))

    def values(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        return {name: reader.values(hypotheses, references)}

    return values


class PieceReader:
    """A head and its encoder.

    Args:
        label: Label of the head.
        source: Source of the encoder.

    Raises:
        PfsmError: As `prepared_feature`.
    """

    def __init__(self, label: str, source: str) -> None:
        head = known_head(label, "the model")
        self.encoder = encoders.load_encoder(source)
        check_fit(head, self.encoder, source)
        if head.tuned:
            self.encoder = encoders.load_tuned(source, label, head.tuned)
        self.scorer = HeadScorer(head)

    def values(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Values of pairs, float64 [n_pairs]; each distinct line of a block is encoded once."""
        values = np.zeros(len(hypotheses))
        for first in range(0, len(hypotheses), PAIRS_AT_ONCE):
            last = min(first + PAIRS_AT_ONCE, len(hypotheses))
            numbers: dict[str, int] = {}
            sides = [
                [numbers.setdefault(line, len(numbers)) for line in side[first:last]]
                for side in (references, hypotheses)
            ]
            lines = [vectors for vectors, _ in self.lines(list(numbers))]
            values[first:last] = pair_values(self.scorer, lines, *sides)
        return values

    def lines(self, lines: Sequence[str]) -> Iterator[tuple[LineVectors, tuple[str, ...]]]:
        """What the head makes of lines, and the text of their pieces."""
        for first in range(0, len(lines), LINES_AT_ONCE):
            some = list(lines[first : first + LINES_AT_ONCE])
            for line, states in zip(some, self.encoder.states(some, self.scorer.layers), strict=True):
                pieces = tuple(line[start:end] for start, end in states.spans.tolist())
                yield self.scorer.line(self.scorer.rows(states.values)), pieces


def check_fit(head: Head, encoder: Any, source: str) -> None:
    """Refuses a head for an encoder of another shape.

    Raises:
        PfsmError: If layers or components differ in number.
    """
    if (head.layers, head.dimension) != (encoder.layers + 1, encoder.dimension):
        raise PfsmError(
            f"{source}: has {encoder.layers + 1} layers of {encoder.dimension} components, "
            f"but the head was learned over {head.layers} of {head.dimension}"
        )
