"""BLEU (Papineni et al. 2002) and its parts, features of pairs: precisions, partial scores and the brevity penalty.

They are those of sacrebleu's sentence BLEU, 0 to 100 and 0 to 1.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pfsm.arrays import Float
from pfsm.metrics.inputs import nearly
from pfsm.metrics.sacre import SacreMetric, own_entries, sacrebleu_metric

# The features of BLEUR (Pado et al. 2009): precisions of 1- to 4-grams, smoothed and not; BLEU of n-grams up to each
# length, smoothed and not; the brevity penalty; BLEU without it. Orders that the hypothesis is too short for are left
# out of a mean; an order without a match makes an unsmoothed one 0.
_LENGTHS = range(1, 5)
BLEU_PARTS = (
    *(f"bleu.{n}" for n in _LENGTHS),
    "bleu.bp",
    *(f"bleu.raw_{n}" for n in _LENGTHS),
    *(f"bleu.upto_{n}" for n in _LENGTHS),
    *(f"bleu.raw_upto_{n}" for n in _LENGTHS),
    "bleu.mean",
)


def bleu_parts(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """What sentence BLEU is made of, as `BLEU_PARTS` names it: float64 [n_pairs, 18]."""
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


class BleuMetric(SacreMetric):
    """BLEU: of segments with effective order, of corpora as sacrebleu has it.

    Several references: n-grams are clipped by all of them together, and the length is that of the closest one
    (Papineni et al. 2002).
    """

    segment_references = "all"
    corpus_references = "all"

    def _score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return nearly(100.0, super()._score_pairs(hypotheses, references))

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """sacrebleu's ``sentence_score`` of each segment, float64 [n_segments]."""
        score = self._sentences().sentence_score

        def scores(ours: Sequence[str], theirs: Sequence[tuple[str, ...]]) -> Float:
            found = [score(*segment).score for segment in zip(ours, theirs, strict=True)]
            return nearly(100.0, np.array(found, np.float64))

        return self._distinct(scores, hypotheses, [tuple(several) for several in references])

    def corpus_entries(self) -> Mapping[str, str]:
        """Those of sacrebleu's own signature of corpora."""
        return self._with_exact_value(
            own_entries(sacrebleu_metric(self.name, self.options, effective_order=False))
        )

    def _several_statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Lengths of hypothesis and closest reference, n-grams matched, and n-grams: float64 [n_segments, 10]."""
        return self._distinct(self._counts, hypotheses, [tuple(several) for several in references])

    def _counts(self, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]]) -> Float:
        # With add-k sacrebleu counts what it adds to each sentence.
        plain = {key: value for key, value in self.options.items() if not key.startswith("smooth_")}
        score = sacrebleu_metric(self.name, plain).sentence_score
        found = [
            score(hypothesis, several) for hypothesis, several in zip(hypotheses, references, strict=True)
        ]
        rows = [[one.sys_len, one.ref_len, *one.counts, *one.totals] for one in found]
        return np.array(rows, dtype=np.float64).reshape(len(rows), 10)

    def corpus_from_totals(self, totals: Float) -> Float:
        """BLEU without effective order, smoothed as sacrebleu smooths it."""
        from sacrebleu.metrics import BLEU  # noqa: PLC0415 - takes a tenth of a second

        smoothing = {"smooth_method": "exp"} | {
            key: value for key, value in self.options.items() if key.startswith("smooth_")
        }
        scores = [
            BLEU.compute_bleu(row[2:6], row[6:], int(row[0]), int(row[1]), **smoothing).score
            for row in totals.reshape(-1, totals.shape[-1]).tolist()
        ]
        return nearly(100.0, np.array(scores, dtype=np.float64)).reshape(totals.shape[:-1])
