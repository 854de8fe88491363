"""Sequences of labels that a line can be written as, and NIST over them (SP-NIST, Giménez and Màrquez 2009)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.chunks import base_chunks, iob_labels
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.service import analyse_lines, analyser_label
from pfsm.analysis.wanted import Wanted
from pfsm.lexicons.lemmas import lemma_of
from pfsm.metrics.analysed import BATCH
from pfsm.metrics.inputs import check_pairs, score_distinct
from pfsm.metrics.ngram_table import INFO, ORDERS, NgramTable, count_ngrams
from pfsm.metrics.nist import ReferenceFittedMetric, WordPairs, nist_scores
from pfsm.metrics.syntax.layers import CONSTITUENTS, DEPENDENCIES, has_constituents, has_tags

Float = NDArray[np.float64]


@dataclass(frozen=True)
class SequenceLayer:
    """One way to write a line.

    Attributes:
        labels: The labels of a line that has the layer, in order.
        is_there: Whether an analysis says what the layer needs.
        wanted: What to ask of the analyses.
    """

    labels: Callable[[Analysis], Sequence[str]]
    is_there: Callable[[Analysis], bool]
    wanted: Wanted


def _tags(analysis: Analysis) -> Sequence[str]:
    return analysis.xpos or analysis.upos


def _lemmas(analysis: Analysis) -> Sequence[str]:
    return [lemma_of(token, tag) for token, tag in zip(analysis.tokens, _tags(analysis), strict=True)]


def _chunks(analysis: Analysis) -> Sequence[str]:
    return [chunk.label for chunk in base_chunks(analysis.constituents)]


def _iob(analysis: Analysis) -> Sequence[str]:
    return iob_labels(analysis.constituents, len(analysis.tokens))


SEQUENCES: Mapping[str, SequenceLayer] = {
    "l": SequenceLayer(_lemmas, has_tags, DEPENDENCIES),
    "p": SequenceLayer(_tags, has_tags, DEPENDENCIES),
    "c": SequenceLayer(_chunks, has_constituents, CONSTITUENTS),
    "iob": SequenceLayer(_iob, has_constituents, CONSTITUENTS),
}


class SequenceNist(ReferenceFittedMetric):
    """SP-NIST: NIST over a sequence of labels.

    The information of n-grams is counted over the references of all pairs that are scored together; those that could
    not be analysed count nothing. Several references: the best one of each segment counts.

    Args:
        name: What scores are reported under.
        kind: One of `SEQUENCES`.
        parser: Who analyses; nothing is loaded before it is needed.
        table: The counts; None: those of the references of each call.
    """

    def __init__(self, name: str, kind: str, parser: str, table: NgramTable | None = None) -> None:
        self.name = name
        self._kind, self._layer, self._parser = kind, SEQUENCES[kind], parser
        self.set_table(table)

    def entries(self) -> Mapping[str, str]:
        """The sequence, where information is counted, and the parser."""
        parser = analyser_label(self._parser)
        return {"sequence": self._kind, "order": str(ORDERS), INFO: self.info, "parser": parser}

    @property
    def resources(self) -> tuple[str, ...]:
        """The parser."""
        return (analyser_label(self._parser),)

    def count(self, references: Sequence[str]) -> NgramTable:
        """See `ReferenceFittedMetric`."""
        ids: dict[str, int] = {}
        # A line without an analysis counts nothing; scoring refuses it, unless it may be a failed parse.
        wanted = self._layer.wanted.with_gaps()
        side = _numbered([labels or () for labels in self._labels(references, wanted).values()], ids)
        return count_ngrams(*side, list(ids))

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs], from 0; 0 where a line could not be analysed."""
        return np.nan_to_num(self._scores(hypotheses, references, self._layer.wanted), nan=0.0)

    def understood_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; NaN where the parser had nothing to say about one of the lines."""
        return self._scores(hypotheses, references, self._layer.wanted.with_gaps())

    def _scores(self, hypotheses: Sequence[str], references: Sequence[str], wanted: Wanted) -> Float:
        check_pairs(hypotheses, references)
        table = self.table_for(references)
        labels = self._labels(list(dict.fromkeys([*references, *hypotheses])), wanted)

        def score(ours: Sequence[str], theirs: Sequence[str]) -> Float:
            scores = sequence_nist(
                [labels[line] or () for line in ours], [labels[line] or () for line in theirs], table
            )
            understood = [
                labels[h] is not None and labels[r] is not None for h, r in zip(ours, theirs, strict=True)
            ]
            return np.where(np.array(understood, dtype=np.bool_), scores, np.nan)

        return score_distinct(score, hypotheses, references)

    def _labels(self, lines: Sequence[str], wanted: Wanted) -> dict[str, Sequence[str] | None]:
        """The labels of lines; None for one that could not be analysed."""
        found: dict[str, Sequence[str] | None] = {}
        for first in range(0, len(lines), BATCH):
            batch = lines[first : first + BATCH]
            analyses = analyse_lines(batch, self._parser, wanted)
            found |= zip(batch, [labels_of(one, self._layer) for one in analyses], strict=True)
        return found


def labels_of(analysis: Analysis, layer: SequenceLayer) -> Sequence[str] | None:
    """The labels of a line; None if it was not analysed."""
    return layer.labels(analysis) if layer.is_there(analysis) else None


def sequence_nist(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], table: NgramTable
) -> Float:
    """NIST of pairs of sequences of labels, float64 [n_pairs], from 0."""
    ids: dict[str, int] = {}
    one, other = (_numbered(side, ids) for side in (references, hypotheses))
    sizes = [np.diff(offsets).astype(np.float64) for _, offsets in (one, other)]
    return nist_scores(WordPairs((*one, *other), sizes[0], sizes[1], list(ids)), table)


def _numbered(
    lines: Sequence[Sequence[str]], ids: dict[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Ids of the labels of all lines, and where each line begins; new labels are added to the known ones."""
    flat = np.array([ids.setdefault(label, len(ids)) for line in lines for label in line], dtype=np.int32)
    return flat, np.cumsum([0, *map(len, lines)], dtype=np.int64)
