"""Metrics over analyses of the two lines rather than over their words alone."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.alignment import EMPTY
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.service import analyse_lines, analyser_label
from pfsm.analysis.wanted import Wanted
from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.pairs import check_pairs
from pfsm.metrics.parted import PartedMetric
from pfsm.metrics.references import best_of_references

Float = NDArray[np.float64]
Compute = Callable[[Sequence[Analysis], Sequence[Analysis]], Float]
ComputeTogether = Callable[[Sequence[Analysis], Sequence[Sequence[Analysis]]], Float]
RowsOfLines = Callable[[Sequence[str], Sequence[Sequence[str]]], Float]
# Pairs analysed at once: probabilities of arcs take up to a hundred kilobytes a line.
BATCH = 256


class AnalysedMetric(PartedMetric):
    """A metric that asks the analysis layer, and no parser by itself.

    A line with words that the parser could not analyse is a failed parse: a pair with one scores 0. A file of parses
    has to have every line, with or without a tree; `understood_scores` and `tolerant_scores` take a line that is
    missing for a failed parse.

    Args:
        name: What scores are reported under.
        entries: Settings that change scores, for the signature.
        parser: Who analyses, as `pfsm.analysis.analysers.get_analyser` takes it; nothing is loaded before it is needed.
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
        self._understood = understood or _has_a_tree
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
        """Scores of pairs, float64 [n_pairs]; NaN where the parser had nothing to say about one of the lines.

        Raises:
            PfsmError: If the parser cannot be loaded.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        check_pairs(hypotheses, references)

        wanted = self._wanted.with_gaps()

        def score(ours: Sequence[str], theirs: Sequence[str]) -> Float:
            return self._analysed(self._compute_understood, ours, theirs, wanted)

        return score_distinct(score, hypotheses, references)

    def tolerant_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """As `SegmentMetric.tolerant_scores`: 0 where the parse of a line failed; an empty line has none to fail."""
        check_pairs(hypotheses, references)
        wanted = self._wanted.with_gaps()

        def score(ours: Sequence[str], theirs: Sequence[str]) -> Float:
            return self._analysed(self._compute_robust, ours, theirs, wanted)[:, 0]

        return score_distinct(score, hypotheses, references)

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
        return self.rows_together(self._together, self._best_pairs, hypotheses, references)[:, 0]

    def understood_segments(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `SegmentMetric.understood_segments`."""
        if self._together is None:
            return super().understood_segments(hypotheses, references)
        wanted = self._wanted.with_gaps()
        return self.rows_together(self._together, _not_known, hypotheses, references, wanted)[:, 0]

    def tolerant_segments(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `SegmentMetric.tolerant_segments`; references whose parse failed are left out."""
        if self._together is None:
            return super().tolerant_segments(hypotheses, references)

        def best_pairs(ours: Sequence[str], theirs: Sequence[Sequence[str]]) -> Float:
            return best_of_references(self.tolerant_scores, ours, theirs)[:, np.newaxis]

        wanted = self._wanted.with_gaps()
        return self.rows_together(self._together, best_pairs, hypotheses, references, wanted)[:, 0]

    def _best_pairs(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        return best_of_references(self.score_pairs, hypotheses, references)[:, np.newaxis]

    def rows_together(
        self,
        compute: ComputeTogether,
        otherwise: RowsOfLines,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        wanted: Wanted | None = None,
    ) -> Float:
        """What is computed from a hypothesis and all its references, float64 [n_segments, k].

        Args:
            compute: From analyses, all of them understood.
            otherwise: From lines, where the hypothesis or all its references are not understood.
            hypotheses: One translation a segment.
            references: For each of them its references.
            wanted: What to ask of the analyses; None: what the metric asks.
        """

        def rows(ours: Sequence[str], theirs: Sequence[tuple[str, ...]]) -> Float:
            parts = [
                self._together_batch(
                    compute,
                    otherwise,
                    ours[first : first + BATCH],
                    theirs[first : first + BATCH],
                    wanted or self._wanted,
                )
                for first in range(0, len(ours), BATCH)
            ]
            return np.concatenate(parts)

        return score_distinct(rows, hypotheses, [tuple(several) for several in references])

    def _together_batch(
        self,
        compute: ComputeTogether,
        otherwise: RowsOfLines,
        hypotheses: Sequence[str],
        references: Sequence[tuple[str, ...]],
        wanted: Wanted,
    ) -> Float:
        lines = list(dict.fromkeys([*hypotheses, *(line for several in references for line in several)]))
        found = dict(zip(lines, analyse_lines(lines, self._parser, wanted), strict=True))
        known = [[found[line] for line in several if self._understood(found[line])] for several in references]
        good = [
            k for k, line in enumerate(hypotheses) if known[k] and self._understood_hypothesis(found[line])
        ]
        lost = sorted(set(range(len(hypotheses))) - set(good))
        parts = []
        if good:
            parts.append(compute([found[hypotheses[k]] for k in good], [known[k] for k in good]))
        if lost:
            parts.append(otherwise([hypotheses[k] for k in lost], [references[k] for k in lost]))
        rows = np.concatenate(parts)
        return np.asarray(rows[np.argsort([*good, *lost])])

    def without_failed(
        self, hypotheses: Sequence[Analysis], references: Sequence[Analysis]
    ) -> tuple[list[Analysis], list[Analysis]]:
        """The analyses with an empty one in place of every failed parse."""
        return (
            [EMPTY if one.is_failed and not self._understood_hypothesis(one) else one for one in hypotheses],
            [EMPTY if one.is_failed and not self._understood(one) else one for one in references],
        )

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return self._analysed(self._compute_robust, hypotheses, references)

    def _analysed(
        self,
        compute: Compute,
        hypotheses: Sequence[str],
        references: Sequence[str],
        wanted: Wanted | None = None,
    ) -> Float:
        """What a function says of the analyses of pairs, which are never in memory all at once."""
        # No pairs are a batch too: the function knows the shape of nothing.
        return np.concatenate(
            [
                self._batch(
                    compute,
                    hypotheses[first : first + BATCH],
                    references[first : first + BATCH],
                    wanted or self._wanted,
                )
                for first in range(0, max(1, len(hypotheses)), BATCH)
            ]
        )

    def _batch(
        self, compute: Compute, hypotheses: Sequence[str], references: Sequence[str], wanted: Wanted
    ) -> Float:
        analyses = analyse_lines([*hypotheses, *references], self._parser, wanted)
        return compute(analyses[: len(hypotheses)], analyses[len(hypotheses) :])


def _not_known(hypotheses: Sequence[str], _: Sequence[Sequence[str]]) -> Float:
    return np.full((len(hypotheses), 1), np.nan)


def _has_a_tree(analysis: Analysis) -> bool:
    return bool(analysis.tokens and (analysis.trees or analysis.constituents))
