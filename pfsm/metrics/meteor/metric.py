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
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.inputs import quotient, score_distinct
from pfsm.metrics.meteor.matching import Analyser, Matches
from pfsm.metrics.meteor.options import STAGES, MeteorOptions, Parameters
from pfsm.metrics.metric_group import MetricWithComponents

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

    most_words = 10_000

    def __init__(self, name: str, options: MeteorOptions) -> None:
        self.name = name
        self.options = options
        self.parameters = options.parameters

    def entries(self) -> Mapping[str, str]:
        """Options and tables."""
        analyser = _analyser(self.name, self.options)
        return {
            "lang": self.options.language,
            "task": self.options.task,
            **{key: f"{value:g}" for key, value in self.options.given},
            "stages": "+".join(self.options.stages),
            "tok": "meteor",
            **analyser.labels,
            "words": analyser.words,
        }

    @property
    def resources(self) -> tuple[str, ...]:
        """Tables and word lists."""
        analyser = _analyser(self.name, self.options)
        return (*analyser.labels.values(), analyser.words)

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Counts that METEOR adds up, float64 [n_pairs, 21].

        Words matched by side (hypothesis, reference), class (content, function) and stage; words by side and class;
        chunks, of which a pair whose both sides are one chunk has none.
        """
        return score_distinct(self._statistics, hypotheses, references)

    def corpus_from_totals(self, totals: Float) -> Float:
        """METEOR of the sums."""
        counts = totals.reshape(-1, totals.shape[-1])
        return _scores(counts, self.parameters)[:, 0].reshape(totals.shape[:-1])

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return _scores(self._statistics(hypotheses, references), self.parameters)

    def _statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        analyser = _analyser(self.name, self.options)
        rows = [np.empty((0, 5 * 4 + 1))]
        with analyser.lock:
            for first in range(0, len(hypotheses), PAIRS_PER_BATCH):
                batch = slice(first, first + PAIRS_PER_BATCH)
                rows.append(_counts(analyser.find(references[batch], hypotheses[batch]), self.parameters))
        return np.concatenate(rows)


# A table of paraphrases takes 100 MB; a process needs one or two.
_analyser = lru_cache(maxsize=4)(Analyser)


def _counts(matches: Matches, parameters: Parameters) -> Float:
    """What the best alignments of pairs count, as `MeteorMetric.pair_statistics` gives it."""
    from pfsm_kernels.strings.meteor import best_alignments  # noqa: PLC0415 - brings numba

    weights = np.array(list(parameters.weights.values()))[matches.stages]
    worth = sum((matches.rows[:, column] * weights).astype(np.int64) for column in (0, 2))
    references, hypotheses = matches.references.offsets, matches.hypotheses.offsets
    kept, chunks = best_alignments(
        matches.rows, worth, matches.offsets, matches.lists, references, np.diff(hypotheses), BEAM
    )
    words = np.flatnonzero(kept >= 0)
    n_pairs, rows = len(matches.references), matches.rows[kept[words]]
    pair = np.searchsorted(references, words, side="right") - 1
    place = pair * len(STAGES) + matches.stages[kept[words]]
    matched, total = [], []
    sides = ((matches.hypotheses, hypotheses[pair] + rows[:, 1], 2), (matches.references, words, 0))
    for lines, start, column in sides:
        function = np.concatenate([[0], np.cumsum(matches.is_function[lines.ids])])
        size = rows[:, column]
        functional = function[start + size] - function[start]
        matched += [
            np.bincount(place, counted, n_pairs * len(STAGES)).reshape(-1, len(STAGES))
            for counted in (size - functional, functional)
        ]
        all_functional = np.diff(function[lines.offsets])
        total += [np.diff(lines.offsets) - all_functional, all_functional]
    whole = (chunks == 1) & (np.sum(matched, axis=(0, 2)) == sum(total))
    return np.column_stack([*matched, *total, np.where(whole, 0.0, chunks)]).astype(np.float64)


def _scores(counts: Float, parameters: Parameters) -> Float:
    """Scores and parts, as `MeteorMetric.parts` gives them, from the counts of pairs or of corpora."""
    # By side and class, and by stage.
    matched, total = counts[:, :16].reshape(-1, 2, 2, len(STAGES)), counts[:, 16:20].reshape(-1, 2, 2)
    weights = np.zeros(len(STAGES))
    weights[: len(parameters.weights)] = list(parameters.weights.values())
    content, function = parameters.delta, 1.0 - parameters.delta
    p, r = (
        quotient(
            content * (matched[:, side, 0] @ weights) + function * (matched[:, side, 1] @ weights),
            content * total[:, side, 0] + function * total[:, side, 1],
        )
        for side in (0, 1)
    )
    f = quotient(p * r, parameters.alpha * p + (1.0 - parameters.alpha) * r)
    by_stage, of_class = matched.sum(axis=(1, 2)), total.sum(axis=1)
    fragmentation = quotient(2.0 * counts[:, 20], by_stage.sum(axis=1))
    penalty = parameters.gamma * fragmentation**parameters.beta
    words = of_class.sum(axis=1)
    shares = [
        *(quotient(stage, words) for stage in _stages(by_stage.T, parameters)),
        *quotient(matched.sum(axis=(1, 3)), of_class).T,
    ]
    return np.column_stack([f * (1.0 - penalty), p, r, f, penalty, fragmentation, *shares])


def _stages(counts: Float, parameters: Parameters) -> list[Float]:
    """Counts of all four stages, zeros for those that the parameters do without."""
    of = dict(zip(parameters.weights, counts, strict=False))
    return [of.get(stage, np.zeros(counts.shape[1])) for stage in STAGES]
