"""Learns paraphrases from translations: phrases that often stand in corresponding places.

A metric aligns every two versions of a segment (`correspondence`). ``c(a, b)`` is the number of segments in which the
phrases a and b stand in corresponding places of two versions, in either order, so ``c(a, b) = c(b, a)``. A pair is kept
if it passes three tests. It occurs in enough segments. It occurs more often than by chance, by the log-likelihood ratio
of its 2 x 2 table (Dunning, 1993: Accurate methods for the statistics of surprise and coincidence). Its phrases share
no word and are not two different numbers. Its probability is

    p(b | a) = c(a, b) / (sum over b' of c(a, b') + s(a))

where ``s(a)`` is the number of segments in which a is aligned word by word.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.lexicons.paraphrases import Phrase
from pfsm.model.file import Model
from pfsm_training.lexicons.correspondence import CorrespondenceFinder
from pfsm_training.lexicons.versions import Segment, version_pairs

Int64 = NDArray[np.int64]
Float = NDArray[np.float64]
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
