"""Many pairs of one metric, shared out among forked processes (`pfsm.runtime.workers`).

All pairs of a reference go to the same process, in later calls too, so that each reads it once.
"""

import warnings
import weakref
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmWarning
from pfsm.model.plugins import plugin_labels
from pfsm.model.settings import Settings
from pfsm.runtime.process import may_fork
from pfsm.runtime.progress import Stage

if TYPE_CHECKING:
    from pfsm.runtime.workers import ForkedPool

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
Columns = Mapping[str, Float]
# Scores of single-reference pairs, each of which depends on its pair alone: from hypotheses, references, columns of the
# data (float64 [n_pairs] by name) and the number of threads to float64 [n_pairs].
Score = Callable[[Sequence[str], Sequence[str], Columns, int], Float]
# To fork a process takes as long as to score some hundred pairs. Least numbers of pairs: in a call, and in all so far.
FEWEST_TO_SHARE, FIRST_TO_SHARE = 1024, 3000
# So many are scored here first, and so compile kernels and fill tables for all.
SCORED_HERE = 64
PAIRS_PER_JOB = 2048
# Each process takes memory of its own.
MOST_PROCESSES = 16
# Seconds before scoring is worth a bar.
BAR_PATIENCE = 0.5
# Matchers and features that need nothing but text and tables: no network, parser, program or connection, which may not
# outlive a fork, and nothing that depends on what stands beside a line.
PLAIN_MATCHERS = frozenset(
    {"punct", "word", "lemma", "morph", "syn", "para", "char", "num", "quantity", "swap"}
)
PLAIN_FEATURES = frozenset({"chrf", "length", "length_ratio", "kept"})
WORD_VECTORS = "shipped:words-"


def is_plain(settings: Settings) -> bool:
    """Whether a model needs nothing but text and tables, so that its pairs can be scored in any process."""
    matchers = set(settings.matchers) if settings.edits else set()
    if str(settings.options.get("emb", {}).get("source", "")).startswith(WORD_VECTORS):
        matchers.discard("emb")
    features = {name.partition("(")[0].partition(".")[0] for name in settings.features}
    return matchers <= PLAIN_MATCHERS and features <= PLAIN_FEATURES and not plugin_labels(settings)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Some pairs of a call: ``places``, int64 [n], says which."""

    places: Int64
    hypotheses: Sequence[str]
    references: Sequence[str]
    columns: Columns

    def select(self, rows: Int64) -> "_Pairs":
        several = rows.tolist()
        return _Pairs(
            self.places[rows],
            [self.hypotheses[row] for row in several],
            [self.references[row] for row in several],
            {name: values[rows] for name, values in self.columns.items()},
        )


class ForkedScorer:
    """Scores the pairs of a metric's calls, by threads or, where there are many pairs and it may fork, by processes.

    Args:
        threads: How many cores to use.
        settings: Of the model, which say whether processes may do it (`is_plain`).
    """

    def __init__(self, threads: int, settings: Settings) -> None:
        self._threads = threads
        self._processes = min(threads, MOST_PROCESSES)
        self._settings = settings
        self._seen = 0
        self._pool: ForkedPool[_Pairs, Float] | None = None

    def scores(
        self, score: Score, hypotheses: Sequence[str], references: Sequence[str], columns: Columns
    ) -> Float:
        """As ``score``."""
        count, before = len(hypotheses), self._seen
        self._seen += count
        many = count >= FEWEST_TO_SHARE and self._seen >= FIRST_TO_SHARE and count == len(references)
        if not (many and self._processes > 1 and may_fork() and is_plain(self._settings)):
            return score(hypotheses, references, columns, self._threads)
        from pfsm.runtime.workers import ForkError  # noqa: PLC0415 - few commands need it

        pairs = _Pairs(np.arange(count), hypotheses, references, columns)
        here = max(0, SCORED_HERE - before)
        first, rest = pairs.select(pairs.places[:here]), pairs.select(pairs.places[here:])
        scores = np.empty(count)
        if here:
            scores[:here] = _score(score, first, self._threads)
        if not may_fork():  # what the model needs is loaded by now
            scores[here:] = _score(score, rest, self._threads)
            return scores
        try:
            self._share(score, rest, scores)
        except ForkError as error:
            # A pair that is at fault is at fault here, too, and told by its place among all.
            self._processes, self._pool = 1, None
            scores = score(hypotheses, references, columns, self._threads)
            warnings.warn(f"{error}; scored in one process", PfsmWarning, stacklevel=2)
        return scores

    def _share(self, score: Score, pairs: _Pairs, scores: Float) -> None:
        """Fills in the scores of some pairs; the others are there."""
        pool = self._pool or self._forked(score, pairs.places.size)
        with Stage("score", "scoring", scores.size, "pairs", patience=BAR_PATIENCE) as stage:
            stage.advance(scores.size - pairs.places.size)
            for part, found in pool.results(_by_home(pairs, len(pool))):
                scores[part.places] = found
                stage.advance(found.size)

    def _forked(self, score: Score, count: int) -> "ForkedPool[_Pairs, Float]":
        from pfsm.runtime.workers import ForkedPool  # noqa: PLC0415 - few commands need it

        def alone(part: _Pairs) -> Float:
            return _score(score, part, 1)

        processes = max(2, min(self._processes, count // FEWEST_TO_SHARE))
        self._pool = ForkedPool(alone, processes)
        weakref.finalize(self, self._pool.close)
        return self._pool


def _score(score: Score, pairs: _Pairs, threads: int) -> Float:
    return score(pairs.hypotheses, pairs.references, pairs.columns, threads)


def _by_home(pairs: _Pairs, processes: int) -> list[list[_Pairs]]:
    """Jobs for each process, the same for the same reference."""
    hashes = [zlib.crc32(line.encode("utf-8", "surrogatepass")) for line in pairs.references]
    homes = np.array(hashes, dtype=np.int64) % processes
    return [
        [pairs.select(rows[first : first + PAIRS_PER_JOB]) for first in range(0, rows.size, PAIRS_PER_JOB)]
        for rows in (np.flatnonzero(homes == home) for home in range(processes))
    ]
