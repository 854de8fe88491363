"""Test sets as questions to `pfsm.evaluation`, which has the statistics and resamples."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pfsm.data import Judgments
from pfsm.evaluation.catalogue import (
    BY_LEVEL,
    DOCUMENT,
    PREFERENCES,
    SEGMENT,
    Statistic,
    level_and_name,
)
from pfsm.evaluation.engine import Float, check_units
from pfsm.evaluation.questions import Question, absolute_question, preference_question
from pfsm_experiments.data import TestSet

AnyQuestion = Question[Any]
"""A question on absolute scores or on preferences."""


def question_of(
    test: TestSet, level: str = SEGMENT, resample: str | None = None, *, lengths: bool = False
) -> AnyQuestion:
    """The question of a test set; arguments and errors are those of `pfsm.evaluation.absolute_question`."""
    if not isinstance(test.data, Judgments):
        return preference_question(test.data, test.files, test.groups, resample=resample)
    # Statistics of documents always resample documents, whatever the unit of the others.
    drawn = None if level == DOCUMENT else resample
    return absolute_question(test.data, test.files, test.groups, level, resample=drawn, lengths=lengths)


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
        level = level or SEGMENT
        table = BY_LEVEL[level] if isinstance(test.data, Judgments) else PREFERENCES
        found.setdefault(level, {})[name] = table[canonical]
    return found


def questions_of(
    test: TestSet, names: Sequence[str], resample: str
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


def check_questions(test: TestSet, names: Sequence[str], resample: str) -> None:
    """Checks before the work begins that the statistics can be computed.

    Raises:
        PfsmError: If the unit of resampling does not fit the data or a statistic.
    """
    for question, statistics in questions_of(test, names, resample):
        check_units(question, statistics.values())
