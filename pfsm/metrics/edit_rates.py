"""Error rates: edits over words of the references; of TER with its parts, the edits by kind.

TER (Snover et al. 2006) counts the edits of each kind that turn the hypothesis into the reference. Words are inserted
(the hypothesis lacks them), deleted (it has too many) or substituted, and blocks of words are shifted. Words are
sacrebleu's; the search is that of `pfsm_kernels.strings.edit_rate`, whose numbers are sacrebleu's.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pfsm.arrays import Float, Int64
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import flat_pairs, numbered_words
from pfsm.metrics.sacre import SacreMetric

KINDS = ("insertions", "deletions", "substitutions", "shifts")
TER_PARTS = (*(f"ter.{kind}" for kind in KINDS), *(f"ter.{kind}_count" for kind in KINDS))


def rates_of_totals(totals: Float) -> Float:
    """Edits over words in percent; lower is better.

    Args:
        totals: float64 [..., 2], sums of edits and of words of the references.

    Returns:
        float64 [...]; without words 100 where there are edits, else 0.
    """
    edits, words = totals[..., 0], totals[..., 1]
    rates = np.divide(edits, words, out=np.array(edits > 0, dtype=np.float64), where=words > 0)
    return np.asarray(100.0 * rates)


def fewest_edits(
    count: Callable[[Sequence[str], Sequence[str]], Float],
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
) -> Float:
    """Edits to the closest reference, and the mean length of all references (Snover et al. 2006, section 2).

    Args:
        count: From hypotheses and references to edits and words of the reference, float64 [n_pairs, 2].
        hypotheses: One translation a segment.
        references: For each of them its references, one at least.

    Returns:
        float64 [n_segments, 2].
    """
    if not hypotheses:
        return np.zeros((0, 2))
    repeated, flat, starts = flat_pairs(hypotheses, references)
    edits, words = count(repeated, flat).T
    counts = np.diff([*starts, len(flat)])
    return np.column_stack([np.minimum.reduceat(edits, starts), np.add.reduceat(words, starts) / counts])


def count_edits(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> Float:
    """The edits of each of `KINDS` that TER finds between lists of words, float64 [n_pairs, 4].

    The sum of a row is TER's numerator.
    """
    from pfsm_kernels.strings.edit_rate import KINDS as COUNTED  # noqa: PLC0415 - brings numba
    from pfsm_kernels.strings.edit_rate import count_edits as count  # noqa: PLC0415

    ids: dict[str, int] = {}
    sides = [numbered_words(lines, ids) for lines in (references, hypotheses)]
    nothing = np.zeros(len(hypotheses) + 1, dtype=np.int64)
    links, phrases = (np.zeros((0, columns), dtype=np.int32) for columns in (3, 4))
    costs = np.ones(COUNTED)
    costs[0] = 0.0
    counts, _ = count(*sides[0], *sides[1], links, nothing, phrases, nothing, np.zeros(0), costs)
    return np.ascontiguousarray(counts[:, 1 : 1 + len(KINDS)])


def _edits_and_words(
    hypotheses: Sequence[str], references: Sequence[str], options: Mapping[str, Any]
) -> tuple[Float, Int64]:
    """Edits by kind, float64 [n_pairs, 4], and words of hypotheses and references, int64 [n_pairs, 2]."""
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer  # noqa: PLC0415 - takes a tenth of a second

    tokenise = TercomTokenizer(**options)
    split = {line: tokenise(line.rstrip()).split() for line in {*hypotheses, *references}}
    ours, theirs = ([split[line] for line in lines] for lines in (hypotheses, references))
    lengths = np.array(
        [[len(one), len(other)] for one, other in zip(ours, theirs, strict=True)], dtype=np.int64
    )
    return count_edits(ours, theirs), lengths.reshape(len(ours), 2)


def ter_parts(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Edits of the four kinds over the words of the reference, then their plain numbers: float64 [n_pairs, 8]."""
    edits, words = _edits_and_words(hypotheses, references, {})
    ours, theirs = words.T
    # With an empty reference the deletions are 1 if there is something to delete, as TER is.
    return np.hstack([edits / np.where(theirs > 0, theirs, np.maximum(ours, 1))[:, np.newaxis], edits])


class FewestEditsMetric(SegmentMetric):
    """Edits over words: of segments negated, 0 is best; of corpora all edits over all words of the references.

    Several references: the fewest edits over the mean length of all references (Snover et al. 2006). Statistics of
    pairs are edits, or what they cost, and words of the reference.
    """

    lower_is_better = True
    segment_references = "all"
    corpus_references = "all"
    most_words = 8_000

    def _several_statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        return fewest_edits(self.pair_statistics, hypotheses, references)

    def corpus_from_totals(self, totals: Float) -> Float:
        """All edits over all words of the references, in percent."""
        return rates_of_totals(totals)


class TerMetric(FewestEditsMetric, SacreMetric):
    """TER."""

    def entries(self) -> Mapping[str, str]:
        """Those of sacrebleu's own signature, and the sign."""
        return {"sign": "negative", **super().entries()}

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Edits, and words of the reference: float64 [n_pairs, 2]."""
        return self._distinct(self._counted, hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Scores of segments, float64 [n_segments]."""
        return np.asarray(0.0 - rates_of_totals(fewest_edits(self.pair_statistics, hypotheses, references)))

    def _score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return np.asarray(0.0 - rates_of_totals(self._counted(hypotheses, references)))

    def _counted(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        edits, words = _edits_and_words(hypotheses, references, self.options)
        return np.stack([edits.sum(axis=1), words[:, 1]], axis=1)
