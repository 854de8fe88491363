"""Parts of metrics, and what is too plain to be one, as numbers about a pair; the ratio of lengths.

Precisions, partial scores and the brevity penalty of sentence BLEU (sacrebleu's, 0 to 100 and 0 to 1), NIST's
information per n-gram, partial scores and penalty, METEOR's precision, recall, penalty and shares of words matched, and
lengths. TER's are in `pfsm.metrics.sacre`.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import check_pairs
from pfsm.metrics.metric_group import PairFeatures
from pfsm.metrics.names import parse_name, written_name
from pfsm.metrics.ngram_table import INFO, ORDERS
from pfsm.metrics.nist import NIST_PARTS
from pfsm.metrics.sacre import TER_PARTS, ter_parts
from pfsm.metrics.words import Nist
from pfsm.text.scripts import spaceless_sizes


class LengthRatio(SegmentMetric):
    """``min(m, n) / max(m, n)`` of the lengths of reference and hypothesis in characters, spaces not counted.

    Characters, so that it means the same where words have no spaces between them. 1 for two empty sides. Several
    references: the best one of each segment counts.
    """

    name = "length_ratio"

    def entries(self) -> Mapping[str, str]:
        """What is counted."""
        return {"unit": "character", "space": "no"}

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """Ratios, float64 [n_pairs], from 0 (one side empty) to 1 (equally long)."""
        check_pairs(hypotheses, references)
        lengths = np.array([spaceless_sizes(side) for side in (hypotheses, references)])
        longest = lengths.max(axis=0, initial=0)
        ratios = np.ones(longest.size)
        np.divide(lengths.min(axis=0), longest, out=ratios, where=longest > 0)
        return ratios


Float = NDArray[np.float64]
Compute = Callable[[Sequence[str], Sequence[str]], Float]

LONGEST = 4  # n-grams of BLEU
_LENGTHS = range(1, LONGEST + 1)
BLEU_PARTS = (
    *(f"bleu.{n}" for n in _LENGTHS),
    "bleu.bp",
    *(f"bleu.raw_{n}" for n in _LENGTHS),
    *(f"bleu.upto_{n}" for n in _LENGTHS),
    *(f"bleu.raw_upto_{n}" for n in _LENGTHS),
    "bleu.mean",
)
MORE_NIST_PARTS = (*NIST_PARTS, *(f"nist.upto_{n}" for n in range(1, ORDERS + 1)), "nist.information")
CHARACTERS = ("length", "length_difference")
LENGTHS = (*CHARACTERS, "reference_words", "hypothesis_words")


def sacre_parts(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """The parts of BLEU or of TER, whichever a feature is one of, by name, float64 [n_pairs] each."""
    compute, names = (ter_parts, TER_PARTS) if name.startswith("ter.") else (bleu_parts, BLEU_PARTS)
    return dict(zip(names, compute(hypotheses, references).T, strict=True))


def bleu_parts(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """What sentence BLEU is made of, as `BLEU_PARTS` names it: float64 [n_pairs, 18].

    The features of BLEUR (Pado et al. 2009): precisions of 1- to 4-grams, smoothed and not; BLEU of n-grams up to each
    length, smoothed and not; the brevity penalty; BLEU without it. Orders that the hypothesis is too short for are left
    out of a mean; an order without a match makes an unsmoothed one 0.
    """
    from sacrebleu.metrics import BLEU  # noqa: PLC0415 - takes a tenth of a second

    bleu = BLEU(effective_order=True)
    rows = np.zeros((len(hypotheses), len(BLEU_PARTS)))
    for row, hypothesis, reference in zip(rows, hypotheses, references, strict=True):
        score = bleu.sentence_score(hypothesis, [reference])
        row[:4], row[4] = score.precisions, score.bp
        row[5:9] = [100.0 * c / t if t else 0.0 for c, t in zip(score.counts, score.totals, strict=True)]
        present = max(1, sum(total > 0 for total in score.totals))
        row[9:13] = score.bp * _running_means(row[:4], present)
        row[13:17] = score.bp * _running_means(row[5:9], present)
        row[17] = _running_means(row[:4], present)[-1]
    return rows


def _running_means(precisions: Float, present: int) -> Float:
    """Geometric means of the first n precisions, of those that are present at most: float64 [4]."""
    with np.errstate(divide="ignore"):
        logarithms = np.log(precisions[:present])
    means = np.exp(np.cumsum(logarithms) / np.arange(1, present + 1))
    return np.concatenate([means, np.full(precisions.size - present, means[-1])])


def length_parts(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """The lengths that a feature is one of, by name, float64 [n_pairs] each; words are counted where asked for.

    ``log(1 + r)`` and ``log((1 + h) / (1 + r))``, r and h in characters, then the words of the reference and of the
    hypothesis between spaces.
    """
    sides = (references, hypotheses)
    ours, theirs = (np.log1p(np.fromiter(map(len, side), np.float64, len(side))) for side in sides)
    found = [ours, theirs - ours]
    if name not in CHARACTERS:
        found += [np.array([len(line.split()) for line in side], dtype=np.float64) for side in sides]
    return dict(zip(LENGTHS, found, strict=False))


def nist(name: str) -> PairFeatures:
    """What computes the parts of NIST, as `MORE_NIST_PARTS` names them, with the option ``info`` of the given one.

    Information per n-gram by order, the penalty for short lines, NIST of n-grams up to each length, NIST without the
    penalty.

    Raises:
        PfsmError: If it has other options, or there are no such counts.
    """
    options = parse_name(name).options
    if set(options) - {INFO}:
        raise PfsmError(f"feature {name}: has no option but {INFO}; write it as {name.partition('(')[0]}")
    metric = Nist(options)
    names = [written_name(part, options) for part in MORE_NIST_PARTS]

    def compute(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        parts = metric.nist_parts(hypotheses, references)
        sums = np.cumsum(parts[:, :ORDERS], axis=1)
        columns = np.column_stack([parts, sums * parts[:, ORDERS:], sums[:, -1]])
        return dict(zip(names, columns.T, strict=True))

    return compute
