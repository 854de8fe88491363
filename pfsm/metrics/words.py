"""Classic metrics over words: NIST, WER, PER, ROUGE-L, -W and -S, GTM, O_l.

With r and h the numbers of words of reference and hypothesis, P what they share over what the hypothesis has, R the
same over what the reference has, F = 2 P R / (P + R), 0 where nothing is shared:

* ``nist`` (Doddington 2002): see `pfsm.metrics.nist`.
* ``wer``: minus 100 times the edit distance over r. ``per`` (Tillmann et al. 1997): minus 100 times (max(r, h) - words
  in common in whatever order) / r. With an empty reference -100, or 0 where both sides are empty.
* ``rouge-l`` (Lin 2004): F of the longest common subsequence. ``rouge-w``: the same with k consecutive matches worth
  k^1.2, P and R raised to 1 / 1.2. ``rouge-s``: F of skip-bigrams with at most four words between them (ROUGE-S4).
* ``ol`` (O_l of Giménez and Màrquez 2009): words in common over the words that either side has, c / (r + h - c); 1 for
  two empty lines.
* ``gtm-1``, ``gtm-2`` (Melamed, Green and Turian 2003): F of (sum of size^e)^(1/e) over matching runs, e = 1, 2.

Words are the tokens of one of our tokenisers (``plain`` by default), in lower case.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.error_rates import rates_of_totals
from pfsm.metrics.nist import ORDERS, corpus_scores, corpus_statistics, nist_scores
from pfsm.metrics.pairs import check_pairs
from pfsm.metrics.references import Streams, by_segment, check_streams, flat_pairs
from pfsm.metrics.word_pairs import WordPairs, encoder, quotient
from pfsm.text.languages import TOKENISERS, check_tokeniser

Float = NDArray[np.float64]

NIST, WER, PER = "nist", "wer", "per"
ROUGE_W = 1.2
SKIP = 4


def _edits(pairs: WordPairs) -> Float:
    from pfsm_kernels.overlap import edit_distances  # noqa: PLC0415 - brings numba

    return edit_distances(*pairs.sides)


def _edits_without_order(pairs: WordPairs) -> Float:
    return np.asarray(np.maximum(pairs.r, pairs.h) - _common(pairs))


def _wer(pairs: WordPairs) -> Float:
    return _error_rate(_edits(pairs), pairs)


def _per(pairs: WordPairs) -> Float:
    return _error_rate(_edits_without_order(pairs), pairs)


def _error_rate(errors: Float, pairs: WordPairs) -> Float:
    rate = np.where(pairs.r > 0, errors / np.maximum(pairs.r, 1.0), errors > 0)
    return np.asarray(-100.0 * rate + 0.0)  # +0.0: no -0.0


def _common(pairs: WordPairs) -> Float:
    from pfsm_kernels.overlap import common_words  # noqa: PLC0415 - brings numba

    return common_words(*pairs.sides)


def _rouge_l(pairs: WordPairs) -> Float:
    return _rouge_w(pairs, 1.0)


def _rouge_w(pairs: WordPairs, power: float = ROUGE_W) -> Float:
    from pfsm_kernels.overlap import common_subsequences  # noqa: PLC0415 - brings numba

    # The inverse of k^power, of the quotient of two such values.
    shared = common_subsequences(*pairs.sides, power) ** (1.0 / power)
    return _f(shared, pairs.h, pairs.r)


def _rouge_s(pairs: WordPairs) -> Float:
    from pfsm_kernels.overlap import common_skip_bigrams  # noqa: PLC0415 - brings numba

    shared, of_reference, of_hypothesis = common_skip_bigrams(*pairs.sides, SKIP).T
    return _f(shared, of_hypothesis, of_reference)


def _gtm_1(pairs: WordPairs) -> Float:
    return _f(_common(pairs), pairs.h, pairs.r)


def _gtm_2(pairs: WordPairs) -> Float:
    from pfsm_kernels.overlap import squared_runs  # noqa: PLC0415 - brings numba

    return _f(np.sqrt(squared_runs(*pairs.sides)), pairs.h, pairs.r)


def _overlap(pairs: WordPairs) -> Float:
    common = _common(pairs)
    either = pairs.h + pairs.r - common
    return np.divide(common, either, out=np.ones(either.size), where=either > 0)


def _f(shared: Float, of_hypothesis: Float, of_reference: Float) -> Float:
    """``2 P R / (P + R)``, which is twice what is shared over the sum of the sides."""
    return quotient(2.0 * shared, of_hypothesis + of_reference)


@dataclass(frozen=True)
class _Kind:
    """How a metric is computed, and what of it goes into signatures."""

    compute: Callable[[WordPairs], Float]
    entries: Mapping[str, str]


_NEGATIVE = {"sign": "negative"}
_KINDS: Mapping[str, _Kind] = {
    NIST: _Kind(nist_scores, {"order": str(ORDERS), "info": "segment"}),
    WER: _Kind(_wer, _NEGATIVE),
    PER: _Kind(_per, _NEGATIVE),
    "rouge-l": _Kind(_rouge_l, {"beta": "1"}),
    "rouge-w": _Kind(_rouge_w, {"beta": "1", "weight": str(ROUGE_W)}),
    "rouge-s": _Kind(_rouge_s, {"beta": "1", "skip": str(SKIP)}),
    "gtm-1": _Kind(_gtm_1, {"e": "1"}),
    "gtm-2": _Kind(_gtm_2, {"e": "2"}),
    "ol": _Kind(_overlap, {"bag": "counts"}),
}
WORD_METRICS = tuple(_KINDS)


class WordMetric(SegmentMetric):
    """One of the classic metrics over words; of segments higher is better.

    Args:
        name: One of `WORD_METRICS`.
        options: ``tokeniser`` (``plain``, the default, or ``penn``), ``lowercase`` (default: true).

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """

    def __init__(self, name: str, options: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self._kind = _KINDS[name]
        self.tokeniser, self.lowercase = _checked(name, options or {})

    def entries(self) -> Mapping[str, str]:
        """What words are, and the metric's parameters."""
        case = "lc" if self.lowercase else "mixed"
        return {"case": case, "tok": TOKENISERS.label(self.tokeniser), **self._kind.entries}

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; WER and PER at most 0, NIST from 0, the others from 0 to 1.

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return self.parts(self._kind.compute, hypotheses, references)

    def parts(
        self,
        compute: Callable[[WordPairs], Float],
        hypotheses: Sequence[str],
        references: Sequence[str],
    ) -> Float:
        """What a function such as `nist_parts` says of pairs, float64 [n_pairs, …]; each distinct pair once.

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        check_pairs(hypotheses, references)
        words = encoder(self.tokeniser, self.lowercase)
        return score_distinct(
            lambda ours, theirs: compute(words.encode(ours, theirs)), hypotheses, references
        )


class Nist(WordMetric):
    """NIST: of corpora with the information of n-grams counted over all references."""

    is_additive = False
    corpus_references: Literal["best", "all"] = "all"

    def corpus_entries(self) -> Mapping[str, str]:
        """Where information is counted."""
        return {**self.entries(), "info": "corpus"}

    def segment_statistics(self, hypotheses: Sequence[str], references: Streams) -> Float:
        """As `pfsm.metrics.nist.corpus_statistics`; they depend on the references of all segments."""
        check_streams(hypotheses, references)
        repeated, flat, starts = flat_pairs(hypotheses, by_segment(references))
        pairs = encoder(self.tokeniser, self.lowercase).encode(repeated, flat)
        return corpus_statistics(pairs, starts[: len(hypotheses)])

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


_CLASSES: Mapping[str, type[WordMetric]] = {NIST: Nist, WER: ErrorRate, PER: ErrorRate}


def word_metric(name: str, options: Mapping[str, Any] | None = None) -> WordMetric:
    """One of the metrics over words.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    return _CLASSES.get(name, WordMetric)(name, options)


def _checked(name: str, options: Mapping[str, Any]) -> tuple[str, bool]:
    for key in options:
        if key not in {"tokeniser", "lowercase"}:
            raise PfsmError(f"metric {name}: unknown option {key!r}; known are tokeniser, lowercase")
    tokeniser, lowercase = options.get("tokeniser", "plain"), options.get("lowercase", True)
    if not isinstance(tokeniser, str):
        raise PfsmError(f"metric {name}: tokeniser is {tokeniser!r}, it must be a name")
    try:
        check_tokeniser(tokeniser)
    except PfsmError as error:
        raise PfsmError(f"metric {name}: {error}") from None
    if not isinstance(lowercase, bool):
        raise PfsmError(f"metric {name}: lowercase is {lowercase!r}, it must be true or false")
    return tokeniser, lowercase
