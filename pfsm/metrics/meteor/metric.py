"""METEOR 1.5 (Denkowski and Lavie 2014, *Meteor Universal*), from the definition to the score.

All matches of the two sentences are found (`matching`), the best alignment among them is searched for
(`pfsm_kernels.strings.meteor`), and its words are counted. With ``m_s(h_c)`` content words of the hypothesis matched in
stage s, ``m_s(h_f)`` function words, ``w_s`` the weight of the stage, and the same for the reference r:

    P = sum_s w_s (delta m_s(h_c) + (1 - delta) m_s(h_f)) / (delta |h_c| + (1 - delta) |h_f|),    R likewise
    F = P R / (alpha P + (1 - alpha) R)
    fragmentation = chunks / ((matched words of h + matched words of r) / 2),  0 where one chunk covers both sides whole
    score = F (1 - gamma fragmentation^beta)

Quotients without a denominator are 0. The score of a corpus is that of the sums of all these counts over its segments;
a segment whose both sides are one chunk adds no chunk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.base import MetricWithComponents
from pfsm.metrics.inputs import check_pairs, quotient, score_distinct
from pfsm.metrics.meteor.matching import Analyser, Matches
from pfsm.metrics.meteor.options import BASE, STAGES, MeteorOptions, Parameters
from pfsm.metrics.meteor.words import meteor_lists, own_lists
from pfsm.text.vocabulary import EncodedLines

Float = NDArray[np.float64]
BEAM = 40
PAIRS_PER_BATCH = 4096


class MeteorMetric(MetricWithComponents):
    """METEOR 1.5, from 0 to 1. Its parts are `PARTS`. Several references: the best one of each segment counts.

    Args:
        name: ``meteor``: with METEOR's paraphrases and word lists, which the extra ``paraphrases`` brings.
            ``meteor-base``: with what ships with pfsm: its own word lists, no paraphrases.
        options: As `check_options` returns them.

    Raises:
        PfsmError: At the first use, if something that is needed is not installed.
    """

    def __init__(self, name: str, options: MeteorOptions) -> None:
        self.name = name
        self.options = options
        self.parameters = options.parameters

    def entries(self) -> Mapping[str, str]:
        """Options and tables."""
        engine = _engine(self.name, self.options)
        return {
            "lang": self.options.language,
            "task": self.options.task,
            **{key: f"{value:g}" for key, value in self.options.given.items()},
            "stages": "+".join(self.options.stages),
            "tok": "meteor",
            **engine.analyser.resources,
            "words": engine.words,
        }

    @property
    def resources(self) -> tuple[str, ...]:
        """Tables and word lists."""
        engine = _engine(self.name, self.options)
        return (*engine.analyser.resources.values(), engine.words)

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Counts that METEOR adds up, float64 [n_pairs, 21]: see `_Counts`."""
        check_pairs(hypotheses, references)
        return score_distinct(self._statistics, hypotheses, references)

    def corpus_from_totals(self, totals: Float) -> Float:
        """METEOR of the sums."""
        counts = totals.reshape(-1, totals.shape[-1])
        return _scores(_Counts.of(counts), self.parameters)[:, 0].reshape(totals.shape[:-1])

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return _scores(_Counts.of(self._statistics(hypotheses, references)), self.parameters)

    def _statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        engine = _engine(self.name, self.options)
        with engine.lock:
            return engine.statistics(hypotheses, references)


class _Engine:
    """What several objects of the same metric share: tables, and what is known about words."""

    def __init__(self, name: str, options: MeteorOptions) -> None:
        lists = own_lists(options.language) if name == BASE else meteor_lists(options.language)
        self.analyser = Analyser(
            options.language, options.stages, lists, options.synonyms, options.paraphrases
        )
        self.words = lists.label
        self.lock = Lock()
        self._parameters = options.parameters

    def statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """The counts of distinct pairs, float64 [n_pairs, 21]."""
        rows = [np.empty((0, _Counts.SIZE))]
        for first in range(0, len(hypotheses), PAIRS_PER_BATCH):
            batch = slice(first, first + PAIRS_PER_BATCH)
            matches = self.analyser.find(references[batch], hypotheses[batch])
            rows.append(_aligned(matches, self._parameters).array)
        return np.concatenate(rows)


# A table of paraphrases takes 100 MB; a process needs one or two.
_engine = lru_cache(maxsize=4)(_Engine)


def _aligned(matches: Matches, parameters: Parameters) -> "_Counts":
    """What the best alignments of pairs count."""
    from pfsm_kernels.strings.meteor import best_alignments  # noqa: PLC0415 - brings numba

    sizes = [np.diff(side.offsets) for side in (matches.references, matches.hypotheses)]
    weights = np.array(list(parameters.weights.values()))[matches.stages]
    worth = sum((matches.rows[:, column] * weights).astype(np.int64) for column in (1, 3))
    chosen, chunks = best_alignments(matches.rows, worth, matches.offsets, sizes[0], sizes[1], BEAM)
    kept = _Kept(matches, chosen)
    recall = kept.side(matches.references, 0)
    precision = kept.side(matches.hypotheses, 2)
    matched = sum(side.sum(axis=1) for side in (*precision.matched, *recall.matched))
    whole = (chunks == 1) & (matched == sum((*precision.total, *recall.total)))
    return _Counts(precision, recall, np.where(whole, 0.0, chunks))


class _Kept:
    """The alignment's matches."""

    def __init__(self, matches: Matches, chosen: NDArray[np.bool_]) -> None:
        self._matches = matches
        n_pairs = matches.offsets.size - 1
        self._pair = np.repeat(np.arange(n_pairs), np.diff(matches.offsets))[chosen]
        self._rows = matches.rows[chosen]
        self._place = self._pair * len(STAGES) + matches.stages[chosen]
        self._n_places = n_pairs * len(STAGES)

    def side(self, lines: EncodedLines, column: int) -> "_Side":
        """Counts of one side; ``column`` of a match is where it begins there, the next one its size."""
        function = np.concatenate([[0], np.cumsum(self._matches.is_function[lines.ids])])
        start = lines.offsets[self._pair] + self._rows[:, column]
        size = self._rows[:, column + 1]
        functional = function[start + size] - function[start]
        matched = [self._sums(size - functional), self._sums(functional)]
        all_functional = np.diff(function[lines.offsets])
        total = [np.diff(lines.offsets) - all_functional, all_functional]
        return _Side(matched, [words.astype(np.float64) for words in total])

    def _sums(self, values: NDArray[np.int64]) -> Float:
        sums = np.bincount(self._place, values, self._n_places)
        return np.asarray(sums.reshape(-1, len(STAGES)), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Side:
    """Words of one side: first content words, then function words.

    Attributes:
        matched: Twice float64 [n_pairs, n_stages].
        total: Twice float64 [n_pairs].
    """

    matched: Sequence[Float]
    total: Sequence[Float]

    def coverage(self, parameters: Parameters) -> Float:
        """Weighted words matched over all words: precision, or recall."""
        weights = np.zeros(len(STAGES))
        weights[: len(parameters.weights)] = list(parameters.weights.values())
        shares = (parameters.delta, 1.0 - parameters.delta)
        matched = sum(share * (words @ weights) for share, words in zip(shares, self.matched, strict=True))
        total = sum(share * words for share, words in zip(shares, self.total, strict=True))
        return quotient(np.asarray(matched), np.asarray(total))


@dataclass(frozen=True, eq=False)
class _Counts:
    """What METEOR counts of pairs, or of corpora.

    Attributes:
        precision: Words of the hypotheses.
        recall: Words of the references.
        chunks: float64 [n]; a pair whose both sides are one chunk has none.
    """

    precision: "_Side"
    recall: "_Side"
    chunks: Float

    SIZE: ClassVar[int] = 4 * len(STAGES) + 5

    @classmethod
    def of(cls, array: Float) -> "_Counts":
        """The counts from an array as `array` makes it."""
        *matched, rest = np.split(array, range(len(STAGES), 4 * len(STAGES) + 1, len(STAGES)), axis=1)
        sides = [_Side(matched[k : k + 2], [rest[:, k], rest[:, k + 1]]) for k in (0, 2)]
        return cls(sides[0], sides[1], rest[:, 4])

    @property
    def array(self) -> Float:
        """All counts, float64 [n, 21]: words matched by side, class and stage, words by side and class, chunks."""
        sides = (self.precision, self.recall)
        matched = [words for side in sides for words in side.matched]
        return np.column_stack([*matched, *(words for side in sides for words in side.total), self.chunks])


def _scores(counts: _Counts, parameters: Parameters) -> Float:
    """Scores and parts, as `MeteorMetric.parts` gives them."""
    precision, recall = counts.precision, counts.recall
    p, r = precision.coverage(parameters), recall.coverage(parameters)
    f = quotient(p * r, parameters.alpha * p + (1.0 - parameters.alpha) * r)
    by_stage = precision.matched[0] + precision.matched[1] + recall.matched[0] + recall.matched[1]
    by_class = [
        one.sum(axis=1) + other.sum(axis=1)
        for one, other in zip(precision.matched, recall.matched, strict=True)
    ]
    words_of_class = [one + other for one, other in zip(precision.total, recall.total, strict=True)]
    matched, words = by_stage.sum(axis=1), words_of_class[0] + words_of_class[1]
    fragmentation = quotient(2.0 * counts.chunks, matched)
    penalty = parameters.gamma * fragmentation**parameters.beta
    shares = [
        *(quotient(stage, words) for stage in _stages(by_stage.T, parameters)),
        *(quotient(count, of) for count, of in zip(by_class, words_of_class, strict=True)),
    ]
    return np.column_stack([f * (1.0 - penalty), p, r, f, penalty, fragmentation, *shares])


def _stages(counts: Float, parameters: Parameters) -> list[Float]:
    """Counts of all four stages, zeros for those that the parameters do without."""
    of = dict(zip(parameters.weights, counts, strict=False))
    return [of.get(stage, np.zeros(counts.shape[1])) for stage in STAGES]
