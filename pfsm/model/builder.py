"""Text in, lattices out: the way of a sentence pair up to the kernel, for scoring and training alike."""

from collections.abc import Iterator, Sequence, Sized
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch, SentenceFeatures, without_edits
from pfsm.lattice.building import build_lattices
from pfsm.lattice.names import sentence_feature
from pfsm.lattice.states import NO_SPLIT, Split, state_names
from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.features import feature_values
from pfsm.model.settings import Settings
from pfsm.text.classes import CLASSES, word_classes
from pfsm.text.vocabulary import Vocabulary

# Bounds of one batch: 16 million cells hold at most that many arcs per block size (20 bytes each).
PAIRS_PER_BATCH = 2048
CELLS_PER_BATCH = 16_000_000

Int64 = NDArray[np.int64]


class LatticeBuilder:
    """Turns sentence pairs into lattices under fixed settings; keeps what it knows about token types.

    Not for use from several threads at once.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.vocabulary = Vocabulary(settings.tokeniser, settings.stemmer, settings.lowercase)
        self.matchers = [
            MATCHERS[name].build(settings.max_block[name], settings.options.get(name, {}))
            for name in settings.matchers
        ]
        self.split = _split(settings)
        self.states = state_names(self.matchers, settings.max_jump, self.split) if settings.edits else ()

    @property
    def resources(self) -> tuple[str, ...]:
        """What the matchers know from, as ``NAME@CHECKSUM``."""
        return tuple(resource for matcher in self.matchers for resource in matcher.resources)

    def build(self, references: Sequence[str], hypotheses: Sequence[str]) -> LatticeBatch:
        """Lattices of all pairs in one batch.

        Raises:
            ValueError: If the two lists differ in length.
            PfsmError: If a pair has more crossing matches than memory should be spent on (with jumps only).
        """
        (batch,) = self.blocks(references, hypotheses, [0, len(references)])
        return batch

    def blocks(
        self, references: Sequence[str], hypotheses: Sequence[str], offsets: Sequence[int]
    ) -> Iterator[LatticeBatch]:
        """Lattices of all pairs in their order, block by block; sentence-level features are worked out at once.

        Args:
            references: One of each pair.
            hypotheses: The other.
            offsets: The first pair of each block, and the number of pairs.

        Raises:
            ValueError: If the two lists differ in length.
            PfsmError: As ``build``.
        """
        _check_lengths(references, hypotheses)
        features = self._features(references, hypotheses)
        for first, stop in pairwise(offsets):
            sides = references[first:stop], hypotheses[first:stop]
            batch = (
                self._build(self.encode(*sides), first)
                if self.settings.edits
                else without_edits(stop - first)
            )
            yield batch if features is None else replace(batch, sentence_features=features.part(first, stop))

    def batches(self, references: Sequence[str], hypotheses: Sequence[str]) -> Iterator[LatticeBatch]:
        """Lattices of all pairs in their order, in batches of bounded size.

        Raises:
            ValueError: If the two lists differ in length.
            PfsmError: If a pair has more crossing matches than memory should be spent on (with jumps only).
        """
        _check_lengths(references, hypotheses)
        places: dict[str, int] = {}
        sides = [
            np.array([places.setdefault(line, len(places)) for line in side], dtype=np.int64)
            for side in (references, hypotheses)
        ]
        return self.batches_of(list(places), *sides)

    def batches_of(
        self, lines: Sequence[str], references: Int64, hypotheses: Int64
    ) -> Iterator[LatticeBatch]:
        """The same where lines stand in many pairs: each is tokenised once.

        Args:
            lines: The text.
            references: int64 [n_pairs], which line is the reference of each pair.
            hypotheses: int64 [n_pairs], which is its hypothesis.

        Raises:
            ValueError: If the two arrays differ in length.
            PfsmError: As ``batches``.
        """
        _check_lengths(references, hypotheses)
        if not self.settings.edits:
            yield from self._feature_batches(lines, references, hypotheses)
            return
        encoded = self.vocabulary.encode(lines)
        sizes = np.diff(encoded.offsets) + 1
        cells = np.cumsum(sizes[references] * sizes[hypotheses])
        first = 0
        while first < references.size:
            limit = CELLS_PER_BATCH + (cells[first - 1] if first else 0)
            last = int(np.searchsorted(cells, limit, side="right"))
            last = min(max(first + 1, last), first + PAIRS_PER_BATCH)
            sides = references[first:last], hypotheses[first:last]
            part = EncodedPairs(self.vocabulary, *(encoded.select(side) for side in sides))
            batch = self._build(part, first)
            if self.settings.features:
                batch = self._with_features(batch, *([lines[place] for place in side] for side in sides))
            yield batch
            first = last

    def _feature_batches(
        self, lines: Sequence[str], references: Int64, hypotheses: Int64
    ) -> Iterator[LatticeBatch]:
        """The batches of a model without edits: nothing is tokenised."""
        for first in range(0, references.size, PAIRS_PER_BATCH):
            sides = [side[first : first + PAIRS_PER_BATCH] for side in (references, hypotheses)]
            yield self.build(*([lines[place] for place in side] for side in sides))

    def _with_features(
        self, batch: LatticeBatch, references: Sequence[str], hypotheses: Sequence[str]
    ) -> LatticeBatch:
        """The batch with its sentence-level features."""
        features = self._features(references, hypotheses)
        return batch if features is None else replace(batch, sentence_features=features)

    def _features(self, references: Sequence[str], hypotheses: Sequence[str]) -> SentenceFeatures | None:
        """Sentence-level features, standardised; as they are where no scale is known yet. None where there are none."""
        scales = self.settings.features
        if not scales:
            return None
        values = feature_values(list(scales), hypotheses, references)
        means, sds = zip(*(scale or (0.0, 1.0) for scale in scales.values()), strict=True)
        values = (values - np.array(means)) / np.array(sds)
        names = tuple(map(sentence_feature, scales))
        return SentenceFeatures(names, values)

    def _build(self, pairs: EncodedPairs, first: int) -> LatticeBatch:
        from pfsm_kernels.crossings import TooManyCrossingsError  # noqa: PLC0415 - brings numba

        settings = self.settings
        exclusive = settings.matching == "exclusive"
        try:
            return build_lattices(
                pairs,
                self.matchers,
                exclusive=exclusive,
                max_jump=settings.max_jump,
                split=self.split,
            )
        except TooManyCrossingsError as error:
            raise PfsmError(
                f"segment {first + error.pair} (counted from 0): too many matches cross for max_jump "
                f"{settings.max_jump}, as where one word fills the whole line; take the segment out"
            ) from None

    def encode(self, references: Sequence[str], hypotheses: Sequence[str]) -> EncodedPairs:
        """The pairs as token ids of the builder's vocabulary.

        Raises:
            ValueError: If the two lists differ in length.
        """
        _check_lengths(references, hypotheses)
        return EncodedPairs(
            self.vocabulary, self.vocabulary.encode(references), self.vocabulary.encode(hypotheses)
        )


def _split(settings: Settings) -> Split:
    """What the settings split by word class."""
    if not settings.split:
        return NO_SPLIT
    return Split(frozenset(settings.split), CLASSES, word_classes(settings.classes).of_types)


def _check_lengths(references: Sized, hypotheses: Sized) -> None:
    if len(references) != len(hypotheses):
        raise ValueError(f"{len(references)} references for {len(hypotheses)} hypotheses")
