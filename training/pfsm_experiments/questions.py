"""Test sets as questions to `pfsm.evaluation`, which has the statistics and resamples."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import (
    BY_LEVEL,
    DOCUMENT,
    PREFERENCES,
    RANKINGS,
    SEGMENT,
    SYSTEM,
    Statistic,
    level_and_name,
)
from pfsm.evaluation.catalogue import LIKENESS as LIKENESS_STATISTICS
from pfsm.evaluation.engine import Float, check_units
from pfsm.evaluation.people import EXPECTED_WINS, FITS, LEAST_SQUARES, SYSTEM_SCORES
from pfsm.evaluation.questions import (
    LIKENESS,
    SEGMENTS,
    LikenessQuestion,
    Question,
    absolute_question,
    likeness_question,
    preference_question,
    ranking_question,
)
from pfsm.evaluation.questions import SEGMENT as SEGMENT_COLUMN
from pfsm_experiments.data import TestSet

AnyQuestion = Question[Any]
"""A question on absolute scores or on preferences."""


def question_of(
    test: TestSet, level: str = SEGMENT, resample: str | None = None, *, lengths: bool = False
) -> AnyQuestion:
    """The question of a test set; arguments and errors are those of `pfsm.evaluation.absolute_question`.

    ``level`` is `LIKENESS` for test cases of human likeness.
    """
    if level == LIKENESS:
        return likeness_of(test, resample).question
    if not isinstance(test.data, Judgments):
        if level == SYSTEM:
            return ranking_question(
                test.data,
                test.files,
                test.groups,
                resample=resample,
                people=test.system_scores or EXPECTED_WINS,
            )
        return preference_question(test.data, test.files, test.groups, resample=resample)
    # Statistics of documents always resample documents, whatever the unit of the others.
    drawn = None if level == DOCUMENT else resample
    people = test.system_scores or LEAST_SQUARES
    return absolute_question(
        test.data, test.files, test.groups, level, resample=drawn, lengths=lengths, people=people
    )


def likeness_of(test: TestSet, resample: str | None = None) -> LikenessQuestion:
    """The test cases of human likeness of a test set of scores, with what there is to score for them.

    Raises:
        PfsmError: If it lacks the columns, or they are not to be resampled by segments.
    """
    assert isinstance(test.data, Judgments)
    if SEGMENT_COLUMN not in test.data.columns:
        raise PfsmError(f"king needs the column {SEGMENT_COLUMN!r}")
    if resample not in {None, SEGMENTS}:
        raise PfsmError(f"king resamples segments, not {resample}")
    return likeness_question(test.data, test.files, test.groups)


def metric_scores(test: TestSet, scores: Float) -> Float:
    """Scores in the shape that `pfsm.evaluation` expects.

    Args:
        test: The test set.
        scores: float64 [n], or for preferences [2 n] with the better translations first; NaN if not tested.

    Returns:
        float64 [n], or for preferences [n, 2].
    """
    if isinstance(test.data, Judgments):
        return scores
    return np.ascontiguousarray(scores.reshape(2, -1).T)


def by_level(test: TestSet, names: Sequence[str]) -> dict[str, dict[str, Statistic[Any]]]:
    """The statistics by level, and within a level by the name given."""
    found: dict[str, dict[str, Statistic[Any]]] = {}
    for name in names:
        level, canonical = level_and_name(name)
        level = LIKENESS if canonical in LIKENESS_STATISTICS else level or SEGMENT
        table: Mapping[str, Statistic[Any]]
        if level == LIKENESS:
            table = LIKENESS_STATISTICS
        elif isinstance(test.data, Judgments):
            table = BY_LEVEL[level]
        else:
            table = RANKINGS if level == SYSTEM else PREFERENCES
        found.setdefault(level, {})[name] = table[canonical]
    return found


def questions_of(
    test: TestSet, names: Sequence[str], resample: str | None
) -> list[tuple[AnyQuestion, dict[str, Statistic[Any]]]]:
    """The questions of a test set, one per level, each with its statistics by name."""
    return [
        (
            question_of(
                test, level, resample, lengths=any("lengths" in one.needs for one in statistics.values())
            ),
            statistics,
        )
        for level, statistics in by_level(test, names).items()
    ]


def check_questions(test: TestSet, names: Sequence[str], resample: str | None) -> None:
    """Checks before the work begins that the statistics can be computed.

    Raises:
        PfsmError: If the unit of resampling, or people's scores of systems, do not fit the data or a statistic.
    """
    known = FITS if isinstance(test.data, Judgments) else SYSTEM_SCORES
    if test.system_scores not in {None, *known}:
        raise PfsmError(f"system_scores is {test.system_scores!r}, it must be one of {', '.join(known)}")
    for question, statistics in questions_of(test, names, resample):
        check_units(question, statistics.values())
