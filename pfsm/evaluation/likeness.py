"""Human likeness of judged data: does the metric tell references from translations (KING)?

With two or more references of a segment, each is held out in turn; it and the translations of the segment are
scored against the others, the best of which counts.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import SEGMENT as SEGMENT_LEVEL
from pfsm.evaluation.king import TestCases
from pfsm.evaluation.questions import LIKENESS, SEGMENTS, Question, segment_names
from pfsm.evaluation.samples import by_appearance
from pfsm.metrics import score_distinct

_FURTHER = re.compile(r"reference_[1-9][0-9]*", re.ASCII)


@dataclass(frozen=True, eq=False)
class LikenessQuestion:
    """Test cases, a segment with one of its references held out each, and what there is to score for them."""

    question: Question[TestCases]
    hypotheses: Sequence[str]
    """[n_pairs], the held-out references, then the translations, each once for every reference left."""
    references: Sequence[str]
    starts: NDArray[np.int64]
    """int64 [n_items], where the pairs of each begin."""

    def scores(
        self, score_pairs: Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """float64 [n_items]: a metric's scores of held-out references and translations."""
        pairs = score_distinct(score_pairs, self.hypotheses, self.references)
        return np.maximum.reduceat(pairs, self.starts)


def likeness_question(data: Judgments, files: NDArray[np.int64], groups: Sequence[str]) -> LikenessQuestion:
    """The test cases of some judgments; arguments as in `absolute_question`.

    Raises:
        PfsmError: If no segment has two references.
    """
    further = [name for name in data.columns if _FURTHER.fullmatch(name)]
    segments = by_appearance(segment_names(data, files))
    order = np.argsort(segments, kind="stable")
    case_groups: list[str] = []
    units: list[int] = []
    held_out: list[tuple[str, list[str]]] = []
    translations: list[tuple[int, str, list[str]]] = []
    for unit, rows in enumerate(np.split(order, np.flatnonzero(np.diff(segments[order])) + 1)):
        first = int(rows[0])
        texts = [data.references[first], *(data.columns[name][first] for name in further)]
        references = [text for text in texts if text]
        for number, reference in enumerate(references if len(references) > 1 else []):
            others = references[:number] + references[number + 1 :]
            translations += [(len(held_out), data.hypotheses[row], others) for row in rows.tolist()]
            held_out.append((reference, others))
            case_groups.append(groups[first])
            units.append(unit)
    if not held_out:
        raise PfsmError("king needs two references of a segment: columns reference and reference_2")
    items = [*held_out, *((text, others) for _, text, others in translations)]
    counts = [len(others) for _, others in items]
    cases = TestCases(
        by_appearance(np.array(units, dtype=np.int64)),
        np.array([case for case, *_ in translations], dtype=np.int64),
    )
    return LikenessQuestion(
        Question(LIKENESS, SEGMENT_LEVEL, cases, case_groups, SEGMENTS),
        [text for text, others in items for _ in others],
        [other for _, others in items for other in others],
        np.concatenate([[0], np.cumsum(counts[:-1])]).astype(np.int64),
    )
