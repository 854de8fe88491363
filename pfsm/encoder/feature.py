"""The head as a sentence-level feature: ``encoder(head=LABEL,source=SOURCE@CHECKSUM)``."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from pfsm.arrays import Float, Float32
from pfsm.encoder.heads import PARTS, known_head
from pfsm.encoder.names import feature_name, parse_feature
from pfsm.encoder.scoring import HeadScorer, LineVectors, pair_values
from pfsm.errors import PfsmError
from pfsm.runtime.terminal import Stage

# Lines whose states are in memory at a time: 300 kB each.
LINES_AT_ONCE = 256
# Lines whose vectors are in memory at a time: 100 kB each.
LINES_HELD = 1024
# Pairs for each line from which on all lines of a block are remembered.
DENSE = 4
# Of lines that are remembered: some 2,700 of 30 pieces.
KNOWN_BYTES = 1 << 27


def check_feature(name: str) -> None:
    """Refuses a name that is not of the feature's form; nothing is loaded.

    Raises:
        PfsmError: If it is not.
    """
    from pfsm.embeddings import encoders  # noqa: PLC0415 - few runs need it

    _, source = parse_feature(name)
    encoders.check_source(source, f"feature {name}: source")


def pinned_feature(name: str) -> str:
    """The name with the checksum of its source.

    Raises:
        PfsmError: If the source is not there.
    """
    from pfsm.embeddings import encoders  # noqa: PLC0415 - few runs need it

    label, source = parse_feature(name)
    return feature_name(label, encoders.pinned(source))


def feature_label(name: str) -> str:
    """The feature for a signature: with the encoder's name and checksum, without its place.

    Raises:
        PfsmError: If the source is not there.
    """
    from pfsm.embeddings import encoders  # noqa: PLC0415 - few runs need it

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

    Raises:
        PfsmError: As `prepared_feature`.
    """

    def __init__(self, label: str, source: str) -> None:
        from pfsm.embeddings import encoders  # noqa: PLC0415 - few runs need it

        head = known_head(label, "the model")
        self.encoder = encoders.load_encoder(source)
        if (head.layers, head.dimension) != (self.encoder.layers + 1, self.encoder.dimension):
            raise PfsmError(
                f"{source}: has {self.encoder.layers + 1} layers of {self.encoder.dimension} components, "
                f"but the head was learned over {head.layers} of {head.dimension}"
            )
        if head.tuned:
            self.encoder = _tuned(self.encoder, label)
        self.scorer = HeadScorer(head)
        self._known = _KnownLines(KNOWN_BYTES)

    def values(
        self, hypotheses: Sequence[str], references: Sequence[str], *, relative: bool = False
    ) -> Float:
        """Values of pairs, float64 [n_pairs].

        Each distinct line of a block is encoded once. Pairs of one reference, as of several systems, come together.

        Args:
            hypotheses: One side of each pair.
            references: The other.
            relative: Whether to take from each value that of the reference and itself, so that equal sides have 0.
        """
        values = np.zeros(len(hypotheses))
        known: dict[str, int] = {}
        keys = [known.setdefault(reference, len(known)) for reference in references]
        order = np.argsort(keys, kind="stable").tolist()
        with Stage("encoder", "scoring", len(order), "pairs", patience=0.5) as stage:
            for places, numbers in _blocks(order, references, hypotheses):
                sides = [[numbers[side[place]] for place in places] for side in (references, hypotheses)]
                # References of one system come again with the next; where all are compared with all, every line does.
                keep = known if len(numbers) * DENSE > len(places) else numbers
                lines = [vectors for vectors, _ in self.lines(list(numbers), keep)]
                values[places] = pair_values(self.scorer, lines, *sides, relative=relative)
                stage.advance(len(places))
        return values

    def lines(
        self, lines: Sequence[str], keep: Container[str] = ()
    ) -> Iterator[tuple[LineVectors, tuple[str, ...]]]:
        """What the head makes of lines, and the text of their pieces; of lines in ``keep`` some are remembered."""
        for first in range(0, len(lines), LINES_AT_ONCE):
            some = list(lines[first : first + LINES_AT_ONCE])
            found = self._known.get(some)
            new = [line for line in dict.fromkeys(some) if line not in found]
            for line, states in zip(new, self.encoder.states(new, self.scorer.layers), strict=True):
                pieces = tuple(line[start:end] for start, end in states.spans.tolist())
                found[line] = self.scorer.rows(states.values), pieces
            self._known.put({line: found[line] for line in new if line in keep})
            for line in some:
                rows, pieces = found[line]
                yield self.scorer.line(rows), pieces


@lru_cache(maxsize=2)
def _tuned(encoder: Any, label: str) -> Any:
    """The encoder with what was learned of it together with a head; it takes as much memory as its weights."""
    return encoder.tuned(known_head(label, "the model").tuned, label)


Mixed = tuple[Float32, tuple[str, ...]]


class _KnownLines:
    """The mixed layers of lines met before, up to a number of bytes; those that came first go first."""

    def __init__(self, largest: int) -> None:
        self._largest, self._bytes = largest, 0
        self._lines: dict[str, Mixed] = {}
        self._one_at_a_time = Lock()

    def get(self, lines: Iterable[str]) -> dict[str, Mixed]:
        with self._one_at_a_time:
            return {line: self._lines[line] for line in lines if line in self._lines}

    def put(self, lines: Mapping[str, Mixed]) -> None:
        with self._one_at_a_time:
            for line, mixed in lines.items():
                if line not in self._lines and mixed[0].nbytes <= self._largest:
                    self._lines[line] = mixed
                    self._bytes += mixed[0].nbytes
            while self._bytes > self._largest:
                oldest = next(iter(self._lines))
                self._bytes -= self._lines.pop(oldest)[0].nbytes


def _blocks(
    order: Iterable[int], references: Sequence[str], hypotheses: Sequence[str]
) -> Iterator[tuple[list[int], dict[str, int]]]:
    """Places of pairs in this order, as many at a time as have about `LINES_HELD` lines, which are numbered."""
    places, numbers = list[int](), dict[str, int]()
    for place in order:
        places.append(place)
        for side in (references, hypotheses):
            numbers.setdefault(side[place], len(numbers))
        if len(numbers) >= LINES_HELD:
            yield places, numbers
            places, numbers = [], {}
    if places:
        yield places, numbers


@dataclass(frozen=True)
class PieceMatch:
    """Two pieces that may be matched.

    Attributes:
        reference: Piece of the reference, by its place.
        hypothesis: Piece of the hypothesis, by its place.
        cosine: Of their vectors.
        posterior: Probability of the match under the machine.
        value: What the match adds to the value: posterior times weight, by the length of the pair and ``linear``.
    """

    reference: int
    hypothesis: int
    cosine: float
    posterior: float
    value: float


@dataclass(frozen=True)
class ValueParts:
    """A value, taken apart: ``constant`` and the values of all parts add up to it.

    Attributes:
        reference: Pieces of the reference.
        hypothesis: Pieces of the hypothesis.
        constant: What every pair gets.
        parts: Of each of `pfsm.encoder.heads.PARTS`, its number and what it adds.
        matches: What may be matched with at least the posterior that was asked for, in the order of the reference.
        far: How far each piece of the reference, and each of the hypothesis, is from the nearest of the other side: 1
            less the cosine.
    """

    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    constant: float
    parts: tuple[tuple[str, float, float], ...]
    matches: tuple[PieceMatch, ...]
    far: tuple[tuple[float, ...], tuple[float, ...]]


def value_parts(
    reader: PieceReader, references: Sequence[str], hypotheses: Sequence[str], least: float
) -> list[ValueParts]:
    """The values of pairs, taken apart.

    Args:
        reader: The head and its encoder.
        references: One side of each pair.
        hypotheses: The other.
        least: The smallest posterior of a match that is listed.
    """
    lines = list(dict.fromkeys([*references, *hypotheses]))
    known = dict(zip(lines, reader.lines(lines), strict=True))
    return [
        _parts(reader.scorer, known[reference], known[hypothesis], least)
        for reference, hypothesis in zip(references, hypotheses, strict=True)
    ]


Line = tuple[LineVectors, tuple[str, ...]]


def _parts(scorer: HeadScorer, reference: Line, hypothesis: Line, least: float) -> ValueParts:
    from pfsm_kernels.dense.machine import expected_counts  # noqa: PLC0415 - brings numba

    (ours, one), (theirs, other) = reference, hypothesis
    numbers = scorer.parts(ours, theirs)
    parts = tuple(zip(PARTS, numbers.tolist(), (numbers * scorer.linear).tolist(), strict=True))
    cosines = scorer.cosines(ours, theirs)
    machine = scorer.machine(cosines, ours, theirs)
    posteriors = expected_counts(*machine)[1][0]
    each = posteriors * machine[0][0] * (scorer.linear[0] / max(sum(cosines.shape), 1))
    matches = tuple(
        PieceMatch(i, j, float(cosines[i, j]), float(posteriors[i, j]), float(each[i, j]))
        for i, j in np.argwhere(posteriors >= least).tolist()
    )
    nearest = (np.minimum(cosines.max(axis=axis, initial=0.0), 1.0) for axis in (1, 0))
    of_reference, of_hypothesis = (tuple((1.0 - side).tolist()) for side in nearest)
    return ValueParts(one, other, scorer.constant, parts, matches, (of_reference, of_hypothesis))
