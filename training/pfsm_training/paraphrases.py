"""Learns paraphrases from translations: phrases that often stand in corresponding places.

A metric aligns every two versions of a segment (`CorrespondenceFinder`). ``c(a, b)`` is the number of segments in which
the phrases a and b stand in corresponding places of two versions, in either order, so ``c(a, b) = c(b, a)``. A pair is
kept if it passes three tests. It occurs in enough segments. It occurs more often than by chance, by the log-likelihood
ratio of its 2 x 2 table (Dunning, 1993: Accurate methods for the statistics of surprise and coincidence). Its phrases
share no word and are not two different numbers. Its probability is

    p(b | a) = c(a, b) / (sum over b' of c(a, b') + s(a))

where ``s(a)`` is the number of segments in which a is aligned word by word.

Versions of a segment are its references and translations, from files of judgments or preferences. A token is aligned if
an arc on it has a posterior of at least a threshold. The threshold is above one half, so at most one arc has. Tokens
between two neighbouring aligned places, which include the ends of the sentences, are not aligned. If there are one or
two of them on each side, the two stretches are a pair of phrases in corresponding places.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int64
from pfsm.data.table import DataSource, Table, read_table
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lexicons.paraphrases import Phrase
from pfsm.matchers.protocol import EncodedPairs, TypeLists
from pfsm.model.builder import LatticeBuilder
from pfsm.model.file import Model

LONGEST = 2
# A phrase is one number: BASE times the id of its first word, plus the id of its second plus one (0: none).
BASE = 2**31


@dataclass(frozen=True, eq=False)
class Correspondences:
    """The phrases found in a batch of pairs.

    Attributes:
        pairs: int64 [n, 3], rows (pair, phrase of the one side, phrase of the other).
        aligned: int64 [k, 2], rows (pair, phrase): the aligned phrases of either side. A phrase of one or two words is
            aligned if each of its words is, by an arc of its own, and nothing lies in between on the other side.
    """

    pairs: Int64
    aligned: Int64


class CorrespondenceFinder:
    """Finds phrases in corresponding places with one metric.

    Args:
        model: The metric.
        posterior: Smallest posterior of an aligned place, above one half.
        threads: Threads for the dynamic programs.
    """

    def __init__(self, model: Model, posterior: float, threads: int) -> None:
        self._model = model
        self._posterior = posterior
        self._threads = threads
        self._builder = LatticeBuilder(model.settings)
        self._id_of_word: dict[str, int] = {}
        self._words = TypeLists(self._word)

    def _word(self, token: str) -> tuple[int]:
        """Number of the lower-cased word; -1 for punctuation."""
        if not any(map(str.isalnum, token)):
            return (-1,)
        return (self._id_of_word.setdefault(token.lower(), len(self._id_of_word)),)

    def phrases(self, numbers: Sequence[int]) -> list[tuple[str, ...]]:
        """The words of each phrase."""
        words = list(self._id_of_word)
        split = [divmod(number, BASE) for number in numbers]
        return [
            (words[first],) if second == 0 else (words[first], words[second - 1]) for first, second in split
        ]

    def find(self, ones: Sequence[str], others: Sequence[str]) -> Correspondences:
        """Phrases in corresponding places of the lines of two texts.

        Raises:
            PfsmError: As `LatticeBuilder.build`.
        """
        from pfsm_kernels.inference import expectations  # noqa: PLC0415 - brings numba

        encoded = self._builder.encode(ones, others)
        batch = self._builder.lattices(encoded)
        weights = batch.weights(self._model.weights)
        posteriors = expectations(batch.lattices, weights, self._threads, batch.jumps).arcs
        anchors = _anchors(batch, posteriors >= self._posterior)
        _, words = self._words.of(encoded.vocabulary)
        return _correspondences(anchors, encoded, words.astype(np.int64))


def _anchors(batch: LatticeBatch, confident: NDArray[np.bool_]) -> Int64:
    """Sorted aligned places, int64 [n, 5], rows (pair, i, end of i, j, end of j), with the ends of both lines."""
    lattices = batch.lattices
    arcs = lattices.arcs[confident].astype(np.int64)
    pair = lattices.pair_of_arc[confident]
    lengths = np.diff(lattices.offsets[:, :2], axis=0)
    numbers = np.arange(len(lattices))
    rows = np.concatenate(
        [
            np.column_stack([pair, arcs[:, 0], arcs[:, 0] + arcs[:, 1], arcs[:, 2], arcs[:, 2] + arcs[:, 3]]),
            np.column_stack([numbers, np.full((len(lattices), 4), [-1, 0, -1, 0])]),
            np.column_stack([numbers, lengths[:, 0], lengths[:, 0] + 1, lengths[:, 1], lengths[:, 1] + 1]),
        ]
    )
    return np.asarray(rows[np.lexsort((rows[:, 1], rows[:, 0]))], dtype=np.int64)


def _correspondences(anchors: Int64, pairs: EncodedPairs, words: Int64) -> Correspondences:
    one = _Side(words[pairs.references.ids], pairs.references.offsets, anchors[:, [0, 1, 2]])
    other = _Side(words[pairs.hypotheses.ids], pairs.hypotheses.offsets, anchors[:, [0, 3, 4]])
    together = anchors[1:, 0] == anchors[:-1, 0]
    gaps = [side.first[1:] - side.last[:-1] for side in (one, other)]
    fits = together.copy()
    for side, gap in zip((one, other), gaps, strict=True):
        fits &= (gap >= 1) & (gap <= LONGEST) & ~side.is_aligned_between()
    at = np.flatnonzero(fits)
    left, right = (side.phrases(side.last[at], gap[at]) for side, gap in zip((one, other), gaps, strict=True))
    worded = (left >= 0) & (right >= 0)
    found = np.column_stack([anchors[at, 0], left, right])[worded]
    touching = together & (gaps[0] == 0) & (gaps[1] == 0)
    return Correspondences(found, np.concatenate([side.aligned(touching) for side in (one, other)]))


class _Side:
    """One side of the pairs: its words, and its aligned places in the order of the anchors.

    Attributes:
        first: int64 [n_anchors], start of each anchor, as a token index over all lines.
        last: int64 [n_anchors], its end.
    """

    def __init__(self, words: Int64, offsets: Int64, anchors: Int64) -> None:
        self._words = words
        self._pair = anchors[:, 0]
        starts = offsets[self._pair]
        self.first = starts + anchors[:, 1]
        self.last = starts + anchors[:, 2]
        lengths = np.diff(offsets)[self._pair]
        self._inside = (anchors[:, 1] >= 0) & (anchors[:, 1] < lengths)
        self._single = self._inside & (self.last == self.first + 1)
        change = np.zeros(words.size + 1, dtype=np.int64)
        np.add.at(change, self.first[self._inside], 1)
        np.add.at(change, self.last[self._inside], -1)
        covered = np.cumsum(change[:-1]) > 0
        self._covered = np.concatenate([[0], np.cumsum(covered)])

    def is_aligned_between(self) -> NDArray[np.bool_]:
        """Whether a token between an anchor and the next is aligned elsewhere, as it can be with jumps."""
        low = np.clip(self.last[:-1], 0, self._words.size)
        high = np.clip(self.first[1:], 0, self._words.size)
        return np.asarray(self._covered[np.maximum(high, low)] > self._covered[low])

    def phrases(self, starts: Int64, sizes: Int64) -> Int64:
        """Numbers of phrases of one or two words; -1 if one of the words is punctuation."""
        if not starts.size:
            return starts
        first = self._words[starts]
        second = np.where(sizes == LONGEST, self._words[np.minimum(starts + 1, self._words.size - 1)], -2)
        numbers = first * BASE + np.where(second == -2, 0, second + 1)
        return np.asarray(np.where((first < 0) | (second == -1), -1, numbers), dtype=np.int64)

    def aligned(self, touching: NDArray[np.bool_]) -> Int64:
        """Rows (pair, phrase) of all words that are aligned one by one, and of all neighbouring two of them."""
        single = np.flatnonzero(self._single)
        double = np.flatnonzero(touching & self._single[:-1] & self._single[1:])
        rows = [
            np.column_stack([self._pair[at], self.phrases(self.first[at], np.full(at.size, size))])
            for at, size in ((single, 1), (double, LONGEST))
        ]
        joined = np.concatenate(rows)
        return np.asarray(joined[joined[:, 1] >= 0], dtype=np.int64)


# The reference, then the other texts sorted by code points.
Segment = tuple[str, ...]


def read_versions(paths: Sequence[StrPath]) -> tuple[list[Segment], list[DataSource]]:
    """The segments of all files, in the order of their references, and the files.

    All rows with the same reference are one segment. Its versions are the reference itself, further references
    (``reference_2`` and so on) and every translation (``hypothesis``, or ``better`` and ``worse``). Each text counts
    once, so a translation equal to its reference (such as a post-edit that changed nothing) is not a separate version.
    Segments with an empty reference are left out.

    Raises:
        PfsmError: If a file cannot be read, or lacks the columns.
    """
    tables = [read_table(path) for path in paths]
    versions: dict[str, set[str]] = {}
    for table in tables:
        columns = _columns(table)
        for reference, *others in zip(*columns, strict=True):
            if reference.strip():
                versions.setdefault(reference, set()).update(others)
    segments = [(reference, *sorted(versions[reference] - {reference, ""})) for reference in sorted(versions)]
    return segments, [table.source for table in tables]


def _columns(table: Table) -> list[Sequence[str]]:
    """The reference column, and every other column that holds a version."""
    translations = [name for name in ("hypothesis", "better", "worse") if name in table.columns]
    if not translations:
        raise PfsmError(f"{table.path}: no column 'hypothesis', nor 'better' and 'worse'")
    further = sorted(name for name in table.columns if name.startswith("reference_"))
    return [table.column("reference"), *(table.columns[name] for name in (*further, *translations))]


def version_pairs(segments: Iterable[Segment], at_least: int) -> Iterator[list[tuple[int, str, str]]]:
    """Every two versions of every segment, as (number of the segment, one text, the other), in lists of whole segments.

    Args:
        segments: The segments.
        at_least: Smallest size of a list, except the last.
    """
    pairs: list[tuple[int, str, str]] = []
    for number, segment in enumerate(segments):
        pairs += [(number, one, other) for one, other in combinations(segment, 2)]
        if len(pairs) >= at_least:
            yield pairs
            pairs = []
    if pairs:
        yield pairs


PAIRS_AT_ONCE = 4096


@dataclass(frozen=True)
class Thresholds:
    """Thresholds that a pair of phrases must reach.

    Attributes:
        posterior: Smallest posterior of an aligned place; above one half.
        segments: Smallest number of segments with the pair.
        association: Smallest log-likelihood ratio; 10.83 is p = .001 with one degree of freedom.
    """

    posterior: float = 0.9
    segments: int = 5
    association: float = 10.83


def learn_paraphrases(
    segments: Iterable[Segment],
    model: Model,
    thresholds: Thresholds | None = None,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[tuple[Phrase, Phrase], float]:
    """Paraphrases with their probabilities, for `compile_paraphrases`.

    Args:
        segments: Versions of each segment.
        model: The metric that aligns them.
        thresholds: What a pair must reach; None: the defaults.
        threads: Threads of the aligner; the result does not depend on it.
        progress: Called from time to time with the numbers of segments and of pairs of versions read so far.

    Raises:
        PfsmError: As `LatticeBuilder.build`.
    """
    thresholds = thresholds or Thresholds()
    finder = CorrespondenceFinder(model, thresholds.posterior, threads)
    pairs, aligned = [np.zeros((0, 3), dtype=np.int64)], [np.zeros((0, 2), dtype=np.int64)]
    n_read = 0
    for chunk in version_pairs(segments, PAIRS_AT_ONCE):
        found = finder.find([one for _, one, _ in chunk], [other for _, _, other in chunk])
        segment = np.array([number for number, _, _ in chunk], dtype=np.int64)
        pairs.append(_by_segment(np.concatenate([found.pairs, found.pairs[:, [0, 2, 1]]]), segment))
        aligned.append(_by_segment(found.aligned, segment))
        n_read += len(chunk)
        if progress is not None:
            progress(chunk[-1][0] + 1, n_read)
    links, counts = np.unique(np.concatenate(pairs)[:, 1:], axis=0, return_counts=True)
    same, same_counts = np.unique(np.concatenate(aligned)[:, 1], return_counts=True)
    return _selected(finder, _Counts(links, counts, same, same_counts), thresholds)


def _by_segment(rows: Int64, segment: Int64) -> Int64:
    """The distinct rows, with the segment in place of the pair."""
    replaced = rows.copy()
    replaced[:, 0] = segment[rows[:, 0]]
    return np.unique(replaced, axis=0)


@dataclass(frozen=True, eq=False)
class _Counts:
    """Numbers of segments.

    Attributes:
        links: int64 [n, 2], pairs of phrases in corresponding places, in both orders.
        counts: int64 [n], c(a, b).
        same: int64 [k], phrases aligned word by word; ascending.
        same_counts: int64 [k], s(a).
    """

    links: Int64
    counts: Int64
    same: Int64
    same_counts: Int64


def _selected(
    finder: CorrespondenceFinder, counts: _Counts, thresholds: Thresholds
) -> dict[tuple[Phrase, Phrase], float]:
    phrases, place = np.unique(counts.links, return_inverse=True)
    place = place.reshape(counts.links.shape)
    # The same for both columns, because every pair is there in both orders.
    totals = np.bincount(place[:, 0], counts.counts, minlength=phrases.size).astype(np.int64)
    ratios = log_likelihood_ratios(counts.counts, totals[place[:, 0]], totals[place[:, 1]], totals.sum())
    kept = np.flatnonzero((counts.counts >= thresholds.segments) & (ratios >= thresholds.association))
    own = np.zeros(phrases.size, dtype=np.int64)
    _, at, where = np.intersect1d(phrases, counts.same, assume_unique=True, return_indices=True)
    own[at] = counts.same_counts[where]
    words = finder.phrases(phrases.tolist())
    result = {}
    for row in kept.tolist():
        one, other = place[row].tolist()
        if is_plausible(words[one], words[other]):
            result[words[one], words[other]] = float(counts.counts[row] / (totals[one] + own[one]))
    return result


def log_likelihood_ratios(together: Int64, one: Int64, other: Int64, total: int) -> Float:
    """Dunning's -2 log lambda of 2 x 2 tables; negative if the two occur together less often than by chance.

    Args:
        together: int64 [n], how often both occur together.
        one: int64 [n], how often the one occurs, with or without the other.
        other: int64 [n], how often the other occurs.
        total: Number of all occurrences.
    """
    n = float(total)
    both, ones, others = (counts.astype(np.float64) for counts in (together, one, other))
    cells = np.stack([both, ones - both, others - both, n - ones - others + both])
    margins = np.stack([ones * others, ones * (n - others), (n - ones) * others, (n - ones) * (n - others)])
    expected = margins / n if n else margins
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(cells > 0, cells * np.log(cells / expected), 0.0)
    ratios: Float = 2.0 * terms.sum(axis=0)
    return np.where(cells[0] >= expected[0], ratios, -ratios)


def is_plausible(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the spelling of two phrases allows them to be paraphrases.

    It does not if they share a word, which should have been aligned, nor if both contain digits, since they are then
    different numbers.
    """
    if not set(one).isdisjoint(other):
        return False
    return not all(any(map(str.isdecimal, "".join(phrase))) for phrase in (one, other))
