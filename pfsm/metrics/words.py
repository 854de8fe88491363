"""Classic metrics over words: NIST, WER, PER, ROUGE-L, -W and -S, GTM, O_l.

With r and h the numbers of words of reference and hypothesis, P what they share over what the hypothesis has, R the
same over what the reference has, F = 2 P R / (P + R), 0 where nothing is shared:

* ``nist`` (Doddington 2002): sum over n = 1..5 of the information of n-grams in common over the number of n-grams of
  the hypothesis, times ``exp(beta log(min(h / r, 1))^2)`` with beta = log(.5) / log(1.5)^2. Information is counted on
  the segment's own reference, as NLTK's ``sentence_nist`` does.
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
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.parted import segment_signature
from pfsm.metrics.protocol import check_pairs
from pfsm.text.languages import check_tokeniser
from pfsm.text.stemming import NO_STEMMER
from pfsm.text.vocabulary import Vocabulary

Float = NDArray[np.float64]
Sides = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]

ORDERS = 5
NIST_BETA = np.log(0.5) / np.log(1.5) ** 2
ROUGE_W = 1.2
SKIP = 4
NIST_PARTS = (*(f"nist.{order}" for order in range(1, ORDERS + 1)), "nist.penalty")
# Types after which a vocabulary starts afresh.
LARGEST_VOCABULARY = 1_000_000


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Pairs of sequences of words, as ids.

    Attributes:
        sides: Ids of all references and where each begins, int32 [n_words] and int64 [n_pairs + 1]; the same of the
            hypotheses.
        r: float64 [n_pairs], numbers of words of the references.
        h: Of the hypotheses.
    """

    sides: Sides
    r: Float
    h: Float


def nist_scores(pairs: WordPairs) -> Float:
    """NIST, float64 [n_pairs]."""
    parts = nist_parts(pairs)
    return np.asarray(parts[:, :ORDERS].sum(axis=1) * parts[:, ORDERS])


def nist_parts(pairs: WordPairs) -> Float:
    """Information per n-gram by order, and the penalty for short lines: float64 [n_pairs, 6]."""
    from pfsm_kernels.overlap import ngram_information  # noqa: PLC0415 - brings numba

    worth = ngram_information(*pairs.sides)
    counts = np.maximum(pairs.h[:, np.newaxis] - np.arange(ORDERS), 0.0)
    ratio = np.minimum(_quotient(pairs.h, pairs.r), 1.0)
    logarithm = np.log(ratio, out=np.full(ratio.shape, -np.inf), where=ratio > 0)
    return np.column_stack([_quotient(worth, counts), np.exp(NIST_BETA * logarithm**2)])


def _wer(pairs: WordPairs) -> Float:
    from pfsm_kernels.overlap import edit_distances  # noqa: PLC0415 - brings numba

    return _error_rate(edit_distances(*pairs.sides), pairs)


def _per(pairs: WordPairs) -> Float:
    return _error_rate(np.maximum(pairs.r, pairs.h) - _common(pairs), pairs)


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
    return _quotient(2.0 * shared, of_hypothesis + of_reference)


def _quotient(over: Float, under: Float) -> Float:
    return np.divide(over, under, out=np.zeros(over.shape), where=under > 0)


@dataclass(frozen=True)
class _Kind:
    """How a metric is computed, and what of it goes into signatures."""

    compute: Callable[[WordPairs], Float]
    entries: Mapping[str, str]


_NEGATIVE = {"sign": "negative"}
_KINDS: Mapping[str, _Kind] = {
    "nist": _Kind(nist_scores, {"order": str(ORDERS), "info": "segment"}),
    "wer": _Kind(_wer, _NEGATIVE),
    "per": _Kind(_per, _NEGATIVE),
    "rouge-l": _Kind(_rouge_l, {"beta": "1"}),
    "rouge-w": _Kind(_rouge_w, {"beta": "1", "weight": str(ROUGE_W)}),
    "rouge-s": _Kind(_rouge_s, {"beta": "1", "skip": str(SKIP)}),
    "gtm-1": _Kind(_gtm_1, {"e": "1"}),
    "gtm-2": _Kind(_gtm_2, {"e": "2"}),
    "ol": _Kind(_overlap, {"bag": "counts"}),
}
WORD_METRICS = tuple(_KINDS)


class WordMetric:
    """One of the classic metrics over words, sentence by sentence; higher is better.

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

    @property
    def signature(self) -> str:
        """What words are, what the metric's parameters are, and our version."""
        case = "lc" if self.lowercase else "mixed"
        return segment_signature({"case": case, "tok": self.tokeniser, **self._kind.entries})

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
        words = _words(self.tokeniser, self.lowercase)
        return score_distinct(
            lambda ours, theirs: compute(words.encode(ours, theirs)), hypotheses, references
        )


class _Words:
    """Turns lines into word ids; remembers what it has met."""

    def __init__(self, tokeniser: str, lowercase: bool) -> None:
        self._tokeniser = tokeniser
        self._lowercase = lowercase
        self._lock = Lock()
        self._vocabulary = self._new()

    def _new(self) -> Vocabulary:
        return Vocabulary(self._tokeniser, NO_STEMMER, self._lowercase)

    def encode(self, hypotheses: Sequence[str], references: Sequence[str]) -> WordPairs:
        with self._lock:
            if len(self._vocabulary) > LARGEST_VOCABULARY:
                self._vocabulary = self._new()
            one, other = self._vocabulary.encode(references), self._vocabulary.encode(hypotheses)
            words = self._vocabulary.word_ids
        sizes = [np.diff(side.offsets).astype(np.float64) for side in (one, other)]
        return WordPairs((words[one.ids], one.offsets, words[other.ids], other.offsets), sizes[0], sizes[1])


_words = lru_cache(maxsize=4)(_Words)


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
