"""Parts of metrics, and what is too plain to be one, as numbers about a pair.

The four n-gram precisions and the brevity penalty of sentence BLEU (sacrebleu's, 0 to 100 and 0 to 1), NIST's
information per n-gram and penalty, METEOR's precision, recall, penalty and shares of words matched, and lengths.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.meteor.metric import MeteorMetric
from pfsm.metrics.meteor.options import check_options
from pfsm.metrics.words import WordMetric, nist_parts

Float = NDArray[np.float64]

BLEU_PARTS = ("bleu.1", "bleu.2", "bleu.3", "bleu.4", "bleu.bp")
LENGTHS = ("length", "length_difference")


def bleu_parts(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Smoothed precisions of 1- to 4-grams and the brevity penalty of sentence BLEU, float64 [n_pairs, 5]."""
    from sacrebleu.metrics import BLEU  # noqa: PLC0415 - takes a tenth of a second

    bleu = BLEU(effective_order=True)
    rows = np.zeros((len(hypotheses), len(BLEU_PARTS)))
    for row, hypothesis, reference in zip(rows, hypotheses, references, strict=True):
        score = bleu.sentence_score(hypothesis, [reference])
        row[:4], row[4] = score.precisions, score.bp
    return rows


def lengths(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """``log(1 + r)`` and ``log((1 + h) / (1 + r))``, r and h in characters: float64 [n_pairs, 2]."""
    ours, theirs = (
        np.log1p(np.array([len(line) for line in side], dtype=np.float64))
        for side in (references, hypotheses)
    )
    return np.column_stack([ours, theirs - ours])


def nist(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Information per n-gram by order and the penalty for short lines, float64 [n_pairs, 6]."""
    return WordMetric("nist").parts(nist_parts, hypotheses, references)


def meteor_parts(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Parts of a METEOR (`pfsm.metrics.meteor.metric.PARTS`), float64 [n_pairs, n_parts]."""
    return MeteorMetric(name, check_options(name, {})).parts(hypotheses, references)[:, 1:]
