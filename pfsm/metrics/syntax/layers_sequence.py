"""Sequences of labels that a line can be written as, and NIST over them (SP-NIST, Giménez and Màrquez 2009)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.chunks import base_chunks, iob_labels
from pfsm.analysis.parser.parse import Wanted
from pfsm.analysis.sentence import Analysis
from pfsm.lexicons.lemmas import lemma_of
from pfsm.metrics.nist import nist_scores
from pfsm.metrics.syntax.layers import CONSTITUENTS, DEPENDENCIES, has_constituents, has_tags
from pfsm.metrics.word_pairs import WordPairs

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


def sequence_nist(
    hypotheses: Sequence[Analysis], references: Sequence[Analysis], layer: SequenceLayer
) -> Float:
    """NIST of analysed pairs over a sequence of labels, float64 [n_pairs], from 0; 0 where one was not analysed."""
    ids: dict[str, int] = {}
    of_line: dict[int, list[int]] = {}
    for analysis in (*references, *hypotheses):
        if id(analysis) not in of_line:
            labels = layer.labels(analysis) if layer.is_there(analysis) else ()
            of_line[id(analysis)] = [ids.setdefault(label, len(ids)) for label in labels]
    one, other = (_flat([of_line[id(line)] for line in side]) for side in (references, hypotheses))
    sizes = [np.diff(offsets).astype(np.float64) for _, offsets in (one, other)]
    return nist_scores(WordPairs((*one, *other), *sizes))


def _flat(lines: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    ids = np.array([label for line in lines for label in line], dtype=np.int32)
    return ids, np.cumsum([0, *map(len, lines)], dtype=np.int64)
