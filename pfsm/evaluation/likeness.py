"""Human likeness of judged data: does the metric tell references from translations (KING)?

With two or more references of a segment, each is held out in turn; it and the translations of the segment are
scored against the others, as the metric uses several references.
"""

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

Scorer = Callable[[Sequence[str], Sequence[tuple[str, ...]]], NDArray[np.float64]]
"""From hypotheses and the references of each to scores, as `pfsm.metrics.SegmentMetric.score_segments`."""


@dataclass(frozen=True, eq=False)
class LikenessQuestion:
    """Test cases, a segment with one of its references held out each, and what there is to score for them."""

    question: Question[TestCases]
    hypotheses: Sequence[str]
    """[n_items], the held-out references, then the translations."""
    references: Sequence[tuple[str, ...]]
    """[n_items], the references left to each."""

    def scores(self, score_segments: Scorer) -> NDArray[np.float64]:
        """float64 [n_items]: a metric's scores of held-out references and translations."""
        return score_distinct(score_segments, self.hypotheses, self.references)


def likeness_question(data: Judgments, files: NDArray[np.int64], groups: Sequence[str]) -> LikenessQuestion:
    """The test cases of some judgments; arguments as in `absolute_question`.

    Raises:
        PfsmError: If no segment has two references.
    """
    segments = by_appearance(segment_names(data, files))
    order = np.argsort(segments, kind="stable")
    case_groups: list[str] = []
    units: list[int] = []
    held_out: list[tuple[str, tuple[str, ...]]] = []
    translations: list[tuple[int, str, tuple[str, ...]]] = []
    for unit, rows in enumerate(np.split(order, np.flatnonzero(np.diff(segments[order])) + 1)):
        first = int(rows[0])
        references = tuple(filter(None, data.all_references[first]))
        for number, reference in enumerate(references if len(references) > 1 else ()):
            others = references[:number] + references[number + 1 :]
            translations += [(len(held_out), data.hypotheses[row], others) for row in rows.tolist()]
            held_out.append((reference, others))
            case_groups.append(groups[first])
            units.append(unit)
    if not held_out:
        raise PfsmError("king needs two references of a segment: columns reference and reference_2")
    items = [*held_out, *((text, others) for _, text, others in translations)]
    cases = TestCases(
        by_appearance(np.array(units, dtype=np.int64)),
        np.array([case for case, *_ in translations], dtype=np.int64),
    )
    return LikenessQuestion(
        Question(LIKENESS, SEGMENT_LEVEL, cases, case_groups, SEGMENTS),
        [text for text, _ in items],
        [others for _, others in items],
    )
