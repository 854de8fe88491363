"""Classic metrics over words: NIST, WER, PER, ROUGE-L, -W and -S, GTM, O_l.

With r and h the numbers of words of reference and hypothesis, P what they share over what the hypothesis has, R the
same over what the reference has, F = 2 P R / (P + R), 0 where nothing is shared:

* ``nist`` (Doddington 2002): see `pfsm.metrics.nist`. The information of n-grams is counted over the references of all
  pairs that are scored together.
* ``wer``: minus 100 times the edit distance over r. ``per`` (Tillmann et al. 1997): minus 100 times (max(r, h) - words
  in common in whatever order) / r. With an empty reference -100, or 0 where both sides are empty.
* ``rouge-l`` (Lin 2004): F of the longest common subsequence. ``rouge-w``: the same with k consecutive matches worth
  k^1.2, P and R raised to 1 / 1.2. ``rouge-s``: F of skip-bigrams with at most four words between them (ROUGE-S4).
* ``ol`` (O_l of Giménez and Màrquez 2009, appendix A): words in common over the words that either side has, each word
  once, c / (r + h - c); 1 for two empty lines.
* ``gtm-1``, ``gtm-2`` (Melamed, Green and Turian 2003): F of (sum of size^e)^(1/e) over matching runs, e = 1, 2.

Words are the tokens of one of our tokenisers (``plain`` by default), in lower case.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.edit_rates import rates_of_totals
from pfsm.metrics.inputs import flat_pairs, nearly, quotient, score_composed
from pfsm.metrics.metric_group import PairFeatures
from pfsm.metrics.names import parse_name, read_options, written_name
from pfsm.metrics.ngram_table import INFO, ORDERS, NgramTable, count_ngrams, known_table
from pfsm.metrics.nist import (
    NIST_PARTS,
    PairEncoder,
    ReferenceFittedMetric,
    WordPairs,
    corpus_scores,
    corpus_statistics,
    encoder,
    nist_parts,
)
from pfsm.runtime.typed import anything, flag, text
from pfsm.text.languages import check_tokeniser, tokeniser_label

NIST, WER, PER = "nist", "wer", "per"
ROUGE_W = 1.2
SKIP = 4


def _edits(pairs: WordPairs) -> Float:
    from pfsm_kernels.strings.overlap import edit_distances  # noqa: PLC0415 - brings numba

    return edit_distances(*pairs.sides)


def _edits_without_order(pairs: WordPairs) -> Float:
    return np.asarray(np.maximum(pairs.r, pairs.h) - _common(pairs))


def _error_rate(errors: Float, pairs: WordPairs) -> Float:
    rate = np.where(pairs.r > 0, errors / np.maximum(pairs.r, 1.0), errors > 0)
    return np.asarray(-100.0 * rate + 0.0)  # +0.0: no -0.0


def _common(pairs: WordPairs) -> Float:
    from pfsm_kernels.strings.overlap import common_words  # noqa: PLC0415 - brings numba

    return common_words(*pairs.sides)


def _rouge_w(pairs: WordPairs, power: float = ROUGE_W) -> Float:
    from pfsm_kernels.strings.overlap import common_subsequences  # noqa: PLC0415 - brings numba

    # The inverse of k^power, of the quotient of two such values.
    shared = common_subsequences(*pairs.sides, power) ** (1.0 / power)
    return nearly(1.0, _f(shared, pairs.h, pairs.r))


def _rouge_s(pairs: WordPairs) -> Float:
    from pfsm_kernels.strings.overlap import common_skip_bigrams  # noqa: PLC0415 - brings numba

    shared, of_reference, of_hypothesis = common_skip_bigrams(*pairs.sides, SKIP).T
    return _f(shared, of_hypothesis, of_reference)


def _gtm_2(pairs: WordPairs) -> Float:
    from pfsm_kernels.strings.overlap import squared_runs  # noqa: PLC0415 - brings numba

    return _f(np.sqrt(squared_runs(*pairs.sides)), pairs.h, pairs.r)


def _overlap(pairs: WordPairs) -> Float:
    pairs = pairs.distinct
    common = _common(pairs)
    either = pairs.h + pairs.r - common
    return np.divide(common, either, out=np.ones(either.size), where=either > 0)


def _f(shared: Float, of_hypothesis: Float, of_reference: Float) -> Float:
    """``2 P R / (P + R)``, which is twice what is shared over the sum of the sides."""
    return quotient(2.0 * shared, of_hypothesis + of_reference)


_NEGATIVE = {"sign": "negative"}
# By name how a metric is computed, and what of it goes into signatures.
_KINDS: Mapping[str, tuple[Callable[[WordPairs], Float], Mapping[str, str]]] = {
    WER: (lambda pairs: _error_rate(_edits(pairs), pairs), _NEGATIVE),
    PER: (lambda pairs: _error_rate(_edits_without_order(pairs), pairs), _NEGATIVE),
    "rouge-l": (lambda pairs: _rouge_w(pairs, 1.0), {"beta": "1"}),
    "rouge-w": (_rouge_w, {"beta": "1", "weight": str(ROUGE_W)}),
    "rouge-s": (_rouge_s, {"beta": "1", "skip": str(SKIP)}),
    "gtm-1": (lambda pairs: _f(_common(pairs), pairs.h, pairs.r), {"e": "1"}),
    "gtm-2": (_gtm_2, {"e": "2"}),
    "ol": (_overlap, {"over": "sets"}),
}
WORD_METRICS = (NIST, *_KINDS)
_WORDS = {"tokeniser": text("plain", "a name"), "lowercase": flag(True)}


class _OverWords(SegmentMetric):
    """A metric over words."""

    def __init__(self, name: str, options: Mapping[str, Any] | None = None) -> None:
        self.name = name
        further = {INFO: anything()} if name == NIST else {}
        self.options = read_options(name, options or {}, _WORDS | further)
        self.tokeniser, self.lowercase = self.options["tokeniser"], self.options["lowercase"]
        try:
            check_tokeniser(self.tokeniser)
        except PfsmError as error:
            raise PfsmError(f"metric {name}: {error}") from None

    def entries(self) -> Mapping[str, str]:
        """What words are."""
        case = "lc" if self.lowercase else "mixed"
        return {"case": case, "tok": tokeniser_label(self.tokeniser)}

    @property
    def _encoder(self) -> PairEncoder:
        return encoder(self.tokeniser, self.lowercase)

    def parts(
        self, compute: Callable[[WordPairs], Float], hypotheses: Sequence[str], references: Sequence[str]
    ) -> Float:
        """What a function says of pairs, float64 [n_pairs, …]; each distinct pair once."""
        words = self._encoder
        return score_composed(
            lambda ours, theirs: compute(words.encode(ours, theirs)), hypotheses, references
        )


class WordMetric(_OverWords):
    """One of the classic metrics over words but NIST; of segments higher is better.

    Several references: the best one of each segment counts.

    Args:
        name: One of `WORD_METRICS`.
        options: ``tokeniser`` (``plain``, the default, or ``penn``), ``lowercase`` (default: true).

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """

    def __init__(self, name: str, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(name, options)
        self._compute, self._entries = _KINDS[name]
        if name == "gtm-2":
            self.most_words = 20_000

    def entries(self) -> Mapping[str, str]:
        """What words are, and the metric's parameters."""
        return {**super().entries(), **self._entries}

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; WER and PER at most 0, the others from 0 to 1."""
        return self.parts(self._compute, hypotheses, references)


class _Nist(ReferenceFittedMetric, _OverWords):
    """NIST; of a segment's score the best reference counts, of a corpus score n-grams of all references match."""

    corpus_references: Literal["best", "all"] = "all"

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(NIST, options)
        self.set_table(known_table(self.options[INFO], f"metric {NIST}"))

    def entries(self) -> Mapping[str, str]:
        """What words are, and where information is counted."""
        return {**super().entries(), "order": str(ORDERS), INFO: self.info}

    def count(self, references: Sequence[str]) -> NgramTable:
        """See `ReferenceFittedMetric`."""
        return count_ngrams(*self._encoder.words(references))

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs], from 0."""
        parts = self.nist_parts(hypotheses, references)
        return np.asarray(parts[:, :ORDERS].sum(axis=1) * parts[:, ORDERS])

    def nist_parts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """As `pfsm.metrics.nist.nist_parts`, float64 [n_pairs, 6]."""
        table = self.table_for(references)
        return self.parts(lambda pairs: nist_parts(pairs, table), hypotheses, references)

    def _several_statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `pfsm.metrics.nist.corpus_statistics`."""
        repeated, flat, starts = flat_pairs(hypotheses, references)
        pairs = self._encoder.encode(repeated, flat)
        return corpus_statistics(pairs, starts[: len(hypotheses)], self.table_for(flat))

    def corpus_from_totals(self, totals: Float) -> Float:
        """NIST of the sums."""
        return corpus_scores(totals)


class ErrorRate(WordMetric):
    """WER or PER: of segments negated, 0 is best; of corpora all edits over all words of the references, positive."""

    lower_is_better = True

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Edits, and words of the reference: float64 [n_pairs, 2]."""
        edits = _edits if self.name == WER else _edits_without_order
        return self.parts(lambda pairs: np.column_stack([edits(pairs), pairs.r]), hypotheses, references)

    def corpus_from_totals(self, totals: Float) -> Float:
        """All edits over all words of the references, in percent."""
        return rates_of_totals(totals)


def word_metric(name: str, options: Mapping[str, Any] | None = None) -> SegmentMetric:
    """One of the metrics over words."""
    if name == NIST:
        return _Nist(options)
    return (ErrorRate if name in {WER, PER} else WordMetric)(name, options)


MORE_NIST_PARTS = (*NIST_PARTS, *(f"nist.upto_{n}" for n in range(1, ORDERS + 1)), "nist.information")


def prepared_nist(name: str) -> PairFeatures:
    """What computes the parts of NIST, as `MORE_NIST_PARTS` names them, with the option ``info`` of the given one.

    Information per n-gram by order, the penalty for short lines, NIST of n-grams up to each length, NIST without the
    penalty.

    Raises:
        PfsmError: If it has other options, or there are no such counts.
    """
    options = parse_name(name).options
    if set(options) - {INFO}:
        raise PfsmError(f"feature {name}: has no option but {INFO}; write it as {name.partition('(')[0]}")
    metric = _Nist(options)
    names = [written_name(part, options) for part in MORE_NIST_PARTS]

    def compute(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        parts = metric.nist_parts(hypotheses, references)
        sums = np.cumsum(parts[:, :ORDERS], axis=1)
        columns = np.column_stack([parts, sums * parts[:, ORDERS:], sums[:, -1]])
        return dict(zip(names, columns.T, strict=True))

    return compute
