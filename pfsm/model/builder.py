"""Text in, lattices out: the way of a sentence pair up to the kernel, for scoring and training alike.

A reader has the tokens of lines and the sentence-level features of pairs; a builder makes lattices of them.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import pairwise
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import NotInstalledError, PfsmError, all_missing
from pfsm.features.values import FeatureSet, OwnLines, can_run_in_child_process, missing_packages
from pfsm.lattice.arrays import LatticeBatch, PerfectMatches, SentenceFeatures, without_edits
from pfsm.lattice.building import build_lattices
from pfsm.lattice.names import NO_SPLIT, Split, inserted_repeat, sentence_feature, state_names
from pfsm.matchers.protocol import EncodedPairs, Matcher
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.ngram_table import remember_documents
from pfsm.model.settings import RELATIVE, Settings
from pfsm.registry import table
from pfsm.runtime.process import gc_paused
from pfsm.runtime.threads import at_most
from pfsm.text.characters import CLEAN, clean, composed, typewritten
from pfsm.text.classes import CLASSES, word_classes
from pfsm.text.languages import edition_tokeniser
from pfsm.text.vocabulary import EncodedLines, Vocabulary

# Bounds of one batch: 16 million cells hold at most that many arcs per block size (20 bytes each).
PAIRS_PER_BATCH = 2048
CELLS_PER_BATCH = 16_000_000

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Single-reference pairs that are scored together, by their distinct lines.

    Attributes:
        lines: The lines.
        references: int64 [n_pairs], which line is the reference of each pair.
        hypotheses: int64 [n_pairs], which is its hypothesis.
        columns: Of each column of the data that the model needs a number for each pair, float64 [n_pairs].
        places: int64 [n_pairs], the number of each pair in the user's list, for errors.
    """

    lines: Sequence[str]
    references: Int64
    hypotheses: Int64
    columns: Mapping[str, Float]
    places: Int64

    @staticmethod
    def of(
        hypotheses: Sequence[str],
        references: Sequence[str],
        columns: Mapping[str, Float] | None = None,
        places: Int64 | None = None,
    ) -> "Pairs":
        """Return the pairs of two lists of lines; lines are made distinct here and nowhere else.

        Raises:
            ValueError: If the lists differ in length.
        """
        check_lengths(references, hypotheses)
        numbers: dict[str, int] = {}
        ours, theirs = (
            np.array([numbers.setdefault(line, len(numbers)) for line in side], dtype=np.int64)
            for side in (references, hypotheses)
        )
        return Pairs(
            list(numbers), ours, theirs, columns or {}, np.arange(ours.size) if places is None else places
        )

    def __len__(self) -> int:
        return int(self.references.size)

    def select(self, rows: Int64 | slice) -> "Pairs":
        """Return some of the pairs, with their lines alone, which keep their order."""
        ours = self.references[rows]
        used, numbers = np.unique(np.concatenate([ours, self.hypotheses[rows]]), return_inverse=True)
        return Pairs(
            [self.lines[place] for place in used.tolist()],
            numbers[: ours.size],
            numbers[ours.size :],
            {name: values[rows] for name, values in self.columns.items()},
            self.places[rows],
        )


class TextReader:
    """The vocabulary and the features of a model; keeps what it knows about token types.

    Only the language's settings, the names of the features and whether edits count matter here. So training can learn
    the other settings from what was read, and need not read again.

    Not for use from several threads at once.

    Raises:
        PfsmError: If there is no such tokeniser, stemmer or feature.
    """

    def __init__(self, settings: Settings) -> None:
        tokeniser = edition_tokeniser(settings.tokeniser, settings.language, settings.text)
        self.vocabulary = Vocabulary(tokeniser, settings.stemmer, settings.lowercase)
        if settings.counts:  # another process may have read the settings
            remember_documents(settings.counts, "counts")
        self._relative = settings.form == RELATIVE
        self._features: FeatureSet | None = None
        if settings.features:
            self.set_features(settings.features)
        self._edits = settings.edits
        self._form = settings.normalisation
        self._edition = settings.text

    def set_features(self, names: Iterable[str]) -> None:
        """Takes other features; the vocabulary stays."""
        self._features = FeatureSet(tuple(names), relative=self._relative)

    @gc_paused()
    def lines(self, lines: Sequence[str]) -> EncodedLines:
        """Return lines as token ids. Without edits nothing is tokenised."""
        lines = self.normalised(lines)
        return self.vocabulary.encode(lines) if self._edits else EncodedLines.without_tokens(lines)

    def pairs(self, references: Sequence[str], hypotheses: Sequence[str]) -> EncodedPairs:
        """Return sentence pairs as token ids, as ``lines``.

        Raises:
            ValueError: If the two lists differ in length.
        """
        pairs = Pairs.of(hypotheses, references)
        encoded = self.lines(pairs.lines)
        return EncodedPairs(
            self.vocabulary, encoded.select(pairs.references), encoded.select(pairs.hypotheses)
        )

    def feature_values(
        self, references: Sequence[str], hypotheses: Sequence[str], columns: Mapping[str, Float] | None = None
    ) -> Float:
        """Values of the features, not standardised, float64 [n_pairs, n_features]; arguments as `FeatureSet.values`.

        Raises:
            PfsmError: If something that a feature needs is not there.
            ValueError: If the two lists differ in length.
        """
        return self.values_of_read(self.normalised(references), self.normalised(hypotheses), columns)

    def values_of_read(
        self,
        references: Sequence[str],
        hypotheses: Sequence[str],
        columns: Mapping[str, Float] | None = None,
        own: OwnLines | None = None,
    ) -> Float:
        """The same of lines that `lines` or `pairs` returned, which have the form that the settings ask for."""
        if self._features is None:
            return np.zeros((len(references), 0))
        try:
            return self._features.values(hypotheses, references, columns, own)
        except NotInstalledError as error:
            found = missing_packages(self._features.names)
            raise all_missing("the model", found or [error]) from None

    def normalised(self, lines: Sequence[str]) -> Sequence[str]:
        """The lines in the form that the settings ask for; text that has it already costs next to nothing."""
        if self._edition == CLEAN:
            lines = list(map(clean, lines))
        if self._form == "nfc":
            return list(map(composed, lines))
        if self._form == "nfkc":
            return [unicodedata.normalize("NFKC", line) for line in lines]
        if self._form == "typewriter":
            return [line if line.isascii() else typewritten(line) for line in lines]
        return lines


def check_lengths(references: Sized, hypotheses: Sized) -> None:
    """Refuses sides of different length.

    Raises:
        ValueError: If they differ.
    """
    if len(references) != len(hypotheses):
        raise ValueError(f"{len(references)} references for {len(hypotheses)} hypotheses")


class LatticeBuilder:
    """Turns sentence pairs into lattices under fixed settings; keeps what it knows about token types.

    Not for use from several threads at once.

    Args:
        settings: The settings.
        reader: Reads the text; None: a new one. Pairs that it has read can be given instead of their text.
        lock: Held while `batches` reads; None: a new one.

    Raises:
        PfsmError: If something that a matcher needs is not there.
    """

    def __init__(
        self, settings: Settings, reader: TextReader | None = None, lock: "RLock | None" = None
    ) -> None:
        self.settings = settings
        self.lock = RLock() if lock is None else lock
        self.reader = TextReader(settings) if reader is None else reader
        self.vocabulary = self.reader.vocabulary
        self.matchers = _matchers(settings)
        self.split = _split(settings)
        self.states = state_names(self.matchers, settings.max_jump, self.split) if settings.edits else ()

    @property
    def resources(self) -> tuple[str, ...]:
        """What the matchers know from, as ``NAME@CHECKSUM``."""
        return tuple(resource for matcher in self.matchers for resource in matcher.resources)

    @property
    def can_run_in_child_process(self) -> bool:
        """Whether all that is used needs nothing but text and tables, so that forked processes can build lattices."""
        settings = self.settings
        matchers = settings.matchers if settings.edits else ()
        return (
            all(MATCHERS[name].can_run_in_child_process(settings.options.get(name, {})) for name in matchers)
            and can_run_in_child_process(settings.features)
            and table("tokeniser").plugin(settings.tokeniser) is None
            and table("stemmer").plugin(settings.stemmer) is None
        )

    def encode(self, references: Sequence[str], hypotheses: Sequence[str]) -> EncodedPairs:
        """The pairs as token ids of the builder's vocabulary, for `lattices` and `blocks`.

        Raises:
            ValueError: If the two lists differ in length.
        """
        return self.reader.pairs(references, hypotheses)

    def build(self, references: Sequence[str], hypotheses: Sequence[str]) -> LatticeBatch:
        """Lattices of all pairs in one batch.

        Raises:
            ValueError: If the two lists differ in length.
            PfsmError: As `lattices`.
        """
        return self.lattices(self.encode(references, hypotheses))

    @gc_paused()
    def lattices(
        self,
        pairs: EncodedPairs,
        values: Float | None = None,
        places: Int64 | None = None,
        columns: Mapping[str, Float] | None = None,
    ) -> LatticeBatch:
        """Return lattices of pairs that the builder's reader has read, in one batch.

        Args:
            pairs: The pairs.
            values: Their sentence-level features, float64 [n_pairs, n_features], where they are known.
            places: The numbers of the pairs, for errors, int64 [n_pairs]; None: from 0.
            columns: If they are not known, the columns that features are taken from, float64 [n_pairs] each.

        Raises:
            PfsmError: If a pair has more crossing matches than memory should be spent on (with jumps only), or
                something that a feature needs is not there.
        """
        settings = self.settings
        own = _own_lines(pairs) if settings.form == RELATIVE else None
        batch = self._edit_lattices(pairs, places) if settings.edits else without_edits(len(pairs))
        if settings.edits and own is not None:
            lines = (
                pairs.references.select(own.first)
                if own.first is not None
                else self.vocabulary.encode(own.lines)
            )
            perfect = self._edit_lattices(EncodedPairs(pairs.vocabulary, lines, lines), None)
            batch = replace(batch, perfect=PerfectMatches(perfect, own.of))
        if not settings.features:
            return batch
        if values is None:
            sides = pairs.references.lines, pairs.hypotheses.lines
            values = self.reader.values_of_read(*sides, columns, own)
        return replace(batch, sentence_features=self._standardised(values))

    def blocks(
        self, pairs: EncodedPairs, offsets: Sequence[int], values: Float | None = None
    ) -> Iterator[LatticeBatch]:
        """Yield lattices of pairs in their order, block by block.

        Args:
            pairs: The pairs.
            offsets: The first pair of each block, and the number of pairs.
            values: As in `lattices`.

        Raises:
            PfsmError: As `lattices`.
        """
        for first, stop in pairwise(offsets):
            known = None if values is None else values[first:stop]
            yield self.lattices(pairs.part(first, stop), known, np.arange(first, stop))

    def batches(self, pairs: Pairs, threads: int | None = None) -> Iterator[LatticeBatch]:
        """Yield lattices of all pairs in their order, for log-sums, in batches of bounded size.

        Text is read while no other thread reads; between two batches others may.

        Args:
            pairs: The pairs.
            threads: That matchers and features may use; None: as many as the process may.

        Raises:
            PfsmError: As `lattices`.
        """
        with self.lock:
            encoded = self.reader.lines(pairs.lines)
        sizes = np.diff(encoded.offsets) + 1
        cells = np.cumsum(sizes[pairs.references] * sizes[pairs.hypotheses])
        first = 0
        while first < len(pairs):
            limit = CELLS_PER_BATCH + (cells[first - 1] if first else 0)
            last = int(np.searchsorted(cells, limit, side="right"))
            last = min(max(first + 1, last), first + PAIRS_PER_BATCH)
            part = slice(first, last)
            with self.lock, at_most(threads):
                sides = (encoded.select(side[part]) for side in (pairs.references, pairs.hypotheses))
                columns = {name: values[part] for name, values in pairs.columns.items()}
                batch = self.lattices(
                    EncodedPairs(self.vocabulary, *sides), places=pairs.places[part], columns=columns
                )
            yield batch
            first = last

    def tokens(self, pairs: EncodedPairs) -> list[tuple[list[str], list[str]]]:
        """The tokens of the reference and of the hypothesis of every pair; of a model without edits too."""
        sides = [pairs.references, pairs.hypotheses]
        if not self.settings.edits:
            sides = [self.vocabulary.encode(side.lines) for side in sides]
        references, hypotheses = (
            [forms[first:stop] for first, stop in pairwise(side.offsets.tolist())]
            for side, forms in ((side, self.vocabulary.forms(side)) for side in sides)
        )
        return list(zip(references, hypotheses, strict=True))

    def _standardised(self, values: Float) -> SentenceFeatures:
        """Sentence-level features; not standardised where no scale is known yet."""
        scales = self.settings.features
        means, sds = zip(*(scale or (0.0, 1.0) for scale in scales.values()), strict=True)
        names = tuple(map(sentence_feature, scales))
        return SentenceFeatures(names, (values - np.array(means)) / np.array(sds))

    def _edit_lattices(self, pairs: EncodedPairs, places: Int64 | None) -> LatticeBatch:
        from pfsm_kernels.pushdown.crossings import TooManyCrossingsError  # noqa: PLC0415 - brings numba

        settings = self.settings
        exclusive = settings.matching == "exclusive"
        try:
            return build_lattices(
                pairs, self.matchers, exclusive=exclusive, max_jump=settings.max_jump, split=self.split
            )
        except TooManyCrossingsError as error:
            place = error.pair if places is None else places[error.pair]
            raise PfsmError(
                f"segment {place} (counted from 0): too many matches cross for max_jump "
                f"{settings.max_jump}, as in lines of more than 1,000 words; split the segment, or set max_jump to 0"
            ) from None


def _own_lines(pairs: EncodedPairs) -> OwnLines:
    """Return the lines that pairs of the relative form are counted from: the reference, if it has text."""
    references, numbers = pairs.references, pairs.references.numbers.copy()
    blank = [place for place, line in enumerate(references.lines) if not line.strip()]
    numbers[blank] = -1 - np.array(blank, dtype=np.int64)
    _, first, of = np.unique(numbers, return_index=True, return_inverse=True)
    lines = [references.lines[place] for place in first.tolist()]
    for place in blank:
        lines[of[place]] = pairs.hypotheses.lines[place]
    return OwnLines(lines, of, None if blank else first)


def _matchers(settings: Settings) -> list[Matcher]:
    """The matchers of the settings, in their order."""
    built, missing = [], []
    for name in settings.matchers:
        try:
            built.append(MATCHERS[name].build(settings.max_block[name], settings.options.get(name, {})))
        except NotInstalledError as error:
            missing.append(error)
    if missing:
        raise all_missing("the model", [*missing, *missing_packages(settings.features)])
    return built


def _split(settings: Settings) -> Split:
    """What the settings split by word class, and whether inserted repetitions are a state."""
    repeats = inserted_repeat() in settings.split
    if not settings.split_by_class:
        return Split(repeats=True) if repeats else NO_SPLIT
    of_types = word_classes(settings.classes).of_types
    return Split(frozenset(settings.split_by_class), CLASSES, of_types, repeats)
