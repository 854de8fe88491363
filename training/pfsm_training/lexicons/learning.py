"""Paraphrases learned from translations: phrases that come in corresponding places again and again.

Every two versions of a segment are aligned by a metric (`correspondence`). For each pair of phrases (a, b),
``c(a, b)`` is the number of segments in which they stand in corresponding places of two versions, in either order, so
``c(a, b) = c(b, a)``. A pair is kept that was seen in enough segments and more often than chance brings its phrases
together, by the log-likelihood ratio of its 2 x 2 table (Dunning, 1993: Accurate methods for the statistics of surprise
and coincidence), and that shares no word and is not two different numbers. Its probability is

    p(b | a) = c(a, b) / (sum over b' of c(a, b') + s(a))

with ``s(a)`` the number of segments in which a is aligned word by word.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.lexicons.paraphrases import Phrase
from pfsm.lexicons.versions import Segment, version_pairs
from pfsm.model.file import Model
from pfsm_training.lexicons.correspondence import CorrespondenceFinder

Int64 = NDArray[np.int64]
Float = NDArray[np.float64]
PAIRS_AT_ONCE = 4096


@dataclass(frozen=True)
class Thresholds:
    """What a pair of phrases must pass.

    Attributes:
        posterior: Smallest posterior of an aligned place; above one half.
        segments: Smallest number of segments.
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
        thresholds: What a pair must pass; None: the defaults.
        threads: The result does not depend on them.
        progress: Told from time to time how many segments and how many pairs of versions were looked at.

    Raises:
        PfsmError: As `LatticeBuilder.build`.
    """
    thresholds = thresholds or Thresholds()
    finder = CorrespondenceFinder(model, thresholds.posterior, threads)
    pairs, aligned = [np.zeros((0, 3), dtype=np.int64)], [np.zeros((0, 2), dtype=np.int64)]
    looked_at = 0
    for chunk in version_pairs(segments, PAIRS_AT_ONCE):
        found = finder.find([one for _, one, _ in chunk], [other for _, _, other in chunk])
        segment = np.array([number for number, _, _ in chunk], dtype=np.int64)
        pairs.append(_by_segment(np.concatenate([found.pairs, found.pairs[:, [0, 2, 1]]]), segment))
        aligned.append(_by_segment(found.aligned, segment))
        looked_at += len(chunk)
        if progress is not None:
            progress(chunk[-1][0] + 1, looked_at)
    links, counts = np.unique(np.concatenate(pairs)[:, 1:], axis=0, return_counts=True)
    same, same_counts = np.unique(np.concatenate(aligned)[:, 1], return_counts=True)
    return _selected(finder, _Counts(links, counts, same, same_counts), thresholds)


def _by_segment(rows: Int64, segment: Int64) -> Int64:
    """The rows with the segment in place of the pair, each once."""
    replaced = rows.copy()
    replaced[:, 0] = segment[rows[:, 0]]
    return np.unique(replaced, axis=0)


@dataclass(frozen=True, eq=False)
class _Counts:
    """Numbers of segments.

    Attributes:
        links: int64 [n, 2], pairs of phrases in corresponding places, in both orders.
        counts: int64 [n], c(a, b).
        same: int64 [k], phrases aligned word by word; rising.
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
    # The same for both columns: every pair stands in both orders.
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
    """Dunning's -2 log lambda of 2 x 2 tables; minus that where the two come together less often than by chance.

    Args:
        together: [n], how often both.
        one: [n], how often the one, with the other or without.
        other: [n], how often the other.
        total: How often anything.
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
    """Whether two phrases may be paraphrases for all that their letters say.

    Not if they share a word, which should have been aligned; nor if both hold digits: different numbers.
    """
    if not set(one).isdisjoint(other):
        return False
    return not all(any(map(str.isdecimal, "".join(phrase))) for phrase in (one, other))
