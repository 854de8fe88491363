"""Metrics over analyses of the two lines, rather than over their words alone, and over counts of what these share."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.metrics.inputs import best_of_references, quotient, score_composed
from pfsm.metrics.metric_group import MetricWithComponents
from pfsm_linguistics.analysers.service import analyse_lines, analyser_label
from pfsm_linguistics.analysis.alignment import EMPTY
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted

Compute = Callable[[Sequence[Analysis], Sequence[Analysis]], Float]
ComputeTogether = Callable[[Sequence[Analysis], Sequence[Sequence[Analysis]]], Float]
RowsOfLines = Callable[[Sequence[str], Sequence[Sequence[str]]], Float]
# Pairs analysed at once: probabilities of arcs take up to a hundred kilobytes a line.
BATCH = 256


class AnalysedMetric(MetricWithComponents):
    """A metric that asks the analysis layer, and no parser by itself.

    A line with words that the parser could not analyse is a failed parse: a pair with one scores 0. A file of parses
    has to have every line, with or without a tree; `understood_scores` and `tolerant_scores` take a line that is
    missing for a failed parse.

    Args:
        name: What scores are reported under.
        entries: Settings that change scores, for the signature.
        parser: Who analyses, as `pfsm_linguistics.analysers.registry.get_analyser` takes it; nothing is loaded before
            it is needed.
        wanted: What the metric asks of the analyses.
        compute: From analyses of hypotheses and of references to float64 [n_pairs, 1 + n_parts], the score first; the
            row of a pair depends on the pair alone.
        understood: Whether an analysis says what the metric needs, so that it can be scored; where nothing is said,
            whether it has a tree of some kind. An analysis that has a tree, but not what the metric needs, is no
            failed parse: the parser is the wrong one, and ``compute`` refuses it with `PfsmError`.
        understood_hypothesis: The same of hypotheses, where they need less than references.
        together: From analyses of hypotheses and of all references of each to scores, float64 [n_segments, 1], where
            several references are used together; None: the best one counts.
    """

    def __init__(
        self,
        name: str,
        entries: Mapping[str, str],
        parser: str,
        wanted: Wanted,
        compute: Compute,
        understood: Callable[[Analysis], bool] | None = None,
        *,
        understood_hypothesis: Callable[[Analysis], bool] | None = None,
        together: ComputeTogether | None = None,
    ) -> None:
        self.name = name
        self._together = together
        self.segment_references = "best" if together is None else "all"
        self._understood = understood or has_tree
        self._understood_hypothesis = understood_hypothesis or self._understood
        self._settings = dict(entries)
        self._parser, self._wanted, self._compute = parser, wanted, compute

    def entries(self) -> Mapping[str, str]:
        """The settings and the parser."""
        return {**self._settings, "parser": analyser_label(self._parser, self._wanted)}

    @property
    def resources(self) -> tuple[str, ...]:
        """The parser."""
        return (analyser_label(self._parser, self._wanted),)

    def understood_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; NaN where the parser had nothing to say about one of the lines."""
        return self._over_pairs(self._compute_understood, hypotheses, references, self._wanted.with_gaps())

    def tolerant_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """As `SegmentMetric.tolerant_scores`: 0 where the parse of a line failed; an empty line has none to fail."""
        return self._over_pairs(self._compute_robust, hypotheses, references, self._wanted.with_gaps())[:, 0]

    def _over_pairs(
        self, compute: Compute, hypotheses: Sequence[str], references: Sequence[str], wanted: Wanted
    ) -> Float:
        return score_composed(lambda h, r: self._analysed(compute, h, r, wanted), hypotheses, references)

    def _compute_understood(self, hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        pairs = list(zip(hypotheses, references, strict=True))
        good = [k for k, (h, r) in enumerate(pairs) if self._understood_hypothesis(h) and self._understood(r)]
        scores = np.full(len(pairs), np.nan)
        scores[good] = self._compute([pairs[k][0] for k in good], [pairs[k][1] for k in good])[:, 0]
        return scores

    def _compute_robust(self, hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        """Rows of pairs, 0 where a parse failed."""
        ours, theirs = self.without_failed(hypotheses, references)
        lost = [
            a is not b or c is not d for a, b, c, d in zip(ours, hypotheses, theirs, references, strict=True)
        ]
        return np.where(np.array(lost, dtype=np.bool_)[:, np.newaxis], 0.0, self._compute(ours, theirs))

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `SegmentMetric.several_references`; references that the parser does not understand are left out.

        Where it does not understand the hypothesis or any reference, the best of the single pairs counts.
        """
        if self._together is None:
            return super().several_references(hypotheses, references)

        def best(ours: Sequence[str], theirs: Sequence[Sequence[str]]) -> Float:
            return best_of_references(self.score_pairs, ours, theirs)[:, np.newaxis]

        return self._rows_together(self._together, best, hypotheses, references)[:, 0]

    def judged_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, tolerant: bool
    ) -> Float:
        """As `SegmentMetric.judged_segments`; references whose parse failed are left out."""
        if self._together is None:
            return super().judged_segments(hypotheses, references, tolerant=tolerant)

        def otherwise(ours: Sequence[str], theirs: Sequence[Sequence[str]]) -> Float:
            if not tolerant:
                return np.full((len(ours), 1), np.nan)
            return best_of_references(self.tolerant_scores, ours, theirs)[:, np.newaxis]

        wanted = self._wanted.with_gaps()
        return self._rows_together(self._together, otherwise, hypotheses, references, wanted)[:, 0]

    def _rows_together(
        self,
        compute: ComputeTogether,
        otherwise: RowsOfLines,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        wanted: Wanted | None = None,
    ) -> Float:
        """Rows of segments, from analyses that are understood; from lines where the hypothesis or no reference is."""
        asked = wanted or self._wanted

        def batch(ours: Sequence[str], theirs: Sequence[tuple[str, ...]]) -> Float:
            lines = list(dict.fromkeys([*ours, *(line for several in theirs for line in several)]))
            found = dict(zip(lines, analyse_lines(lines, self._parser, asked), strict=True))
            known = [[found[line] for line in several if self._understood(found[line])] for several in theirs]
            good = [k for k, line in enumerate(ours) if known[k] and self._understood_hypothesis(found[line])]
            lost = sorted(set(range(len(ours))) - set(good))
            parts = []
            if good:
                parts.append(compute([found[ours[k]] for k in good], [known[k] for k in good]))
            if lost:
                parts.append(otherwise([ours[k] for k in lost], [theirs[k] for k in lost]))
            return np.asarray(np.concatenate(parts)[np.argsort([*good, *lost])])

        def rows(ours: Sequence[str], theirs: Sequence[tuple[str, ...]]) -> Float:
            batches = (slice(first, first + BATCH) for first in range(0, len(ours), BATCH))
            return np.concatenate([batch(ours[part], theirs[part]) for part in batches])

        return score_composed(rows, hypotheses, [tuple(several) for several in references])

    def without_failed(
        self, hypotheses: Sequence[Analysis], references: Sequence[Analysis]
    ) -> tuple[list[Analysis], list[Analysis]]:
        """The analyses with an empty one in place of every failed parse."""
        return (
            [EMPTY if one.is_failed and not self._understood_hypothesis(one) else one for one in hypotheses],
            [EMPTY if one.is_failed and not self._understood(one) else one for one in references],
        )

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return self._analysed(self._compute_robust, hypotheses, references, self._wanted)

    def _analysed(
        self, compute: Compute, hypotheses: Sequence[str], references: Sequence[str], wanted: Wanted
    ) -> Float:
        """What a function says of the analyses of pairs, which are never in memory all at once."""
        parts = []
        # No pairs are a batch too: the function knows the shape of nothing.
        for first in range(0, max(1, len(hypotheses)), BATCH):
            ours, theirs = hypotheses[first : first + BATCH], references[first : first + BATCH]
            analyses = analyse_lines([*ours, *theirs], self._parser, wanted)
            parts.append(compute(analyses[: len(ours)], analyses[len(ours) :]))
        return np.concatenate(parts)


def has_tree(analysis: Analysis) -> bool:
    """Whether there is a dependency tree, or constituents to take one from."""
    return bool(analysis.tokens and (analysis.trees or analysis.constituents))


Score = Callable[[Float], Float]
SHARED, OF_HYPOTHESIS, OF_REFERENCE = range(3)


class PrecisionRecallMetric(AnalysedMetric):
    """A metric that is a function of counts, which may be those of a pair or summed over many.

    Args:
        name: As of `AnalysedMetric`, here and below.
        entries: What changes scores.
        parser: Who analyses.
        wanted: What is asked of the analyses.
        count: From analyses of hypotheses and of references to counts, float64 [n_pairs, n_kinds, 3]: what the two
            share, what the hypothesis has, what the reference has; a pair's depend on the pair alone.
        score: From counts float64 [n, n_kinds, 3] to scores and parts, float64 [n, 1 + n_parts].
        understood: As of `AnalysedMetric`.
        together: As ``count``, with all references of each hypothesis used together; None: the best one counts.
    """

    def __init__(
        self,
        name: str,
        entries: Mapping[str, str],
        parser: str,
        wanted: Wanted,
        count: Compute,
        score: Score,
        understood: Callable[[Analysis], bool] | None = None,
        together: ComputeTogether | None = None,
    ) -> None:
        super().__init__(
            name,
            entries,
            parser,
            wanted,
            lambda ours, theirs: score(count(ours, theirs)),
            understood,
            together=None if together is None else lambda ours, theirs: score(together(ours, theirs))[:, :1],
        )
        self._count, self._score, self._count_together = count, score, together
        self.corpus_references = self.segment_references

    def counts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Counts of pairs, float64 [n_pairs, n_kinds, 3]: shared, of the hypothesis, of the reference.

        A line whose parse failed has nothing to count.
        """

        def count(ours: Sequence[Analysis], theirs: Sequence[Analysis]) -> Float:
            return self._count(*self.without_failed(ours, theirs))

        return self._over_pairs(count, hypotheses, references, self._wanted)

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """The counts in a row, float64 [n_pairs, 3 * n_kinds]."""
        return _in_a_row(self.counts(hypotheses, references))

    def _several_statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Clipped over all references where segments are."""
        best = super()._several_statistics
        if self._count_together is None or all(len(several) == 1 for several in references):
            return best(hypotheses, references)
        count = self._count_together
        return self._rows_together(
            lambda ours, theirs: _in_a_row(count(ours, theirs)), best, hypotheses, references
        )

    def corpus_from_totals(self, totals: Float) -> Float:
        """The score of summed counts, as BLEU has it for corpora."""
        scores = self._score(totals.reshape(-1, totals.shape[-1] // 3, 3))[:, 0]
        return scores.reshape(totals.shape[:-1])


def _in_a_row(counts: Float) -> Float:
    return counts.reshape(len(counts), 3 * counts.shape[1])


def precision_recall(counts: Float) -> tuple[Float, Float, NDArray[np.bool_]]:
    """Precision and recall of every kind, and where they are defined, each [n, n_kinds].

    A kind that neither side has is not defined; both are 1 there, for nothing is missing. Where one side alone has it
    both are 0.
    """
    shared = counts[..., SHARED]
    sides = [quotient(shared, counts[..., side]) for side in (OF_HYPOTHESIS, OF_REFERENCE)]
    known = counts[..., OF_HYPOTHESIS] + counts[..., OF_REFERENCE] > 0
    return np.where(known, sides[0], 1.0), np.where(known, sides[1], 1.0), known


def f_of_sums(counts: Float) -> Float:
    """``2 P R / (P + R)`` of the precision and recall of all kinds in one bag, float64 [n]; 1 where all is empty."""
    shared, ours, theirs = counts.sum(axis=1).T
    return np.asarray(np.where(ours + theirs > 0, quotient(2.0 * shared, ours + theirs), 1.0))


def harmonic_mean(counts: Float) -> Float:
    """The harmonic mean of all precisions and recalls that are defined, float64 [n]; 0 where one of them is."""
    precision, recall, known = precision_recall(counts)
    values = np.concatenate([precision, recall], axis=1)
    known = np.concatenate([known, known], axis=1)
    none = (known & (values <= 0.0)).any(axis=1)
    inverse = np.where(known, 1.0 / np.where(values > 0.0, values, 1.0), 0.0).sum(axis=1)
    mean = np.where(known.any(axis=1), quotient(known.sum(axis=1).astype(np.float64), inverse), 1.0)
    return np.asarray(np.where(none, 0.0, mean))


def mean_precision(counts: Float) -> Float:
    """The arithmetic mean of the precisions that are defined, float64 [n]; 1 where none is."""
    precision, _, known = precision_recall(counts)
    total = np.where(known, precision, 0.0).sum(axis=1)
    return np.asarray(np.where(known.any(axis=1), quotient(total, known.sum(axis=1).astype(np.float64)), 1.0))
