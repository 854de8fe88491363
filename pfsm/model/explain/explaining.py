"""Explanations of many pairs: block by block, with what each lost against its reference itself."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.matchers.protocol import EncodedPairs
from pfsm.model.builder import LatticeBuilder
from pfsm.model.explain.building import PerfectMatch, explain_lattices, perfect_matches
from pfsm.model.explain.explanation import Explanation
from pfsm.model.explain.losses import points_lost
from pfsm.model.explain.pieces import PieceExplainer
from pfsm.model.explain.places import MOST_PLACES
from pfsm.model.file import Model

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights

Float = NDArray[np.float64]
# Of so many references it is remembered, in one call, what they have in a perfect match; about 2 kB each.
MOST_PERFECT = 20_000
PerfectKey = tuple[str, tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class _Block:
    """Pairs that are explained together.

    Attributes:
        builder: Has read them.
        pairs: The pairs.
        lengths: [n_pairs], the words of each reference.
        numbers: By column, float64 [n_pairs].
    """

    builder: LatticeBuilder
    pairs: EncodedPairs
    lengths: Sequence[int]
    numbers: Mapping[str, Float]

    def key(self, k: int) -> PerfectKey:
        """What the perfect match of a pair depends on: its reference, and its numbers in columns."""
        return self.pairs.references.lines[k], tuple(float(values[k]) for values in self.numbers.values())


@dataclass(frozen=True, eq=False)
class Explaining:
    """Explains the pairs of one call, and remembers what their references have in a perfect match.

    Attributes:
        model: The model.
        reader: Gives the builder for the next block.
        lock: Held while a builder reads.
        weights: The kernel's weights of a batch; None for a model without edits.
        pieces: Gives what adds what an encoder says.
    """

    model: Model
    reader: Callable[[], LatticeBuilder]
    lock: RLock
    weights: Callable[[LatticeBatch], "Weights | None"]
    pieces: Callable[[], PieceExplainer]
    _perfect: dict[PerfectKey, PerfectMatch | None] = field(default_factory=dict)

    def block(
        self, hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float]
    ) -> Iterator[Explanation]:
        """The explanations of some pairs, whose contributions are arrays.

        Raises:
            PfsmError: If a pair is too long, when its turn comes.
        """
        try:
            return self._explained(hypotheses, references, numbers)
        except PfsmError:
            # One pair of the block is at fault: those before it come first.
            return self._one_by_one(hypotheses, references, numbers)

    def _one_by_one(
        self, hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float]
    ) -> Iterator[Explanation]:
        for k, (hypothesis, reference) in enumerate(zip(hypotheses, references, strict=True)):
            own = {name: values[k : k + 1] for name, values in numbers.items()}
            yield from self._explained([hypothesis], [reference], own)

    def _explained(
        self, hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float]
    ) -> Iterator[Explanation]:
        builder = self.reader()
        with self.lock:
            pairs = builder.encode(references, hypotheses)
            tokens = builder.tokens(pairs)
            batch = builder.lattices(pairs, columns=numbers)
        explained = explain_lattices(batch, self.model, self.weights(batch), tokens)
        explained = self.pieces().added(explained, pairs.references.lines, pairs.hypotheses.lines)
        lengths = [len(reference) for reference, _ in tokens]
        return self._against_perfect(explained, _Block(builder, pairs, lengths, numbers))

    def _against_perfect(self, explained: Iterator[Explanation], block: _Block) -> Iterator[Explanation]:
        """The explanations with their losses."""
        for k, explanation in enumerate(explained):
            if not k:  # not before: the first pair may be too long
                self._find_perfect(block)
            yield _with_losses(explanation, self._perfect[block.key(k)])

    def _find_perfect(self, block: _Block) -> None:
        """Adds the references with themselves that are not found yet; None for those that are too long."""
        found = self._perfect
        if len(found) > MOST_PERFECT:
            found.clear()
        places = {block.key(k): k for k in range(len(block.lengths))}
        places = {key: k for key, k in places.items() if key not in found}
        found.update(dict.fromkeys(key for key, k in places.items() if 2 * block.lengths[k] > MOST_PLACES))
        new = {key: k for key, k in places.items() if key not in found}
        try:
            found.update(zip(new, [*self._perfect_of(block, [*new.values()])], strict=True))
        except PfsmError:
            for key, k in new.items():
                try:
                    (found[key],) = self._perfect_of(block, [k])
                except PfsmError:
                    found[key] = None

    def _perfect_of(self, block: _Block, places: Sequence[int]) -> Iterator[PerfectMatch]:
        """What the references at these places come to with themselves."""
        rows = np.array(places, dtype=np.int64)
        references = block.pairs.references.select(rows)
        own = {name: values[rows] for name, values in block.numbers.items()}
        with self.lock:
            pairs = EncodedPairs(block.pairs.vocabulary, references, references)
            batch = block.builder.lattices(pairs, columns=own)
        return perfect_matches(batch, self.model, self.weights(batch), [block.lengths[k] for k in places])


def _with_losses(explanation: Explanation, perfect: PerfectMatch | None) -> Explanation:
    if perfect is None:
        return explanation
    return replace(explanation, perfect=perfect.score, lost=points_lost(explanation, perfect))
