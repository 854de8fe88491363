"""Minimum Bayes risk: of several translations of a source, the one with the highest expected score.

The candidates stand for the translations that the system thinks possible, so the expected score of candidate h is

    E(h) = sum_{k other than h} w_k score(h, c_k) / sum_{k other than h} w_k

with every other candidate c_k as the reference in turn (Kumar and Byrne, 2004; Eikema and Aziz, 2020), w_k = 1 unless
weights are given. A candidate that occurs twice is its own reference once, as often as it was drawn.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.base import SegmentMetric
from pfsm.model.shipped import QUICK_MODEL, load
from pfsm.runtime.choice import NOISE, simplest_within_noise
from pfsm.runtime.terminal import Stage

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
# Sources done so far.
Progress = Callable[[int], None]

# Scored at a time: a second or two.
PAIRS_AT_ONCE = 65_536


@dataclass(frozen=True, eq=False)
class Choice:
    """The candidate chosen for one source.

    Attributes:
        candidate: Its number among the candidates of the source, from 0; of equally good ones the first.
        text: The candidate.
        expected: float64 [n_candidates], the expected score of every candidate.
    """

    candidate: int
    text: str
    expected: Float

    @property
    def score(self) -> float:
        """The expected score of the chosen candidate."""
        return float(self.expected[self.candidate])


@dataclass(frozen=True, eq=False)
class _Source:
    """The candidates of one source: the distinct ones, and which of them each is."""

    distinct: list[str]
    kind: Int64
    weights: Float


def choose(
    candidates: Sequence[Sequence[str]],
    metric: SegmentMetric | None = None,
    weights: Sequence[Sequence[float]] | None = None,
    progress: Progress | None = None,
) -> list[Choice]:
    """Picks for every source the candidate with the highest expected score against the others.

    Every candidate is tokenised once, and the candidates that are the same are scored once. Cost O(N^2) scores for N
    distinct candidates of a source.

    Args:
        candidates: For each source its candidates, at least two.
        metric: What scores one candidate against another; None: the model ``en-fast``. ``en`` agrees more with people,
            but takes much longer for so many pairs.
        weights: For each source the weights of its candidates as references, such as their probabilities, from 0, at
            least two of them above 0; None: all alike.
        progress: Called with the number of sources done so far.

    Returns:
        A choice for each source. It does not depend on the number of threads.

    Raises:
        ValueError: A source has fewer than two candidates, its weights are invalid, or ``metric`` is not a metric.
    """
    if not isinstance(metric, SegmentMetric | None):
        raise ValueError("the second argument is the metric; give weights by name: choose(lists, weights=…)")
    sources = [
        _source(lines, None if weights is None else weights[place]) for place, lines in enumerate(candidates)
    ]
    if weights is not None and len(weights) != len(candidates):
        raise ValueError(f"weights of {len(weights)} sources, candidates of {len(candidates)}")
    metric = load(QUICK_MODEL) if metric is None else metric
    choices: list[Choice] = []
    with Stage("mbr", "choosing", len(sources), "sources") as stage:
        for group in _groups(sources):
            for source, scores in zip(group, _scores(metric, group), strict=True):
                choices.append(_choice(source, scores))
            stage.reach(len(choices))
            if progress is not None:
                progress(len(choices))
    return choices


def _source(lines: Sequence[str], weights: Sequence[float] | None) -> _Source:
    if isinstance(lines, str) or len(lines) < 2:
        raise ValueError("a source needs a list of at least two candidates")
    places: dict[str, int] = {}
    kind = np.array([places.setdefault(line, len(places)) for line in lines], dtype=np.int64)
    given = np.ones(kind.size) if weights is None else np.array(weights, dtype=np.float64)
    if given.shape != kind.shape or not np.isfinite(given).all() or (given < 0.0).any():
        raise ValueError("every candidate needs a weight, a finite number from 0")
    if (given > 0.0).sum() < 2:
        raise ValueError("at least two candidates of a source must weigh more than 0")
    return _Source(list(places), kind, given / given.max())


def _groups(sources: Sequence[_Source]) -> Iterator[list[_Source]]:
    """Sources in their order, as many at a time as have about ``PAIRS_AT_ONCE`` pairs."""
    group: list[_Source] = []
    pairs = 0
    for source in sources:
        group.append(source)
        pairs += len(source.distinct) ** 2
        if pairs >= PAIRS_AT_ONCE:
            yield group
            group, pairs = [], 0
    if group:
        yield group


def _scores(metric: SegmentMetric, group: Sequence[_Source]) -> Iterator[Float]:
    """For each source the scores of all its distinct candidates (rows) against all as references (columns)."""
    lines: list[str] = []
    rows, columns = [], []
    for source in group:
        places = np.arange(len(source.distinct)) + len(lines)
        rows.append(np.repeat(places, places.size))
        columns.append(np.tile(places, places.size))
        lines += source.distinct
    scores = metric.score_pairs(
        *([lines[place] for place in np.concatenate(side).tolist()] for side in (rows, columns))
    )
    first = 0
    for source in group:
        size = len(source.distinct)
        yield scores[first : first + size * size].reshape(size, size)
        first += size * size


def _choice(source: _Source, scores: Float) -> Choice:
    total = np.bincount(source.kind, source.weights, minlength=len(source.distinct))
    others = np.tile(total, (source.kind.size, 1))
    for place, kind in enumerate(source.kind):
        # Of its own kind only the copies are others. Added up: a difference would leave a trace of the candidate.
        copies = source.kind == kind
        copies[place] = False
        others[place, kind] = source.weights[copies].sum()
    # einsum adds in a fixed order, whatever the number of threads.
    expected = np.einsum("nk,nk->n", others, scores[source.kind]) / others.sum(axis=1)
    best = simplest_within_noise(expected, NOISE * float(np.abs(expected).max()))
    return Choice(best, source.distinct[source.kind[best]], expected)
